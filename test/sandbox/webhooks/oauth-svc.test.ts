/** `svc` signs in to the sandbox, and keeps its login through what the sandbox does to it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OAuthCredential } from '../../../src/store/credentials.ts';
import { type Login, login, secretsIn, stored } from '../../features/oauth/commands/signing-in.ts';
import { type Run, type RunOptions, svc } from '../../support/svc.ts';
import { startService, type TestService } from './service.ts';

const HOUR_MS = 3_600_000;

let now = Date.UTC(2026, 5, 1, 12);
let service: TestService;
beforeAll(async () => {
  service = await startService({ now: () => now, seed: 'demo' });
});
afterEach(() => service.traps.clear());
afterAll(() => service.close());

const signIn = (options: Partial<Parameters<typeof login>[0]> = {}): Promise<Login> =>
  login({ url: service.url, now: () => now, ...options });

const run = (home: string, argv: readonly string[], options: RunOptions = {}): Promise<Run> =>
  svc(argv, { home, now: () => now, env: { SVC_WEBHOOKS_URL: service.url }, ...options });

function credential(home: string): OAuthCredential {
  const [found] = stored(home)?.credentials ?? [];
  if (found?.kind !== 'oauth') throw new Error('there is no login');
  return found;
}

it('svc signs in, uses, refreshes and ends a login, and shows no secret on the way', async () => {
  const { code, home, stdout, stderr, visited } = await signIn({ args: ['--debug'] });
  expect([code, visited?.status]).toEqual([0, 200]);
  expect(stdout).toContain('owner@sandbox.example');
  const first = stored(home);
  const runs = [
    await run(home, ['webhooks', 'list', '-o', 'json', '--debug']),
    await run(home, ['oauth', 'status', '--check', '-o', 'json', '--debug']),
    await run(home, ['oauth', 'refresh', '--debug']),
  ];
  const second = stored(home);
  expect(runs.map((one) => one.code)).toEqual([0, 0, 0]);
  expect(JSON.parse(runs[0]?.stdout ?? '')).toHaveLength(3);
  expect(JSON.parse(runs[1]?.stdout ?? '')).toMatchObject({
    state: 'signed_in',
    checked: true,
    email: 'owner@sandbox.example',
    expires_at: new Date(now + HOUR_MS).toISOString(),
    refresh_expires_at: new Date(now + 90 * 24 * HOUR_MS).toISOString(),
  });
  expect(second?.credentials[0]?.access_token).not.toBe(first?.credentials[0]?.access_token);
  runs.push(await run(home, ['oauth', 'logout', '--debug']), await run(home, ['webhooks', 'list', '--debug']));
  expect(runs.slice(3).map((one) => one.code)).toEqual([0, 4]);
  expect(stored(home)?.credentials).toEqual([]);
  const printed = [stdout, stderr, ...runs.flatMap((one) => [one.stdout, one.stderr])].join('\n');
  for (const secret of [...secretsIn(first), ...secretsIn(second)]) expect(printed).not.toContain(secret);
});

describe('with a trap of the sandbox, svc', () => {
  it('exits 7 where the token endpoint fails, and the login stays (token-500)', async () => {
    const { home } = await signIn();
    const { access_token, refresh_token } = credential(home);
    service.traps.add('token-500');
    expect(await run(home, ['oauth', 'refresh'])).toMatchObject({ code: 7, stdout: '' });
    expect(credential(home)).toMatchObject({ access_token, refresh_token });
    service.traps.clear();
    expect((await run(home, ['oauth', 'refresh'])).code).toBe(0);
  });

  it('asks for a new sign-in after a lost refresh (lost-refresh)', async () => {
    const { home } = await signIn();
    service.traps.add('lost-refresh');
    expect(await run(home, ['oauth', 'refresh'])).toMatchObject({ code: 7, stdout: '' });
    service.traps.clear();
    const next = await run(home, ['oauth', 'refresh']);
    expect(next).toMatchObject({ code: 4, stderr: expect.stringContaining('svc oauth login') });
    expect((await signIn({ home })).code).toBe(0);
  });

  it('replaces a token that is refused too early, and repeats the call (early-end)', async () => {
    service.traps.add('early-end');
    const { home } = await signIn();
    const { access_token } = credential(home);
    now += 60_000;
    expect(await run(home, ['webhooks', 'list', '-o', 'id'])).toMatchObject({ code: 0, stderr: '' });
    expect(credential(home).access_token).not.toBe(access_token);
  });

  it('uses a token without a lifetime until it is refused (no-lifetime)', async () => {
    service.traps.add('no-lifetime');
    const { home } = await signIn();
    expect(credential(home)).not.toHaveProperty('expires_at');
    now += HOUR_MS;
    expect((await run(home, ['webhooks', 'list', '-o', 'id'])).code).toBe(0);
  });

  it('waits for a slow refresh (slow-refresh)', async () => {
    await using quick = await startService({ fast: 1000 });
    const { home } = await login({ url: quick.url });
    quick.traps.add('slow-refresh');
    const env = { SVC_WEBHOOKS_URL: quick.url };
    expect(await svc(['oauth', 'refresh'], { home, env })).toMatchObject({ code: 0, stderr: '' });
  });

  it('uses a method that the server offers (one-method)', async () => {
    service.traps.add('one-method');
    const { home } = await signIn();
    expect(stored(home)?.clients).toMatchObject([{ token_endpoint_auth_method: 'client_secret_post' }]);
  });

  it('registers as a native application (web-by-default)', async () => {
    service.traps.add('web-by-default');
    expect((await signIn()).code).toBe(0);
  });

  it('prints no escape sequence of the service (hostile-text)', async () => {
    const { home } = await signIn();
    service.traps.add('hostile-text');
    const hostile = await signIn({ home, terminal: 100, args: ['--no-browser'], hidden: () => new Promise(() => {}) });
    const shown = [hostile, await run(home, ['oauth', 'status'], { terminal: 100 })];
    service.traps.add('token-500');
    shown.push(await run(home, ['oauth', 'refresh'], { terminal: 100 }));
    expect(shown.map(({ code }) => code)).toEqual([0, 0, 7]);
    for (const { stdout, stderr } of shown) {
      expect(stdout + stderr).toContain('fake row');
      expect((stdout + stderr).replace(/\u001b\[\d*(?:;\d+)*m/g, '')).not.toMatch(
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/,
      );
      expect(stdout + stderr).not.toContain('\n3 fake row');
    }
  });
});
