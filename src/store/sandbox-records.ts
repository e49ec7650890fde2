/**
 * Where the sandboxes of this user are: a file for each, which goes away with it. One that was killed leaves its file behind, so that
 * only its services can tell whether it still runs.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Paths } from '../context.ts';
import { parseJsonText } from '../json-object.ts';
import { discard, writeAtomic } from './atomic-write.ts';
import { errorCode, fileFailure, makeFolder, readOwnFile } from './own-file.ts';
import type { SandboxEnv, SandboxRecord } from './schemas.ts';

export type { SandboxEnv, SandboxRecord };

export interface StoredSandbox {
  readonly record: SandboxRecord;
  /** Removes the file: its sandbox is over. */
  forget(): void;
}

type Recorder = Pick<Context, 'paths' | 'random' | 'now' | 'identity'>;

/** Returns what removes the file again. Its name is never used twice: who removes it cannot hit another's. */
export function recordSandbox(
  { paths, random, now, identity }: Recorder,
  about: Pick<SandboxRecord, 'startedBy' | 'traps'> & { readonly env: Readonly<Record<string, string>> },
): () => void {
  const record = { version: 1, startedAt: now(), identity, ...about };
  const name = Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join('');
  const path = join(folderOf(paths), `${now()}-${name}.json`);
  try {
    makeFolder(folderOf(paths));
  } catch (error) {
    throw fileFailure(`cannot write ${path}`, error);
  }
  writeAtomic(path, `${JSON.stringify(record)}\n`);
  return () => discard(path);
}

/** The oldest first. What is no record of a sandbox is left alone. */
export async function readSandboxes(paths: Paths): Promise<readonly StoredSandbox[]> {
  const folder = folderOf(paths);
  const found: StoredSandbox[] = [];
  for (const name of namesIn(folder).filter((name) => name.endsWith('.json'))) {
    const path = join(folder, name);
    const record = await readRecord(path);
    if (record !== undefined) found.push({ record, forget: () => discard(path) });
  }
  return found.sort((one, other) => one.record.startedAt - other.record.startedAt);
}

/** Of an environment that leads to a sandbox and to nothing else; undefined of any other. */
export async function sandboxEnv(values: Readonly<Record<string, unknown>>): Promise<SandboxEnv | undefined> {
  return (await import('./schemas.ts')).sandboxEnv.safeParse(values).data;
}

function folderOf({ state }: Paths): string {
  return join(state, 'sandboxes');
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return [];
    throw fileFailure(`cannot read ${folder}`, error);
  }
}

/** Undefined also where it went away meanwhile. */
async function readRecord(path: string): Promise<SandboxRecord | undefined> {
  const { sandboxRecord } = await import('./schemas.ts');
  try {
    return sandboxRecord.safeParse(parseJsonText(readOwnFile(path).toString())).data;
  } catch {
    return undefined;
  }
}
