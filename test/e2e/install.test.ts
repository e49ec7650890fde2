/** scripts/install.sh, which the GitHub action runs, with a release on this machine. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { environment, HOME, ROOT } from './binary.ts';

const VERSION = '9.8.7';
const TARGET = `linux-${process.arch}`;

/** A release with the archive of one executable, which prints its version. */
function release(target = TARGET): { readonly folder: string; readonly archive: string } {
  const folder = mkdtempSync(join(HOME, 'releases-'));
  const name = `svc-${VERSION}-${target}`;
  const files = join(folder, `v${VERSION}`);
  mkdirSync(join(folder, name));
  mkdirSync(files);
  writeFileSync(join(folder, name, 'svc'), `#!/bin/sh\necho ${VERSION}\n`, { mode: 0o755 });
  const archive = join(files, `${name}.tar.gz`);
  execFileSync('tar', ['-czf', archive, '-C', folder, name]);
  const sum = createHash('sha256').update(readFileSync(archive)).digest('hex');
  writeFileSync(join(files, 'SHA256SUMS'), `${'0'.repeat(64)}  svc-${VERSION}.tgz\n${sum}  ${name}.tar.gz\n`);
  return { folder, archive };
}

function install(releases: string, path?: string) {
  const to = join(mkdtempSync(join(HOME, 'installed-')), 'bin');
  const { PATH, ...rest } = environment();
  const env = {
    ...rest,
    PATH: [path, PATH].filter((one) => one !== undefined).join(delimiter),
    SVC_RELEASES: pathToFileURL(releases).href,
  };
  const run = spawnSync('bash', [join(ROOT, 'scripts/install.sh'), 'owner/svc', VERSION, to], {
    env,
    encoding: 'utf8',
  });
  return { ...run, program: join(to, 'svc') };
}

describe.skipIf(process.platform !== 'linux')('install.sh', () => {
  it('installs the executable for this machine and prints its version', () => {
    const { status, stdout, stderr, program } = install(release().folder);
    expect({ status, stdout }, stderr).toEqual({ status: 0, stdout: `${VERSION}\n` });
    expect(existsSync(program)).toBe(true);
  });

  it('installs the executable for musl if the system has musl', () => {
    const commands = mkdtempSync(join(HOME, 'musl-'));
    const ldd = '#!/bin/sh\nprintf "musl libc (x86_64)\\nVersion 1.2.3\\n" >&2\nexit 1\n';
    writeFileSync(join(commands, 'ldd'), ldd, { mode: 0o755 });
    const { status, stderr, program } = install(release(`${TARGET}-musl`).folder, commands);
    expect(status, stderr).toBe(0);
    expect(existsSync(program)).toBe(true);
  });

  it('refuses a file that does not match its sum', () => {
    const { folder, archive } = release();
    appendFileSync(archive, 'x');
    const { status, stderr, program } = install(folder);
    expect(status).toBe(1);
    expect(stderr).toContain('does not match its SHA-256 sum');
    expect(existsSync(program)).toBe(false);
  });
});
