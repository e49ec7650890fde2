/**
 * Where the sandboxes of this user are: a file for each, which goes away with it. One that was killed leaves its file behind, so that
 * only its services can tell whether it still runs.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Context, Paths } from '../context.ts';
import { isObject } from '../json-object.ts';
import { discard, writeAtomic } from './atomic-write.ts';
import { errorCode, fileFailure } from './file-failure.ts';
import { makeFolder } from './folders.ts';
import { readOwnFile } from './own-file.ts';

/** The variables that lead to a sandbox. */
export type SandboxEnv = Readonly<
  Record<
    | 'SVC_ALERTS_URL'
    | 'SVC_WEBHOOKS_URL'
    | 'SVC_WEBHOOKS_TOKEN'
    | 'SVC_CATALOG_URL'
    | 'SVC_TRADE_URL'
    | 'SVC_TRADE_TOKEN',
    string
  >
>;

export interface SandboxRecord {
  readonly version: 1;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly startedBy: 'start' | 'run';
  /** `user@host`: another machine, or a container, may share these files, and not the loopback. */
  readonly identity: string;
  readonly traps: readonly string[];
  readonly env: SandboxEnv;
}

export interface StoredSandbox {
  readonly record: SandboxRecord;
  /** Removes the file: its sandbox is over. */
  forget(): void;
}

type Recorder = Pick<Context, 'paths' | 'random' | 'now' | 'identity'>;

const URL_FORM = /^http:\/\/127\.0\.0\.1:\d{1,5}$/;
const TOKEN_FORM = /^\w{8,128}$/;
const FORMS: Readonly<Record<keyof SandboxEnv, RegExp>> = {
  SVC_ALERTS_URL: URL_FORM,
  SVC_WEBHOOKS_URL: URL_FORM,
  SVC_WEBHOOKS_TOKEN: TOKEN_FORM,
  SVC_CATALOG_URL: URL_FORM,
  SVC_TRADE_URL: URL_FORM,
  SVC_TRADE_TOKEN: TOKEN_FORM,
};

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
export function readSandboxes(paths: Paths): readonly StoredSandbox[] {
  const folder = folderOf(paths);
  return namesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const path = join(folder, name);
      const record = readRecord(path);
      return record === undefined ? [] : [{ record, forget: () => discard(path) }];
    })
    .sort((one, other) => one.record.startedAt - other.record.startedAt);
}

/** Of an environment that leads to a sandbox and to nothing else; undefined of any other. */
export function sandboxEnv(values: Readonly<Record<string, unknown>>): SandboxEnv | undefined {
  const entries = Object.entries(FORMS).map(([name, form]): [string, unknown] => {
    const value = values[name];
    return [name, typeof value === 'string' && form.test(value) ? value : undefined];
  });
  if (entries.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(entries) as unknown as SandboxEnv;
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
function readRecord(path: string): SandboxRecord | undefined {
  let found: unknown;
  try {
    found = JSON.parse(readOwnFile(path).toString());
  } catch {
    return undefined;
  }
  if (!isObject(found) || found['version'] !== 1 || !isObject(found['env'])) return undefined;
  const { startedAt, startedBy, identity, traps } = found;
  const env = sandboxEnv(found['env']);
  if (env === undefined || !isTime(startedAt) || typeof identity !== 'string') return undefined;
  if (startedBy !== 'start' && startedBy !== 'run') return undefined;
  if (!Array.isArray(traps) || !traps.every((trap) => typeof trap === 'string')) return undefined;
  return { version: 1, startedAt, startedBy, identity, traps, env };
}

const LAST_TIME = 8.64e15;

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && Math.abs(value as number) <= LAST_TIME;
}
