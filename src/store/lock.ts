/** A lock between processes: a file that names its owner. */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  linkSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
// biome-ignore lint/style/noRestrictedImports: whether another process lives is a fact of the machine, as a file is, and of no context
import { kill } from 'node:process';
import type { Context, ProcessName } from '../context.ts';
import { SvcError } from '../errors.ts';
import { isObject, tryParseJson } from '../json-object.ts';
import { discard } from './atomic-write.ts';
import { errorCode, fileFailure, makeFolder, readOwnFile } from './own-file.ts';

export type LockContext = Pick<Context, 'signal' | 'sleep' | 'now' | 'random' | 'pid' | 'processName'>;

/** Longer than any holder needs that makes no request. */
const WAIT_MS = 30_000;
/** An owner of unknown state counts as gone after this time. */
export const UNKNOWN_OWNER_MS = 60_000;

/** A lock of svc has its owner from the moment it appears, or a moment later on a file system without hard links. */
const NO_OWNER_MS = 2_000;

/**
 * Runs `body` while no other process runs one under the same path. Waits at most `waitMs` for the lock; one whose owner died is taken over at once. The owner
 * must hold it for less than a minute.
 */
export async function withLock<T>(
  path: string,
  context: LockContext,
  body: () => T | Promise<T>,
  waitMs = WAIT_MS,
): Promise<T> {
  const owner = newOwner(context);
  await acquire(path, owner, context, waitMs);
  let result: T;
  try {
    result = await body();
  } catch (error) {
    try {
      release(path, owner.nonce);
    } catch {
      // the first failure is the one to report
    }
    throw error;
  }
  release(path, owner.nonce);
  return result;
}

async function acquire(path: string, owner: LockOwner, context: LockContext, waitMs: number): Promise<void> {
  const began = context.now();
  // Most locks are free, in a folder that exists.
  let isFirst = true;
  for (let pause = 4; ; pause = Math.min(pause * 2, 200)) {
    context.signal.throwIfAborted();
    let holder: Holder | undefined;
    try {
      if (isFirst && tryToCreate(path, owner)) return;
      isFirst = false;
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
    if (waited >= waitMs) throw lockTimeout(path, holder, waitMs);
    if (waited >= NO_OWNER_MS && holder !== undefined && holder.owner === undefined) throw notALock(path, holder);
    await context.sleep(pause * (0.5 + context.random() / 2), context.signal);
  }
}

function lockTimeout(path: string, holder: Holder | undefined, waitMs: number): SvcError {
  const by = holder?.owner === undefined ? 'another process' : `process ${holder.owner.pid} on ${holder.owner.host}`;
  return new SvcError('timeout', `${by} held the lock ${path} for ${waitMs / 1000} s`, {
    hint: 'wait for it to end; if it is not svc, remove the lock file',
  });
}

function notALock(path: string, { size }: Holder): SvcError {
  const what = size === 0 ? 'is empty' : 'is not a lock file of svc';
  return new SvcError('file_unusable', `${path} ${what}, and svc needs this file for its lock`, {
    hint: 'if no other program uses it, remove it and repeat the command',
  });
}

interface Holder {
  readonly size: number;
  /** Undefined if the file is empty or not a lock of svc. */
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

/** Not where the folder is missing. */
function tryToCreate(path: string, owner: LockOwner): boolean {
  try {
    return createExclusively(path, owner);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
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
 * Removes the lock of a dead owner. Two waiters may see the same dead owner, and the slower one would remove the lock that the faster one has acquired since;
 * so a process first takes a marker named after that acquisition, and then checks again. The marker of a dead process is removed in the same way.
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

/** Throws if it cannot: the process would then wait for its own lock. */
function release(path: string, nonce: string): void {
  try {
    if (parseOwner(readOwnFile(path).toString())?.nonce === nonce) unlinkSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw fileFailure(`cannot remove the lock ${path}`, error);
  }
}

export interface LockOwner extends ProcessName {
  /** Identifies this acquisition. */
  readonly nonce: string;
}

export function processName(pid: number): ProcessName {
  return { pid, host: hostname(), place: place(), start: processState(pid)?.start ?? '' };
}

export function lockOwner(pid: number): LockOwner {
  return newOwner({ pid });
}

function newOwner({ pid, processName: name = processName(pid) }: Pick<LockContext, 'pid' | 'processName'>): LockOwner {
  // The nonce must be unique even if a test fixes the context's randomness.
  return { ...name, nonce: randomUUID() };
}

/** `unknown` if only the lock's age can tell: another host or container, or a platform that does not say when the process started. */
export function ownerLiveness(owner: ProcessName): 'alive' | 'dead' | 'unknown' {
  if (owner.host !== hostname() || owner.place !== place()) return 'unknown';
  try {
    kill(owner.pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return 'dead';
    if (errorCode(error) !== 'EPERM') return 'unknown';
  }
  const state = processState(owner.pid);
  if (state === undefined || owner.start === '') return 'unknown';
  return state.start === owner.start && !state.ended ? 'alive' : 'dead';
}

/** The owner named in a lock file, or undefined if the text names none (yet). */
export function parseOwner(text: string): LockOwner | undefined {
  const value = tryParseJson(text);
  if (!isObject(value)) return undefined;
  const { pid, host, place, start, nonce } = value;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (typeof host !== 'string' || typeof place !== 'string' || typeof start !== 'string') return undefined;
  // It becomes part of a file name.
  if (typeof nonce !== 'string' || !/^[\w-]{1,64}$/.test(nonce)) return undefined;
  return { pid, host, place, start, nonce };
}

function place(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

function processState(pid: number): { readonly start: string; readonly ended: boolean } | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name in parentheses may itself contain spaces and parentheses; after it, the state is field 3 and the start field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { start: fields[19] ?? '', ended: fields[0] === 'Z' || fields[0] === 'X' };
}
