/** The headers of a profile: which requests carry them, which of them are secret, and where they never go. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { svc } from '../../support/svc.ts';
import { LISTS, profileServer, SILENCE, withProfile } from './profiles.ts';

const server = await profileServer();
const SECRET = 'k-0123456789';

const sent = (name: string) => server.requests.map(({ headers }) => headers[name] ?? 'none');

/** `lines`: the content of the file `headers`, whose path replaces `@` in a value. */
function setUp(headers: unknown, { lines = '', address = server.url, more = {} } = {}) {
  return withProfile(address, (home) => {
    const path = join(home, 'headers');
    writeFileSync(path, lines, { mode: 0o600 });
    const named = JSON.parse(JSON.stringify(headers).replace('@', `@${path}`)) as unknown;
    const services = ['alerts', 'webhooks', 'catalog', 'trade'];
    return { ...Object.fromEntries(services.map((service) => [`${service}.headers`, named])), ...more };
  }).run;
}

describe('the headers of a profile', () => {
  it('go with each request, and those of a file are not shown', async () => {
    const run = setUp(['X-Scope-OrgID: blue', '@'], { lines: `# the proxy\nX-Api-Key: ${SECRET}\n` });
    for (const argv of Object.values(LISTS)) {
      const { stdout, stderr } = await run([...argv, '--debug'], { env: { SVC_WEBHOOKS_TOKEN: 'a-token' } });
      expect(stderr).toContain('x-scope-orgid: blue');
      expect(stdout + stderr).not.toContain(SECRET);
    }
    expect(new Set(sent('x-scope-orgid'))).toEqual(new Set(['blue']));
    expect(new Set(sent('x-api-key'))).toEqual(new Set([SECRET]));
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
    expect(server.sent()).toEqual(['GenieKey 0123456789', 'Bearer from-the-environment', 'GenieKey 0123456789']);
    expect(stderr).toContain('SVC_ALERTS_TOKEN is not used');
  });

  it('conflict with a token of the same profile, and go only to its address', async () => {
    const lines = 'Authorization: GenieKey 0123456789\n';
    const both = setUp('@', { lines, more: { 'alerts.tokenCommand': 'true' } });
    expect(await both(LISTS.alerts)).toMatchObject({ code: 2, stderr: expect.stringContaining('two credentials') });
    const elsewhere = setUp('X-Scope-OrgID: blue', { address: 'http://127.0.0.1:1' });
    expect(await elsewhere([...LISTS.alerts, '--base-url', server.url])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('alerts.headers is for'),
    });
    expect(server.requests).toEqual([]);
  });

  it('are shown by config get and --dry-run=curl', async () => {
    const run = setUp(['X-Scope-OrgID: blue']);
    expect((await run(['config', 'get', 'alerts.headers'])).stdout).toBe('["X-Scope-OrgID: blue"]\n');
    expect((await run([...SILENCE, '--dry-run=curl'])).stdout).toContain("'x-scope-orgid: blue'");
  });

  it('are refused by config set and in the settings if they are wrong, and not shown if they may be secret', async () => {
    for (const [value, why] of [
      [`X-Api-Key: ${SECRET}`, 'has a secret'],
      [`["X-A: b", "Authorization: Bearer ${SECRET}"]`, 'has a secret'],
      [SECRET, 'is not a header'],
      ['[]', 'is not a header'],
      ['["X-A: b", 1]', 'is not a header'],
      [`X-A: b\nX-B: ${SECRET}`, 'control character'],
      ['@headers', 'absolute path'],
    ] as const) {
      const set = await svc(['config', 'set', 'alerts.headers', value]);
      expect(set).toMatchObject({ code: 2, stderr: expect.stringContaining(why) });
      const run = setUp(value.startsWith('@') ? 'X-A' : value);
      const listed = [await run(['config', 'list', '--all']), await run(['doctor', '--offline'])];
      const all = [set, await run(LISTS.alerts), ...listed];
      expect(
        all.map(({ code }) => code),
        value,
      ).toEqual([2, 2, 0, 1]);
      expect(all.map(({ stdout, stderr }) => stdout + stderr).join('')).not.toContain(SECRET);
    }
    expect(server.requests).toEqual([]);
  });

  it('make a command fail if their file cannot be read or has a line that is no header', async () => {
    for (const run of [
      setUp('@', { lines: `${SECRET}\n` }),
      setUp('X-A: b', { more: { 'alerts.headers': '@/missing/headers' } }),
    ]) {
      const { code, stderr } = await run(LISTS.alerts);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('alerts.headers') });
      expect(stderr).not.toContain(SECRET);
    }
  });
});
