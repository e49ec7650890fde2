import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { failure, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';

let home: string;
beforeEach(() => {
  home = temporaryHome();
});
const file = () => join(home, 'config/settings.json');
const content = () => JSON.parse(readFileSync(file(), 'utf8'));
const run = (argv: readonly string[], options: RunOptions = {}) => svc(['config', ...argv], { home, ...options });

function write(value: unknown): void {
  mkdirSync(join(home, 'config'), { recursive: true, mode: 0o700 });
  writeFileSync(file(), typeof value === 'string' ? value : JSON.stringify(value));
}

interface Row {
  readonly key: string;
  readonly value: string | null;
  readonly origin: string;
  readonly problem?: string;
}
async function list(argv: readonly string[], env: RunOptions['env'] = {}): Promise<readonly Row[]> {
  return JSON.parse((await run(['list', ...argv, '-o', 'json'], { env })).stdout);
}

describe('svc config list', () => {
  it('shows settings with a value, their origin with --show-origin, and the rest with --all', async () => {
    write({ profiles: { default: { 'alerts.url': 'https://am.example' } } });
    const env = { SVC_TIMEOUT: '5s' };
    const shown = (await list([], env)).map(({ key, value, origin }) => `${key}=${value} ${origin}`);
    expect(shown).toHaveLength(8);
    expect(shown).toEqual(
      expect.arrayContaining(['alerts.url=https://am.example profile', 'color=auto default', 'timeout=5s env']),
    );
    expect(await list(['--show-origin'], env)).toEqual(
      expect.arrayContaining([
        { key: 'alerts.url', value: 'https://am.example', origin: 'profile', source: `${file()} (profile default)` },
        { key: 'timeout', value: '5s', origin: 'env', source: 'SVC_TIMEOUT' },
      ]),
    );
    expect(await list(['--all'])).toContainEqual({ key: 'trade.url', value: null, origin: 'unset' });
  });

  it('shows a value that cannot be used, with what is wrong, and no password of an address', async () => {
    const env = { SVC_TIMEOUT: 'soon', SVC_CATALOG_URL: 'https://u:SECRET@h', SVC_ALERTS_TOKEN: 'SECRET' };
    const rows = await list(['--show-origin'], env);
    expect(rows.find(({ key }) => key === 'timeout')).toMatchObject({
      value: 'soon',
      problem: expect.stringMatching(/^is not a duration/),
    });
    expect(rows.find(({ key }) => key === 'catalog.url')?.value).toBe('https://***@h');
    expect(JSON.stringify(rows) + (await run(['list'], { env })).stdout).not.toContain('SECRET');
  });

  it('exits 2 for a broken file or an unknown profile', async () => {
    expect(await run(['list', '--profile', 'prod'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"prod"'),
    });
    write('{');
    expect(failure(await run(['list', '-o', 'json']))).toMatchObject({ code: 'config_invalid' });
  });
});

describe('svc config get', () => {
  it('prints the effective value', async () => {
    write({ profiles: { default: { timeout: '7s' } } });
    expect(await run(['get', 'timeout'])).toMatchObject({ code: 0, stdout: '7s\n' });
    expect((await run(['get', 'timeout'], { env: { SVC_TIMEOUT: '8s' } })).stdout).toBe('8s\n');
  });

  it('exits 5 without a value, and 2 for an unknown key or profile or a bad value', async () => {
    expect((await run(['get', 'trade.url'])).code).toBe(5);
    expect(await run(['get', 'trade.uri'])).toMatchObject({ code: 2, stderr: expect.stringContaining('trade.url') });
    expect((await run(['get', 'timeout', '--profile', 'x'])).code).toBe(2);
    expect((await run(['get', 'timeout'], { env: { SVC_TIMEOUT: 'x' } })).code).toBe(2);
  });
});

describe('svc config set', () => {
  it('writes to the profile in use, and changes nothing else', async () => {
    const { stdout } = await run(['set', 'alerts.url', 'https://am.example', '-o', 'json']);
    expect(JSON.parse(stdout)).toEqual({ profile: 'default', key: 'alerts.url', value: 'https://am.example' });
    expect([join(home, 'config'), file()].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    write({ ...content(), theme: 'dark', profile: 'p', profiles: { ...content().profiles, p: { odd: 1 } } });
    await run(['set', 'timeout', '5s']);
    expect(content()).toEqual({
      theme: 'dark',
      profile: 'p',
      profiles: { default: { 'alerts.url': 'https://am.example' }, p: { odd: 1, timeout: '5s' } },
    });
  });

  it('creates the profile that --profile names, and says so once', async () => {
    const created = await run(['set', 'alerts.url', 'https://test.example', '--profile', 'test']);
    expect(created.stderr).toContain('created profile test; to use it from now on: svc config use test\n');
    expect(content()).toEqual({ profiles: { test: { 'alerts.url': 'https://test.example' } } });
    expect((await run(['set', 'timeout', '1s', '--profile', 'test'])).stderr).not.toContain('created');
  });

  it('says that a variable overrides it', async () => {
    const timeout = await run(['set', 'timeout', '5s'], { env: { SVC_TIMEOUT: '9s' } });
    expect(timeout.stderr).toContain('SVC_TIMEOUT is set, and overrides timeout of the profile\n');
    const env = { SVC_ALERTS_URL: 'https://b.example' };
    expect((await run(['set', 'alerts.url', 'https://am.example'], { env })).stderr).toContain(
      'SVC_ALERTS_URL is set, and overrides alerts.url of the profile unless you pass --profile\n',
    );
  });

  it('refuses what is no setting, no value or no name of a profile, and writes nothing', async () => {
    for (const argv of [
      ['timeout', 'soon'],
      ['alerts.uri', 'https://h'],
      ['cacert', 'ca.pem'],
      ['credentials.helper', 'a/helper'],
      ['alerts.tokenCommand', './program'],
      ['timeout', '5s', '--profile', '../x'],
      ['timeout', '5s', '--profile', '__proto__'],
    ]) {
      const refused = await run(['set', ...argv, '-o', 'json']);
      expect({ argv, code: refused.code, error: failure(refused).code }).toEqual({
        argv,
        code: 2,
        error: 'invalid_value',
      });
    }
    const secret = await run(['set', 'alerts.url', 'https://ops:SECRET@h']);
    expect([secret.code, secret.stderr]).toEqual([2, expect.stringContaining('environment')]);
    expect(secret.stderr).not.toContain('SECRET');
    expect(readdirSync(home)).not.toContain('config');
  });

  it.skipIf(!existsSync('/proc/self'))('says why it cannot write', async () => {
    const { code, stderr } = await run(['set', 'timeout', '5s'], { home: '/proc/svc-nowhere' });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^svc: cannot .*: no such file or directory\n/)]);
  });

  it('leaves a broken file as it is', async () => {
    write('{');
    expect(failure(await run(['set', 'timeout', '5s', '-o', 'json']))).toMatchObject({ code: 'config_invalid' });
    expect(readFileSync(file(), 'utf8')).toBe('{');
  });
});

