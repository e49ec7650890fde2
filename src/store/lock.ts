/** A lock between processes: a file that names its owner. */
import { closeSync, linkSync, openSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Context } from '../context.ts';
import { SvcError } from '../errors.ts';
import { discard } from './atomic-write.ts';
import { type LockOwner, lockOwner, ownerLiveness, parseOwner } from './lock-owner.ts';
import { errorCode, fileFailure, makeFolder, readOwnFile } from './own-file.ts';

export type LockContext = Pick<Context, 'signal' | 'sleep' | 'now' | 'random' | 'pid'>;

/** Longer than any holder takes that asks no service meanwhile. */
const WAIT_MS = 30_000;
/** An owner of whom nothing else is known counts as gone after this. */
const UNKNOWN_OWNER_MS = 60_000;

/** A lock of svc has its owner from the moment that it appears, or a moment later on a file system without hard links. */
const NO_OWNER_MS = 2_000;

/**
 * Runs `body` while no other process runs one under the same path. Waits at most `waitMs` for the lock; one whose owner died is
 * taken over at once. The owner must not hold it for a minute or more.
 */
export async function withLock<T>(
  path: string,
  context: LockContext,
  body: () => T | Promise<T>,
  waitMs = WAIT_MS,
): Promise<T> {
  const owner = lockOwner(context.pid);
  await acquire(path, owner, context, waitMs);
  let result: T;
  try {
    result = await body();
  } catch (error) {
    try {
      release(path, owner.nonce);
    } catch {
      // what failed first is the one to tell
    }
    throw error;
  }
  release(path, owner.nonce);
  return result;
}

async function acquire(path: string, owner: LockOwner, context: LockContext, waitMs: number): Promise<void> {
  const began = context.now();
  for (let pause = 4; ; pause = Math.min(pause * 2, 200)) {
    context.signal.throwIfAborted();
    let holder: Holder | undefined;
    try {
      holder = readHolder(path);
      if (holder === undefined) {
        makeFolder(dirname(path));
        if (createExclusively(path, owner)) return;
      } else if (isGone(holder, context.now()) && removeDead(path, holder.nonce, owner, context.now())) {
        continue;
      }
    } catch (error) {
      throw fileFailure(`cannot lock ${path}`, error);
    }
    const waited = context.now() - began;
    if (waited >= waitMs) throw stillHeld(path, holder, waitMs);
    if (waited >= NO_OWNER_MS && holder !== undefined && holder.owner === undefined) throw notALock(path, holder);
    await context.sleep(pause * (0.5 + context.random() / 2), context.signal);
  }
}

function stillHeld(path: string, holder: Holder | undefined, waitMs: number): SvcError {
  const by = holder?.owner === undefined ? 'another process' : `process ${holder.owner.pid} on ${holder.owner.host}`;
  return new SvcError('timeout', `${by} held the lock ${path} for ${waitMs / 1000} s`, {
    hint: 'wait for it to end; if it is no svc, remove the lock file',
  });
}

function notALock(path: string, { size }: Holder): SvcError {
  const what = size === 0 ? 'is empty' : 'is not a lock file of svc';
  return new SvcError('file_unusable', `${path} ${what}, and svc needs this file for its lock`, {
    hint: 'if no other program uses it, remove it, and repeat the command',
  });
}

interface Holder {
  readonly size: number;
  /** Undefined where the file is empty or no lock of ours. */
  readonly owner: LockOwner | undefined;
  readonly nonce: string;
  readonly since: number;
}

function readHolder(path: string): Holder | undefined {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    const owner = parseOwner(readOwnFile(path).toString());
    return { size, owner, nonce: owner?.nonce ?? `${ino}-${Math.trunc(mtimeMs)}`, since: mtimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isGone({ owner, since }: Holder, now: number): boolean {
  const liveness = owner === undefined ? 'unknown' : ownerLiveness(owner);
  return liveness === 'dead' || (liveness === 'unknown' && now - since > UNKNOWN_OWNER_MS);
}

/** The lock appears together with its content, so that no reader finds it without an owner. */
function createExclusively(path: string, owner: LockOwner): boolean {
  const text = JSON.stringify(owner);
  const staged = `${path}.${owner.nonce}`;
  try {
    writeNew(staged, text);
    try {
      linkSync(staged, path);
    } catch (error) {
      if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errorCode(error) ?? '')) throw error;
      writeNew(path, text); // a file system without hard links
    }
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    discard(staged);
  }
}

function writeNew(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, text);
  } catch (error) {
    discard(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * Removes the lock of a dead owner. Two waiters may see the same dead owner, and the slower one would remove the lock that
 * the faster one has taken since; so whoever removes it first takes a marker named after that very acquisition, and then
 * looks again. A marker whose maker died is removed in the same way.
 */
function removeDead(path: string, nonce: string, self: LockOwner, now: number): boolean {
  const marker = `${path}.${nonce}.break`;
  if (!createExclusively(marker, self)) {
    const breaker = readHolder(marker);
    return breaker !== undefined && isGone(breaker, now) && removeDead(marker, breaker.nonce, self, now);
  }
  try {
    if (readHolder(path)?.nonce === nonce) {
      rmSync(path, { force: true });
      rmSync(`${path}.${nonce}`, { force: true });
    }
    return true;
  } finally {
    rmSync(marker, { force: true });
  }
}

/** Throws where it cannot: whoever went on would wait for a lock of its own. */
function release(path: string, nonce: string): void {
  try {
    if (readHolder(path)?.nonce === nonce) rmSync(path, { force: true });
  } catch (error) {
    throw fileFailure(`cannot remove the lock ${path}`, error);
  }
}
