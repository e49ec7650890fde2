// node scripts/test-situations.mjs [arguments of vitest]: runs the whole suite in a clean clone of the last commit. The path and the home
// directory have a space and non-ASCII letters, and TMPDIR is on another file system.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CACHE } from './cache.mjs';
import { root, run } from './setup.mjs';

/** The most that the tests write there. */
const LEAST_BYTES = 512 * 2 ** 20;

const base = mkdtempSync(join(tmpdir(), 'svc ü 日本 '));
const clone = join(base, 'Ordner mit ü', 'svc');
const home = join(base, 'Zoë Müller');
mkdirSync(home);

const isElsewhere = (folder) => {
  if (!existsSync(folder) || statSync(folder).dev === statSync(base).dev) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= LEAST_BYTES;
};
const other = ['/dev/shm', '/var/tmp', '/tmp'].find(isElsewhere);
const temporary = other === undefined ? mkdtempSync(join(base, 'tmp-')) : mkdtempSync(join(other, 'svc ü '));
// As root, the tests start processes of other users, who need access.
for (const [folder, mode] of [
  [base, 0o755],
  [temporary, 0o1777],
])
  chmodSync(folder, mode);

const npmSetting = (name) => execFileSync('npm', ['config', 'get', name], { cwd: root, encoding: 'utf8' }).trim();
const env = {
  ...process.env,
  HOME: home,
  TMPDIR: temporary,
  // npm would look for these in the new home directory.
  npm_config_userconfig: npmSetting('userconfig'),
  npm_config_cache: npmSetting('cache'),
};

let status = run('git', ['clone', '--quiet', root, clone]);
if (status === 0) {
  // So that the peers of the tests are not fetched again.
  if (existsSync(CACHE)) cpSync(CACHE, join(clone, '.cache/peers'), { recursive: true, verbatimSymlinks: true });
  console.log(`checkout: ${clone}\nHOME:     ${home}\nTMPDIR:   ${temporary}`);
  if (other === undefined) console.log('TMPDIR is on the same file system: no other one has 512 MiB free');
  status = run('npm', ['test', '--', ...process.argv.slice(2)], { cwd: clone, env });
}
for (const folder of [base, temporary]) rmSync(folder, { recursive: true, force: true });
process.exit(status);
