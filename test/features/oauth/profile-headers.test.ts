/** The headers of a profile: which requests carry them, which of them are secret, and where they never go. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RunOptions, svc, temporaryHome } from '../../support/svc.ts';
import { gateway, TOKEN } from '../trade/gateway.ts';
import { LISTS, listServer } from './list-server.ts';

const server = await listServer();

const sent = (name: string) => server.requests.map(({ headers }) => headers[name] ?? 'none');

/** `lines`: the content of the file `headers`, whose path replaces `@` in a value. */
function setUp(headers: unknown, { lines = '', address = server.url, more = {} as Record<string, string> } = {}) {
  const home = temporaryHome();
  const path = join(home, 'headers');
  writeFileSync(path, lines, { mode: 0o600 });
  const services = ['alerts', 'webhooks', 'catalog', 'trade'];
  const named = JSON.parse(JSON.stringify(headers).replace('@', `@${path}`)) as unknown;
  const values = services.flatMap((service) => [
    [`${service}.url`, address],
    [`${service}.headers`, named],
  ]);
  const config = join(home, 'config');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  const profile = { ...Object.fromEntries(values), ...more };
  writeFileSync(join(config, 'settings.json'), JSON.stringify({ profiles: { default: profile } }), { mode: 0o600 });
  return (argv: readonly string[], options: RunOptions = {}) => svc(argv, { home, ...options });
}

describe('the headers of a profile', () => {
  it.each(Object.entries(LISTS))('go with each request of %s', async (_service, argv) => {
    const run = setUp(['X-Scope-OrgID: blue', '@'], { lines: '# the proxy\nX-Api-Key: k-0123456789\n' });
    const { stdout, stderr } = await run([...argv, '--debug'], { env: { SVC_WEBHOOKS_TOKEN: 'a-token' } });
    expect(new Set(sent('x-scope-orgid'))).toEqual(new Set(['blue']));
    expect(new Set(sent('x-api-key'))).toEqual(new Set(['k-0123456789']));
    expect(stderr).toContain('x-scope-orgid: blue');
    expect(stdout + stderr).not.toContain('k-0123456789');
  });

  it('go to the trading gateway', async () => {
    const trading = await gateway();
    const FOLLOW = ['trade', 'stream', 'Order', '--until', '1ms'];
    try {
      const run = setUp('X-Team: blue', { address: trading.url });
      expect(await run(FOLLOW, { env: { SVC_TRADE_TOKEN: TOKEN } })).toMatchObject({ code: 0 });
      expect(new Set(trading.requests.map(({ headers }) => headers['x-team']))).toEqual(new Set(['blue']));
    } finally {
      await trading.stop();
    }
  });

  it('are replaced by --header of the same name', async () => {
    await setUp('X-Scope-OrgID: blue')([...LISTS.alerts, '--header', 'x-scope-orgid: green']);
    expect(sent('x-scope-orgid')).toEqual(['green']);
  });

  it('may be the credential, which the environment overrides unless --profile is given', async () => {
    const run = setUp('@', { lines: 'Authorization: GenieKey 0123456789\n' });
    const env = { SVC_ALERTS_TOKEN: 'from-the-environment' };
    await run(LISTS.alerts);
    await run(LISTS.alerts, { env });
    const { stderr } = await run([...LISTS.alerts, '--profile', 'default'], { env });
    expect(sent('authorization')).toEqual([
      'GenieKey 0123456789',
      'Bearer from-the-environment',
      'GenieKey 0123456789',
    ]);
    expect(stderr).toContain('SVC_ALERTS_TOKEN is not used');
  });

  it('conflict with a token of the same profile', async () => {
    const run = setUp('@', { lines: 'Authorization: GenieKey 0123456789\n', more: { 'alerts.tokenCommand': 'true' } });
    expect(await run(LISTS.alerts)).toMatchObject({ code: 2, stderr: expect.stringContaining('two credentials') });
    expect(server.requests).toEqual([]);
  });

  it('go only to the address of the profile', async () => {
    const run = setUp('X-Scope-OrgID: blue', { address: 'http://127.0.0.1:1' });
    const { code, stderr } = await run([...LISTS.alerts, '--base-url', server.url]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('alerts.headers is for') });
    expect(server.requests).toEqual([]);
  });

  it('are shown by config list and --dry-run=curl', async () => {
    const run = setUp(['X-Scope-OrgID: blue']);
    expect((await run(['config', 'get', 'alerts.headers'])).stdout).toBe('["X-Scope-OrgID: blue"]\n');
    const silence = ['silences', 'create', 'a=b', '-d', '1h', '-c', 'x', '--author', 'me', '--yes'];
    expect((await run([...silence, '--dry-run=curl'])).stdout).toContain("'x-scope-orgid: blue'");
  });

  it.each([
    ['X-Api-Key: k-0123456789', 'has a secret'],
    ['["X-A: b", "Authorization: Bearer k-0123456789"]', 'has a secret'],
    ['k-0123456789', 'is not a header'],
    ['[]', 'is not a header'],
    ['["X-A: b", 1]', 'is not a header'],
    ['X-A: b\nX-B: k-0123456789', 'control character'],
    ['@headers', 'absolute path'],
  ])('%j is refused by config set and in settings.json, and not shown if it may be secret', async (value, why) => {
    const set = await svc(['config', 'set', 'alerts.headers', value]);
    expect(set).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
    const run = setUp(value.startsWith('@') ? 'X-A' : value);
    const all = [
      set,
      await run(LISTS.alerts),
      await run(['config', 'list', '--all']),
      await run(['doctor', '--offline']),
    ];
    expect(all.map(({ code }) => code)).toEqual([2, 2, 0, 1]);
    expect(all.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain('k-0123456789');
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['cannot be read', '/missing/headers'],
    ['has a line that is no header', undefined],
  ])('in a file that %s make the command fail', async (_what, path) => {
    const run =
      path === undefined
        ? setUp('@', { lines: 'k-0123456789\n' })
        : setUp('X-A: b', { more: { 'alerts.headers': `@${path}` } });
    const { code, stderr } = await run(LISTS.alerts);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('alerts.headers') });
    expect(stderr).not.toContain('k-0123456789');
  });
});
