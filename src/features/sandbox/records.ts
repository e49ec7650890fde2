/**
 * The sandboxes of this user, one file each. A killed sandbox leaves its file behind, so only its
 * services can tell whether it still runs.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Paths } from '../../context.ts';
import { parseJsonText } from '../../json-object.ts';
import { discard, errorCode, fileFailure, makeFolder, readOwnFile, writeAtomic } from '../../store/own-file.ts';
import type { SandboxEnv, SandboxRecord } from './schema.ts';

export type { SandboxEnv, SandboxRecord };

interface StoredSandbox {
  readonly record: SandboxRecord;
  /** Removes the file: its sandbox has ended. */
  forget(): void;
}

type Recorder = Pick<Context, 'paths' | 'random' | 'now' | 'identity'>;

/** Returns a function that removes the file; never another's, as names are not reused. */
export function recordSandbox(
  { paths, random, now, identity }: Recorder,
  about: Pick<SandboxRecord, 'startedBy' | 'traps'> & { readonly env: Readonly<Record<string, string>> },
): () => void {
  const record = { version: 1, startedAt: now(), identity: identity(), ...about };
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

/** Oldest first. Other files are ignored. */
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

/** Undefined also if it was removed in the meantime. */
async function readRecord(path: string): Promise<SandboxRecord | undefined> {
  const { sandboxRecord } = await import('./schema.ts');
  try {
    return sandboxRecord.safeParse(parseJsonText(readOwnFile(path).toString())).data;
  } catch {
    return undefined;
  }
}
