/** Which process wrote a lock or a record, and whether it still runs. */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { kill } from 'node:process';
import type { ProcessName } from '../context.ts';
import { errorCode } from './own-file.ts';

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
