/**
 * A lock between processes: a file that names its owner, who touches it every two seconds. Nobody
 * removes another's lock, because two could at once. A successor creates a file named after the
 * acquisition that it takes over, which only one can: the last of this chain is the owner.
 */
import { randomUUID } from 'node:crypto';
import {
  constants,
  copyFileSync,
  linkSync,
  readFileSync,
  readlinkSync,
  statSync,
  unlinkSync,
  utimes,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { kill } from 'node:process';
import type { Context, ProcessName } from '../context.ts';
import { SvcError } from '../errors.ts';
import { isObject, tryParseJson } from '../json-object.ts';
import { discard, errorCode, fileFailure, makeFolder, readOwnFile } from './own-file.ts';

export type LockContext = Pick<Context, 'signal' | 'sleep' | 'now' | 'random' | 'pid' | 'processName'>;

/** Longer than most owners need. */
const WAIT_MS = 30_000;
const HEARTBEAT_MS = 2_000;
/** An owner that this machine cannot examine counts as gone after so long without a heartbeat. */
const SILENCE_MS = 15_000;
/** Such an owner may have just woken up. What it has begun by then it ends in this time. */
const GRACE_MS = 1_000;

export interface Lock {
  /** Throws if the lock was taken over, as from a suspended process. Call it before a write. */
  check(): void;
  isLost(): boolean;
}

/** Runs `body` while no other process does. A `waitMs` below 15 s never outlasts a silent owner. */
export async function withLock<T>(
  path: string,
  context: LockContext,
  body: (lock: Lock) => T | Promise<T>,
  waitMs = WAIT_MS,
): Promise<T> {
  const owner = nameOwner(context);
  let heartbeat: NodeJS.Timeout | undefined;
  try {
    const file = await acquire(path, owner, context, waitMs);
    const touch = () => utimes(file, context.now() / 1000, context.now() / 1000, () => {});
    heartbeat = setInterval(touch, HEARTBEAT_MS);
    return await body({
      isLost: () => !isOwner(path, owner),
      check() {
        if (!isOwner(path, owner)) throw new SvcError('file_unusable', `another process took over the lock ${path}`);
      },
    });
  } finally {
    clearInterval(heartbeat);
    release(path, owner);
  }
}

/** The owner as a lock file names it. */
interface LockOwner extends ProcessName {
  /** The id of this acquisition. */
  readonly id: string;
}

export function nameOwner(context: Pick<LockContext, 'pid' | 'processName'>): LockOwner {
  return { ...(context.processName ?? processName(context.pid)), id: randomUUID() };
}

/** Returns its file. Pauses add up to the time: clock jumps and suspensions do not count. */
async function acquire(path: string, owner: LockOwner, context: LockContext, waitMs: number): Promise<string> {
  const { signal, sleep, random } = context;
  let waited = 0;
  let silence = 0;
  let last: Holder | undefined;
  for (let pause = 4; ; pause = Math.min(pause * 2, 200)) {
    signal.throwIfAborted();
    const holder = readChain(path).at(-1);
    if (holder?.file !== last?.file || holder?.touchedAt !== last?.touchedAt) silence = 0;
    last = holder;
    const file = holder === undefined ? path : successorOf(holder, path);
    const isFree = holder === undefined || isGone(holder, silence);
    if (isFree && (await take(path, file, owner, silence, context))) return file;
    if (waited >= waitMs) throw lockTimeout(path, holder, waitMs);
    const ms = pause * (0.5 + random() / 2);
    await sleep(ms, signal);
    waited += ms;
    silence += ms;
  }
}

/** False if another process was faster. */
async function take(
  path: string,
  file: string,
  owner: LockOwner,
  silence: number,
  { sleep, signal }: LockContext,
): Promise<boolean> {
  if (!create(file, owner)) return false;
  if (silence >= SILENCE_MS) await sleep(GRACE_MS, signal);
  if (isOwner(path, owner)) return true;
  discard(file); // The chain that it continued was released.
  return false;
}

interface Holder {
  readonly file: string;
  /** Undefined if the file names none: another program wrote it, or a crash emptied it. */
  readonly owner: LockOwner | undefined;
  readonly touchedAt: number;
}

/** The last one is the owner. */
function readChain(path: string): readonly Holder[] {
  const chain: Holder[] = [];
  for (let next = readHolder(path); next !== undefined; next = readHolder(successorOf(next, path))) chain.push(next);
  return chain;
}

function readHolder(file: string): Holder | undefined {
  try {
    const value = tryParseJson(readOwnFile(file).toString());
    const owner = isObject(value) && namesOwner(value) ? (value as unknown as LockOwner) : undefined;
    return { file, owner, touchedAt: statSync(file).mtimeMs };
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw fileFailure(`cannot lock ${file}`, error);
  }
}

/** The id becomes part of a file name. */
function namesOwner({ pid, host, place, start, id }: Readonly<Record<string, unknown>>): boolean {
  const isNamed = typeof host === 'string' && typeof place === 'string' && typeof start === 'string';
  return isNamed && Number.isSafeInteger(pid) && typeof id === 'string' && /^[\w-]{1,64}$/.test(id);
}

/** The file of the process that takes over from it. */
function successorOf({ file, owner }: Holder, path: string): string {
  return owner === undefined ? `${file}.next` : `${path}.${owner.id}`;
}

/** A suspended process keeps its lock: it may have sent what must not be sent twice. */
function isGone({ owner }: Holder, silence: number): boolean {
  const liveness = owner === undefined ? 'unknown' : processLiveness(owner);
  return liveness === 'dead' || (liveness === 'unknown' && silence >= SILENCE_MS);
}

/** False if it exists. It appears with its content: an unnamed file would look foreign. */
function create(file: string, owner: LockOwner): boolean {
  const draft = `${file}.${randomUUID()}`;
  try {
    makeFolder(dirname(file));
    writeFileSync(draft, JSON.stringify(owner), { flag: 'wx', mode: 0o600 });
    try {
      linkSync(draft, file);
    } catch (error) {
      if (errorCode(error) === 'EEXIST') throw error;
      copyFileSync(draft, file, constants.COPYFILE_EXCL); // a file system without hard links
    }
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw fileFailure(`cannot lock ${file}`, error);
  } finally {
    discard(draft);
  }
}

function isOwner(path: string, { id }: LockOwner): boolean {
  return readChain(path).at(-1)?.owner?.id === id;
}

/** Twice, because a disk fault may pass. What stays is taken over when this process ends. */
function release(path: string, owner: LockOwner): void {
  for (let tries = 0; tries < 2; tries++) {
    try {
      const chain = readChain(path);
      // Without the lock file, which is the first, the others mean nothing.
      if (chain.at(-1)?.owner?.id === owner.id) for (const { file } of chain) unlinkSync(file);
      return;
    } catch {}
  }
}

function lockTimeout(path: string, holder: Holder | undefined, waitMs: number): SvcError {
  const owner = holder?.owner;
  const by = owner === undefined ? 'another process' : `process ${owner.pid} on ${owner.host}`;
  return new SvcError('timeout', `${by} did not release the lock ${path} within ${waitMs / 1000} s`, {
    hint: 'wait for it to end; if it is suspended, resume it; if it is not svc, remove the lock file',
  });
}

export function processName(pid: number): ProcessName {
  return { pid, host: hostname(), place: readPlace(), start: readState(pid)?.start ?? '' };
}

/** `unknown` for another host, container or boot, or a platform that tells no start times. */
export function processLiveness({ pid, host, place, start }: ProcessName): 'alive' | 'dead' | 'unknown' {
  if (host !== hostname() || place !== readPlace()) return 'unknown';
  try {
    kill(pid, 0);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return 'dead';
    if (errorCode(error) !== 'EPERM') return 'unknown';
  }
  const state = readState(pid);
  if (state === undefined || start === '') return 'unknown';
  return state.start === start && !state.hasEnded ? 'alive' : 'dead';
}

/** Process ids mean something only in one boot and one container. */
function readPlace(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

function readState(pid: number): { readonly start: string; readonly hasEnded: boolean } | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name in parentheses may contain more. After it, the state is field 3, the start 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { start: fields[19] ?? '', hasEnded: fields[0] === 'Z' || fields[0] === 'X' };
}
