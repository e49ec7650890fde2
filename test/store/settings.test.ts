import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { SETTING_KEYS, type Setting } from '../../src/store/setting-keys.ts';
import { loadSettings, originOf, type SettingsSources } from '../../src/store/settings.ts';
import { testFolder } from '../support/folder.ts';
import { rejectionOf } from '../support/refusal.ts';

const folder = testFolder();

function write(content: unknown, mode = 0o600): string {
  const path = join(folder.paths.config, 'settings.json');
  mkdirSync(folder.paths.config, { recursive: true });
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(path, mode);
  return path;
}

const load = (sources: Partial<SettingsSources> = {}) => loadSettings({ paths: folder.paths, env: {}, ...sources });

const failure = (sources: Partial<SettingsSources> = {}) => rejectionOf(load(sources));

describe('precedence', () => {
  const url = (word: string) => `https://${word}.example`;

  /** A valid value that shows its origin. */
  function chosen(setting: Setting, source: 0 | 1 | 2): string {
    const word = ['flag', 'env', 'profile'][source] ?? '';
    const values: Record<Setting['type'], string> = {
      url: url(word),
      urls: `${url(word)},${url('b')}`,
      choice: setting.choices?.[source % setting.choices.length] ?? '',
      text: word,
      path: `/${word}`,
      duration: `${source + 1}s`,
      integer: String(source + 1),
      names: `${word},b`,
      command: word,
      headers: `X-Name: ${word}`,
      helper: word,
      proxy: `socks5://${word}:1080`,
    };
    return values[setting.type];
  }

  it('is flag, environment, profile, default for every setting', async () => {
    for (const setting of SETTING_KEYS as readonly Setting[]) {
      const { key, env: name } = setting;
      const found = async (sources: Partial<SettingsSources>) => {
        const loaded = await load(sources);
        const { kind, detail } = loaded.resolve(key).origin;
        return [loaded.get(key), kind, detail];
      };
      const environment = (value: string): Record<string, string> => (name === undefined ? {} : { [name]: value });
      const [flags, env] = [{ [key]: chosen(setting, 0) }, environment(chosen(setting, 1))];
      const path = write({ profile: 'p', profiles: { p: { [key]: chosen(setting, 2) }, default: { timeout: '99s' } } });
      const profile = [chosen(setting, 2), 'profile', `${path} (profile p)`];
      expect(await found({ env: environment('') })).toEqual(profile);
      expect(await found({ env })).toEqual(name === undefined ? profile : [chosen(setting, 1), 'env', name]);
      expect(await found({ env, flags })).toEqual([chosen(setting, 0), 'flag', setting.flag ?? '']);
      write({ profile: 'p', profiles: { p: {}, default: { timeout: '99s' } } });
      expect(await found({})).toEqual([setting.default, setting.default === undefined ? 'unset' : 'default', '']);
    }
  });

  it('gives alerts.url the first of alerts.urls', async () => {
    write({ profiles: { default: { 'alerts.urls': `${url('a')},${url('b')}` } } });
    expect((await load()).get('alerts.url')).toBe(url('a'));
  });
});

describe('the profile', () => {
  const profiles = { a: { output: 'json' }, b: { output: 'csv' }, default: { output: 'tsv' } };

  it.each([
    [{}, undefined, 'default', 'default', 'tsv'],
    [{ profile: 'a' }, undefined, 'a', 'profile', 'json'],
    [{ profile: 'a' }, { env: { SVC_PROFILE: 'b' } }, 'b', 'env', 'csv'],
    [{ profile: 'a' }, { env: { SVC_PROFILE: '' } }, 'a', 'profile', 'json'],
    [{ profile: 'a' }, { env: { SVC_PROFILE: 'b' }, profileFlag: 'default' }, 'default', 'flag', 'tsv'],
  ])('of %j with %j is %s', async (file, sources, name, kind, output) => {
    write({ ...file, profiles });
    const settings = await load(sources);
    expect(settings.profile).toMatchObject({ name, origin: { kind } });
    expect(settings.get('output')).toBe(output);
  });

  it.each(['c', '__proto__'])('%j that does not exist exits 2, naming the existing ones', async (name) => {
    write({ profiles });
    const error = await failure({ profileFlag: name });
    expect(error).toMatchObject({ exit: 2, message: `--profile: there is no profile "${name}"` });
    expect(error.hint).toContain('default, a, b');
    expect((await load({ profileFlag: name, lenient: true })).failure?.message).toBe(error.message);
  });
});

