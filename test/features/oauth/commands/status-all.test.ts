/** `svc oauth status --all`: one row for each service of each profile. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Credential } from '../../../../src/store/credentials.ts';
import { credentialsText } from '../../../support/credentials.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';

const NOW_S = Date.parse('2026-06-01T00:00:00Z') / 1000;
const DAY = 86_400;

const oauth = (profile: string, base_url: string, expires_at: number, more: object = {}): Credential => ({
  kind: 'oauth',
  profile,
  base_url,
  issuer: base_url,
  token_endpoint: `${base_url}/oauth/token`,
  client_id: 'client-1',
  access_token: `access-${profile}`,
  obtained_at: NOW_S - DAY,
  expires_at,
  ...more,
});

function home(): string {
  const folder = temporaryHome();
  mkdirSync(join(folder, 'config'), { recursive: true, mode: 0o700 });
  const profiles = {
    default: { 'webhooks.url': 'https://hooks.example', 'catalog.url': 'https://catalog.example' },
    eu: {
      'webhooks.url': 'https://eu.example',
      'alerts.url': 'https://am.example',
      'alerts.tokenFile': '/run/am-token',
    },
    old: { 'webhooks.url': 'https://old.example', 'trade.url': 'https://trade.example' },
    two: { 'alerts.urls': 'https://am-1.example,https://am-2.example', 'trade.url': 'https://trade.example' },
  };
  writeFileSync(join(folder, 'config/settings.json'), JSON.stringify({ profile: 'default', profiles }), {
    mode: 0o600,
  });
  const document = {
    clients: [],
    credentials: [
      oauth('default', 'https://hooks.example', NOW_S + 3600, { email: 'ann@example.com', refresh_token: 'refresh-1' }),
      oauth('eu', 'https://eu.example', NOW_S - 60, {
        refresh_token: 'refresh-2',
        refresh_obtained_at: NOW_S - 87 * DAY,
      }),
      oauth('old', 'https://old.example', NOW_S - 60),
    ],
    gateway_tokens: [
      { profile: 'two', base_url: 'https://trade.example', access_token: 'gateway-1', obtained_at: NOW_S - DAY },
    ],
  };
  writeFileSync(join(folder, 'config/credentials.json'), credentialsText(document), { mode: 0o600 });
  return folder;
}

const status = (...args: string[]) =>
  svc(['oauth', 'status', '--all', ...args], { home: home(), at: NOW_S * 1000, env: {} });

it('lists who is signed in, until when, and what to do', async () => {
  const { code, stdout, stderr } = await status('-o', 'json');
  expect({ code, stderr }).toEqual({ code: 4, stderr: '' });
  const rows = JSON.parse(stdout) as Record<string, unknown>[];
  expect(rows.map(({ profile, service, state, source, advice }) => [profile, service, state, source, advice])).toEqual([
    ['default', 'webhooks', 'signed_in', 'file', null],
    ['default', 'catalog', 'none', null, null],
    ['eu', 'alerts', 'token_set', 'alerts.tokenFile', null],
    ['eu', 'webhooks', 'expired', 'file', 'the refresh token expires in 3 days: run svc oauth refresh --profile eu'],
    ['old', 'webhooks', 'not_signed_in', 'file', 'sign in again: svc oauth login --profile old'],
    ['old', 'trade', 'not_signed_in', null, 'store a token: svc trade login --profile old'],
    ['two', 'alerts', 'none', null, null],
    ['two', 'trade', 'token_set', 'file', null],
  ]);
  expect(rows[0]).toMatchObject({
    base_url: 'https://hooks.example',
    user: 'ann@example.com',
    expires_at: '2026-06-01T01:00:00.000Z',
    refresh_expires_at: '2026-08-29T00:00:00.000Z',
  });
});

it('shows no secret, and problems first at 80 columns', async () => {
  const { stdout, stderr } = await svc(['oauth', 'status', '--all', '--no-color'], {
    home: home(),
    at: NOW_S * 1000,
    terminal: 80,
  });
  expect(stdout).not.toMatch(/access-|refresh-\d|gateway-1/);
  expect(stdout).toMatch(/^old +webhooks +not signed in/m);
  expect(stderr).toContain('old, trade: store a token: svc trade login --profile old\n');
});

it('applies the environment only to the profile in use', async () => {
  const { stdout } = await svc(['oauth', 'status', '--all', '-o', 'json'], {
    home: home(),
    at: NOW_S * 1000,
    env: { SVC_WEBHOOKS_TOKEN: 'from-the-environment' },
  });
  const rows = (JSON.parse(stdout) as Record<string, unknown>[]).filter(({ service }) => service === 'webhooks');
  expect(rows.map(({ source }) => source)).toEqual(['SVC_WEBHOOKS_TOKEN', 'file', 'file']);
  expect(stdout).not.toContain('from-the-environment');
});

it('exits 0 if nothing is missing; refuses --check with 2', async () => {
  const folder = temporaryHome();
  const { code, stderr } = await svc(['oauth', 'status', '--all'], { home: folder });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('svc config set <service>.url') });
  expect((await status('--check')).code).toBe(2);
});
