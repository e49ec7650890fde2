/** The executable that needs no Node.js. `SVC_BINARY=standalone/svc npx vitest run test/e2e` puts it to all the other tests. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { nodeBinaries } from '../support/peers.ts';
import { HOME, ROOT, start } from './binary.ts';
import { smoke } from './smoke.ts';
import { named } from './terminal.ts';

const folder = join(HOME, 'standalone');
const SVC = join(folder, 'svc');
const missing = process.platform !== 'linux' || nodeBinaries().at(-1)?.command === undefined;

describe.skipIf(missing)(named('the standalone executable', missing), () => {
  beforeAll(() => {
    execFileSync(process.execPath, [join(ROOT, 'scripts/standalone.mjs'), folder], { stdio: 'pipe' });
  });

  it('works where there is no Node.js', async () => {
    await smoke(['env', 'PATH=/nowhere', SVC]);
  });

  it('is called by whatever name it has', async () => {
    const { code, stdout } = await start('svc', ['sandbox', 'run', '--', 'svc', 'config', 'path'], {
      env: { PATH: folder },
    }).ended;
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${join(HOME, '.config/svc/settings.json')}\n` });
  });

  it('holds nothing of the machine it was made on, and is below 130 MB', () => {
    const bytes = readFileSync(SVC);
    expect([bytes.includes(ROOT), bytes.includes(HOME)]).toEqual([false, false]);
    expect(statSync(SVC).size).toBeLessThan(130_000_000);
  });

  it('has the licences of all that is in it beside it', () => {
    const licences = readFileSync(join(folder, 'LICENSES.txt'), 'utf8');
    expect(licences).toMatch(/^MIT License/);
    expect(licences).toContain('undici');
    expect(licences).toContain('Node.js is licensed for use as follows');
  });
});
