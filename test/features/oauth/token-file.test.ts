/** The token file of a profile: which requests carry its token, and which never do. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LISTS, profileServer, withProfile } from './profiles.ts';

const TOKEN = 'file-token-0123456789';
const server = await profileServer();

/** A profile whose services have this token file. */
function setUp({ text = `${TOKEN}\n`, address = server.url as string | null } = {}) {
  let path = '';
  const { run } = withProfile(address, (home) => {
    path = join(home, 'token');
    writeFileSync(path, text, { mode: 0o600 });
    return Object.fromEntries(['alerts', 'webhooks', 'catalog'].map((service) => [`${service}.tokenFile`, path]));
  });
  return { path, run };
}

describe('the token file of a profile', () => {
  it('signs in requests of each service', async () => {
    const { run } = setUp();
    for (const argv of Object.values(LISTS)) await run(argv);
    expect(new Set(server.sent())).toEqual(new Set([`Bearer ${TOKEN}`]));
    expect(server.requests.length).toBeGreaterThanOrEqual(3);
  });

  it('is read for each command, with a warning if other users can read it', async () => {
    const { path, run } = setUp();
    await run(LISTS.alerts);
    writeFileSync(path, 'second-token-0123456789');
    chmodSync(path, 0o644);
    const { stderr } = await run(LISTS.alerts);
    expect(server.sent()).toEqual([`Bearer ${TOKEN}`, 'Bearer second-token-0123456789']);
    expect(stderr).toContain(`other users can read ${path}`);
  });

  it('is overridden by a header file, and by the environment unless --profile is given', async () => {
    const { path, run } = setUp();
    const env = { SVC_ALERTS_TOKEN: 'from-the-environment' };
    await run(LISTS.alerts, { env });
    writeFileSync(`${path}.header`, 'authorization: Bearer from-a-header-file\n', { mode: 0o600 });
    await run([...LISTS.alerts, '--header-file', `${path}.header`]);
    const { stderr } = await run([...LISTS.alerts, '--profile', 'default'], { env });
    expect(server.sent()).toEqual(['Bearer from-the-environment', 'Bearer from-a-header-file', `Bearer ${TOKEN}`]);
    expect(stderr).toContain('SVC_ALERTS_TOKEN is not used');
  });

  it('is used at the address of its profile only', async () => {
    for (const { run } of [setUp({ address: 'http://127.0.0.1:1' }), setUp({ address: null })]) {
      expect(await run([...LISTS.alerts, '--base-url', server.url])).toMatchObject({ code: 2 });
      expect(await run(LISTS.alerts, { env: { SVC_ALERTS_URL: server.url } })).toMatchObject({ code: 2 });
    }
    expect(server.requests).toEqual([]);
  });

  it('is refused if it has no token, and nothing is sent', async () => {
    for (const [why, text] of [
      ['is empty', '\n'],
      ['begins with "Bearer"', `Bearer ${TOKEN}`],
      ['holds a line break', `${TOKEN}\n${TOKEN}`],
    ] as const) {
      const { code, stderr } = await setUp({ text }).run(LISTS.alerts);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) });
      expect(stderr).not.toContain(TOKEN);
    }
    const { path, run } = setUp();
    rmSync(path);
    expect(await run(LISTS.alerts)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/alerts\.tokenFile: cannot read/),
    });
    expect(server.requests).toEqual([]);
  });
});

it('a token of the environment that begins with Bearer is refused, and not shown', async () => {
  const { run } = withProfile(server.url, () => ({}));
  const refused = await run(LISTS.webhooks, { env: { SVC_WEBHOOKS_TOKEN: `Bearer ${TOKEN}` } });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('SVC_WEBHOOKS_TOKEN begins with "Bearer", which svc adds itself');
  expect(refused.stderr).not.toContain(TOKEN);
  expect(server.requests).toEqual([]);
});
