/** Who holds a lock, and whether that process still lives. */
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
// biome-ignore lint/style/noRestrictedImports: whether another process lives is a fact of the machine, as a file is, and of no context
import { kill } from 'node:process';
import { errorCode } from './own-file.ts';

export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** Boot and process-id namespace: only where both are ours does a process id mean anything to us. */
  readonly place: string;
  /** When the process started, so that a reused process id is no second life; empty where the platform does not say. */
  readonly start: string;
  /** Of this one acquisition. */
  readonly nonce: string;
}

export function lockOwner(pid: number): LockOwner {
  return {
    pid,
    host: hostname(),
    place: place(),
    start: processState(pid)?.start ?? '',
    // Must be unique even where a test holds the context's randomness still.
    nonce: randomUUID(),
  };
}

/** `unknown` where only the lock's age can tell: another host or container, or a platform that does not say when it started. */
export function ownerLiveness(owner: LockOwner): 'alive' | 'dead' | 'unknown' {
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

/** The owner that a lock file names, or undefined where its text is none (yet). */
export function parseOwner(text: string): LockOwner | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { pid, host, place, start, nonce } = value as Record<string, unknown>;
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
  // The name, in parentheses, may hold blanks and parentheses itself; behind it the state is field 3, the start field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { start: fields[19] ?? '', ended: fields[0] === 'Z' || fields[0] === 'X' };
}
