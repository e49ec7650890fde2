/** The real peers that `scripts/peers.mjs` fetches, for `describe.skipIf(zsh() === undefined)`. With CI=true absence throws. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Peer {
  readonly command: string;
  /** To be laid over the environment that the program is started with. */
  readonly env: Readonly<Record<string, string>>;
}

export interface AlertmanagerPeer extends Peer {
  /** The folder it must be started in. */
  readonly cwd: string;
  /** `0.25.0` */
  readonly version: string;
}

const { CACHE } = (await import(new URL('../../scripts/cache.mjs', import.meta.url).href)) as {
  readonly CACHE: string;
};

export function onPath(program: string): string | undefined {
  return allOnPath(program)[0];
}

/** The first on PATH that runs: some are shims or placeholders for a program that is not installed. */
export function interpreter(program: string): string | undefined {
  return allOnPath(program).find((path) => spawnSync(path, ['--version']).status === 0);
}

function allOnPath(program: string): readonly string[] {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
    .filter((path) => existsSync(path));
}

function unpacked(peer: string, program: string): string | undefined {
  const path = join(CACHE, peer, program);
  return existsSync(join(CACHE, peer, 'peer.json')) && existsSync(path) ? path : undefined;
}

function absent(name: string): undefined {
  if (process.env['CI'] === 'true') throw new Error(`${name} is missing: run node scripts/peers.mjs to see why.`);
  return undefined;
}

const alertmanagers = (await import(new URL('../../scripts/alertmanagers.mjs', import.meta.url).href)) as {
  readonly ALERTMANAGERS: readonly { readonly release: string }[];
  readonly AMTOOLS: readonly string[];
  alertmanagerFolder(release: string): string;
  readonly EXAMPLES: string;
};

/** The releases that svc is tried with, the oldest first. */
export const ALERTMANAGER_RELEASES = alertmanagers.ALERTMANAGERS.map(({ release }) => release);

