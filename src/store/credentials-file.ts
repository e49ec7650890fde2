/** credentials.json on disk: read without a lock, written under it, moved aside if it is corrupt, never wiped. */
import { accessSync, constants } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { type Reserved, realTarget, release, reserve, stagedPath, writeAtomic } from './atomic-write.ts';
import { type CredentialsDocument, credentialName, eachCredential, NO_CREDENTIALS } from './credentials.ts';
import { withLock } from './lock.ts';
import { discard } from './own-file.ts';
import { type Sealable, type VaultContext, withPlaceholders } from './sealed-records.ts';
import { checkFolder, parseDocument, readSecretFile, setAside } from './secret-file.ts';
import { Vault } from './vault.ts';

interface CredentialsFile {
  /** Empty if the file is missing or corrupt. The secrets of sealed records are empty, too. */
  readonly document: CredentialsDocument;
  readonly warnings: readonly string[];
}

/** Access to the file while this process alone may write it. */
export interface OpenCredentials extends CredentialsFile {
  /** The current content of the file; the initial content if it cannot be used now. */
  reread(): Promise<CredentialsDocument>;
  /** With its secrets, wherever they are; undefined if a credential helper no longer has them. */
  find<R extends Sealable>(record: R): Promise<R | undefined>;
  /** With its secrets, which must be in the chosen store. Throws `unauthorized` if they are not. */
  open<R extends Sealable>(record: R): Promise<R>;
  /** Reserves space for the next `save`. Throws `file_unusable` if there is none, `unauthorized` if a credential helper cannot store. */
  reserve(): Promise<void>;
  /** Resolves with how many old entries of a credential helper could not be erased. */
  save(next: CredentialsDocument): Promise<number>;
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
  return withPlaceholders(parseDocument(text, await schema()), eachCredential);
}

async function readFile(path: string): ReturnType<typeof readSecretFile<CredentialsDocument>> {
  const { document, ...rest } = await readSecretFile(path, schema);
  return { ...rest, document: document && withPlaceholders(document, eachCredential) };
}

/** The content of the file, without its lock; empty if it cannot be used. */
export async function readCredentialsUnlocked(paths: Paths): Promise<CredentialsDocument> {
  return (await usableDocument(credentialsPath(paths))) ?? NO_CREDENTIALS;
}

/** The content of the file, after a repair if it needs one: only a repair takes the lock. */
export async function readCredentials(paths: Paths, context: VaultContext): Promise<CredentialsFile> {
  const path = credentialsPath(paths);
  const { document, warnings, corrupt } = await readFile(path);
  if (corrupt === undefined) return { document: document ?? NO_CREDENTIALS, warnings };
  try {
    return await withCredentials(paths, context, (file) => ({ document: file.document, warnings: file.warnings }));
  } catch (error) {
    if (context.signal.aborted) throw error;
    throw new SvcError('unauthorized', `${path} cannot be used: ${corrupt}`, {
      hint: 'correct it, or remove it and sign in again: svc oauth login',
      cause: error,
    });
  }
}

export async function openRecord<R extends Sealable>(record: R, context: VaultContext): Promise<R> {
  const open = await new Vault(context).open(record, credentialName(record));
  if (open === undefined) throw noEntry(record);
  return open;
}

/** One record of the file with its secrets. Another process may replace it, and erase what it replaced, while this one reads. */
export async function readOpened<R extends Sealable>(
  paths: Paths,
  context: VaultContext,
  find: (document: CredentialsDocument) => R | undefined,
): Promise<CredentialsFile & { readonly record: R | undefined }> {
  const vault = new Vault(context);
  for (let left = 5; ; left--) {
    const file = await readCredentials(paths, context);
    const found = find(file.document);
    let failure: unknown;
    const open = found && vault.open(found, credentialName(found));
    const record = await open?.catch((error: unknown) => {
      failure = error;
      return undefined;
    });
    if (found === undefined || record !== undefined) return { ...file, record };
    if (context.signal.aborted) throw failure;
    const now = find((await readCredentials(paths, context)).document);
    // The same entry still: nobody has replaced it.
    if (left === 0 || now?.sealed?.entry === found.sealed?.entry) throw failure ?? noEntry(found);
  }
}

function noEntry(record: Sealable): SvcError {
  const helper = record.sealed?.helper;
  return new SvcError('unauthorized', `the credential helper ${helper} does not have ${credentialName(record)}`, {
    hint: 'sign in again with: svc oauth login (trade: svc trade login)',
  });
}

/** The only way to write. When `body` begins, what a process staged before it died was removed, and a corrupt file was moved aside. */
export async function withCredentials<T>(
  paths: Paths,
  context: VaultContext,
  body: (file: OpenCredentials) => T | Promise<T>,
): Promise<T> {
  const path = realTarget(credentialsPath(paths));
  checkFolder(path);
  const locked = async (): Promise<T> => {
    discard(stagedPath(path));
    const before = await readFile(path);
    const warnings = [...before.warnings];
    if (before.corrupt !== undefined) warnings.push(setAside(path, before.corrupt, context.now()));
    const vault = new Vault(context);
    const document = before.document ?? NO_CREDENTIALS;
    let latest = document;
    let reserved: Reserved | undefined;
    const textOf = (next: CredentialsDocument): string => `${JSON.stringify(next, null, 2)}\n`;
    const write = (text: string): void => {
      try {
        writeAtomic(path, text, { reserved });
      } catch {
        // A disk fault may pass, and a new token cannot be obtained again.
        writeAtomic(path, text);
      } finally {
        reserved = undefined;
      }
    };
    try {
      return await body({
        document,
        warnings,
        reread: async () => (await usableDocument(path)) ?? document,
        find: (record) => vault.open(record, credentialName(record), true),
        open: async (record) => {
          const open = await vault.open(record, credentialName(record));
          if (open === undefined) throw noEntry(record);
          return open;
        },
        reserve: async () => {
          reserved = reserve(path, JSON.stringify(document, null, 2).length + GROWTH);
          await vault.check(path);
        },
        save: async (next) => {
          const { document: sealed, writes, obsolete } = vault.plan(next, latest, eachCredential);
          const old = [...(latest.erasing ?? []), ...obsolete];
          const gen = latest.gen + 1;
          latest = { ...sealed, gen, erasing: old.length === 0 ? undefined : old };
          await vault.store(writes);
          write(textOf(latest));
          const left = await vault.eraseReplaced(old, path, textOf(latest));
          if (left.length < old.length) {
            latest = { ...latest, gen: gen + 1, erasing: left.length === 0 ? undefined : left };
            write(textOf(latest));
          }
          latest = withPlaceholders(latest, eachCredential);
          return left.length;
        },
      });
    } finally {
      if (reserved !== undefined) discard(stagedPath(path));
      release(reserved);
    }
  };
  return withLock(`${path}.lock`, context, locked, WAIT_MS);
}

async function usableDocument(path: string): Promise<CredentialsDocument | undefined> {
  try {
    return (await readFile(path)).document;
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}
