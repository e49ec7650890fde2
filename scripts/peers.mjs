/**
 * Fetches the real peers of the tests: Alertmanager with amtool, shells, and other versions of Node.js. What is on PATH is
 * used as it is. The rest comes from the platform's package manager (Node.js from npm's registry), needs no root and changes nothing
 * outside `.cache/peers`: the packages are downloaded and unpacked, never installed. Prints one line per peer; with CI=true a
 * missing peer is exit 1.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchNode, NODES } from './nodes.mjs';

const CACHE = fileURLToPath(new URL('../.cache/peers/', import.meta.url));
/** Raised whenever this script unpacks differently, so that an older cache is made anew. */
const LAYOUT = 1;

const NETWORK = ['-o', 'Acquire::http::Timeout=10', '-o', 'Acquire::https::Timeout=10', '-o', 'Acquire::Retries=1'];

const PEERS = [
  {
    name: 'alertmanager',
    package: 'prometheus-alertmanager',
    programs: [['prometheus-alertmanager', 'alertmanager'], ['amtool']],
  },
  { name: 'zsh', package: 'zsh', programs: [['zsh']] },
  { name: 'fish', package: 'fish', programs: [['fish']] },
  { name: 'dash', package: 'dash', programs: [['dash']] },
  { name: 'busybox', package: 'busybox', programs: [['busybox']] },
  { name: 'ksh', package: 'ksh93u+m', programs: [['ksh93']] },
  { name: 'mksh', package: 'mksh', programs: [['mksh']] },
];

function onPath(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, program)));
}

function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The packages to unpack, `name version`: the peer's own and the libraries that this machine lacks. */
function plan(peer, apt) {
  const simulated = run('apt-get', [...apt, '-s', 'install', '--no-install-recommends', peer.package]);
  return [...simulated.matchAll(/^Inst (\S+) (\[)?.*?\((\S+)/gm)]
    .filter(([, name, upgrade]) => upgrade === undefined && (name.startsWith(peer.package) || name.startsWith('lib')))
    .map(([, name, , version]) => ({ name, version }));
}

/** Why fresh lists could not be had, once that is known: a machine without a network is asked once, not for every peer. */
let unreachable;

/** Runs `step` with the machine's package lists, and once more with fresh private ones where those are missing or old. */
function withLists(step) {
  if (unreachable !== undefined) throw unreachable;
  try {
    return step(NETWORK);
  } catch {
    const state = join(CACHE, 'apt');
    mkdirSync(join(state, 'lists/partial'), { recursive: true });
    mkdirSync(join(state, 'cache/archives/partial'), { recursive: true });
    const apt = [
      ...NETWORK,
      '-o',
      `Dir::State::lists=${join(state, 'lists')}`,
      '-o',
      `Dir::Cache=${join(state, 'cache')}`,
    ];
    try {
      run('apt-get', [...apt, '-q', 'update']);
    } catch (error) {
      unreachable = error;
      throw error;
    }
    return step(apt);
  }
}

/**
 * Debian's Alertmanager reads its templates from a path built into it. The same path without its first slash and with one
 * at its end is as long, and is read from the working directory.
 */
function relocateAlertmanager(root) {
  const program = join(root, 'usr/bin/prometheus-alertmanager');
  const built = '/usr/share/prometheus/alertmanager';
  const bytes = readFileSync(program);
  for (let at = bytes.indexOf(built); at !== -1; at = bytes.indexOf(built, at + 1)) {
    if (bytes[at + built.length] !== 0x2f) bytes.write(`${built.slice(1)}/`, at, 'latin1');
  }
  writeFileSync(program, bytes);
}

function fetchPeer(peer, folder) {
  const work = join(CACHE, `${peer.name}.${process.pid}`);
  const root = join(work, 'root');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(root, { recursive: true });
  try {
    const packages = withLists((apt) => {
      const planned = plan(peer, apt);
      run('apt-get', [...apt, 'download', ...planned.map(({ name, version }) => `${name}=${version}`)], work);
      return planned;
    });
    for (const file of readdirSync(work).filter((name) => name.endsWith('.deb')))
      run('dpkg-deb', ['-x', file, root], work);
    if (peer.name === 'alertmanager') relocateAlertmanager(root);
    // fish finds its files beside itself only where its configuration folder is there too.
    if (peer.name === 'fish') mkdirSync(join(root, 'usr/etc/fish'), { recursive: true });
    const version = packages.find(({ name }) => name === peer.package)?.version ?? 'unknown';
    writeFileSync(join(root, 'peer.json'), `${JSON.stringify({ layout: LAYOUT, version, packages })}\n`);
    rmSync(folder, { recursive: true, force: true });
    renameSync(root, folder);
    return version;
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

/** The last line that says something, of what a failed program or Node itself reported. */
function reason(error) {
  const lines = String(error.stderr || error.message)
    .trim()
    .split('\n');
  return (lines.findLast((line) => line.startsWith('E:')) ?? lines.at(-1)).replace(/^E: */, '');
}

function ready(peer) {
  if (peer.programs.every((names) => names.some(onPath))) return `${peer.name}: ready (on PATH)`;
  const folder = join(CACHE, peer.name);
  const cached = cachedVersion(folder);
  if (cached !== undefined) return `${peer.name}: ready (${cached})`;
  for (const tool of ['apt-get', 'dpkg-deb']) if (!onPath(tool)) throw new Error(`this platform has no ${tool}`);
  mkdirSync(CACHE, { recursive: true });
  return `${peer.name}: ready (${fetchPeer(peer, folder)}, fetched)`;
}

let missing = false;
function report(name, step) {
  try {
    console.log(step());
  } catch (error) {
    missing = true;
    console.log(`${name}: skipped: ${reason(error)}`);
  }
}
for (const peer of PEERS) report(peer.name, () => ready(peer));
for (const version of NODES)
  report(`node ${version}`, () => `node ${version}: ready${fetchNode(version) ? ' (fetched)' : ''}`);
if (missing && process.env.CI === 'true') process.exitCode = 1;