export function alertmanagerBinary(release = '0.25'): AlertmanagerPeer | undefined {
  const cwd = alertmanagers.alertmanagerFolder(release);
  const command = join(cwd, 'usr/bin/prometheus-alertmanager');
  if (!existsSync(command)) return isGone(cwd) ? undefined : absent(`alertmanager ${release}`);
  const banner = execFileSync(command, ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return { command, env: {}, cwd, version: /version (\d+\.\d+\.\d+)/.exec(banner)?.[1] ?? 'unknown' };
}

/** Whether the archive no longer has it, which `scripts/peers.mjs` writes down. */
function isGone(folder: string): boolean {
  try {
    return 'gone' in JSON.parse(readFileSync(join(folder, 'peer.json'), 'utf8'));
  } catch {
    return false;
  }
}

/** The releases whose amtool there is, the oldest first. */
export const AMTOOL_RELEASES = alertmanagers.AMTOOLS;

export function amtoolBinary(release = '0.25'): Peer | undefined {
  const folder = alertmanagers.alertmanagerFolder(release);
  const command = join(folder, 'usr/bin/amtool');
  if (existsSync(command)) return { command, env: {} };
  return isGone(folder) ? undefined : absent(`amtool ${release}`);
}

/** The folder with Alertmanager's own examples and the configuration files of its tests. */
export function alertmanagerExamples(): string | undefined {
  if (existsSync(join(alertmanagers.EXAMPLES, 'cli'))) return alertmanagers.EXAMPLES;
  return isGone(alertmanagers.EXAMPLES) ? undefined : absent("alertmanager's examples");
}

/**
 * The shell starts without the machine's own rc files of the user: `ZDOTDIR` is ours. A test names a folder with its own
 * `.zshrc` in `ZSH_TEST_DIR`. `zsh -f` must not be used: an unpacked zsh learns where its modules are from our `.zshenv`.
 */
export function zsh(): Peer | undefined {
  const installed = onPath('zsh');
  const command = installed ?? unpacked('zsh', 'bin/zsh') ?? unpacked('zsh', 'usr/bin/zsh');
  if (command === undefined) return absent('zsh');
  const lines: string[] = [];
  if (installed === undefined) {
    const root = join(CACHE, 'zsh');
    const modules = readdirSync(join(root, 'usr/lib'), { recursive: true, encoding: 'utf8' }).find((path) =>
      path.endsWith('/zsh/zle.so'),
    );
    if (modules === undefined) return absent('zsh (its modules)');
    // zsh ignores a module path from the environment.
    lines.push(`module_path=('${join(root, 'usr/lib', modules, '../..')}')`);
    lines.push(`fpath=('${root}'/usr/share/zsh/functions/{,**/}*(/N))`);
  }
  lines.push('[[ -n $ZSH_TEST_DIR ]] && ZDOTDIR=$ZSH_TEST_DIR');
  const ZDOTDIR = join(CACHE, 'zdotdir');
  mkdirSync(ZDOTDIR, { recursive: true });
  // Renamed into place: test files run at the same time.
  const draft = join(ZDOTDIR, `.zshenv.${process.pid}`);
  writeFileSync(draft, `${lines.join('\n')}\n`);
  renameSync(draft, join(ZDOTDIR, '.zshenv'));
  return { command, env: { ZDOTDIR } };
}

export function fish(): Peer | undefined {
  const installed = onPath('fish');
  if (installed !== undefined) return { command: installed, env: {} };
  const command = unpacked('fish', 'usr/bin/fish');
  if (command === undefined) return absent('fish');
  const libraries = readdirSync(join(CACHE, 'fish/usr/lib'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(CACHE, 'fish/usr/lib', entry.name));
  return { command, env: { LD_LIBRARY_PATH: libraries.join(':') } };
}

/** Every shell that a printed line must work in, with the arguments that run a script without the user's own files. */
export function shells(): readonly (Peer & { readonly name: string; readonly args: readonly string[] })[] {
  const plain = (name: string, args: readonly string[]) => {
    const command = onPath(name) ?? unpacked(name, `bin/${name}`) ?? unpacked(name, `usr/bin/${name}`);
    return command === undefined ? absent(name) : { name, command, args, env: {} };
  };
  const [z, f] = [zsh(), fish()];
  return [
    plain('bash', ['--norc', '-c']),
    plain('dash', ['-c']),
    plain('busybox', ['sh', '-c']),
    plain('ksh93', ['-c']),
    plain('mksh', ['-c']),
    z === undefined ? undefined : { ...z, name: 'zsh', args: ['-c'] },
    f === undefined ? undefined : { ...f, name: 'fish', args: ['--no-config', '-c'] },
  ].filter((shell) => shell !== undefined);
}

/** A Python that has PyYAML. */
export function pyYaml(): string | undefined {
  const found = [...allOnPath('python3'), '/usr/bin/python3'].find(
    (python) => spawnSync(python, ['-c', 'import yaml']).status === 0,
  );
  return found ?? absent('python3 with PyYAML');
}

const nodes = (await import(new URL('../../scripts/nodes.mjs', import.meta.url).href)) as {
  readonly OTHER_NODE: string;
  nodePackage(version: string): string;
  unpackNode(version: string, folder: string): string;
};

/** The version of Node.js that svc is also tried with. `unpack` returns the path of its program in a folder. */
export function otherNode(): { readonly version: string; readonly unpack?: (folder: string) => string } {
  const version = nodes.OTHER_NODE;
  if (existsSync(nodes.nodePackage(version))) return { version, unpack: (folder) => nodes.unpackNode(version, folder) };
  absent(`node ${version}`);
  return { version };
}

const bun = (await import(new URL('../../scripts/bun.mjs', import.meta.url).href)) as { bunProgram(): string };

/** What the executables are made with. */
export function bunBinary(): string | undefined {
  const command = bun.bunProgram();
  return existsSync(command) ? command : absent('bun');
}
