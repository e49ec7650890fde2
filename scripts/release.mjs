// npm run release -- --dry-run: makes every file of a release in release/, and prints their sums and sizes. Without --dry-run it also
// publishes them; with --made it publishes those that a dry run of the same commit made. The same commit gives the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { linuxPackages } from './linux-packages.mjs';
import { root, run, setup } from './setup.mjs';

const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, made: { type: 'boolean' } } });
const OUT = `${root}release/`;
const WORK = `${OUT}work/`;

const source = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const { version } = source;
/** From package.json. While it is missing there, the files of a dry run have a placeholder. */
const repository = source.repository?.url?.replace(/^git\+|\.git$/g, '');
const address = repository ?? 'https://github.com/OWNER/svc';
const download = (file) => `${address}/releases/download/v${version}/${file}`;

const tool = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options });
const sum = (file) =>
  createHash('sha256')
    .update(readFileSync(OUT + file))
    .digest('hex');

const notes = releaseNotes();
if (!values['dry-run']) checkReleasable();

if (!values.made) make();
if (!values['dry-run']) publish();

function make() {
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(WORK, { recursive: true });
  setup();
  for (const script of ['docs.mjs', 'executables.mjs']) {
    const args = script === 'executables.mjs' ? ['--built', '--out', `${WORK}executables`] : [];
    if (run(process.execPath, [`scripts/${script}`, ...args], { stdio: ['ignore', 2, 2] }) !== 0) process.exit(1);
  }
  const archives = readdirSync(`${WORK}executables`).filter((name) => /\.(?:tar\.gz|zip|json)$/.test(name));
  for (const name of archives) renameSync(`${WORK}executables/${name}`, OUT + name);
  npmPackage();
  for (const program of linuxPackages({ version, source, address, time: commitTime(), out: OUT, work: WORK }))
    console.error(`no ${program}: its packages are left out`);
  writeFileSync(`${OUT}release-notes.md`, notes);
  writeFileSync(`${OUT}svc.rb`, homebrewFormula());
  writeFileSync(`${OUT}svc.json`, scoopManifest());
  rmSync(WORK, { recursive: true });

  const files = readdirSync(OUT).sort();
  writeFileSync(`${OUT}SHA256SUMS`, files.map((file) => `${sum(file)}  ${file}\n`).join(''));
  for (const file of files) {
    const size = (readFileSync(OUT + file).length / 1e6).toFixed(2);
    console.log(`${sum(file)}  ${size.padStart(7)} MB  ${file}`);
  }
}

/** The section of this version in the changelog. In a dry run, the first section will do. */
function releaseNotes() {
  const sections = readFileSync(`${root}CHANGELOG.md`, 'utf8').split(/^## /m);
  const heading = (section) => section.slice(0, section.indexOf('\n'));
  const dated = sections.find((section) => heading(section).startsWith(`${version} (20`));
  const section = dated ?? (values['dry-run'] ? sections[1] : undefined);
  if (section === undefined) fail(`CHANGELOG.md has no section "${version} (date)"`);
  return section.slice(section.indexOf('\n')).trimStart();
}

function checkReleasable() {
  if (repository === undefined) fail('package.json does not name the repository');
  if (tool('git', ['status', '--porcelain']) !== '') fail('the checkout has uncommitted changes');
  if (tool('git', ['tag', '--points-at', 'HEAD']).split('\n').includes(`v${version}`) === false)
    fail(`this commit is not tagged v${version}`);
}

function fail(message) {
  console.error(`release: ${message}`);
  process.exit(1);
}

/** Seconds since 1970. */
function commitTime() {
  return tool('git', ['log', '-1', '--format=%ct']).trim();
}

/** The package without scripts and development dependencies. */
function npmPackage() {
  const folder = `${WORK}package`;
  for (const path of ['bin', 'dist', 'completions', 'man', 'README.md', 'CHANGELOG.md', 'LICENSE'])
    cpSync(root + path, `${folder}/${path}`, { recursive: true });
  rmSync(`${folder}/dist/pages.cjs`);
  const {
    scripts: _scripts,
    devDependencies: _devDependencies,
    overrides: _overrides,
    files: _files,
    ...published
  } = source;
  writeFileSync(`${folder}/package.json`, `${JSON.stringify(published, null, 2)}\n`);
  tool('npm', ['pack', folder, '--pack-destination', OUT, '--ignore-scripts', '--loglevel=error']);
}

function homebrewFormula() {
  const part = (target, indent) => {
    const file = `svc-${version}-${target}.tar.gz`;
    return `${indent}url "${download(file)}"\n${indent}sha256 "${sum(file)}"\n`;
  };
  const on = (system, name) => `  on_${system} do
    on_arm do
${part(`${name}-arm64`, '      ')}    end
    on_intel do
${part(`${name}-x64`, '      ')}    end
  end
`;
  return `class Svc < Formula
  desc ${JSON.stringify(source.description)}
  homepage "${address}"
  version "${version}"
  license "${source.license}"

${on('macos', 'macos')}
${on('linux', 'linux')}
  def install
    bin.install "svc"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/svc.bash" => "svc"
    zsh_completion.install "completions/_svc"
    fish_completion.install "completions/svc.fish"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/svc --version").strip
  end
end
`;
}

function scoopManifest() {
  const part = (target) => {
    const name = `svc-${version}-${target}`;
    return { url: download(`${name}.zip`), hash: sum(`${name}.zip`), extract_dir: name };
  };
  const manifest = {
    version,
    description: source.description,
    homepage: address,
    license: source.license,
    architecture: { '64bit': part('windows-x64'), arm64: part('windows-arm64') },
    bin: 'svc.exe',
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function publish() {
  const tag = `v${version}`;
  const status = run('gh', ['release', 'create', tag, '--title', tag, '--notes-file', `${OUT}release-notes.md`]);
  if (status !== 0) process.exit(status);
  const paths = readdirSync(OUT).map((file) => join(OUT, file));
  if (run('gh', ['release', 'upload', tag, ...paths]) !== 0) process.exit(1);
  process.exit(run('npm', ['publish', join(OUT, `svc-${version}.tgz`), '--provenance', '--access', 'public']));
}
