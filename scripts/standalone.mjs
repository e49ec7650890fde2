// Builds standalone/svc, one executable that needs no Node.js, from dist/. An argument names another folder for it.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fetchNode, NODES, nodeProgram } from './nodes.mjs';
import { root } from './setup.mjs';

if (process.platform !== 'linux') throw new Error('the standalone executable is made on Linux only');
const version = NODES.at(-1);
fetchNode(version);
const node = nodeProgram(version);

const out = resolve(process.argv[2] ?? `${root}standalone`);
const work = join(out, `.made.${process.pid}`);
const files = join(work, 'files');
mkdirSync(files, { recursive: true });
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

function run(command, args) {
  // Nothing of whoever builds it gets in: no settings, no options of Node.js.
  const env = { PATH: process.env.PATH, HOME: work };
  execFileSync(command, args, { cwd: work, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

// Functions already, so that no text is put together when they are loaded.
const packed = [
  'bin/svc.cjs',
  'dist/main.cjs',
  'dist/complete.cjs',
  ...readdirSync(`${root}dist/chunks`).map((name) => `dist/chunks/${name}`),
];
for (const path of packed) {
  const code = readFileSync(`${root}${path}`, 'utf8').replace(/^#!.*/, '');
  writeFileSync(join(files, basename(path)), `(function (exports, require, module, __filename) {${code}\n})`);
}
for (const name of ['prepared.json', 'completion.json']) copyFileSync(`${root}dist/${name}`, join(files, name));
run(node, [`${root}bin/svc.cjs`, 'sandbox', 'run', '--', node, `${root}scripts/standalone/train.cjs`, files]);

copyFileSync(node, join(work, 'node'));
// What is only for debuggers is a quarter of it.
run('strip', ['node']);
copyFileSync(`${root}scripts/standalone/entry.cjs`, join(work, 'entry.cjs'));
const config = {
  // Its path gets in.
  main: 'entry.cjs',
  executable: 'node',
  output: 'svc',
  disableExperimentalSEAWarning: true,
  useSnapshot: false,
  useCodeCache: true,
  assets: Object.fromEntries(readdirSync(files).map((name) => [name, `files/${name}`])),
};
writeFileSync(join(work, 'sea.json'), JSON.stringify(config));
run(node, ['--build-sea', 'sea.json']);
renameSync(join(work, 'svc'), join(out, 'svc'));

const licences = [`${root}LICENSE`, `${root}dist/THIRD-PARTY-LICENSES.txt`, join(node, '../../LICENSE')];
writeFileSync(
  join(out, 'LICENSES.txt'),
  licences.map((path) => readFileSync(path, 'utf8')).join(`\n${'='.repeat(80)}\n\n`),
);