describe('svc config unset', () => {
  it('removes a setting, also one that svc does not know, and nothing else', async () => {
    write({ x: 1, profiles: { default: { output: 'csv', 'alerts.uri': 'y', timeout: '1s' } } });
    const removed = async (key: string) => JSON.parse((await run(['unset', key, '-o', 'json'])).stdout);
    expect(await removed('output')).toEqual({ profile: 'default', key: 'output', removed: true });
    expect(await removed('alerts.uri')).toMatchObject({ removed: true });
    expect(await removed('output')).toMatchObject({ removed: false });
    expect(content()).toEqual({ x: 1, profiles: { default: { timeout: '1s' } } });
  });

  it('exits 2 for an unknown key or profile', async () => {
    expect((await run(['unset', 'alerts.uri'])).code).toBe(2);
    expect((await run(['unset', 'output', '--profile', 'x'])).code).toBe(2);
  });
});

describe('svc config profiles', () => {
  it('lists the profiles, and marks the one in use', async () => {
    const address = 'https://alerts.example.com';
    write({ profile: 'b', profiles: { a: { 'alerts.urls': 'https://x,https://y' }, b: { 'trade.url': address } } });
    expect(JSON.parse((await run(['profiles', '-o', 'json'])).stdout)).toEqual([
      { name: 'default', current: false, addresses: [], settings: 0 },
      { name: 'a', current: false, addresses: ['https://x', 'https://y'], settings: 1 },
      { name: 'b', current: true, addresses: [address], settings: 1 },
    ]);
    const unknown = (await run(['profiles', '-o', 'json'], { env: { SVC_PROFILE: 'gone' } })).stdout;
    expect(unknown).not.toContain('"current": true');
  });
});

describe('svc config use', () => {
  it('selects a profile, even if the current one was deleted', async () => {
    write({ profile: 'gone', profiles: { prod: {} } });
    expect(await run(['use', 'prod'])).toMatchObject({ code: 0, stdout: 'prod\n' });
    expect(content().profile).toBe('prod');
    const { stderr } = await run(['use', 'default'], { env: { SVC_PROFILE: 'prod' } });
    expect(stderr).toContain('SVC_PROFILE is set, and overrides this choice\n');
    expect(content().profile).toBe('default');
  });

  it('refuses an unknown one, with a suggestion and the command to create it', async () => {
    write({ profile: 'prod', profiles: { prod: {} } });
    const { code, stderr } = await run(['use', 'prdo']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is no profile "prdo": did you mean prod?')]);
    expect(stderr).toContain('svc config set alerts.url <url> --profile');
    expect(content().profile).toBe('prod');
  });
});

it('svc config path names the file whether it exists or not', async () => {
  expect((await run(['path'])).stdout).toBe(`${file()}\n`);
});
