/** credentials.json on disk: read without a lock, written under it, set aside where it is corrupt, never wiped. */
import { closeSync, existsSync, fchmodSync, fstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { platform } from 'node:os';
import { dirname, join } from 'node:path';
// biome-ignore lint/style/noRestrictedImports: whose files are ours is a fact of the machine, as a file is, and of no context
import { geteuid } from 'node:process';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { realTarget, stagedPath } from './atomic-write.ts';
import { type CredentialsDocument, NO_CREDENTIALS, parseCredentials, ShapeFault } from './credentials.ts';
import { promoteStaged, StagedFile } from './credentials-staging.ts';
import { errorCode, fileFailure } from './file-failure.ts';
import { type LockContext, withLock } from './lock.ts';
import { openOwnFile } from './own-file.ts';
import { setAside } from './set-aside.ts';

export interface CredentialsFile {
  /** Empty where there is no file, or a corrupt one. */
  readonly document: CredentialsDocument;
  readonly warnings: readonly string[];
}

/** The file while this process alone may write it. */
export interface OpenCredentials extends CredentialsFile {
  /** What stands in the file now, whoever wrote it; what stood there at first where that cannot be used. */
  reread(): CredentialsDocument;
  /** Makes sure that the next `save` has room. Throws `file_unusable` where it cannot have any. */
  reserve(): void;
  save(next: CredentialsDocument): void;
}

const LARGEST = 1024 * 1024;
/** What a refresh may add to the file: tokens of some services are long. */
const ROOM = 64 * 1024;
/** Who holds the lock may be waiting for a token for most of a minute: whoever gave up sooner would fail for nothing. */
const WAIT_MS = 60_000;

export function credentialsPath(paths: Paths): string {
  return join(paths.config, 'credentials.json');
}

/** The content of the file, without its lock; empty if it cannot be used. */
export function readCredentialsUnlocked(paths: Paths): CredentialsDocument {
  return usableDocument(credentialsPath(paths)) ?? NO_CREDENTIALS;
}

/** What the file holds, after a repair where it needs one: only that takes the lock. */
export async function readCredentials(paths: Paths, context: LockContext): Promise<CredentialsFile> {
  const path = credentialsPath(paths);
  const found = read(path);
  // A process died in its very first writing.
  const unfinished = found.document === NO_CREDENTIALS && existsSync(stagedPath(path));
  if (found.corrupt === undefined && !unfinished) return found;
  try {
    return await withCredentials(paths, context, ({ document, warnings }) => ({ document, warnings }));
  } catch (error) {
    if (found.corrupt === undefined || context.signal.aborted) throw error;
    throw new SvcError('unauthorized', `${path} cannot be used: ${found.corrupt}`, {
      hint: 'correct it, or remove it and sign in again: svc oauth login',
      cause: error,
    });
  }
}

/** The one way to write. What a process that died had staged is in place when `body` begins, and a corrupt file is out of the way. */
export async function withCredentials<T>(
  paths: Paths,
  context: LockContext,
  body: (file: OpenCredentials) => T | Promise<T>,
): Promise<T> {
  const path = realTarget(credentialsPath(paths));
  checkFolder(path);
  return withLock(
    `${path}.lock`,
    context,
    async () => {
      const before = read(path);
      const warnings = [...before.warnings];
      if (before.corrupt !== undefined) {
        const aside = setAside(path, context.now());
        warnings.push(`${path} could not be used: ${before.corrupt}; it is kept as ${aside}`);
      }
      const promoted = promoteStaged(path, (text) => isNewer(text, before.document));
      const { document } = promoted ? read(path) : before;
      const staged = new StagedFile(path);
      let gen = document.gen;
      try {
        return await body({
          document,
          warnings,
          reread: () => usableDocument(path) ?? document,
          reserve: () => staged.reserve(JSON.stringify(document, null, 2).length + ROOM),
          save: (next) => {
            gen += 1;
            staged.commit(`${JSON.stringify({ ...next, gen }, null, 2)}\n`);
          },
        });
      } finally {
        staged.release();
      }
    },
    WAIT_MS,
  );
}

function usableDocument(path: string): CredentialsDocument | undefined {
  try {
    const { document, corrupt } = read(path);
    return corrupt === undefined ? document : undefined;
  } catch {
    return undefined;
  }
}

function isNewer(text: string, { gen }: CredentialsDocument): boolean {
  try {
    return parseCredentials(text).gen > gen;
  } catch {
    return false;
  }
}

interface Found extends CredentialsFile {
  /** What is wrong with the file. */
  readonly corrupt?: string;
}

/** Throws where the file must not be used, or cannot be read. */
function read(path: string): Found {
  const found = readBytes(path);
  if (found === undefined) return { document: NO_CREDENTIALS, warnings: [] };
  const { text, warnings } = found;
  try {
    return { document: parseCredentials(text), warnings };
  } catch (error) {
    if (error instanceof ShapeFault) return { document: NO_CREDENTIALS, warnings, corrupt: error.message };
    if (!(error instanceof SvcError)) throw error;
    const { code, message, hint = '' } = error;
    throw new SvcError(code, `${path} cannot be used: ${message}`, { hint });
  }
}

function readBytes(path: string): { readonly text: string; readonly warnings: readonly string[] } | undefined {
  try {
    const file = openOwnFile(path, 'r');
    try {
      const stats = fstatSync(file);
      checkFolder(path);
      const warnings = ownAlone(file, stats, path);
      if (stats.size > LARGEST) throw new SvcError('file_unusable', `${path} is larger than 1 MiB`);
      return { text: readFileSync(file, 'utf8'), warnings };
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw fileFailure(`cannot read ${path}`, error, 'make it readable, or set SVC_CONFIG_DIR to another directory');
  }
}

/** Windows keeps its rights elsewhere. */
const HAS_MODES = platform() !== 'win32';

/** Takes others' rights to the file away. */
function ownAlone(file: number, { uid, mode }: Stats, path: string): string[] {
  if (!HAS_MODES) return [];
  const self = geteuid?.();
  if (uid !== self && self !== 0) {
    throw new SvcError('file_unusable', `${path} belongs to another user`, {
      hint: 'set SVC_CONFIG_DIR to a directory of your own',
    });
  }
  if ((mode & 0o077) === 0) return [];
  const was = `others had rights to ${path} (mode ${(mode & 0o777).toString(8)})`;
  try {
    fchmodSync(file, 0o600);
    return [`${was}: it is set to 600; sign in again if they may have read it`];
  } catch {
    return [`${was}: set it to 600`];
  }
}

/** Whoever may write a folder may put another's login there. */
function checkFolder(path: string): void {
  const folder = dirname(path);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!HAS_MODES || stats === undefined || (stats.mode & 0o022) === 0) return;
  const mode = (stats.mode & 0o777).toString(8);
  throw new SvcError('file_unusable', `other users may write to ${folder} (mode ${mode}), where credentials are kept`, {
    hint: `take that right away: chmod 700 ${folder}`,
  });
}
