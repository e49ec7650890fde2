// npm run build:executables [-- --target linux-x64,…]: builds one file per platform that needs no Node.js, in build/<target>/, and
// archives with SHA-256 sums and a bill of materials in build/. Any machine can build every target.
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { zipSync } from 'fflate';
import { BUN, bunProgram, fetchBun, HERE } from './bun.mjs';
import { root, run } from './setup.mjs';

/** By our name: the name of bun's package for it. */
const TARGETS = {
  'linux-x64': 'linux-x64-baseline',
  'linux-x64-musl': 'linux-x64-musl-baseline',
  'linux-arm64': 'linux-aarch64',
  'linux-arm64-musl': 'linux-aarch64-musl',
  'macos-x64': 'darwin-x64-baseline',
  'macos-arm64': 'darwin-aarch64',
  'windows-x64': 'windows-x64-baseline',
  'windows-arm64': 'windows-aarch64',
};

const { values } = parseArgs({
  options: { target: { type: 'string' }, out: { type: 'string' }, built: { type: 'boolean' } },
});
const wanted = values.target?.split(',') ?? Object.keys(TARGETS);
const unknown = wanted.filter((target) => !Object.hasOwn(TARGETS, target));
if (unknown.length > 0) {
  console.error(`no such target: ${unknown.join(', ')}\nTargets: ${Object.keys(TARGETS).join(', ')}`);
  process.exit(2);
}

const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const out = resolve(values.out ?? `${root}build`);
if (!values.built && run(process.execPath, ['scripts/build.mjs']) !== 0) process.exit(1);
const manual = await createRequire(import.meta.url)('../dist/pages.cjs').preparedManual();
mkdirSync(out, { recursive: true });
const sbom = JSON.parse(readFileSync(`${root}dist/sbom.cdx.json`, 'utf8'));
const runtime = {
  type: 'framework',
  name: 'bun',
  version: BUN,
  purl: `pkg:npm/bun@${BUN}`,
  licenses: [{ license: { id: 'MIT' } }],
};
writeFileSync(
  join(out, `svc-${version}.cdx.json`),
  `${JSON.stringify({ ...sbom, components: [...sbom.components, runtime] }, null, 2)}\n`,
);

const trials = mkdtempSync(join(tmpdir(), 'svc-trials-'));
process.on('exit', () => rmSync(trials, { recursive: true, force: true }));
const order = await bytecodeOrder();
for (const target of wanted) {
  const file = executable(target);
  checkBuilt(target, readFileSync(join(out, target, file)));
  const archive = packed(target, file);
  const megabytes = (path) => `${(readFileSync(path).length / 1e6).toFixed(1)} MB`;
  console.log(`${target}: ${file} ${megabytes(join(out, target, file))}, ${archive} ${megabytes(join(out, archive))}`);
}
const files = readdirSync(out).filter((name) => name.startsWith(`svc-${version}`));
const sum = (name) =>
  createHash('sha256')
    .update(readFileSync(join(out, name)))
    .digest('hex');
writeFileSync(join(out, 'SHA256SUMS'), files.map((name) => `${sum(name)}  ${name}\n`).join(''));

/**
 * Files in which an executable of this machine records the functions that short commands run. bun puts their bytecode first, so that
 * a start reads less of the file: `alerts list` takes 7 MiB less memory.
 */
