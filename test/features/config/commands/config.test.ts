import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { configGet } from '../../../../src/features/config/commands/get.ts';
import { configList } from '../../../../src/features/config/commands/list.ts';
import { configPath } from '../../../../src/features/config/commands/path.ts';
import { configProfiles } from '../../../../src/features/config/commands/profiles.ts';
import { configSet } from '../../../../src/features/config/commands/set.ts';
import { configUnset } from '../../../../src/features/config/commands/unset.ts';
import { configUse } from '../../../../src/features/config/commands/use.ts';
import type { Column } from '../../../../src/output/types.ts';
import { testFolder } from '../../../support/folder.ts';
import { runContext } from './context.ts';

const folder = testFolder();
const file = () => join(folder.paths.config, 'settings.json');
const content = () => JSON.parse(readFileSync(file(), 'utf8'));
const context = (sources?: Parameters<typeof runContext>[1]) => runContext(folder.paths, sources);

function write(value: unknown): void {
  mkdirSync(folder.paths.config, { recursive: true });
  writeFileSync(file(), typeof value === 'string' ? value : JSON.stringify(value));
}

interface Row {
  key: string;
  value: string | null;
  origin: string;
  source?: string;
  problem?: string;
}
async function list(
  input: { showOrigin?: boolean; all?: boolean },
  sources?: Parameters<typeof runContext>[1],
): Promise<Row[]> {
  const answer = await configList.run({ showOrigin: false, all: false, ...input }, await context(sources));
  return answer.value as Row[];
}
const cells = (row: Row) => {
  if (configList.output.kind !== 'list') throw new Error('no list');
  return (configList.output.columns as readonly Column<Row>[]).map((column) => column.cell(row));
};

describe('config list', () => {
  it('shows settings with a value, and their origin with --show-origin', async () => {
    write({ profiles: { default: { 'alerts.url': 'https://am.example' } } });
    const env = { SVC_TIMEOUT: '5s' };
    const rows = await list({}, { env });
    expect(rows.map(({ key, value, origin }) => `${key}=${value} ${origin}`)).toEqual([
      'alerts.url=https://am.example profile',
      'alerts.maxSilence=24h default',
      'alerts.severities=critical,error,warning,info,none default',
      'trade.connectsPerMinute=20 default',
      'output=table default',
      'color=auto default',
      'timeout=5s env',
      'credentials.helper=file default',
    ]);
    expect(rows.every((row) => !('source' in row))).toBe(true);
    const shown = await list({ showOrigin: true }, { env });
    expect(shown.map(({ source }) => source)).toEqual([
      `${file()} (profile default)`,
      '',
      '',
      '',
      '',
      '',
      'SVC_TIMEOUT',
      '',
    ]);
    expect(shown.map((row) => cells(row)[2])).toEqual([
      `profile: ${file()} (profile default)`,
      'default',
      'default',
      'default',
      'default',
      'default',
      'env: SVC_TIMEOUT',
      'default',
    ]);
  });

  it('shows the rest with --all', async () => {
    const rows = await list({ all: true });
    expect(rows.find(({ key }) => key === 'trade.url')).toEqual({ key: 'trade.url', value: null, origin: 'unset' });
  });

  it('shows a value that cannot be used, with what is wrong, and no password of an address', async () => {
    const env = { SVC_OUTPUT: 'xml', SVC_CATALOG_URL: 'https://u:SECRET@h', SVC_ALERTS_TOKEN: 'SECRET' };
    const rows = await list({ showOrigin: true }, { env });
    expect(rows.find(({ key }) => key === 'output')).toMatchObject({
      value: 'xml',
      problem: expect.stringMatching(/^is none of/),
    });
    expect(JSON.stringify([rows, rows.map(cells)])).not.toContain('SECRET');
    expect(rows.find(({ key }) => key === 'catalog.url')?.value).toBe('https://***@h');
  });

  it('exits 2 for a broken file or an unknown profile', async () => {
    await expect(list({}, { profileFlag: 'prod' })).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining('"prod"'),
    });
    write('{');
    await expect(list({})).rejects.toMatchObject({ code: 'config_invalid' });
  });
});

describe('config get', () => {
  it('prints the effective value', async () => {
    write({ profiles: { default: { output: 'csv' } } });
    expect(await configGet.run({ key: 'output' }, await context())).toEqual({ value: 'csv' });
    expect(await configGet.run({ key: 'output' }, await context({ env: { SVC_OUTPUT: 'yaml' } }))).toEqual({
      value: 'yaml',
    });
  });

  it('exits 5 without a value, and 2 for an unknown key or profile or a bad value', async () => {
    const get = async (key: string, sources?: Parameters<typeof runContext>[1]) =>
      configGet.run({ key }, await context(sources));
    await expect(get('trade.url')).rejects.toMatchObject({ exit: 5 });
    await expect(get('trade.uri')).rejects.toMatchObject({ exit: 2, hint: expect.stringContaining('trade.url') });
    await expect(get('output', { profileFlag: 'x' })).rejects.toMatchObject({ exit: 2 });
    await expect(get('output', { env: { SVC_OUTPUT: 'x' } })).rejects.toMatchObject({ exit: 2 });
  });
});

