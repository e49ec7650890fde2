/**
 * A lock between processes. The lock file names its owner, who touches it every two seconds. A lock whose owner has ended is never removed by another process,
 * because two could do that at once. It is taken over by creating a file whose name contains the id of that acquisition, which only one process can. So the
 * owner is the process at the end of a chain: the one that the lock file names, or the one that took over from it, and so on.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Context, ProcessName } from '../context.ts';
import { SvcError } from '../errors.ts';
import { isObject, tryParseJson } from '../json-object.ts';
import { discard, errorCode, fileFailure, makeFolder, readOwnFile } from './own-file.ts';
import { processLiveness, processName } from './process-identity.ts';

export type LockContext = Pick<Context, 'signal' | 'sleep' | 'now' | 'random' | 'pid' | 'processName'>;

/** Longer than any owner needs that makes no request. */
const WAIT_MS = 30_000;
const HEARTBEAT_MS = 2_000;
/** An owner that this machine cannot examine counts as gone after so much waiting without a heartbeat. */
const SILENCE_MS = 15_000;

/** As the lock file names it. */
export interface LockOwner extends ProcessName {
  /** Of this acquisition. */
  readonly id: string;
}

/** Runs `body` while no other process runs one under the same path. Waits at most `waitMs` for the lock. */
export async function withLock<T>(
  path: string,
  context: LockContext,
  body: (lock: Lock) => T | Promise<T>,
  waitMs = WAIT_MS,
): Promise<T> {
  const lock = await Lock.acquire(path, context, waitMs);
  const heartbeat = setInterval(() => lock.touch(context.now()), HEARTBEAT_MS);
  try {
    return await body(lock);
  } finally {
    clearInterval(heartbeat);
    lock.release();
  }
}

export class Lock {
  readonly #path: string;
  /** The lock file itself, or the file of a takeover. */
  readonly #file: string;
  readonly #id: string;

  constructor(path: string, file: string, id: string) {
    this.#path = path;
    this.#file = file;
    this.#id = id;
  }

  /**
   * Time counts as the sum of the pauses, which neither a clock that jumps nor a suspension of this process changes. A process that runs on this machine keeps
   * its lock even if it is suspended: it may have sent what must not be sent twice.
   */
  static async acquire(path: string, context: LockContext, waitMs: number): Promise<Lock> {
    const owner = nameOwner(context);
    let waited = 0;
    let silence = 0;
    let last: Holder | undefined;
    for (let pause = 4; ; pause = Math.min(pause * 2, 200)) {
      context.signal.throwIfAborted();
      try {
        if (create(path, owner)) return new Lock(path, path, owner.id);
        const holder = findHolder(path);
        silence = holder?.id === last?.id && holder?.touchedAt === last?.touchedAt ? silence : 0;
        last = holder;
        if (holder !== undefined && isGone(holder, silence)) {
          const lock = takeOver(path, holder, owner);
          if (lock !== undefined) return lock;
        }
      } catch (error) {
        throw fileFailure(`cannot lock ${path}`, error);
      }
      if (waited >= waitMs) throw lockTimeout(path, last, waitMs);
      const ms = pause * (0.5 + context.random() / 2);
      await context.sleep(ms, context.signal);
      waited += ms;
      silence += ms;
    }
  }

  /** False if another process took the lock over, or removed it. */
  isHeld(): boolean {
    return findHolder(this.#path)?.id === this.#id;
  }

  /** Call it before a write: a process that was suspended, and that others could not examine, may have lost its lock. */
  check(): void {
    if (!this.isHeld()) throw new SvcError('file_unusable', `another process took over the lock ${this.#path}`);
  }

  touch(now: number): void {
    try {
      utimesSync(this.#file, now / 1000, now / 1000);
    } catch {
      // It was removed, which the next `check` notices.
    }
  }

  /** A lock that cannot be removed is taken over once this process has ended. */
  release(): void {
    try {
      if (!this.isHeld()) return;
      const chain = [...readChain(this.#path)];
      unlinkSync(this.#path);
      for (const { id } of chain) discard(successorOf(this.#path, id));
    } catch {}
  }
}

export function nameOwner({
  pid,
  processName: name = processName(pid),
}: Pick<LockContext, 'pid' | 'processName'>): LockOwner {
  return { ...name, id: randomUUID() };
}

interface Holder {
  readonly id: string;
  /** Undefined if the process died before it wrote its name, and for a file of another program. */
  readonly owner: LockOwner | undefined;
  readonly touchedAt: number;
}

function findHolder(path: string): Holder | undefined {
  return [...readChain(path)].at(-1);
}

function* readChain(path: string): Generator<Holder> {
  for (let holder = readHolder(path); holder !== undefined; holder = readHolder(successorOf(path, holder.id)))
    yield holder;
}

function successorOf(path: string, id: string): string {
  return `${path}.${id}`;
}

function readHolder(file: string): Holder | undefined {
  try {
    const { ino, ctimeMs, mtimeMs } = statSync(file);
    const owner = parseOwner(readOwnFile(file).toString());
    return { owner, id: owner?.id ?? `${ino}-${Math.trunc(ctimeMs)}`, touchedAt: mtimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isGone({ owner }: Holder, silence: number): boolean {
  const liveness = owner === undefined ? 'unknown' : processLiveness(owner);
  return liveness === 'dead' || (liveness === 'unknown' && silence >= SILENCE_MS);
}

/** Undefined if another process was faster. It may even have released the lock since, so that the chain no longer leads here. */
function takeOver(path: string, { id }: Holder, owner: LockOwner): Lock | undefined {
  const file = successorOf(path, id);
  if (!create(file, owner)) return undefined;
  const lock = new Lock(path, file, owner.id);
  if (lock.isHeld()) return lock;
  discard(file);
  return undefined;
}

/** False if it exists. */
function create(path: string, owner: LockOwner): boolean {
  let file: number;
  try {
    file = openSync(path, 'wx', 0o600);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    if (errorCode(error) !== 'ENOENT') throw error;
    makeFolder(dirname(path));
    return create(path, owner);
  }
  try {
    writeFileSync(file, JSON.stringify(owner));
    return true;
  } catch (error) {
    discard(path); // The disk is full.
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Undefined if the text names no owner. */
export function parseOwner(text: string): LockOwner | undefined {
  const value = tryParseJson(text);
  if (!isObject(value)) return undefined;
  const { pid, host, place, start, id } = value;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  if (typeof host !== 'string' || typeof place !== 'string' || typeof start !== 'string') return undefined;
  // It becomes part of a file name.
  if (typeof id !== 'string' || !/^[\w-]{1,64}$/.test(id)) return undefined;
  return { pid, host, place, start, id };
}

function lockTimeout(path: string, holder: Holder | undefined, waitMs: number): SvcError {
  const owner = holder?.owner;
  const by = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`;
  return new SvcError('timeout', `${by} held the lock ${path} for ${waitMs / 1000} s`, {
    hint: 'wait for it to end; if it is suspended, resume it; if it is not svc, remove the lock file',
  });
}
