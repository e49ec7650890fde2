/** `svc` signs in to the sandbox, and keeps its login through what the sandbox does to it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { WebhooksTrap } from '../../../src/sandbox/traps.ts';
import type { OAuthCredential } from '../../../src/store/credentials.ts';
import { svc as svcProcess } from '../../e2e/binary.ts';
import { type Login, login, redirectOf, secretsIn, stored } from '../../features/oauth/commands/signing-in.ts';
import { credentialsText, parseCredentials } from '../../support/credentials.ts';
import { freePorts } from '../../support/ports.ts';
import { type Run, type RunOptions, svc } from '../../support/svc.ts';
import { isTaken } from './hand-client.ts';
import { startService, type TestService } from './service.ts';

const HOUR_MS = 3_600_000;
/** Slow answers come after a tenth of a second; the lives of tokens are their hundredth part, too. */
const FAST = 100;

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

describe.each(['none', 'client_secret_basic', 'client_secret_post'])('%s', (method) => {
  test('login, use, status, refresh, logout; no secret is shown on the way', async () => {
    const { code, home, stdout, stderr, visited } = await signIn({ args: ['--auth-method', method, '--debug'] });
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
    const { stdout: token } = await run(home, ['oauth', 'token']);
    expect(token).toBe(`${second?.credentials[0]?.access_token}\n`);
    runs.push(await run(home, ['oauth', 'logout', '--debug']), await run(home, ['webhooks', 'list', '--debug']));
    expect(runs.slice(3).map((one) => one.code)).toEqual([0, 4]);
    expect(stored(home)?.credentials).toEqual([]);
    const printed = [stdout, stderr, ...runs.flatMap((one) => [one.stdout, one.stderr])].join('\n');
    for (const secret of [...secretsIn(first), ...secretsIn(second)]) expect(printed).not.toContain(secret);
  });

  test('replaces an expired token silently', async () => {
    const { home } = await signIn({ args: ['--auth-method', method] });
    for (let hour = 1; hour <= 3; hour++) {
      const before = credential(home).refresh_token;
      now += HOUR_MS;
      expect(await run(home, ['webhooks', 'list', '-o', 'id'])).toMatchObject({ code: 0, stderr: '' });
      expect(credential(home).refresh_token).not.toBe(before);
    }
  });
});

test('signing in again uses the same client and port', async () => {
  const first = await signIn();
  const second = await signIn({ home: first.home });
  expect([second.code, redirectOf(second.authorization).port]).toEqual([0, redirectOf(first.authorization).port]);
  expect(stored(first.home)?.clients).toHaveLength(1);
});

test('--new-client registers another client after a restart of the sandbox', async () => {
  const port = await freePorts();
  const before = await startService({ port });
  const { home } = await login({ url: before.url });
  await before.close();
  await using after = await startService({ port });
  const late = await login({ url: after.url, home, args: ['--new-client'] });
  expect(late).toMatchObject({ code: 0, visited: { status: 200 } });
});

test('a token of the sandbox works as a personal token', async () => {
  const { code, home } = await signIn({ args: ['--token-stdin'], stdin: service.token });
  expect([code, (await run(home, ['webhooks', 'list', '-o', 'id'])).code]).toEqual([0, 0]);
});

test.each([
  ['https://app.example.com/callback', 0],
  ['https://app.example.org/callback', 3],
])('a client that comes back to %s: exit %i', async (uri, code) => {
  const argv = ['oauth', 'clients', 'register', '--redirect-uri', uri, '--yes', '-o', 'json'];
  const { home } = await signIn();
  const registered = await run(home, argv);
  expect(registered).toMatchObject({ code, stderr: code === 0 ? '' : expect.stringContaining('allow-list') });
});

