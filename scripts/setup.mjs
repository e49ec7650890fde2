// Makes a checkout runnable: installs what the lockfile says when that has not been done, and builds.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a command in the checkout with its output shown. Returns its exit status. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: false, ...options });
  if (error !== undefined) console.error(`${command}: ${error.message}`);
  return status ?? 1;
}

function installed() {
  const packages = `${root}node_modules`;
  // A link leads to the packages of another checkout, which an installation here would delete.
  if (lstatSync(packages, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  const mark = `${packages}/.package-lock.json`;
  return existsSync(mark) && statSync(mark).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs;
}

/** What this prints goes to stderr: the output of what follows is data. */
export function setup() {
  const toStderr = { stdio: ['ignore', 2, 2] };
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  if (!installed()) {
    console.error('installing what the lockfile names …');
    if (run(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], toStderr) !== 0)
      process.exit(1);
  }
  if (run(process.execPath, ['scripts/build.mjs'], toStderr) !== 0) process.exit(1);
}
