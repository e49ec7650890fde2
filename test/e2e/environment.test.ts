import { mkdirSync, mkdtempSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import type { LocalServer } from '../../src/sandbox/http.ts';
import { Authority } from '../support/certificates.ts';
import { answer, faultServer } from '../support/servers.ts';
import { staticServer } from './alerts.ts';
import { HOME, output, shell, svc } from './binary.ts';

const LIST = ['alerts', 'list', '-o', 'json'];

let emulator: LocalServer;
beforeAll(async () => {
  emulator = await startAlertmanagerEmulator({ now: Date.now, seed: 'demo' });
});
afterAll(() => emulator.close());

const newFolder = (): string => mkdtempSync(join(HOME, 'folder-'));

describe('settings', () => {
  it('are not read from the working directory', async () => {
    const folder = newFolder();
    const env = { SVC_CONFIG_DIR: folder };
    await output(['config', 'set', 'alerts.url', emulator.url], { env });
    expect((await svc(['alerts', 'list'], { cwd: folder, env: { SVC_CONFIG_DIR: newFolder() } })).code).toBe(2);
  });
});

describe('a home directory', () => {
  const env = (): Record<string, string> => ({ SVC_ALERTS_URL: emulator.url });

  it('that is not writable matters only if svc has to write', async () => {
    const home = '/dev/null/home';
    expect((await svc(LIST, { env: { ...env(), HOME: home } })).code).toBe(0);
    // Names shown at a terminal are cached for <Tab>, if possible.
    const shown = await svc(['alerts', 'list'], { env: { ...env(), HOME: home, SVC_FORCE_TTY: '80' } });
    expect([shown.code, shown.stdout.split('\n').length]).toEqual([0, 14]);
    const { code, stderr } = await svc(['config', 'set', 'alerts.url', emulator.url], { env: { HOME: home } });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^svc: cannot [^\n]*: not a directory\n/)]);
  });

  it('is that of the user if HOME is empty or not set', async () => {
    for (const HOME of ['', undefined])
      expect(await output(['config', 'path'], { env: { HOME } })).toBe(
        `${userInfo().homedir}/.config/svc/settings.json\n`,
      );
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

describe('the certificates that svc trusts', () => {
  it('are those of NODE_EXTRA_CA_CERTS and of --cacert, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    const [own, stranger] = [new Authority(), new Authority()];
    await using server = await faultServer((socket) => socket.write(answer(200, '[]')), {
      tls: own.sign('IP:127.0.0.1'),
    });
    const list = async (env: Record<string, string>, ...args: string[]): Promise<number | null> =>
      (await svc([...LIST, ...args], { env: { SVC_ALERTS_URL: server.url, ...env } })).code;
    expect(await list({ NODE_EXTRA_CA_CERTS: own.file }, '--cacert', stranger.file)).toBe(0);
    expect(await list({}, '--cacert', own.file)).toBe(0);
    expect(await list({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, '--cacert', stranger.file)).toBe(7);
    for (const authority of [own, stranger]) authority.remove();
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
