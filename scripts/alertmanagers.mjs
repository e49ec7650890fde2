/** The real Alertmanagers of the tests: one release from each of three Debian suites, downloaded and unpacked without root. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './cache.mjs';

export const ALERTMANAGERS = [
  { release: '0.25', suite: 'bookworm', fits: /^0\.25\./ },
  { release: '0.28', suite: 'trixie', fits: /^0\.28\./ },
  // sid has the newest one.
  { release: '0.33', suite: 'sid', fits: /^(0\.(3[3-9]|[4-9]\d)|[1-9]\d*\.\d+)\./ },
];

/** The releases whose amtool is an oracle of the tests: the oldest and the newest. */
export const AMTOOLS = ['0.25', '0.33'];

const PACKAGE = 'prometheus-alertmanager';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** The archive no longer has this version. That is not a fault of this machine. */
export class Gone extends Error {}

/** The folder of a release that `peers.mjs` has fetched. */
export function alertmanagerFolder(release) {
  return join(CACHE, `alertmanager-${release}`);
}

/**
 * Downloads the package of this release into `work` and returns its version. `withLists` calls back with the machine's own
 * package lists. For another suite than the machine's, `update` fetches package lists into `work`.
 */
export function downloadAlertmanager({ suite, fits }, work, { withLists, update }) {
  const { codename, uri } = debianArchive();
  const download = (apt) => run('apt-get', [...apt, 'download', PACKAGE], work);
  if (codename === suite) withLists(download);
  else download(suiteLists(`deb ${suite}`, uri, work, update));
  const file = readdirSync(work).find((name) => name.endsWith('.deb'));
  const version = run('dpkg-deb', ['-f', file, 'Version'], work).trim();
  if (!fits.test(version)) throw new Gone(`the archive no longer has it: ${suite} has ${version}`);
  return version;
}

/** The configuration files of Alertmanager's own tests and examples, which `peers.mjs` has fetched. */
export const EXAMPLES = join(CACHE, 'alertmanager-examples');
const EXAMPLES_OF = 'trixie';

/** Downloads the source of one release into `work`, and unpacks its configuration files into `root`. Returns its version. */
export function downloadExamples(work, root, { update }) {
  const apt = suiteLists(`deb-src ${EXAMPLES_OF}`, debianArchive().uri, work, update);
  run('apt-get', [...apt, 'source', '--download-only', '--tar-only', PACKAGE], work);
  const file = readdirSync(work).find((name) => name.includes('.orig.tar.'));
  const folders = ['cli/testdata', 'config/testdata', 'doc/examples'].map((folder) => `*/${folder}/*.yml`);
  run('tar', [
    '-xf',
    join(work, file),
    '-C',
    root,
    '--strip-components=1',
    '--wildcards',
    '--no-wildcards-match-slash',
    ...folders,
  ]);
  return /_(.+)\.orig\.tar\./.exec(file)[1];
}

/** The codename of this machine's Debian, and the address of the archive that its own sources name for it. */
export function debianArchive() {
  const [, codename] = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? [];
  const filter = ['Created-By: Packages', 'Component: main', `Codename: ${codename}`];
  const [uri] = run('apt-get', ['indextargets', '--format', '$(REPO_URI)', ...filter]).split('\n');
  if (uri === '' || !existsSync(KEYRING)) throw new Error("this platform's packages are not Debian's");
  return { codename, uri };
}

/** Options for apt-get with the lists of one suite, such as `deb sid`, inside `work`. The system's lists do not change. */
function suiteLists(line, uri, work, update) {
  const [type, suite] = line.split(' ');
  const root = join(work, 'apt');
  for (const folder of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'status'), '');
  writeFileSync(join(root, 'sources.list'), `${type} [signed-by=${KEYRING}] ${uri} ${suite} main\n`);
  const settings = {
    'Dir::Etc::SourceList': join(root, 'sources.list'),
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State': root,
    'Dir::State::Lists': join(root, 'lists'),
    'Dir::State::status': join(root, 'status'),
    'Dir::Cache': join(root, 'cache'),
    'Acquire::Languages': 'none',
    // Without it, apt-get update exits 0 even if it fetched nothing.
    'APT::Update::Error-Mode': 'any',
  };
  return update(Object.entries(settings).flatMap(([key, value]) => ['-o', `${key}=${value}`]));
}

/**
 * Debian's Alertmanager reads its templates from an absolute path in the program. A relative path of the same length
 * (without the first slash, with one at the end) makes it read them from the working directory.
 */
export function relocateAlertmanager(root) {
  const program = join(root, 'usr/bin/prometheus-alertmanager');
  const built = '/usr/share/prometheus/alertmanager';
  const bytes = readFileSync(program);
  for (let at = bytes.indexOf(built); at !== -1; at = bytes.indexOf(built, at + 1)) {
    if (bytes[at + built.length] !== 0x2f) bytes.write(`${built.slice(1)}/`, at, 'latin1');
  }
  writeFileSync(program, bytes);
}

function run(command, args, cwd) {
  const env = { ...process.env, LC_ALL: 'C' };
  return execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
