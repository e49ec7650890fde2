/** `svc sandbox status` with real processes and real shells. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fish, type Peer } from '../support/peers.ts';
import { HOME, type Running, start, startSvc } from './binary.ts';

const RECORDS = join(HOME, '.local/state/svc/sandboxes');

describe('svc sandbox status while a sandbox runs', () => {
  let sandbox: Running;
  beforeAll(async () => {
    sandbox = startSvc(['sandbox', 'start', '--trap', 'shifting-catalog', '--trap', 'no-push']);
    await sandbox.printed('until Ctrl-C');
  });
  afterAll(() => sandbox.kill('SIGTERM'));

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

describe('svc sandbox start', () => {
  it('ends if its lines cannot be printed', async () => {
    const { code, stderr } = await start('bash', ['-c', 'svc sandbox start >/dev/full']).ended;
    expect([code, stderr]).toEqual([2, 'svc: cannot write to standard output: no space left on device\n']);
    expect(readdirSync(RECORDS)).toEqual([]);
  });
});
