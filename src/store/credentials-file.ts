/** credentials.json on disk: read without a lock, written under it, moved aside if it is corrupt, never wiped. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { realTarget, stagedPath } from './atomic-write.ts';
import { type CredentialsDocument, NO_CREDENTIALS } from './credentials.ts';
import { promoteStaged, StagedFile } from './credentials-staging.ts';
import { type LockContext, withLock } from './lock.ts';
import { checkFolder, parseDocument, readSecretFile, setAside } from './secret-file.ts';

export interface CredentialsFile {
  /** Empty if the file is missing or corrupt. */
  readonly document: CredentialsDocument;
  readonly warnings: readonly string[];
}

/** Access to the file while this process alone may write it. */
export interface OpenCredentials extends CredentialsFile {
  /** The current content of the file; the initial content if it cannot be used now. */
  reread(): Promise<CredentialsDocument>;
  /** Reserves space for the next `save`. Throws `file_unusable` if there is none. */
  reserve(): void;
  save(next: CredentialsDocument): void;
}

/** What a refresh may add to the file: tokens of some services are long. */
const GROWTH = 64 * 1024;
/** The lock's owner may wait for a token for most of a minute: a shorter limit would fail needlessly. */
const WAIT_MS = 60_000;

export function credentialsPath(paths: Paths): string {
  return join(paths.config, 'credentials.json');
}

/** False if this user may not write in the folder of the file, or its file system is read-only. */
export function canStore(paths: Paths): boolean {
  try {
    accessSync(dirname(realTarget(credentialsPath(paths))), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

const schema = async () => (await import('./schemas.ts')).credentials;

/** Throws `CorruptDocument`. */
export async function parseCredentials(text: string): Promise<CredentialsDocument> {
  return parseDocument(text, await schema());
}

/** The content of the file, without its lock; empty if it cannot be used. */
export async function readCredentialsUnlocked(paths: Paths): Promise<CredentialsDocument> {
  return (await usableDocument(credentialsPath(paths))) ?? NO_CREDENTIALS;
}

/** The content of the file, after a repair if it needs one: only a repair takes the lock. */
export async function readCredentials(paths: Paths, context: LockContext): Promise<CredentialsFile> {
  const path = credentialsPath(paths);
  const { document, warnings, corrupt } = await readSecretFile(path, schema);
  if (document !== undefined) return { document, warnings };
  // If a process died in its very first write, there is only a staged file.
  if (corrupt === undefined && !existsSync(stagedPath(path))) return { document: NO_CREDENTIALS, warnings };
  try {
    return await withCredentials(paths, context, (file) => ({ document: file.document, warnings: file.warnings }));
  } catch (error) {
    if (corrupt === undefined || context.signal.aborted) throw error;
    throw new SvcError('unauthorized', `${path} cannot be used: ${corrupt}`, {
      hint: 'correct it, or remove it and sign in again: svc oauth login',
      cause: error,
    });
  }
}

/** The only way to write. When `body` begins, staged content of a process that died is in place, and a corrupt file was moved aside. */
export async function withCredentials<T>(
  paths: Paths,
  context: LockContext,
  body: (file: OpenCredentials) => T | Promise<T>,
): Promise<T> {
  const path = realTarget(credentialsPath(paths));
  checkFolder(path);
  const locked = async (): Promise<T> => {
    const before = await readSecretFile(path, schema);
    const warnings = [...before.warnings];
    if (before.corrupt !== undefined) {
      const aside = setAside(path, context.now());
      warnings.push(`${path} could not be used: ${before.corrupt}; svc moved it to ${aside}`);
    }
    const promoted = await promoteStaged(path, (text) => isNewer(text, before.document ?? NO_CREDENTIALS));
    const document = (promoted ? await usableDocument(path) : before.document) ?? NO_CREDENTIALS;
    const staged = new StagedFile(path);
    let gen = document.gen;
    try {
      return await body({
        document,
        warnings,
        reread: async () => (await usableDocument(path)) ?? document,
        reserve: () => staged.reserve(JSON.stringify(document, null, 2).length + GROWTH),
        save: (next) => {
          gen += 1;
          staged.commit(`${JSON.stringify({ ...next, gen }, null, 2)}\n`);
        },
      });
    } finally {
      staged.release();
    }
  };
  return withLock(`${path}.lock`, context, locked, WAIT_MS);
}

async function usableDocument(path: string): Promise<CredentialsDocument | undefined> {
  try {
    return (await readSecretFile(path, schema)).document;
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}

async function isNewer(text: string, { gen }: CredentialsDocument): Promise<boolean> {
  try {
    return (await parseCredentials(text)).gen > gen;
  } catch {
    return false;
  }
}
