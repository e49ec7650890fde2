/** Fetches programs that npm's registry has as packages, in exact versions. Nothing is installed. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE } from './cache.mjs';

/** The platform, as npm's packages of programs name it. */
export const PLATFORM = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Why a package could not be fetched. Without a network, svc tries once, not once per package. */
let failure;

/** The path of an entry of the cache, whether it exists or not. */
export function packedFolder(name) {
  return join(CACHE, name);
}

/** Fetches a package unless the cache has it as the file `entry`. Returns how many bytes were fetched. */
export function fetchPackage(entry, name, version) {
  return fetchEntry(entry, name, version, (file) => file);
}

/** Fetches these paths of a package unless the cache has them as the folder `entry`. Returns how many bytes were fetched. */
export function fetchPacked(entry, name, version, paths) {
  return fetchEntry(entry, name, version, (file, work) => {
    const folder = join(work, 'unpacked');
    mkdirSync(folder);
    const wanted = paths.map((path) => `package/${path}`);
    run('tar', ['-xzf', file, '-C', folder, '--strip-components=1', ...wanted], work);
    return folder;
  });
}

/** Downloads a package, whose checksum npm verifies, and moves what `unpack` makes of it into the cache. */
function fetchEntry(entry, name, version, unpack) {
  const path = packedFolder(entry);
  if (existsSync(path)) return 0;
  if (failure !== undefined) throw failure;
  const work = join(CACHE, `${entry}.${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000'];
    const output = run('npm', ['pack', `${name}@${version}`, '--json', '--loglevel=error', ...patience], work);
    const [{ filename }] = JSON.parse(output);
    const file = join(work, filename);
    const { size } = statSync(file);
    renameSync(unpack(file, work), path);
    return size;
  } catch (error) {
    // Another process may have fetched it first.
    if (existsSync(path)) return 0;
    failure = new Error(summary(error), { cause: error });
    throw failure;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** npm's error in one line. */
function summary({ stdout, message }) {
  const [, said] = /"summary": "(.*?)(?:\\n|")/.exec(stdout ?? '') ?? [];
  return said ?? message.split('\n')[0];
}
