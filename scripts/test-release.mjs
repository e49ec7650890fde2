// node scripts/test-release.mjs: installs, uses and removes the files in release/ as users do, after `npm run release -- --dry-run`. It installs
// the npm package on every version of Node.js, and, as root, the packages for Debian and Fedora and the executable in systems without
// Node.js. It runs the executables for arm64 and musl with foreign.mjs, and the steps of the GitHub action in the same shell as GitHub.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { debianArchive } from './alertmanagers.mjs';
import { FOREIGN, isFetched, within } from './foreign.mjs';
import { fetchNode, NODES, unpackNode } from './nodes.mjs';
import { root, run } from './setup.mjs';

/** Too old for svc. */
const OLD_NODE = '18.20.8';

const RELEASE = `${root}release/`;
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const work = mkdtempSync(join(tmpdir(), 'svc-release-'));
let failed = false;

if (!existsSync(`${RELEASE}SHA256SUMS`)) {
  console.error('there is no release: run npm run release -- --dry-run');
  process.exit(1);
}
try {
  check('the sums', sh('sha256sum --check --quiet SHA256SUMS', { cwd: RELEASE }), {
    status: 0,
    stdout: '',
    stderr: '',
  });
  for (const node of NODES) onNode(node);
  onOldNode();
  const reason = inDebian();
  if (reason !== undefined) console.log(`left out: everything in a new Debian system: ${reason}`);
  inRpmRoot();
  for (const target of Object.keys(FOREIGN)) onForeign(target);
  action();
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);

function onNode(node) {
  const { prefix, at } = globalNode(node);
  const before = filesIn(prefix);
  check(`npm install on Node.js ${node}`, at(`npm install --global --offline ${RELEASE}svc-${version}.tgz`).status, 0);
  uses(`Node.js ${node}`, at);
  check('  the manual', at(`MANPATH=${prefix}/share/man man -w svc-alerts`).status, 0);
  check('  uninstalled', [at('npm uninstall --global svc').status, filesIn(prefix)], [0, before]);
}

function onOldNode() {
  const { at } = globalNode(OLD_NODE);
  at(`npm install --global --offline ${RELEASE}svc-${version}.tgz`);
  for (const line of ['svc --version', 'svc alerts list']) {
    const said = `svc: needs Node.js 20.19 or later, and this is ${OLD_NODE}\n`;
    check(`${line} on Node.js ${OLD_NODE}`, at(line), { status: 70, stdout: '', stderr: said });
  }
}

/** A prefix for global packages of this version, and a shell whose PATH has it. */
function globalNode(node) {
  fetchNode(node);
  const program = unpackNode(node, join(work, `node-${node}`));
  const [prefix, home] = ['prefix', 'home'].map((name) => join(work, `${name}-${node}`));
  for (const folder of [`${prefix}/lib/node_modules`, `${prefix}/bin`, home]) mkdirSync(folder, { recursive: true });
  const env = {
    ...environment(home),
    PATH: [join(prefix, 'bin'), dirname(program), process.env.PATH].join(delimiter),
    npm_config_prefix: prefix,
    npm_config_cache: join(work, 'npm'),
  };
  return { prefix, home, at: (line) => sh(line, { env }) };
}

