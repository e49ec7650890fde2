/** What depends on several users of one machine. `npm run test:root` runs this file, in a checkout that everyone can read. */
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signingSecretsText } from '../support/credentials.ts';
import { FIRST, keep, login } from '../support/rotating-server.ts';
import { STRANGER, strangerMayRead } from '../support/stranger.ts';
import { staticServer } from './alerts.ts';
import { LAUNCHER, svc } from './binary.ts';

const possible = strangerMayRead(LAUNCHER);

describe.skipIf(!possible)('another user of this machine (needs root)', () => {
  let config: string;
  beforeEach(() => {
    config = mkdtempSync(join(tmpdir(), 'svc-users-'));
    chmodSync(config, 0o755);
  });
  afterEach(() => rmSync(config, { recursive: true }));

  it('cannot use the credentials of root', async () => {
    chmodSync(keep(config, login('http://127.0.0.1:1', 3000)), 0o644);
    const env = { SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: 'http://127.0.0.1:1' };
    const { code, stdout, stderr } = await svc(['oauth', 'token'], { env, ...STRANGER });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('belongs to another user')]);
    expect(stderr).not.toContain(FIRST.access);
  });

  it('cannot use signing secrets of a third user, but root can', async () => {
    const secret = 'whsec_first';
    const entry = { base_url: null, endpoint_id: 'ep_1', secret, stored_at: '2026-01-01T00:00:00.000Z' };
    const file = keep(config, signingSecretsText([entry]), 'webhook-secrets.json');
    chownSync(file, 12_345, 12_345);
    chownSync(config, STRANGER.uid, STRANGER.gid);
    const list = ['webhooks', 'secrets', 'export', 'ep_1'];
    const env = { SVC_CONFIG_DIR: config };
    chmodSync(file, 0o644);
    const { code, stdout, stderr } = await svc(list, { env, ...STRANGER });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('belongs to another user')]);
    expect(stderr).not.toContain(secret);
    chmodSync(file, 0o600);
    expect(await svc(list, { env })).toMatchObject({ code: 0, stdout: `${secret}\n` });
  });

  it('needs neither a home directory nor a user name', async () => {
    await using server = await staticServer('[]');
    const env = { SVC_ALERTS_URL: server.url, HOME: undefined };
    const run = await svc(['alerts', 'list', '-o', 'json'], { env, ...STRANGER });
    expect(run).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
    const { code, stderr } = await svc(['config', 'set', 'timeout', '5s'], { env, ...STRANGER });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^svc: cannot /)]);
  });
});
