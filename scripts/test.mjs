// npm test [-- arguments of vitest]: installs and builds; then checks types, lint, dead code and the package, and fetches the
// peers of the tests, all at once; then runs the tests. With --check-only it stops before the tests.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { bunProgram } from './bun.mjs';
import { root, run, setup } from './setup.mjs';

const args = process.argv.slice(2);
const checkOnly = args.includes('--check-only');
setup();

const tool = (name) => `${root}node_modules/.bin/${name}`;
/** The static checks, and the download of the peers. The output of a failed one is shown in full. */
const checks = {
  types: [tool('tsc'), '-p', '.'],
  lint: [tool('biome'), 'check', '--error-on-warnings', '.'],
  'dead code': [tool('knip')],
  package: [tool('publint'), '--strict'],
  ...(checkOnly ? {} : { peers: [process.execPath, 'scripts/peers.mjs'] }),
};
const results = await Promise.all(
  Object.entries(checks).map(
    ([name, [program, ...programArgs]]) =>
      new Promise((done) => {
        const child = spawn(program, programArgs, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
        const output = [];
        child.stdout.on('data', (chunk) => output.push(chunk));
        child.stderr.on('data', (chunk) => output.push(chunk));
        child.on('error', (error) => done({ name, status: 1, text: error.message }));
        child.on('close', (status) => done({ name, status: status ?? 1, text: Buffer.concat(output).toString() }));
      }),
  ),
);
for (const { name, status, text } of results) {
  console.log(`${status === 0 ? 'ok  ' : 'FAIL'} ${name}`);
  // The list of peers is always shown, because the tests of missing peers are skipped.
  if (status !== 0 || name === 'peers') console.log(text.trimEnd());
}
if (results.some(({ status }) => status !== 0)) process.exit(1);
if (checkOnly) process.exit(0);

const executables = `${root}build`;
const env = { ...process.env, ...(buildExecutable() ? { SVC_EXECUTABLES: executables } : {}) };
process.exit(run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args], { env }));

/** Builds the executable for the tests, if there is bun. Tests that run alone build it themselves. */
function buildExecutable() {
  if (process.platform !== 'linux' || !existsSync(bunProgram()) || args.length > 0) return false;
  const target = `linux-${process.arch}`;
  const build = ['scripts/executables.mjs', '--target', target, '--out', executables, '--built'];
  if (run(process.execPath, build) !== 0) process.exit(1);
  return true;
}
