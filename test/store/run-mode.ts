/** What the programs of these tests share. */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../../src/errors.ts';
import type { LockContext } from '../../src/store/lock.ts';

export const processContext: LockContext = {
  signal: new AbortController().signal,
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  now: Date.now,
  random: Math.random,
  pid: process.pid,
};

/** Reports an error and its exit status as svc does. */
export async function runMode(mode: (() => Promise<void>) | undefined): Promise<void> {
  try {
    await mode?.();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    writeSync(2, `${error.code}: ${error.message}`);
    process.exitCode = error.exit;
  }
}
