// node scripts/audit.mjs: checks that every locked package has the SHA-512 sum that `npm ci` verifies, and that no advisory of the
// registry names one (if it has advisories).
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { root } from './setup.mjs';

let failed = false;
for (const folder of ['.', 'test/interop']) {
  const { packages } = JSON.parse(readFileSync(`${root}${folder}/package-lock.json`, 'utf8'));
  const locked = Object.entries(packages).filter(([name, { link }]) => name !== '' && link !== true);
  const without = locked.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? '')).map(([name]) => name);
  report(`${folder}: ${locked.length} packages, ${without.length} without a sum`, without);

  const args = ['audit', '--json', '--package-lock-only', '--prefix', `${root}${folder}`];
  const { stdout } = spawnSync('npm', args, { encoding: 'utf8', shell: process.platform === 'win32' });
  const { vulnerabilities } = answered(stdout);
  if (vulnerabilities === undefined) console.log(`${folder}: no advisory feed responded`);
  else {
    const named = Object.values(vulnerabilities).map(({ name, severity, range }) => `${name} ${range}: ${severity}`);
    report(`${folder}: ${named.length} packages named by advisories`, named);
  }
}
process.exit(failed ? 1 : 0);

function report(line, found) {
  console.log([line, ...found].join('\n  '));
  failed ||= found.length > 0;
}

/** If no feed responds, npm prints other JSON or none. */
function answered(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
