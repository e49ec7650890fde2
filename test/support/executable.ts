/** The executable that SVC_BINARY names: the tests start it in place of the source or the built bundle. */
import { appendFileSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const { CACHE } = (await import(new URL('../../scripts/cache.mjs', import.meta.url).href)) as {
  readonly CACHE: string;
};

const { SVC_BINARY, SVC_BINARY_RUNS, SVC_EMULATED } = process.env;

/** Undefined where the tests run the source. */
export const EXECUTABLE = SVC_BINARY === undefined ? undefined : resolve(SVC_BINARY);
export const LAUNCHER = join(import.meta.dirname, '../../bin/svc.cjs');
/** The command line of svc, without its arguments. */
export const SVC: readonly [string, ...string[]] =
  EXECUTABLE === undefined ? [process.execPath, LAUNCHER] : [EXECUTABLE];

/** A JavaScript runtime: bun as it is in the executable, where SVC_BINARY names one. */
export const RUNTIME: readonly [string, ...string[]] =
  EXECUTABLE === undefined ? [process.execPath] : ['env', 'BUN_BE_BUN=1', EXECUTABLE];

/** It runs under qemu, where all takes longer, and where the program cannot find out why another one does not start. */
export const IS_EMULATED = SVC_EMULATED !== undefined;
/** For the time that a test allows. */
export const SLOWNESS = IS_EMULATED ? 20 : 1;

/** Counts a start of svc for the report of `scripts/test-executable.mjs`: as the executable, or why it ran in the test's process. */
export function countRun(kind: string): void {
  if (SVC_BINARY_RUNS !== undefined) appendFileSync(SVC_BINARY_RUNS, `${kind}\n`);
}

const TRIPLET = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
const FAKE_TIME = `usr/lib/${TRIPLET}/faketime/libfaketimeMT.so.1`;

/** The variables that stop the clock of an executable at this time. Its timers go on. */
export function clockAt(ms: number): Record<string, string> {
  return fakeTime(String(ms / 1000));
}

/** The variables that set the clock of an executable forward, or back where this is below 0. */
export function clockOff(ms: number): Record<string, string> {
  return fakeTime(`${ms < 0 ? '-' : '+'}${Math.abs(ms) / 1000}`);
}

function fakeTime(time: string): Record<string, string> {
  const fetched = join(CACHE, 'libfaketime', FAKE_TIME);
  const library = [fetched, join('/', FAKE_TIME)].find(existsSync);
  if (library === undefined) throw new Error('libfaketime is missing: run node scripts/test-executable.mjs');
  return {
    LD_PRELOAD: library,
    FAKETIME: time,
    FAKETIME_FMT: '%s',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
}