describe('a login that is copied', () => {
  test('ends in both places, because the refresh token is valid once', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const copy = (from: string, to: string): void =>
      writeFileSync(join(to, 'config/credentials.json'), readFileSync(join(from, 'config/credentials.json')));
    copy(one.home, other.home);
    expect((await run(one.home, ['oauth', 'refresh'])).code).toBe(0);
    const late = await run(other.home, ['oauth', 'refresh']);
    expect(late).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('svc oauth login') });
    // Neither the copy nor the original works any more.
    const ended = [
      await run(one.home, ['webhooks', 'list']),
      await run(other.home, ['webhooks', 'list']),
      await run(one.home, ['oauth', 'status', '--check']),
    ];
    expect(ended.map(({ code }) => code)).toEqual([4, 4, 4]);
    for (const home of [one.home, other.home]) expect(credential(home).refresh_token).toBeDefined();
    expect((await signIn({ home: one.home })).code).toBe(0);
    expect((await run(one.home, ['oauth', 'status', '--check'])).code).toBe(0);
  });

  test('six processes use it once, even with a slow response', async () => {
    await using quick = await startService({ fast: FAST });
    const { home } = await login({ url: quick.url });
    quick.traps.add('slow-refresh');
    const path = join(home, 'config/credentials.json');
    const { clients, credentials } = parseCredentials(readFileSync(path, 'utf8'));
    const late = credentials.map((one) => ({ ...one, expires_at: one.obtained_at - 1 }));
    writeFileSync(path, credentialsText({ clients, credentials: late }));
    const env = { SVC_CONFIG_DIR: join(home, 'config'), SVC_WEBHOOKS_URL: quick.url };
    const runs = await Promise.all(Array.from({ length: 6 }, () => svcProcess(['oauth', 'token'], { env })));
    const { access_token } = credential(home);
    expect(runs.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual(
      runs.map(() => [0, `${access_token}\n`, '']),
    );
    // A second refresh with the same token would have ended it.
    expect(await isTaken(quick, access_token)).toBe(true);
  });
});

describe('traps', () => {
  test.each<[WebhooksTrap, number, string]>([['token-500', 7, 'svc']])(
    '%s: a refresh ends in %i, and the login is kept',
    async (trap, code, advice) => {
      const { home } = await signIn();
      const { access_token, refresh_token } = credential(home);
      service.traps.add(trap);
      const refreshed = await run(home, ['oauth', 'refresh']);
      expect(refreshed).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(advice) });
      expect(credential(home)).toMatchObject({ access_token, refresh_token });
      service.traps.clear();
      // What the service still accepts continues to work, or a new sign-in does.
      if (code === 7) expect((await run(home, ['oauth', 'refresh'])).code).toBe(0);
      else expect((await signIn({ home })).code).toBe(0);
      expect((await run(home, ['webhooks', 'list', '-o', 'id'])).code).toBe(0);
    },
  );

  test('lost-refresh: the next refresh ends in 4, and a new sign-in works', async () => {
    const { home } = await signIn();
    service.traps.add('lost-refresh');
    expect(await run(home, ['oauth', 'refresh'])).toMatchObject({ code: 7, stdout: '' });
    service.traps.clear();
    const next = await run(home, ['oauth', 'refresh']);
    expect(next).toMatchObject({ code: 4, stderr: expect.stringContaining('svc oauth login') });
    expect((await signIn({ home })).code).toBe(0);
  });

  test('token-500: no login, and nothing is stored', async () => {
    service.traps.add('token-500');
    const { code, home } = await signIn();
    expect([code, stored(home)?.credentials ?? []]).toEqual([7, []]);
  });

  test('early-end: replaces a token that is refused too early, and repeats the call', async () => {
    service.traps.add('early-end');
    const { home } = await signIn();
    const { access_token } = credential(home);
    now += 60_000;
    expect(await run(home, ['webhooks', 'list', '-o', 'id'])).toMatchObject({ code: 0, stderr: '' });
    expect(credential(home).access_token).not.toBe(access_token);
  });

  test('no-lifetime: a token lasts until it is refused', async () => {
    service.traps.add('no-lifetime');
    const { home } = await signIn();
    expect(credential(home)).not.toHaveProperty('expires_at');
    now += HOUR_MS;
    expect((await run(home, ['webhooks', 'list', '-o', 'id'])).code).toBe(0);
  });

  test('hostile-text: prints no escape sequence of the service', async () => {
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
