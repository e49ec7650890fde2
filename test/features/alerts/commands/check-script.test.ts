import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { EXECUTABLE, LAUNCHER } from '../../../support/executable.ts';
import { sharedService } from './service.ts';

const bin = mkdtempSync(join(tmpdir(), 'svc-script-'));
symlinkSync(EXECUTABLE ?? LAUNCHER, join(bin, 'svc'));
afterAll(() => rmSync(bin, { recursive: true, force: true }));

const service = sharedService();

function sh(script: string): Promise<{ readonly status: number; readonly stdout: string }> {
  const env = { PATH: `${bin}:${process.env['PATH']}`, SVC_ALERTS_URL: service.url(), HOME: bin };
  return new Promise((done) => {
    execFile('sh', ['-c', script], { env }, (error, stdout) => {
      done({ status: error === null ? 0 : Number(error.code), stdout });
    });
  });
}

it('svc alerts check lets the deployment of a shell script continue after its alert has ended for good', async () => {
  const checked = join(bin, 'checked');
  const gate = sh(`
    set -e
    svc alerts create Deploying service=checkout --for 1h -q >&2
    svc alerts check service=checkout && exit 99
    : > '${checked}'
    svc alerts check service=checkout --wait 10m --stable 400ms --interval 100ms
    echo deployed`);
  await vi.waitFor(() => expect(existsSync(checked)).toBe(true), { timeout: 20_000 });
  expect((await sh('svc alerts resolve service=checkout --yes -q')).status).toBe(0);
  const { status, stdout } = await gate;
  expect(status).toBe(0);
  expect(stdout).toMatch(
    /^failed: 1 alert [^\n]*\n {2}[0-9a-f]{8} Deploying [^\n]*\nok: 0 alerts [^\n]*, after \d+s\ndeployed\n$/,
  );
}, 60_000);
