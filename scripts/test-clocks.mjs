// npm run test:clocks [-- arguments of vitest]: runs the tests that could depend on the clock at other times: on a Saturday and a
// Wednesday, minutes before both changes of daylight saving in New York, and at the end of February. libfaketime sets the clock of every
// process. Left out are real Alertmanagers and shells, which read the clock without it, and locks, which compare it with times of files.
import { existsSync } from 'node:fs';
import { CACHE } from './cache.mjs';
import { run, setup } from './setup.mjs';

const TIMES = [
  ['a Saturday, when the market is closed', '2026-11-28T17:00:00Z'],
  ['a Wednesday, when the market is open', '2026-11-25T15:00:00Z'],
  ['the change to summer time in New York', '2026-03-08T06:58:00Z'],
  ['the change to winter time in New York', '2026-11-01T05:58:00Z'],
  ['the end of February in a leap year', '2028-02-29T23:58:00Z'],
];

const FEATURES = ['trade', 'catalog', 'webhooks', 'oauth', 'config', 'sandbox', 'doctor', 'api'];
const SUITES = [
  ...FEATURES.map((name) => `test/features/${name}`),
  'test/wire',
  'test/sandbox',
  'test/cli/time.test.ts',
  'test/e2e/console-blocks.test.ts',
];
const LEFT_OUT = ['test/features/config/commands/import.test.ts', 'test/features/oauth/commands/processes.test.ts'].map(
  (path) => `--exclude=${path}`,
);

setup();
if (run(process.execPath, ['scripts/peers.mjs', '--clock']) !== 0) process.exit(1);
const triplet = `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`;
const library = [`${CACHE}/libfaketime/`, '/']
  .map((folder) => `${folder}usr/lib/${triplet}/faketime/libfaketimeMT.so.1`)
  .find(existsSync);
if (library === undefined) {
  console.log('skipped: libfaketime cannot be fetched for this machine');
  process.exit(process.env.CI === 'true' ? 1 : 0);
}

const args = process.argv.slice(2);
let failed = false;
for (const [name, time] of TIMES) {
  console.log(`\n== ${name}: ${time}`);
  const seconds = Math.round((Date.parse(time) - Date.now()) / 1000);
  const env = {
    ...process.env,
    LD_PRELOAD: library,
    FAKETIME: seconds < 0 ? String(seconds) : `+${seconds}`,
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    NO_FAKE_STAT: '1',
  };
  const suites = args.length > 0 ? args : SUITES;
  failed =
    run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...suites, ...LEFT_OUT], { env }) !== 0 || failed;
}
process.exit(failed ? 1 : 0);
