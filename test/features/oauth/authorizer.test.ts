/** The token file of a profile: which requests carry its token, and which never do. */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type RunOptions, svc, temporaryHome } from '../../support/svc.ts';
import { LISTS, listServer } from './list-server.ts';

const TOKEN = 'file-token-0123456789';
const server = await listServer();

const sent = () => [...new Set(server.requests.map(({ headers }) => headers['authorization'] ?? 'none'))];

/** With a profile whose services have this address and this token file. */
function setUp({ text = `${TOKEN}\n`, address = server.url as string | null } = {}) {
  const home = temporaryHome();
  const path = join(home, 'token');
  writeFileSync(path, text, { mode: 0o600 });
  const values = ['alerts', 'webhooks', 'catalog', 'trade'].flatMap((service) => [
    [`${service}.tokenFile`, path],
    ...(address === null ? [] : [[`${service}.url`, address]]),
  ]);
  const config = join(home, 'config');
  mkdirSync(config, { recursive: true, mode: 0o700 });
  writeFileSync(join(config, 'settings.json'), JSON.stringify({ profiles: { default: Object.fromEntries(values) } }), {
    mode: 0o600,
  });
  return { path, run: (argv: readonly string[], options: RunOptions = {}) => svc(argv, { home, ...options }) };
}

describe('the token file of a profile', () => {
  it.each(Object.entries(LISTS))('signs in requests of %s', async (_service, argv) => {
    const { run } = setUp();
    await run(argv);
    expect(sent()).toEqual([`Bearer ${TOKEN}`]);
  });

  it('is read for each command; warns if other users can read it', async () => {
    const { path, run } = setUp();
    await run(LISTS.alerts);
    writeFileSync(path, 'second-token-0123456789');
    chmodSync(path, 0o644);
    const { stderr } = await run(LISTS.alerts);
    expect(sent()).toEqual([`Bearer ${TOKEN}`, 'Bearer second-token-0123456789']);
    expect(stderr).toContain(`other users can read ${path}`);
  });

  it('is overridden by the environment and by a header file', async () => {
    const { path, run } = setUp();
    await run(LISTS.alerts, { env: { SVC_ALERTS_TOKEN: 'from-the-environment' } });
    writeFileSync(`${path}.header`, 'authorization: Bearer from-a-header-file\n', { mode: 0o600 });
    await run([...LISTS.alerts, '--header-file', `${path}.header`]);
    expect(sent()).toEqual(['Bearer from-the-environment', 'Bearer from-a-header-file']);
  });

  it('precedes the environment when --profile is given', async () => {
    const { run } = setUp();
    const { stderr } = await run([...LISTS.alerts, '--profile', 'default'], { env: { SVC_ALERTS_TOKEN: 'another' } });
    expect(sent()).toEqual([`Bearer ${TOKEN}`]);
    expect(stderr).toContain('SVC_ALERTS_TOKEN is not used');
  });

  it('is sent only to the address of its profile', async () => {
    const elsewhere = setUp({ address: 'http://127.0.0.1:1' });
    const noAddress = setUp({ address: null });
    for (const { run } of [elsewhere, noAddress]) {
      expect(await run([...LISTS.alerts, '--base-url', server.url])).toMatchObject({ code: 2 });
      expect(await run(LISTS.alerts, { env: { SVC_ALERTS_URL: server.url } })).toMatchObject({ code: 2 });
    }
    expect(server.requests).toEqual([]);
  });

  it.each([
    ['is empty', '\n'],
    ['begins with "Bearer"', `Bearer ${TOKEN}`],
    ['holds a line break', `${TOKEN}\n${TOKEN}`],
  ])('that %s is refused, and nothing is sent', async (why, text) => {
    const { code, stderr } = await setUp({ text }).run(LISTS.alerts);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) });
    expect(stderr).not.toContain(TOKEN);
    expect(server.requests).toEqual([]);
  });

  it('that cannot be read is refused', async () => {
    const { path, run } = setUp();
    rmSync(path);
    const { code, stderr } = await run(LISTS.alerts);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/alerts\.tokenFile: cannot read/) });
  });

  it('replaces a login', async () => {
    const { run } = setUp();
    expect(await run(['oauth', 'token'])).toMatchObject({ code: 0, stdout: `${TOKEN}\n` });
    const status = await run(['oauth', 'status', '-o', 'json']);
    expect(JSON.parse(status.stdout)).toMatchObject({ state: 'signed_in', source: 'webhooks.tokenFile' });
    const trace = await run([...LISTS.webhooks, '--debug']);
    expect(trace.stderr + status.stdout).not.toContain(TOKEN);
  });
});
