/** Programs that npm's registry has as packages, in exact versions: fetched and unpacked into `.cache/peers`, never installed. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../.cache/peers/', import.meta.url));

/** As npm's packages of programs are called by platform. */
export const PLATFORM = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

/** Why a package could not be had: a machine without a network is asked once, not for every one. */
let failure;

/** Where a folder of the cache is, or will be. */
export function packedFolder(folder) {
  return join(CACHE, folder);
}

/** Fetches what is not in the cache yet, and of it only these paths; npm compares what comes with the registry's checksum. Returns whether it did. */
export function fetchPacked(folder, name, version, paths) {
  if (existsSync(packedFolder(folder))) return false;
  if (failure !== undefined) throw failure;
  const work = join(CACHE, `${folder}.${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000'];
    const told = run('npm', ['pack', `${name}@${version}`, '--json', '--loglevel=error', ...patience], work);
    const [{ filename }] = JSON.parse(told);
    run('tar', ['-xzf', filename, '--strip-components=1', ...paths.map((path) => `package/${path}`)], work);
    rmSync(join(work, filename));
    renameSync(work, packedFolder(folder));
  } catch (error) {
    // Another process may have had it first.
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

/** What npm says of its failure, in one line. */
function summary({ stdout, message }) {
  const [, said] = /"summary": "(.*?)(?:\\n|")/.exec(stdout ?? '') ?? [];
  return said ?? message.split('\n')[0];
}
