/** `svc sandbox status` with real processes and real shells. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fish, type Peer } from '../support/peers.ts';
import { HOME, type Running, start, startSvc, svc } from './binary.ts';

const RECORDS = join(HOME, '.local/state/svc/sandboxes');
const NONE = 'no sandbox is running: svc sandbox start starts one\n';

async function startSandbox(args: readonly string[] = []): Promise<Running> {
  const run = startSvc(['sandbox', 'start', ...args]);
  await run.printed('until Ctrl-C');
  return run;
}

describe('svc sandbox status', () => {
  describe('while a sandbox runs', () => {
    let sandbox: Running;
    beforeAll(async () => {
      sandbox = await startSandbox(['--trap', 'shifting-catalog', '--trap', 'no-push']);
    });
    afterAll(() => sandbox.kill('SIGTERM'));

    it('prints the same lines as the sandbox', async () => {
      expect(await svc(['sandbox', 'status', '--env'])).toMatchObject({
        code: 0,
        stdout: sandbox.texts.stdout,
        stderr: '',
      });
    });

    const script =
      'eval "$(svc sandbox status --env)"; svc sandbox status --columns service,traps --no-headers; svc alerts list alertname=DiskFull --columns alertname --no-headers';
    const shells: readonly (readonly [string, Peer | undefined])[] = [
      ['bash', { command: 'bash', env: {} }],
      ['fish', fish()],
    ];
    for (const [name, peer] of shells) {
      it.skipIf(peer === undefined)(`leads ${name} to it`, async () => {
        const { command, env } = peer as Peer;
        const { code, stdout, stderr } = await start(command, ['-c', script], { env }).ended;
        expect([code, stderr]).toEqual([0, '']);
        expect(stdout.split('\n').map((line) => line.trim().split(/ +/))).toEqual([
          ['alerts'],
          ['webhooks'],
          ['catalog', 'shifting-catalog'],
          ['trade', 'no-push'],
          ['DiskFull'],
          [''],
        ]);
      });
    }
  });

  it('distinguishes a killed sandbox from a running one, and prints the environment of the latter', async () => {
    const [killed, running] = [await startSandbox(), await startSandbox()];
    killed.child.kill('SIGKILL');
    await killed.ended;
    const seen = await svc(['sandbox', 'status', '--env']);
    expect(seen).toMatchObject({ code: 0, stdout: running.texts.stdout, stderr: '' });
    await running.kill('SIGTERM');
    expect(readdirSync(RECORDS)).toEqual([]);
    expect(await svc(['sandbox', 'status'])).toMatchObject({ code: 1, stderr: NONE });
  });
});

describe('svc sandbox run', () => {
  it('is visible to its command, and ends with it', async () => {
    const { code, stdout } = await svc(['sandbox', 'run', '--', 'svc', 'sandbox', 'status', '-q']);
    expect([code, stdout.split('\n').length]).toEqual([0, 5]);
    expect(readdirSync(RECORDS)).toEqual([]);
  });

  it('accepts the traps and the port of svc sandbox start', async () => {
    const health = ['svc', 'catalog', 'health', '-q'];
    const run = await svc(['sandbox', 'run', '--trap', 'database-down', '--', ...health]);
    expect(run).toMatchObject({ code: 7, stdout: '' });
    expect(await svc(['sandbox', 'run', '--trap', 'none-such', '--', ...health])).toMatchObject({ code: 2 });
  });
});

describe('svc sandbox start', () => {
  it('ends if its lines cannot be printed', async () => {
    const { code, stderr } = await start('bash', ['-c', 'svc sandbox start >/dev/full']).ended;
    expect([code, stderr]).toEqual([2, 'svc: cannot write to standard output: no space left on device\n']);
    expect(readdirSync(RECORDS)).toEqual([]);
  });

  it('warns that status cannot list it if nothing can be written', async () => {
    const run = startSvc(['sandbox', 'start'], { env: { XDG_STATE_HOME: '/dev/null/state' } });
    await run.printed('until Ctrl-C');
    const { code, stderr } = await run.kill('SIGINT');
    expect(code).toBe(130);
    expect(stderr).toMatch(/^svc sandbox status does not find this sandbox: cannot write \/dev/);
  });
});