/** Returns the reason if it cannot run here. */
function inDebian() {
  if (process.getuid?.() !== 0) return 'this needs root';
  if (process.arch !== 'x64' && process.arch !== 'arm64') return `there are no files for ${process.arch}`;
  if (sh('command -v debootstrap').status !== 0) return 'there is no debootstrap';
  const { codename, uri } = debianArchive();
  const system = join(work, 'debian');
  const packages = 'bash-completion,ca-certificates,curl,fish,man-db,zsh';
  execFileSync('debootstrap', ['--variant=minbase', `--include=${packages}`, codename, system, uri], {
    stdio: 'ignore',
  });
  const user = '/home/user';
  mkdirSync(`${system}${user}`);
  execFileSync('chown', ['65534:65534', `${system}${user}`]);
  mkdirSync(`${system}/release`);
  cpSync(RELEASE, `${system}/release/v${version}`, { recursive: true });
  cpSync(`${root}scripts/install.sh`, `${system}/release/install.sh`);
  const at = (line, { asRoot } = {}) => {
    const mounts = `mount -t proc proc ${system}/proc && mount --rbind /dev ${system}/dev`;
    const who = asRoot ? '' : '--userspec=65534:65534';
    const script = `${mounts} && exec chroot ${who} ${system} bash -c "$0"`;
    return spawned('unshare', ['--mount', '--pid', '--fork', 'sh', '-c', script, line], { env: environment(user) });
  };
  const asRoot = (line) => at(line, { asRoot: true });
  check('a new Debian has no Node.js', at('command -v node').status, 1);

  const before = filesIn(`${system}/usr`);
  const file = `/release/v${version}/svc_${version}_${process.arch === 'x64' ? 'amd64' : 'arm64'}.deb`;
  check('dpkg --install', asRoot(`dpkg --install ${file}`).status, 0);
  uses('the Debian package', at);
  check('  man', at('man -w svc svc-alerts').status, 0);
  const inBash = '. /usr/share/bash-completion/bash_completion; _completion_loader svc; complete -p svc';
  check('  completion in bash', at(inBash).stdout.endsWith(' svc\n'), true);
  const inZsh = 'autoload -U compinit; compinit -D; echo $_comps[svc]';
  check('  completion in zsh', at(`zsh -fc '${inZsh}'`).stdout, '_svc\n');
  check('  completion in fish', /^silences\b/m.test(at(`fish -c 'complete -C "svc sil"'`).stdout), true);
  check('  dpkg --remove leaves nothing', [asRoot('dpkg --remove svc').status, filesIn(`${system}/usr`)], [0, before]);

  const install = `SVC_RELEASES=file:///release bash /release/install.sh OWNER/svc ${version} ${user}/bin`;
  check('install.sh', at(install).stdout, `${version}\n`);
  uses('the executable', (line) => at(`PATH=${user}/bin:$PATH; ${line}`));
  at(`rm -r ${user}/bin`);
  image(system);
}

/** Builds the Dockerfile on this Debian instead of the one that it names. */
function image(debian) {
  if (sh('command -v buildah').status !== 0) return console.log('left out: the Dockerfile: there is no buildah');
  const context = join(work, 'image');
  mkdirSync(context);
  sh(`tar -C ${debian} --exclude=./release --exclude='./dev/*' -cf ${context}/debian.tar .`);
  writeFileSync(`${context}/Dockerfile`, 'FROM scratch\nADD debian.tar /\n');
  const places = ['--storage-driver=vfs', `--root=${context}/images`, `--runroot=${context}/run`];
  const buildah = (command, ...args) => spawned('buildah', [...places, command, ...args]);
  const build = (...args) => buildah('build', '--isolation=chroot', '--quiet', ...args).status;
  const fromBase = ['--build-arg', 'BASE=localhost/debian'];
  check('the Dockerfile', [build('-t', 'localhost/debian', context), build('-t', 'svc', ...fromBase, root)], [0, 0]);
  const { Entrypoint, User } = JSON.parse(buildah('inspect', '--type=image', 'svc').stdout).OCIv1.config;
  check('  starts svc, and not as root', [Entrypoint, User], [['svc'], '10001']);
  const container = buildah('from', 'svc').stdout.trim();
  const inImage = (line, ...options) =>
    buildah('run', '--isolation=chroot', ...options, container, '--', 'sh', '-c', line);
  uses('the image', inImage);
  const line = 'id -u && svc config set timeout 20s >/dev/null && svc config get timeout';
  // Only its owner may delete the folder of the first user.
  inImage('rm -r .config');
  check('  as any user', inImage(line, '--user=4711').stdout, '4711\n20s\n');
}

