/** The gateway's token: its source, its storage, and that it is never shown. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failure } from '../../../support/svc.ts';
import { reader } from './reader.ts';

const client = reader();
const NONE = { SVC_TRADE_TOKEN: undefined };
const BOTH_CAUSES = /wrong or was revoked, or it is of a live account without API access/;

const login = (home: string, stdin = `${client.gateway.token}\n`) =>
  client.run('login --token-stdin', { home, env: NONE, stdin });

describe('svc trade login', () => {
  it('tries the token, stores it for the address and the profile, and uses it', async () => {
    const home = client.temporaryHome();
    const run = await login(home);
    expect(run).toMatchObject({ code: 0, stderr: '', asked: [] });
    expect(run.stdout).toBe(`stored the token for ${client.gateway.url} (profile default)\n`);
    expect(statSync(join(home, 'config/credentials.json')).mode & 0o777).toBe(0o600);
    expect((await client.run('accounts -q', { home, env: NONE })).stdout).toBe('654061\n654062\n');
    expect(client.gateway.sessions).toEqual([]);
  });

  it('asks at a terminal, and says where to create a token', async () => {
    const home = client.temporaryHome();
    const hidden = async () => ` ${client.gateway.token} `;
    const run = await client.run('login', { home, env: NONE, terminal: 80, hidden });
    expect(run).toMatchObject({ code: 0, asked: ['API token:'] });
    expect(run.stderr).toContain("the provider's web trading platform: User Account > Token Management");
    const nothing = await client.run('login', { env: NONE, terminal: 80, hidden: async () => '' });
    expect(nothing).toMatchObject({ code: 2, stdout: '' });
    expect(nothing.stderr).toContain('no token was typed');
  });

  it('does not store a refused token, and names both causes', async () => {
    const home = client.temporaryHome();
    const run = await login(home, 'abc');
    expect(run).toMatchObject({ code: 4, stdout: '' });
    expect(run.stderr).toMatch(BOTH_CAUSES);
    expect(run.stderr).toContain('usual form of 40 hexadecimal digits');
    expect((await client.run('accounts', { home, env: NONE })).code).toBe(4);
    for (const stdin of ['', '\n', 'two words', 'Bearer x', 'ключ', 'x'.repeat(20_000)]) {
      const refused = await login(home, stdin);
      expect(refused, stdin).toMatchObject({ code: 2, stdout: '' });
      if (stdin.trim() !== '') expect(refused.stderr).not.toContain(stdin);
    }
    expect(existsSync(join(home, 'config/credentials.json'))).toBe(false);
  });

  it('takes no token from the command line, and does not ask without a terminal', async () => {
    const { token } = client.gateway;
    const given = await client.run(['login', '--token', token], { env: NONE });
    expect(given).toMatchObject({ code: 2, stdout: '' });
    expect(given.stderr).not.toContain(token);
    expect(await client.run('login', { env: NONE })).toMatchObject({ code: 2, stdout: '', asked: [] });
    expect(await client.run('login --no-input', { env: NONE, terminal: 80 })).toMatchObject({ code: 2, asked: [] });
  });

  it('says that the environment overrides the stored token', async () => {
    const run = await client.run('login --token-stdin', { stdin: client.gateway.token });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('SVC_TRADE_TOKEN is set');
  });
});

describe('a token', () => {
  it('is sent only to its address', async () => {
    const home = client.temporaryHome();
    await login(home);
    const run = await client.run('accounts --base-url http://127.0.0.1:9 -o json', { home, env: NONE });
    expect(run).toMatchObject({ code: 4, stdout: '' });
    expect(failure(run)['message']).toBe('profile default has no token for http://127.0.0.1:9');
    const env = { SVC_TRADE_URL: client.gateway.url };
    expect(await client.run('accounts --base-url http://127.0.0.1:9', { env })).toMatchObject({ code: 2, stdout: '' });
  });

  it('exits 4 with both causes if it is refused', async () => {
    const run = await client.run('accounts -o json', { env: { SVC_TRADE_TOKEN: 'f'.repeat(40) } });
    expect(run).toMatchObject({ code: 4, stdout: '' });
    expect(failure(run)).toMatchObject({ code: 'unauthorized', hint: expect.stringMatching(BOTH_CAUSES) });
    client.gateway.traps.add('bad-token');
    expect((await client.run('positions')).code).toBe(4);
  });

  it('is required, and not empty in the environment', async () => {
    const missing = await client.run('accounts', { env: NONE });
    expect(missing).toMatchObject({ code: 4, stdout: '' });
    expect(missing.stderr).toContain('svc trade login');
    for (const argv of ['accounts', 'limits', 'quote EUR/USD']) {
      const empty = await client.run(argv, { env: { SVC_TRADE_TOKEN: '' } });
      expect(empty, argv).toMatchObject({ code: 2, stdout: '' });
      expect(empty.stderr).toContain('SVC_TRADE_TOKEN is set but empty');
    }
  });
});

it('svc trade logout deletes the stored token', async () => {
  const home = client.temporaryHome();
  await login(home);
  const run = await client.run('logout', { home, env: NONE });
  expect(run).toMatchObject({ code: 0 });
  expect(run.stdout).toBe(`deleted the token for ${client.gateway.url} (profile default)\n`);
  expect(run.stderr).toContain('revoke it at the provider');
  expect(readFileSync(join(home, 'config/credentials.json'), 'utf8')).not.toContain(client.gateway.token);
  expect(await client.json('logout', { home, env: NONE })).toMatchObject({ deleted: false });
  expect((await client.run('logout', { home })).stderr).toContain('SVC_TRADE_TOKEN is still set');
});

it('no output or trace has the token or a connection id', async () => {
  const home = client.temporaryHome();
  const sessions = new Set<string>();
  const texts: string[] = [];
  const note = (): void => {
    for (const id of client.gateway.sessions) sessions.add(id);
  };
  const commands = [
    'login --token-stdin',
    'accounts',
    'quote EUR/USD --wait 1ms',
    'symbols get EUR/USD',
    'candles EUR/USD m1 --last 1',
    'buy EUR/USD 5 --account 654061 --yes --wait 1ms',
    'limits',
    'model Account',
    'logout',
  ];
  for (const argv of commands) {
    for (const more of ['-v', '--debug']) {
      const options = { home, stdin: client.gateway.token, onStderr: note };
      const { stdout, stderr } = await client.run(`${argv} ${more}`, options);
      texts.push(stdout, stderr);
    }
  }
  const all = texts.join('\n');
  expect(all).toContain('/socket.io/');
  expect(sessions.size).toBeGreaterThan(4);
  for (const secret of [client.gateway.token, ...sessions]) expect(all).not.toContain(secret);
});
