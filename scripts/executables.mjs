// npm run build:executables [-- --target linux-x64,…]: one file per platform that needs no Node.js, in build/<target>/, and archives of
// them in build/ with their sums and their parts. Every target is made on any machine.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { zipSync } from 'fflate';
import { BUN, bunProgram, fetchBun, HERE } from './bun.mjs';
import { root, run } from './setup.mjs';

/** Each with the name that bun's packages have for it. */
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

/** Compiles the same bundle that the npm package holds. Returns the name of the file. */
function executable(target) {
  const folder = join(out, target);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const platform of [HERE, TARGETS[target]]) fetchBun(platform);
  const name = target.startsWith('windows') ? 'svc.exe' : 'svc';
  execFileSync(
    bunProgram(),
    [
      'build',
      './bin/svc.cjs',
      '--compile',
      '--bytecode',
      '--minify',
      // It would be the path of this machine.
      '--define=__filename="/svc"',
      // Nothing is read from the folder that svc is started in.
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      // Without an option of its own, bun refuses to start in a folder that was deleted.
      '--compile-exec-argv=--no-deprecation',
      `--target=bun-${TARGETS[target]}-v${BUN}`.replace('aarch64', 'arm64'),
      `--compile-executable-path=${bunProgram(TARGETS[target])}`,
      `--outfile=${join(folder, name)}`,
    ],
    { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env.PATH, HOME: folder } },
  );
  return name;
}

/** Most targets cannot run here, so that at least their format, processor, C library and version are read. */
function checkBuilt(target, bytes) {
  const made = platformOf(bytes);
  if (made !== target) throw new Error(`${target} was made for ${made}`);
  if (!bytes.includes(`name:"svc",version:"${version}"`))
    throw new Error(`${target} has another version than ${version}`);
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

/** The executable with its licences, manual and completions. The same files make the same bytes. Returns the archive's name. */
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
  const licences = readFileSync(`${root}dist/THIRD-PARTY-LICENSES.txt`, 'utf8');
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), `${licences}\n${'-'.repeat(80)}\n\n${notice}`);
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

/** What a folder holds, as paths below `name`. */
function contents(folder, name) {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1)).sort();
  return Object.fromEntries(paths.map((path) => [`${name}/${path}`, readFileSync(join(folder, path))]));
}
