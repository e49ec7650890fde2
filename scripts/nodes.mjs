/** Node.js itself in exact versions, from the package registry: for the tests, and for the executable that needs none. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest that package.json allows, and one of every line with long-term support since. */
export const NODES = ['20.19.0', '22.23.3', '24.21.0', '26.10.0'];

const CACHE = fileURLToPath(new URL('../.cache/peers/', import.meta.url));

/** Why a version could not be had: a machine without a network is asked once, not for every version. */
let failure;

/** Where the program of this version is, once it was fetched. */
export function nodeProgram(version) {
  return join(CACHE, `node-${version}`, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** Fetches what is not in the cache yet; npm compares what comes with the registry's checksum. Returns whether it did. */
export function fetchNode(version) {
  if (existsSync(nodeProgram(version))) return false;
  if (failure !== undefined) throw failure;
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const work = join(CACHE, `node-${version}.${process.pid}`);
  mkdirSync(work, { recursive: true });
  try {
    const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=60000'];
    run('npm', ['pack', `${name}@${version}`, '--json', '--loglevel=error', ...patience], work);
    run('tar', ['-xzf', `${name}-${version}.tgz`, '--strip-components=1', 'package/bin', 'package/LICENSE'], work);
    rmSync(join(work, `${name}-${version}.tgz`));
    renameSync(work, join(CACHE, `node-${version}`));
  } catch (error) {
    // Another process may have had it first.
    if (existsSync(nodeProgram(version))) return true;
    failure = new Error(summary(error), { cause: error });
    throw failure;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return true;
}

function run(command, args, cwd) {
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** What npm says of its failure, in one line. */
function summary({ stdout, message }) {
  const [, said] = /"summary": "(.*?)(?:\\n|")/.exec(stdout ?? '') ?? [];
  return said ?? message.split('\n')[0];
}
