// npm test [-- arguments of vitest]: installs and builds; then checks types, lint, dead code and the package, and fetches the peers of
// the tests, all at once; then runs the tests. With arguments, such as `-- test/features/alerts`, it leaves the checks out. With
// --check-only it stops before the tests.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { bunProgram } from './bun.mjs';
import { root, run, setup } from './setup.mjs';

const args = process.argv.slice(2);
const isCheckOnly = args.includes('--check-only');
const hasChecks = isCheckOnly || args.length === 0;

console.log(`${hasChecks ? 'install, build, check' : 'install, build'}${isCheckOnly ? '' : ', fetch peers, test'}`);
setup();

const tool = (name) => `${root}node_modules/.bin/${name}`;
const checks = {
  types: [tool('tsc'), '-p', '.'],
  lint: [tool('biome'), 'check', '--error-on-warnings', '.'],
  'dead code': [tool('knip')],
  package: [tool('publint'), '--strict'],
};
const steps = Object.entries(hasChecks ? checks : {}).map(([name, line]) => check(name, line));
if (!isCheckOnly) steps.push(fetchPeers());
if ((await Promise.all(steps)).some((status) => status !== 0)) process.exit(1);
if (isCheckOnly) process.exit(0);

const executables = `${root}build`;
const env = { ...process.env, ...(buildExecutable() ? { SVC_EXECUTABLES: executables } : {}) };
process.exit(run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], { env }));

/** Prints the output of a check that failed. Returns the exit status. */
async function check(name, [program, ...programArgs]) {
  const output = [];
  const status = await runStep(program, programArgs, (chunk) => output.push(chunk));
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name}`);
  if (status !== 0) console.log(Buffer.concat(output).toString().trimEnd());
  return status;
}

/** Prints each peer as it is ready or missing, because the tests of missing peers are skipped. */
async function fetchPeers() {
  const status = await runStep(process.execPath, ['scripts/peers.mjs'], (chunk) => process.stdout.write(chunk));
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} peers`);
  return status;
}

function runStep(program, programArgs, show) {
  const child = spawn(program, programArgs, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.on('data', show);
  child.stderr.on('data', show);
  return new Promise((done) => {
    child.on('error', (error) => {
      show(Buffer.from(error.message));
      done(1);
    });
    child.on('close', (status) => done(status ?? 1));
  });
}

/** Builds the executable for the tests, if there is bun. Tests that run alone build it themselves. */
function buildExecutable() {
  if (process.platform !== 'linux' || !existsSync(bunProgram()) || args.length > 0) return false;
  console.log('building the executable …');
  const target = `linux-${process.arch}`;
  const build = ['scripts/executables.mjs', '--target', target, '--out', executables, '--built'];
  if (run(process.execPath, build) !== 0) process.exit(1);
  return true;
}