/** Uses an empty folder as the root of a system. Dependencies are not checked. */
function inRpmRoot() {
  if (process.getuid?.() !== 0 || sh('command -v rpm').status !== 0) {
    console.log('left out: the package for Fedora: this needs root, and rpm');
    return;
  }
  const system = join(work, 'fedora');
  const file = `${RELEASE}svc-${version}-1.${process.arch === 'x64' ? 'x86_64' : 'aarch64'}.rpm`;
  const rpm = (args) => sh(`rpm --root ${system} ${args}`).status;
  check('rpm --install', rpm(`--install --nodeps ${file}`), 0);
  const home = join(work, 'home-fedora');
  mkdirSync(home);
  const env = { ...environment(home), PATH: [`${system}/usr/bin`, process.env.PATH].join(delimiter) };
  uses('the package for Fedora', (line) => sh(line, { env }));
  check('  man', sh('man -w svc svc-alerts', { env: { ...env, MANPATH: `${system}/usr/share/man` } }).status, 0);
  check('  rpm --erase leaves nothing', [rpm('--erase svc'), filesIn(`${system}/usr`)], [0, []]);
}

/** The executable in the archive for another processor or C library. */
function onForeign(target) {
  run(process.execPath, ['scripts/peers.mjs', `--${target}`], { stdio: 'ignore' });
  if (!isFetched(target)) return console.log(`left out: ${target}: the programs that run it cannot be fetched`);
  const home = join(work, `home-${target}`);
  mkdirSync(home);
  sh(`tar -xzf ${RELEASE}svc-${version}-${target}.tar.gz --strip-components=1 -C ${home}`);
  const env = { ...environment(home), PATH: [home, process.env.PATH].join(delimiter) };
  const [command, ...rest] = within(target, ['sh', '-c']);
  uses(target, (line) => spawned(command, [...rest, line], { env }));
}

/** Runs the steps of action.yml as a job of GitHub does, and then a step that uses what they installed. */
function action() {
  const [temporary, paths, home] = ['temp', 'paths', 'home-action'].map((name) => join(work, name));
  for (const folder of [temporary, home, `${work}/releases`]) mkdirSync(folder);
  symlinkSync(RELEASE, `${work}/releases/v${version}`);
  writeFileSync(paths, '');
  const { runs } = parse(readFileSync(`${root}action.yml`, 'utf8'));
  const inputs = { version, repository: 'OWNER/svc' };
  const given = (text) => text.replaceAll(/\$\{\{ inputs\.(\w+) \}\}/g, (_, name) => inputs[name]);
  const runStep = (step) => {
    const env = {
      ...environment(home),
      SVC_RELEASES: `file://${work}/releases`,
      RUNNER_TEMP: temporary,
      GITHUB_PATH: paths,
      GITHUB_ACTION_PATH: root,
      PATH: [...readFileSync(paths, 'utf8').split('\n').filter(Boolean), process.env.PATH].join(delimiter),
      ...Object.fromEntries(Object.entries(step.env ?? {}).map(([name, value]) => [name, given(value)])),
    };
    return spawned('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], { env });
  };
  for (const step of runs.steps) check(`the action: ${step.run.slice(0, 40)}`, runStep(step).status, 0);
  // Critical alerts fire in the sandbox, so the check fails.
  const { status, stdout } = runStep({ run: "svc sandbox run -- svc alerts check 'severity=~crit.*'" });
  check('  a step that gates on alerts', [status, /^failed: /.test(stdout)], [1, true]);
}

/** The first commands of a new user. */
function uses(name, at) {
  check(`${name}: svc --version`, at('svc --version'), { status: 0, stdout: `${version}\n`, stderr: '' });
  const list = at('svc sandbox run -- svc alerts list -o json');
  check('  a list of alerts', [list.status, list.status === 0 && JSON.parse(list.stdout).length > 0], [0, true]);
  check('  a setting', at('svc config set timeout 20s && svc config get timeout').stdout.endsWith('20s\n'), true);
}

/** npm leaves empty folders behind. */
function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [] : [join(entry.parentPath, entry.name)])).sort();
}

function environment(home) {
  return { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8', TMPDIR: tmpdir() };
}

function sh(line, options) {
  return spawned('sh', ['-c', line], options);
}

function spawned(command, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  return { status, stdout, stderr };
}

function check(name, actual, expected) {
  const ok = isDeepStrictEqual(actual, expected);
  if (!ok) failed = true;
  console.log(`${ok ? 'ok  ' : 'FAIL'} ${name}`);
  if (!ok) console.log(`     ${JSON.stringify(actual)}\n     expected ${JSON.stringify(expected)}`.slice(0, 2000));
}
