import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../../src/output/types.ts';
import {
  problemWith,
  problemWithStored,
  requireSetting,
  SETTING_KEYS,
  shownValue,
} from '../../src/store/setting-keys.ts';

const good: Record<string, string[]> = {
  'alerts.url': ['http://localhost:9093', 'https://am.example.com/prefix', 'HTTPS://[::1]:1/'],
  timeout: ['30s', '1h30m', '1y2w3d4h5m6s7ms'],
  'trade.connectsPerMinute': ['1', '1000'],
  output: ['ndjson'],
  'alerts.author': ['Änne Ø', 'ops@host'],
  cacert: ['/etc/ca.pem'],
};
const bad: Record<string, string[]> = {
  'alerts.url': ['', 'am.example.com', 'ftp://x', 'http:x', 'http://', 'http://a b', 'https://u:p@h', 'https://u@h'],
  timeout: ['', '30', '0s', '-5s', '5m1h'],
  'trade.connectsPerMinute': ['0', '1001', '1e2', '2.5', 'x'],
  output: ['xml', 'JSON', ''],
  'alerts.author': ['', 'a\x1b[2J'],
  cacert: ['', 'a\0b'],
};

describe('the value of a setting', () => {
  const problems = (values: Record<string, string[]>) =>
    Object.entries(values).flatMap(([key, texts]) =>
      texts.map((text) => [key, text, typeof problemWithStored(requireSetting(key), text)]),
    );

  it('is accepted, or refused with what is wrong', () => {
    expect(problems(good).filter(([, , type]) => type !== 'undefined')).toEqual([]);
    expect(problems(bad).filter(([, , type]) => type !== 'string')).toEqual([]);
  });

  it('may be a relative path, but not in a stored setting', () => {
    expect(problemWith(requireSetting('cacert'), 'ca.pem')).toBeUndefined();
    expect(problemWithStored(requireSetting('cacert'), 'ca.pem')).toBe('must be an absolute path');
  });

  it('may be any text without a failure', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SETTING_KEYS), fc.string({ unit: 'binary' }), (setting, text) => {
        expect(['string', 'undefined']).toContain(typeof problemWithStored(setting, text));
      }),
    );
  });
});

describe('the shown value of a setting', () => {
  it('has nothing that may be a password in an address', () => {
    const url = requireSetting('alerts.url');
    const word = fc.stringMatching(/^[A-Za-z0-9/:@?#%.]{6,12}$/);
    fc.assert(
      fc.property(
        fc.constantFrom('https://', 'http://', 'ftp://', 'https:/', 'https:', ''),
        word,
        (scheme, password) => {
          expect(shownValue(url, `${scheme}user:SECRET${password}@host/`)).not.toContain('SECRET');
        },
      ),
    );
  });

  it('has no value of a secret header', () => {
    const headers = requireSetting('alerts.headers');
    const name = fc.constantFrom('Authorization', 'cookie', 'X-Api-Key', 'x-auth-token', 'My-Secret', 'no header');
    const items = fc.array(fc.tuple(name, fc.constantFrom(': ', ':', ' ')), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(items, fc.boolean(), (pairs, list) => {
        const lines = pairs.map(([one, separator]) => `${one}${separator}SECRET`);
        const text = list ? JSON.stringify(['X-Scope-OrgID: blue', ...lines]) : (lines[0] ?? '');
        expect(shownValue(headers, text)).not.toContain('SECRET');
        expect(problemWith(headers, text)).toBeDefined();
      }),
      { numRuns: 50 },
    );
  });

  it('is otherwise the value', () => {
    expect(shownValue(requireSetting('alerts.url'), 'https://h/a@b')).toBe('https://h/a@b');
    expect(shownValue(requireSetting('alerts.url'), 'https://u:p@h/x')).toBe('https://***@h/x');
    expect(shownValue(requireSetting('alerts.author'), 'ops@host')).toBe('ops@host');
    expect(shownValue(requireSetting('proxy'), 'http://u:p@h:3128')).toBe('http://***@h:3128');
    for (const text of ['X-Scope-OrgID: blue', '@/etc/headers', '["X-A: b","@/etc/headers"]']) {
      expect(shownValue(requireSetting('alerts.headers'), text)).toBe(text);
    }
  });
});

describe('the list of settings', () => {
  it('has every output format, and valid defaults', () => {
    expect(requireSetting('output').choices).toEqual(FORMATS);
    for (const setting of SETTING_KEYS) {
      if ('default' in setting)
        expect([setting.key, problemWith(setting, setting.default)]).toEqual([setting.key, undefined]);
    }
  });

  it('refuses an unknown key', () => {
    expect(() => requireSetting('alerts.uri')).toThrow('there is no setting "alerts.uri"');
    expect(() => requireSetting('__proto__')).toThrow();
  });
});
