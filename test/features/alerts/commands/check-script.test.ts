/** `alerts check` where it is used: in a shell script, against a server whose alerts come and go. */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { EXECUTABLE, LAUNCHER } from '../../../support/executable.ts';
import { sharedService } from './service.ts';

const bin = mkdtempSync(join(tmpdir(), 'svc-script-'));
symlinkSync(EXECUTABLE ?? LAUNCHER, join(bin, 'svc'));
afterAll(() => rmSync(bin, { recursive: true, force: true }));

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function sh(script: string, url: string): Promise<Ended> {
  const env = { PATH: `${bin}:${process.env['PATH']}`, SVC_ALERTS_URL: url, HOME: bin };
  return new Promise((done) => {
    execFile('sh', ['-c', script], { env }, (error, stdout, stderr) => {
      done({ status: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const service = sharedService();

describe('svc alerts check in a shell script', () => {
  const run = (script: string) => sh(script, service.url());

  it('a deployment continues after its alert has ended for good', async () => {
    const checked = join(mkdtempSync(join(bin, 'mark-')), 'checked');
    const gate = run(`
      set -e
      svc alerts create Deploying service=checkout --for 1h -q >&2
      svc alerts check service=checkout && exit 99
      : > '${checked}'
      svc alerts check service=checkout --wait 20s --stable 1s --interval 200ms
      echo deployed`);
    await vi.waitFor(() => expect(existsSync(checked)).toBe(true), { timeout: 15_000 });
    expect((await run('svc alerts resolve service=checkout --yes -q')).status).toBe(0);
    const { status, stdout } = await gate;
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^failed: 1 alert [^\n]*\n {2}[0-9a-f]{8} Deploying [^\n]*\nok: 0 alerts [^\n]*, after \d+s\ndeployed\n$/,
    );
  });

  it('an alert that does not end: exit 9, and the script stops', async () => {
    const { status, stdout } = await run(`
      set -e
      svc alerts create Stuck service=search --for 1h -q >&2
      svc alerts check service=search --wait 1s --interval 200ms
      echo deployed`);
    expect([status, stdout]).toEqual([
      9,
      expect.stringMatching(
        /^failed: 1 alert matches service="search" \(expected none\), after 1s\n {2}[0-9a-f]{8} Stuck service=search since [^\n]*\n$/,
      ),
    ]);
  });

  it('--expect fails, waits for and finds the watchdog alert', async () => {
    const script = `
      svc alerts check Watchdog --expect; echo $?
      (sleep 0.5; svc alerts create Watchdog --for 1h -q) >&2 &
      svc alerts check Watchdog --expect --wait 20s --interval 200ms; echo $?
      svc alerts check Watchdog --expect -o json | grep -c '"ok": true'`;
    const { stdout } = await run(script);
    expect(stdout).toMatch(/^failed: 0 alerts [^\n]*\n1\nok: 1 alert [^\n]*\n0\n1\n$/);
  });

  it('no response is neither 0 nor 1', async () => {
    const { status, stdout } = await sh('svc alerts check; exit $?', 'http://127.0.0.1:1');
    expect([status, stdout]).toEqual([7, '']);
  });
});
