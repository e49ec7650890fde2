/**
 * Fetches the real peers of the tests: Alertmanagers with amtool, shells, another version of Node.js, and bun. If a shell is on PATH, the
 * tests use that. The rest comes from the platform's package manager (Node.js and bun from npm's registry). Packages are downloaded and
 * unpacked into `.cache/peers`, never installed, without root. Prints one line per peer, and what it downloads before it does. With
 * CI=true a missing peer is exit 1, except an Alertmanager that the archive no longer has.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  ALERTMANAGERS,
  AMTOOLS,
  alertmanagerFolder,
  downloadAlertmanager,
  downloadExamples,
  EXAMPLES,
  Gone,
  relocateAlertmanager,
} from './alertmanagers.mjs';
import { BUN, bunProgram, fetchBun } from './bun.mjs';
import { CACHE } from './cache.mjs';
import { FOREIGN, foreignFolder } from './foreign.mjs';
import { fetchNode, nodePackage, OTHER_NODE } from './nodes.mjs';

/** Increase it when this script unpacks differently: it then replaces an older cache. */
const LAYOUT = 2;

const NETWORK = ['-o', 'Acquire::http::Timeout=10', '-o', 'Acquire::https::Timeout=10', '-o', 'Acquire::Retries=1'];

/** By shell: its package. */
const SHELLS = { zsh: 'zsh', fish: 'fish', dash: 'dash', busybox: 'busybox', ksh93: 'ksh93u+m', mksh: 'mksh' };

/** Completions of other programs, and programs beside the shell: 20 MB. */
const UNUSED = {
  zsh: ['share/zsh/functions/Completion/Unix.zwc', 'share/zsh/functions/Completion/Unix/Command'],
  fish: ['share/fish/completions', 'bin/fish_indent', 'bin/fish_key_reader'],
};

function onPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, program)));
}