describe('an invalid value', () => {
  it('exits 2 when it is used, naming the variable', async () => {
    const settings = await load({ env: { SVC_OUTPUT: 'xml', SVC_ALERTS_URL: 'https://u:SECRET@h' } });
    expect(() => settings.get('output')).toThrow(/^SVC_OUTPUT: "xml" is none of table, /);
    expect(() => settings.get('alerts.url')).toThrow(
      'SVC_ALERTS_URL: "https://***@h" must not contain a user name or password',
    );
    expect(() => originOf('alerts.url', settings, 'env', 'profile')).toThrow(SvcError);
    expect(settings.get('timeout')).toBe('30s');
  });

  it('is reported with the option, or the profile and the file', async () => {
    const path = write({
      profiles: { default: { timeout: 'soon', cert: 'c.pem', output: ['json'], 'trade.connectsPerMinute': 5 } },
    });
    const settings = await load({ flags: { 'alerts.url': 'x' } });
    expect(() => settings.get('alerts.url')).toThrow(/^--base-url: "x" is no/);
    expect(() => settings.get('timeout')).toThrow(`timeout in ${path} (profile default): "soon" is not a duration`);
    expect(() => settings.get('cert')).toThrow('must be an absolute path');
    expect(() => settings.get('output')).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('must be a string'),
        hint: 'set it with: svc config set output <value> --output table',
      }),
    );
    expect(settings.get('trade.connectsPerMinute')).toBe('5');
    expect(settings.get('no.such')).toBeUndefined();
    expect(settings.get('constructor')).toBeUndefined();
  });
});

describe('a file', () => {
  it.each([
    ['{\n  "profile": x\n}', 'is not valid JSON'],
    ['null', 'must contain a JSON object'],
    ['{"profile": 1}', '"profile" must be a string'],
    ['{"profiles": []}', '"profiles" must be an object'],
    ['{"profiles": {"a": "b"}}', 'profile a must be an object'],
  ])('with %j exits 2', async (content, message) => {
    const path = write(content);
    const error = await failure();
    expect(error).toMatchObject({ code: 'config_invalid', exit: 2 });
    expect(error.message).toContain(path);
    expect(error.message).toContain(message);
    const lenient = await load({ lenient: true, flags: { output: 'json' } });
    expect([lenient.failure?.message, lenient.get('output'), lenient.get('timeout')]).toEqual([
      error.message,
      'json',
      '30s',
    ]);
  });

  it('may begin with a byte order mark, but must be UTF-8', async () => {
    write('\ufeff{"profiles": {"default": {"output": "csv"}}}');
    expect((await load()).get('output')).toBe('csv');
    writeFileSync(join(folder.paths.config, 'settings.json'), Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]));
    expect((await failure()).message).toMatch(/is not UTF-8/);
  });

  it('that is a pipe or endless exits 2 at once', async () => {
    mkdirSync(join(folder.paths.config, 'settings.json'), { recursive: true });
    expect((await failure()).message).toMatch(/not a regular file/);
    const config = join(folder.path, 'endless');
    mkdirSync(config);
    symlinkSync('/dev/zero', join(config, 'settings.json'));
    expect((await failure({ paths: { ...folder.paths, config } })).message).toMatch(/not a regular file/);
  });

  it('with unknown keys gives one warning that lists them', async () => {
    write({ theme: 'dark', profiles: { default: { output: 'csv' }, p: { 'alerts.uri': 'x' } } });
    const { warnings } = await load();
    expect(warnings).toEqual([
      {
        text: expect.stringMatching(/settings\.json contains .*: theme, alerts\.uri \(profile p\)$/),
        fix: 'svc config edit',
      },
    ]);
  });

  it('that others may change causes a warning, and one that they may read causes none', async () => {
    for (const mode of [0o620, 0o602]) {
      write({}, mode);
      expect((await load()).warnings).toEqual([
        {
          text: expect.stringContaining(`(mode ${mode.toString(8)})`),
          fix: expect.stringMatching(/^chmod 600 .*settings\.json$/),
        },
      ]);
    }
    write({}, 0o644);
    expect((await load()).warnings).toEqual([]);
  });
});
