// node scripts/test-executable.mjs [arguments of vitest]: builds the executable for this machine and runs it in every suite that starts svc:
// commands, registry (faults, write-once, credentials), end-to-end tests and hostile peers, then the long suites of kills, full disks and
// broken connections (SVC_HARD_SCALE=0.1 runs a tenth of those). Retries pause as they do for users, so this takes long. The tests of the
// HTTP client start no svc; they run on bun, as the client does in the executable.
// node scripts/test-executable.mjs --target linux-arm64|linux-x64-musl [arguments of vitest]: runs only the end-to-end tests, on an executable
// that this machine cannot run directly (foreign.mjs). Under qemu everything takes ten times as long, so the tests have more time.
// The tests of tables are left out, because libfaketime, which stops the clock for them, is built for this machine only.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bunProgram } from './bun.mjs';
import { FOREIGN, isFetched, within } from './foreign.mjs';
import { root, run, setup } from './setup.mjs';

const SUITES = ['test/e2e', 'test/http/hostile', 'test/registry', 'test/features'];
const LONG = ['peers', 'kills', 'refusals', 'processes', 'imports', 'cuts', 'once', 'logins', 'turns'];
const ON_BUN = ['faults', 'client', 'poster', 'proxy', 'socks', 'retry'].map((name) => `test/http/${name}.test.ts`);
const IN_FOREIGN = [
  '--testTimeout=900000',
  '--hookTimeout=600000',
  '--maxWorkers=2',
  '--exclude=test/e2e/tables.test.ts',
];

const args = process.argv.slice(2);
const native = `linux-${process.arch}`;
const target = args[0] === '--target' ? args.splice(0, 2)[1] : native;
const isForeign = Object.hasOwn(FOREIGN, target);
if (target !== native && !isForeign) {
  console.error(`this machine cannot run ${target}; it can run ${[native, ...Object.keys(FOREIGN)].join(', ')}`);
  process.exit(2);
}
setup();
if (run(process.execPath, ['scripts/peers.mjs', '--clock', `--${target}`]) !== 0) process.exit(1);
if (isForeign && !isFetched(target)) process.exit(1);
if (run(process.execPath, ['scripts/executables.mjs', '--target', target, '--built']) !== 0) process.exit(1);

const folder = mkdtempSync(join(tmpdir(), 'svc-executable-'));
const runs = join(folder, 'runs');
writeFileSync(runs, '');
const env = {
  ...process.env,
  SVC_BINARY: `${root}build/${target}/svc`,
  SVC_BINARY_RUNS: runs,
  ...(FOREIGN[target]?.isEmulated ? { SVC_EMULATED: '1' } : {}),
};
const VITEST = ['node_modules/vitest/vitest.mjs', 'run'];
const vitest = (...more) => {
  const line = [process.execPath, ...VITEST, ...more];
  const [command, ...rest] = isForeign ? within(target, [...line, ...IN_FOREIGN]) : line;
  return run(command, rest, { env });
};
const long = ['--config=vitest.hard.config.ts', ...LONG.map((name) => `--project=${name}`)];
const all = () =>
  isForeign ? [vitest('test/e2e')] : [run(bunProgram(), [...VITEST, ...ON_BUN]), vitest(...SUITES), vitest(...long)];
const statuses = args.length > 0 ? [vitest(...args)] : all();

/** A line for each start of svc: `executable`, or why it ran in the process of the test. */
const counts = {};
for (const line of readFileSync(runs, 'utf8').split('\n').filter(Boolean)) counts[line] = (counts[line] ?? 0) + 1;
const { executable = 0, ...rest } = counts;
rmSync(folder, { recursive: true });
console.log(`\nsvc ran ${executable} times as the executable.`);
const inProcess = Object.values(rest).reduce((sum, count) => sum + count, 0);
console.log(`It ran ${inProcess} times in the test's own process, because the test replaces:`);
for (const [name, count] of Object.entries(rest).sort(([, a], [, b]) => b - a))
  console.log(`${String(count).padStart(7)}  ${name}`);
process.exit(statuses.every((status) => status === 0) ? 0 : 1);