function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The packages to unpack for `name`, as `name=version`: its own and the libraries that this machine lacks. */
function plan(name, apt) {
  const simulated = run('apt-get', [...apt, '-s', 'install', '--no-install-recommends', name]);
  return [...simulated.matchAll(/^Inst (\S+) (\[)?.*?\((\S+)/gm)]
    .filter(([, other, upgrade]) => upgrade === undefined && (other.startsWith(name) || other.startsWith('lib')))
    .map(([, name, , version]) => `${name}=${version}`);
}

/** Why fresh lists could not be fetched. Without a network, this script tries once, not once per peer. */
let unreachable;

/** Fetches the lists that these options name. Returns the options for later calls. */
function update(options) {
  if (unreachable !== undefined) throw unreachable;
  const apt = [...NETWORK, ...options];
  try {
    run('apt-get', [...apt, '-q', 'update']);
  } catch (error) {
    if (String(error.stderr).includes('does not have a Release file')) throw new Gone('the archive no longer has it');
    unreachable = error;
    throw error;
  }
  return apt;
}

/** Runs `step` with the machine's package lists, and if that fails, with fresh lists in the cache. */
function withLists(step) {
  if (unreachable !== undefined) throw unreachable;
  try {
    return step(NETWORK);
  } catch {
    const state = join(CACHE, 'apt');
    mkdirSync(join(state, 'lists/partial'), { recursive: true });
    mkdirSync(join(state, 'cache/archives/partial'), { recursive: true });
    return step(
      update(['-o', `Dir::State::lists=${join(state, 'lists')}`, '-o', `Dir::Cache=${join(state, 'cache')}`]),
    );
  }
}

/** Downloads a package and the libraries that it needs into `work`. Returns its version. */
function downloadPackage(name, work) {
  return withLists((apt) => {
    const packages = plan(name, apt);
    run('apt-get', [...apt, 'download', ...packages], work);
    return packages.find((one) => one.startsWith(`${name}=`))?.split('=')[1] ?? 'unknown';
  });
}

/** Unpacks the packages that `download` puts into a temporary folder, and moves the result to `folder`. Returns the version. */
function fetchPeer(folder, download, finish) {
  const work = `${folder}.${process.pid}`;
  const root = join(work, 'root');
  const replace = (marker) => {
    writeFileSync(join(root, 'peer.json'), `${JSON.stringify({ layout: LAYOUT, ...marker })}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(root, folder);
  };
  rmSync(work, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  try {
    const version = download(work);
    for (const file of readdirSync(work).filter((name) => name.endsWith('.deb')))
      run('dpkg-deb', ['-x', file, root], work);
    for (const folder of ['doc', 'info', 'lintian', 'locale', 'man'])
      rmSync(join(root, 'usr/share', folder), { recursive: true, force: true });
    finish(root);
    replace({ version });
    return version;
  } catch (error) {
    // The tests read this: they skip such a version even with CI=true.
    if (error instanceof Gone) replace({ gone: error.message });
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function cachedVersion(folder) {
  try {
    const marker = JSON.parse(readFileSync(join(folder, 'peer.json'), 'utf8'));
    return marker.layout === LAYOUT ? marker.version : undefined;
  } catch {
    return undefined;
  }
}

/** The first error that apt-get reported, or the last line of any other error. */
function reason(error) {
  const lines = String(error.stderr || error.message)
    .trim()
    .split('\n');
  return (lines.find((line) => line.startsWith('E:')) ?? lines.at(-1)).replace(/^E: */, '');
}

function ready(name, folder, download, finish) {
  const cached = cachedVersion(folder);
  if (cached !== undefined) return `${name}: ready (${cached})`;
  for (const tool of ['apt-get', 'dpkg-deb']) if (!onPath(tool)) throw new Error(`this platform has no ${tool}`);
  mkdirSync(CACHE, { recursive: true });
  console.log(`${name}: downloading from the package archive …`);
  let bytes = 0;
  const version = fetchPeer(
    folder,
    (work) => {
      const downloaded = download(work);
      bytes = sizeOf(work);
      return downloaded;
    },
    finish,
  );
  return `${name}: ready (${version}, ${megabytes(bytes)} downloaded)`;
}

/** The files that a download left in a folder, without the lists of packages. */
function sizeOf(folder) {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { name }) => sum + statSync(join(folder, name)).size, 0);
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** What comes from npm's registry. */
function readyPackage(name, isThere, fetch) {
  if (isThere) return `${name}: ready`;
  console.log(`${name}: downloading from npm's registry …`);
  return `${name}: ready (${megabytes(fetch())} downloaded)`;
}

function readyShell(shell) {
  if (onPath(shell)) return `${shell}: ready (on PATH)`;
  const finish = (root) => {
    // fish finds its files beside itself only if its configuration folder exists, too.
    if (shell === 'fish') mkdirSync(join(root, 'usr/etc/fish'), { recursive: true });
    for (const path of UNUSED[shell] ?? []) rmSync(join(root, 'usr', path), { recursive: true, force: true });
  };
  return ready(shell, join(CACHE, shell), (work) => downloadPackage(SHELLS[shell], work), finish);
}

function readyAlertmanager(peer) {
  const download = (work) => downloadAlertmanager(peer, work, { withLists, update });
  return ready(`alertmanager ${peer.release}`, alertmanagerFolder(peer.release), download, (root) => {
    relocateAlertmanager(root);
    if (!AMTOOLS.includes(peer.release)) rmSync(join(root, 'usr/bin/amtool'));
  });
}

function readyExamples() {
  const download = (work) => downloadExamples(work, join(work, 'root'), { update });
  return ready("alertmanager's examples", EXAMPLES, download, () => {});
}

/** The programs that run executables of another Linux (foreign.mjs). */
function readyForeign(target) {
  const { packages, finish } = FOREIGN[target];
  const download = (work) => {
    withLists((apt) => run('apt-get', [...apt, 'download', ...packages], work));
    const [file] = readdirSync(work).filter((name) => name.startsWith(`${packages[0]}_`));
    return run('dpkg-deb', ['-f', file, 'Version'], work).trim();
  };
  return ready(`${packages[0]} for ${target}`, foreignFolder(target), download, finish);
}

const missing = [];
function report(name, step) {
  try {
    console.log(step());
  } catch (error) {
    if (!(error instanceof Gone)) missing.push(name);
    console.log(`${name}: skipped: ${reason(error)}`);
  }
}
for (const peer of ALERTMANAGERS) report(`alertmanager ${peer.release}`, () => readyAlertmanager(peer));
report("alertmanager's examples", readyExamples);
for (const shell of Object.keys(SHELLS)) report(shell, () => readyShell(shell));
report(`node ${OTHER_NODE}`, () =>
  readyPackage(`node ${OTHER_NODE}`, existsSync(nodePackage(OTHER_NODE)), () => fetchNode(OTHER_NODE)),
);
report(`bun ${BUN}`, () => readyPackage(`bun ${BUN}`, existsSync(bunProgram()), () => fetchBun()));
// libfaketime sets the clock of an executable (scripts/test-executable.mjs).
if (process.argv.includes('--clock'))
  report('libfaketime', () =>
    ready(
      'libfaketime',
      join(CACHE, 'libfaketime'),
      (work) => downloadPackage('libfaketime', work),
      () => {},
    ),
  );
for (const target of Object.keys(FOREIGN))
  if (process.argv.includes(`--${target}`)) report(`what runs ${target}`, () => readyForeign(target));
if (missing.length > 0) console.log(`missing, so that their tests are skipped: ${missing.join(', ')}`);
if (missing.length > 0 && process.env.CI === 'true') process.exitCode = 1;