async function bytecodeOrder() {
  const trial = join(trials, 'svc');
  compile(HERE, trial);
  const alert = {
    fingerprint: '0123456789abcdef',
    labels: { alertname: 'NodeDown', severity: 'critical' },
    annotations: {},
    receivers: [{ name: 'team' }],
    status: { state: 'active', silencedBy: [], inhibitedBy: [] },
    startsAt: '2026-01-01T00:00:00.000Z',
    endsAt: '2026-01-01T01:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  };
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify([alert]));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${server.address().port}`;
  const body = join(trials, 'body.json');
  writeFileSync(body, '{"id":"evt_1","type":"summary.completed"}');
  const signature = ['--signature', `sha256=${'0'.repeat(64)}`, '--timestamp', '1767225600', '--now', '1767225600'];
  const lines = [
    ['alerts', 'list', '--base-url', address, '-o', 'json'],
    ['alerts', 'list', '--base-url', address],
    ['webhooks', 'verify', body, ...signature],
    ['__complete', 'matching=', 'alerts', 'get'],
  ];
  const files = lines.map((_, index) => join(trials, `order${index}`));
  for (const [index, line] of lines.entries()) {
    const env = { HOME: trials, SVC_WEBHOOK_SECRET: 'none', BUN_BYTECODE_ORDER_OUT: files[index] };
    // The signature is wrong: exit status 1.
    await promisify(execFile)(trial, line, { env }).catch(() => {});
  }
  server.close();
  return files;
}

/** Returns the name of the file. */
function executable(target) {
  const folder = join(out, target);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const name = target.startsWith('windows') ? 'svc.exe' : 'svc';
  compile(TARGETS[target], join(folder, name), `--bytecode-order=${order.join(',')}`);
  return name;
}

/** Compiles the bundle of the npm package. */
function compile(platform, file, ...more) {
  for (const one of [HERE, platform]) fetchBun(one);
  execFileSync(
    bunProgram(),
    [
      'build',
      './bin/svc.cjs',
      '--compile',
      '--bytecode',
      '--minify',
      // Short commands run most functions only a few times. Compiling later saves 15 % of `alerts list`; long commands lose nothing.
      '--compile-jit-policy=4',
      // Otherwise it would be a path of this machine.
      '--define=__filename="/svc"',
      // svc reads nothing from the folder in which it is started.
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      // Without any such option, bun refuses to start in a deleted folder.
      '--compile-exec-argv=--no-deprecation',
      `--target=bun-${platform}-v${BUN}`.replace('aarch64', 'arm64'),
      `--compile-executable-path=${bunProgram(platform)}`,
      `--outfile=${file}`,
      ...more,
    ],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env.PATH, HOME: trials } },
  );
}

/** Most targets cannot run here, so this checks their format, processor, C library and version. */
function checkBuilt(target, bytes) {
  const made = platformOf(bytes);
  if (made !== target) throw new Error(`${target} was built for ${made}`);
  if (!bytes.includes(`"${version}"`)) throw new Error(`${target} has another version than ${version}`);
}

function platformOf(bytes) {
  if (bytes.subarray(0, 4).equals(Buffer.from('\x7fELF', 'latin1'))) {
    const processor = { 62: 'x64', 183: 'arm64' }[bytes.readUInt16LE(18)];
    return `linux-${processor}${bytes.subarray(0, 4096).includes('/lib/ld-musl-') ? '-musl' : ''}`;
  }
  if (bytes.readUInt32LE(0) === 0xfeedfacf)
    return `macos-${{ 16777223: 'x64', 16777228: 'arm64' }[bytes.readUInt32LE(4)]}`;
  const header = bytes.readUInt32LE(0x3c);
  if (bytes.toString('latin1', header, header + 4) === 'PE\0\0')
    return `windows-${{ 34404: 'x64', 43620: 'arm64' }[bytes.readUInt16LE(header + 4)]}`;
  return 'no known platform';
}

/** The executable with its licenses, manual and completions. The same files make the same bytes. Returns the archive's name. */
function packed(target, file) {
  const name = `svc-${version}-${target}`;
  const folder = join(out, target, name);
  mkdirSync(folder);
  copyFileSync(join(out, target, file), join(folder, file));
  for (const path of ['LICENSE', 'README.md', 'CHANGELOG.md']) copyFileSync(root + path, join(folder, path));
  cpSync(`${root}completions`, join(folder, 'completions'), { recursive: true });
  mkdirSync(join(folder, 'man'));
  for (const [page, text] of Object.entries(manual)) writeFileSync(join(folder, 'man', page), text);
  const notice = `bun ${BUN} (MIT, with JavaScriptCore under LGPL-2.1 and others)\nhttps://github.com/oven-sh/bun/blob/bun-v${BUN}/LICENSE.md\n`;
  const licenses = readFileSync(`${root}dist/THIRD-PARTY-LICENSES.txt`, 'utf8');
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), `${licenses}\n${'-'.repeat(80)}\n\n${notice}`);
  const archive = `${name}${file.endsWith('.exe') ? '.zip' : '.tar.gz'}`;
  if (archive.endsWith('.zip'))
    writeFileSync(join(out, archive), zipSync(contents(folder, name), { mtime: '1980-01-01' }));
  else {
    const steady = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--mode=u=rwX,go=rX'];
    execFileSync('tar', [...steady, '-I', 'gzip -n', '-cf', join(out, archive), '-C', join(out, target), name]);
  }
  rmSync(folder, { recursive: true });
  return archive;
}

/** The files of a folder, by their paths below `name`. */
function contents(folder, name) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
  return Object.fromEntries(paths.map((path) => [`${name}/${path}`, readFileSync(join(folder, path))]));
}
