/**
 * The executables that need no Node.js. `npm run build:executables -- --target linux-x64` and then
 * `SVC_BINARY=build/linux-x64/svc npx vitest run test/e2e` run all the other tests on one.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bunBinary } from '../support/peers.ts';
import { HOME, ROOT, start } from './binary.ts';
import { smoke } from './smoke.ts';
import { named } from './terminal.ts';

const TARGET = `linux-${process.arch}`;
/** `npm test` has built one already. */
const BUILT = process.env['SVC_EXECUTABLES'];
const OUT = BUILT ?? join(HOME, 'executables');
const SVC = join(OUT, TARGET, 'svc');
const missing = process.platform !== 'linux' || bunBinary() === undefined;

describe.skipIf(missing)(named('an executable', missing), () => {
  let archive: string;
  beforeAll(() => {
    const script = join(ROOT, 'scripts/executables.mjs');
    if (BUILT === undefined)
      execFileSync(process.execPath, [script, '--target', TARGET, '--out', OUT, '--built'], { stdio: 'pipe' });
    const [line] = readFileSync(join(OUT, 'SHA256SUMS'), 'utf8')
      .split('\n')
      .filter((text) => text.endsWith('.tar.gz'));
    archive = line?.split('  ')[1] ?? '';
  }, 600_000);

  it('works without Node.js', async () => {
    await smoke(['env', 'PATH=/nowhere', SVC]);
  });

  it('runs itself as svc in a sandbox, whatever its file name', async () => {
    const { code, stdout } = await start('svc', ['sandbox', 'run', '--', 'svc', 'config', 'path'], {
      env: { PATH: dirname(SVC) },
    }).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${join(HOME, '.config/svc/settings.json')}\n` });
  });

  it('reads nothing from the folder in which it is started', async () => {
    const cwd = mkdtempSync(join(HOME, 'hostile-'));
    const hostile = 'require("node:fs").writeFileSync("run", "")';
    for (const [file, text] of Object.entries({
      '.env': 'SVC_CONFIG_DIR=/from-env',
      '.env.production': 'SVC_CONFIG_DIR=/from-env',
      'bunfig.toml': 'preload = ["./preload.js"]',
      'package.json': '{"main":"preload.js","type":"module"}',
      'tsconfig.json': '{',
      'preload.js': hostile,
      'index.js': hostile,
    }))
      writeFileSync(join(cwd, file), text);
    mkdirSync(join(cwd, 'node_modules/undici'), { recursive: true });
    writeFileSync(join(cwd, 'node_modules/undici/index.js'), hostile);
    const { code, stdout, stderr } = await start(SVC, ['config', 'path'], { cwd }).ended;
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `${join(HOME, '.config/svc/settings.json')}\n`,
      stderr: '',
    });
    expect(existsSync(join(cwd, 'run'))).toBe(false);
  });

  it('contains no path of the build machine, and has less than 130 MB', () => {
    const bytes = readFileSync(SVC);
    expect([bytes.includes(ROOT), bytes.includes(HOME)]).toEqual([false, false]);
    expect(statSync(SVC).size).toBeLessThan(130_000_000);
  });

  it('is in an archive with a sum, licenses, manual and completions', () => {
    const [sum] = readFileSync(join(OUT, 'SHA256SUMS'), 'utf8').split('  ');
    expect(sum).toBe(
      createHash('sha256')
        .update(readFileSync(join(OUT, archive)))
        .digest('hex'),
    );
    const { stdout } = spawnSync('tar', ['-tzf', join(OUT, archive)], { encoding: 'utf8' });
    const top = archive.replace('.tar.gz', '');
    for (const file of ['svc', 'LICENSE', 'THIRD-PARTY-LICENSES.txt', 'man/svc.1', 'completions/svc.bash'])
      expect(stdout.split('\n')).toContain(`${top}/${file}`);
    const text = spawnSync('tar', ['-xzOf', join(OUT, archive), `${top}/THIRD-PARTY-LICENSES.txt`], {
      encoding: 'utf8',
    });
    expect(text.stdout).toContain('undici');
    expect(text.stdout).toMatch(/^bun \d+\.\d+\.\d+ \(MIT/m);
  });
});