describe('config set', () => {
  const set = async (key: string, value: string, sources?: Parameters<typeof runContext>[1]) =>
    configSet.run({ key, value }, await context(sources));

  it('writes to the profile in use', async () => {
    expect(await set('alerts.url', 'https://am.example')).toEqual({
      value: { profile: 'default', key: 'alerts.url', value: 'https://am.example' },
    });
    write({ ...content(), theme: 'dark', profile: 'p', profiles: { ...content().profiles, p: { odd: 1 } } });
    await set('timeout', '5s');
    expect(content()).toEqual({
      theme: 'dark',
      profile: 'p',
      profiles: { default: { 'alerts.url': 'https://am.example' }, p: { odd: 1, timeout: '5s' } },
    });
  });

  it('creates the profile that --profile names, and says so', async () => {
    const answer = await set('alerts.url', 'https://test.example', { profileFlag: 'test' });
    expect(answer.footer).toBe('created profile test; to use it from now on: svc config use test');
    expect(content()).toEqual({ profiles: { test: { 'alerts.url': 'https://test.example' } } });
    expect((await set('timeout', '1s', { profileFlag: 'test' })).footer).toBeUndefined();
  });

  it('says that a variable overrides it', async () => {
    const answer = await set('timeout', '5s', { env: { SVC_TIMEOUT: '9s' } });
    expect(answer.footer).toBe('SVC_TIMEOUT is set, and overrides timeout of the profile');
    const address = await set('alerts.url', 'https://am.example', { env: { SVC_ALERTS_URL: 'https://b.example' } });
    expect(address.footer).toBe(
      'SVC_ALERTS_URL is set, and overrides alerts.url of the profile unless you pass --profile',
    );
  });

  it.each([
    ['timeout', 'soon', {}],
    ['alerts.uri', 'https://h', {}],
    ['cacert', 'ca.pem', {}],
    ['output', '', {}],
    ['timeout', '5s', { profileFlag: '../x' }],
    ['timeout', '5s', { profileFlag: '__proto__' }],
    ['timeout', '5s', { profileFlag: '' }],
  ])('refuses %s %j with %j and writes nothing', async (key, value, sources) => {
    await expect(set(key, value, sources)).rejects.toMatchObject({ code: 'invalid_value', exit: 2 });
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('refuses a password in an address without repeating it', async () => {
    const error = await set('alerts.url', 'https://ops:SECRET@h').catch((thrown) => thrown);
    expect(error).toMatchObject({ exit: 2, message: expect.stringContaining('environment') });
    expect(`${error.message}${error.hint}`).not.toContain('SECRET');
  });

  it('leaves a broken file as it is', async () => {
    write('{');
    await expect(set('timeout', '5s')).rejects.toMatchObject({ code: 'config_invalid' });
    expect(readFileSync(file(), 'utf8')).toBe('{');
  });
});

describe('config unset', () => {
  const unset = async (key: string, sources?: Parameters<typeof runContext>[1]) =>
    configUnset.run({ key }, await context(sources));

  it('removes a setting, also one that svc does not know, and nothing else', async () => {
    write({ x: 1, profiles: { default: { output: 'csv', 'alerts.uri': 'y', timeout: '1s' } } });
    expect((await unset('output')).value).toEqual({ profile: 'default', key: 'output', removed: true });
    expect((await unset('alerts.uri')).value).toMatchObject({ removed: true });
    expect((await unset('output')).value).toMatchObject({ removed: false });
    expect(content()).toEqual({ x: 1, profiles: { default: { timeout: '1s' } } });
  });

  it('exits 2 for a missing key or profile', async () => {
    await expect(unset('alerts.uri')).rejects.toMatchObject({ exit: 2 });
    await expect(unset('output', { profileFlag: 'x' })).rejects.toMatchObject({ exit: 2 });
  });
});

describe('config profiles and use', () => {
  it('lists the profiles, and marks the one in use', async () => {
    const address = 'https://alerts.example.com';
    write({ profile: 'b', profiles: { a: {}, b: { 'alerts.url': address, timeout: '1s' } } });
    expect((await configProfiles.run({}, await context())).value).toEqual([
      { name: 'default', current: false, addresses: [], settings: 0 },
      { name: 'a', current: false, addresses: [], settings: 0 },
      { name: 'b', current: true, addresses: [address], settings: 2 },
    ]);
    const unknown = (await configProfiles.run({}, await context({ env: { SVC_PROFILE: 'gone' } }))).value as {
      current: boolean;
    }[];
    expect(unknown.some(({ current }) => current)).toBe(false);
  });

  it('selects one, even if the current one was deleted', async () => {
    write({ profile: 'gone', profiles: { prod: {} } });
    expect(await configUse.run({ name: 'prod' }, await context())).toEqual({ value: 'prod' });
    expect(content().profile).toBe('prod');
    const answer = await configUse.run({ name: 'default' }, await context({ env: { SVC_PROFILE: 'prod' } }));
    expect(answer.footer).toBe('SVC_PROFILE is set, and overrides this choice');
    expect(content().profile).toBe('default');
  });

  it('refuses an unknown one, with a suggestion and the command to create it', async () => {
    write({ profile: 'prod', profiles: { prod: {} } });
    await expect(configUse.run({ name: 'prdo' }, await context())).rejects.toMatchObject({
      exit: 2,
      message: 'there is no profile "prdo": did you mean prod?',
      hint: expect.stringContaining('svc config set alerts.url <url> --profile'),
    });
    expect(content().profile).toBe('prod');
  });
});

describe('config path', () => {
  it('names the file whether it exists or not', async () => {
    expect(await configPath.run({}, await context())).toEqual({ value: file() });
  });
});
