/** Fetches programs that npm's registry has as packages, in exact versions, and unpacks them into `.cache/peers`. Nothing is installed. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../.cache/peers/', import.meta.url));

/** The platform, as npm's packages of programs name it. */
export const PLATFORM = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Why a package could not be fetched. Without a network, svc tries once, not once per package. */
let failure;

/** The path of a folder in the cache, whether it exists or not. */
export function packedFolder(folder) {
  return join(CACHE, folder);
}

/** Fetches these paths of a package unless they are in the cache. npm verifies the registry's checksum. Returns whether it fetched. */
export function fetchPacked(folder, name, version, paths) {
  if (existsSync(packedFolder(folder))) return false;
  if (failure !== undefined) throw failure;
  const work = join(CACHE, `${folder}.${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000'];
    const output = run('npm', ['pack', `${name}@${version}`, '--json', '--loglevel=error', ...patience], work);
    const [{ filename }] = JSON.parse(output);
    run('tar', ['-xzf', filename, '--strip-components=1', ...paths.map((path) => `package/${path}`)], work);
    rmSync(join(work, filename));
    renameSync(work, packedFolder(folder));
  } catch (error) {
    // Another process may have fetched it first.
    if (existsSync(packedFolder(folder))) return true;
    failure = new Error(summary(error), { cause: error });
    throw failure;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return true;
}

function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** npm's error in one line. */
function summary({ stdout, message }) {
  const [, said] = /"summary": "(.*?)(?:\\n|")/.exec(stdout ?? '') ?? [];
  return said ?? message.split('\n')[0];
}
