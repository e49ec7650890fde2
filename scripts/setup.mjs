// Makes a checkout runnable: installs the locked packages if necessary, and builds.
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a command in the checkout and shows its output. Returns its exit status. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: false, ...options });
  if (error !== undefined) console.error(`${command}: ${error.message}`);
  return status ?? 1;
}

function installed() {
  const packages = `${root}node_modules`;
  // If node_modules is a link to another checkout, an installation here would delete the packages there.
  if (lstatSync(packages, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  const mark = `${packages}/.package-lock.json`;
  return existsSync(mark) && statSync(mark).mtimeMs >= statSync(`${root}package-lock.json`).mtimeMs;
}

/** Prints to stderr, because the output of the calling script may be data. */
export function setup() {
  const toStderr = { stdio: ['ignore', 2, 2] };
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  if (!installed()) {
    console.error('installing the locked packages, about 110 MB …');
    if (run(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], toStderr) !== 0)
      process.exit(1);
  }
  console.error('building …');
  if (run(process.execPath, ['scripts/build.mjs'], toStderr) !== 0) process.exit(1);
}
