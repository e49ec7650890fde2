import { mkdirSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import type { LocalServer } from '../../src/sandbox/http.ts';
import { answer, type FaultServer, faultServer } from '../support/servers.ts';
import { svc as inProcess, temporaryHome } from '../support/svc.ts';
import { staticServer } from './alerts.ts';
import { HOME, output, ROOT, shell, svc } from './binary.ts';

const LIST = ['alerts', 'list', '-o', 'json'];

let emulator: LocalServer;
/** Every address of this machine leads to it, so that it can be named by one that is not loopback. */
let service: FaultServer;
beforeAll(async () => {
  emulator = await startAlertmanagerEmulator({ now: Date.now, seed: 'demo' });
  service = await faultServer((socket) => socket.write(answer(200, '["direct"]')), { host: '0.0.0.0' });
});
afterAll(async () => {
  await emulator.close();
  await service.close();
});

const newFolder = (): string => mkdtempSync(join(HOME, 'folder-'));

/** The output of a list whose choice of server needs no process of its own. */
async function listed(env: Record<string, string>, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await inProcess([...LIST, ...args], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
}

describe('a proxy from the environment', () => {
  let proxy: FaultServer;
  beforeAll(async () => {
    proxy = await faultServer((socket, { method }) =>
      socket.write(method === 'CONNECT' ? 'HTTP/1.1 502 No\r\n\r\n' : answer(200, '["proxied"]')),
    );
  });
  afterAll(() => proxy.close());

  it('gets the whole address of a plain http request', async () => {
    const env = { SVC_ALERTS_URL: 'http://alerts.invalid:9093', http_proxy: proxy.url };
    expect(await output(LIST, { env })).toBe('["proxied"]\n');
    expect(proxy.requests.at(-1)).toMatchObject({
      method: 'GET',
      path: expect.stringMatching(/^http:\/\/alerts\.invalid:9093\/api\/v2\/alerts\?/),
      headers: { host: 'alerts.invalid:9093' },
    });
  });

  it.each(['https_proxy', 'HTTPS_PROXY'])('opens a tunnel to an https service (%s)', async (name) => {
    const before = proxy.requests.length;
    const env = { SVC_ALERTS_URL: 'https://alerts.invalid', [name]: proxy.url };
    const { code, stderr } = await svc([...LIST, '--timeout', '2s'], { env });
    expect([code, JSON.parse(stderr).error.code]).toEqual([7, 'proxy_failed']);
    expect(proxy.requests.slice(before)).toContainEqual(
      expect.objectContaining({ method: 'CONNECT', path: 'alerts.invalid:443' }),
    );
  });

  it('is bypassed for hosts in no_proxy', async () => {
    const env = { SVC_ALERTS_URL: `http://0.0.0.0:${service.port}`, http_proxy: proxy.url };
    expect(await listed(env)).toBe('["proxied"]\n');
    for (const no_proxy of ['0.0.0.0', '10.0.0.0/8, 0.0.0.0', `0.0.0.0:${service.port}`, '*'])
      expect(await listed({ ...env, no_proxy })).toBe('["direct"]\n');
    expect(await listed({ ...env, no_proxy: '0.0.0.0:1' })).toBe('["proxied"]\n');
  });

  it.each(['127.0.0.1', 'localhost', '127.1.2.3'])('never gets requests for %s', async (host) => {
    const before = proxy.connections;
    const env = {
      SVC_ALERTS_URL: `http://${host}:${service.port}`,
      http_proxy: proxy.url,
      HTTP_PROXY: proxy.url,
      https_proxy: proxy.url,
      ALL_PROXY: proxy.url,
    };
    expect(await listed(env)).toBe('["direct"]\n');
    expect(proxy.connections).toBe(before);
  });

  it('is named if it is invalid', async () => {
    const env = { SVC_ALERTS_URL: 'http://alerts.invalid', http_proxy: 'socks4://127.0.0.1:1' };
    expect(await inProcess(['alerts', 'list'], { env })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^svc: http_proxy names a socks4 proxy/),
    });
  });
});

