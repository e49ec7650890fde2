// The whole check: install, build, peers, types, lint, dead code, package, tests. Arguments go to vitest.
import { spawn } from 'node:child_process';
import { root, run, setup } from './setup.mjs';

const args = process.argv.slice(2);
const checkOnly = args.includes('--check-only');
setup();

/** The static checks, at once; what a failed one printed is shown whole. */
const checks = {
  types: ['tsc', '-p', '.'],
  lint: ['biome', 'check', '--error-on-warnings', '.'],
  'dead code': ['knip'],
  package: ['publint', '--strict'],
};
const results = await Promise.all(
  Object.entries(checks).map(
    ([name, [tool, ...toolArgs]]) =>
      new Promise((done) => {
        const child = spawn(`${root}node_modules/.bin/${tool}`, toolArgs, { cwd: root });
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
  if (status !== 0) console.log(text);
}
if (results.some(({ status }) => status !== 0)) process.exit(1);
if (checkOnly) process.exit(0);

if (run(process.execPath, ['scripts/peers.mjs']) !== 0) process.exit(1);
process.exit(run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...args]));