describe('settings', () => {
  it('that are set take effect', async () => {
    const env = { SVC_CONFIG_DIR: join(newFolder(), 'made') };
    expect(await svc(['alerts', 'list'], { env })).toMatchObject({ code: 2, stdout: '' });
    await output(['config', 'set', 'alerts.url', emulator.url], { env });
    expect(JSON.parse(await output(LIST, { env }))).toHaveLength(6);
    expect(statSync(env.SVC_CONFIG_DIR).mode & 0o777).toBe(0o700);
    expect(statSync(join(env.SVC_CONFIG_DIR, 'settings.json')).mode & 0o777).toBe(0o600);
    expect(await output(['config', 'path'], { env })).toBe(`${join(env.SVC_CONFIG_DIR, 'settings.json')}\n`);
  });

  it('belong to their profile; options and variables override them', async () => {
    const home = temporaryHome();
    const direct = `http://127.0.0.1:${service.port}`;
    const run = async (argv: readonly string[], env = {}) => (await inProcess(argv, { home, env })).stdout;
    await run(['config', 'set', 'alerts.url', direct, '--profile', 'lab']);
    await run(['config', 'set', 'alerts.url', emulator.url]);
    expect(await run([...LIST, '--profile', 'lab'])).toBe('["direct"]\n');
    expect(await run(LIST, { SVC_PROFILE: 'lab' })).toBe('["direct"]\n');
    expect(JSON.parse(await run(LIST))).toHaveLength(6);
    expect(await run(LIST, { SVC_ALERTS_URL: direct })).toBe('["direct"]\n');
    expect(await run([...LIST, '--base-url', direct])).toBe('["direct"]\n');
    await run(['config', 'use', 'lab']);
    expect(await run(LIST)).toBe('["direct"]\n');
    expect(await inProcess([...LIST, '--profile', 'none'], { home })).toMatchObject({ code: 2, stdout: '' });
  });

  it('written by six processes at once are all stored', async () => {
    const env = { SVC_CONFIG_DIR: newFolder() };
    const names = Array.from({ length: 6 }, (_, index) => `p${index}`);
    await Promise.all(
      names.map((name) =>
        output(['config', 'set', 'alerts.url', `http://${name}.example`, '--profile', name], { env }),
      ),
    );
    const { profiles } = JSON.parse(readFileSync(join(env.SVC_CONFIG_DIR, 'settings.json'), 'utf8'));
    expect(
      Object.keys(profiles)
        .filter((name) => name !== 'default')
        .sort(),
    ).toEqual([...names].sort());
  });

  it('are not read from the working directory', async () => {
    const folder = newFolder();
    const env = { SVC_CONFIG_DIR: folder };
    await output(['config', 'set', 'alerts.url', emulator.url], { env });
    expect((await svc(['alerts', 'list'], { cwd: folder, env: { SVC_CONFIG_DIR: newFolder() } })).code).toBe(2);
  });
});

describe('a home directory', () => {
  const env = (): Record<string, string> => ({ SVC_ALERTS_URL: emulator.url });

  it.each([
    ['/proc/nowhere', 'no such file or directory'],
    ['/dev/null/home', 'not a directory'],
  ])('that is not writable (%s) matters only if svc has to write', async (home, why) => {
    expect((await svc(LIST, { env: { ...env(), HOME: home } })).code).toBe(0);
    // Names shown at a terminal are cached for <Tab>, if possible.
    const shown = await svc(['alerts', 'list'], { env: { ...env(), HOME: home, SVC_FORCE_TTY: '80' } });
    expect([shown.code, shown.stdout.split('\n').length]).toEqual([0, 14]);
    const { code, stderr } = await svc(['config', 'set', 'alerts.url', emulator.url], { env: { HOME: home } });
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^svc: cannot [^\\n]*: ${why}\\n`));
  });

  it('is that of the user if HOME is not set', async () => {
    const { code, stdout } = await svc(['config', 'path'], { env: { HOME: undefined } });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/\/svc\/settings\.json\n$/)]);
    expect(stdout).not.toContain(ROOT);
  });
});

describe('an empty HOME', () => {
  it('is none: settings are in the home directory of the password file, never in /', async () => {
    const { code, stdout } = await svc(['config', 'path'], { env: { HOME: '' } });
    expect([code, stdout]).toEqual([0, `${userInfo().homedir}/.config/svc/settings.json\n`]);
  });
});

describe('a working directory', () => {
  it('may be deleted', async () => {
    mkdirSync(join(HOME, 'gone'));
    const { code, stdout, stderr } = await shell('cd gone && rmdir ../gone && svc alerts list -o id', {
      env: { SVC_ALERTS_URL: emulator.url },
    });
    expect([code, stdout.split('\n').length, stderr]).toEqual([0, 7, '']);
  });
});

describe('output of Node.js that the environment enables', () => {
  it('does not reach stdout, nor stderr where it is data', async () => {
    const noisy = { NO_COLOR: '1', FORCE_COLOR: '1', NODE_OPTIONS: '--trace-warnings', NODE_ENV: 'development' };
    await using big = await staticServer('[]');
    const run = await svc(LIST, { env: { SVC_ALERTS_URL: big.url, ...noisy } });
    expect(run).toMatchObject({ code: 0, stdout: '[]\n', stderr: '' });
  });
});
