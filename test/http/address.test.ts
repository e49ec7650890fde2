import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { isLoopback, parseBaseUrl } from '../../src/http/address.ts';
import { refusalOf } from '../support/refusal.ts';

const failure = (text: string) => refusalOf(() => parseBaseUrl(text));

describe('parseBaseUrl', () => {
  test.each([
    ['http://localhost:9093', 'http://localhost:9093/'],
    ['https://host/prefix/', 'https://host/prefix'],
    ['https://host//a//b///', 'https://host/a/b'],
    ['https://host/api/v2', 'https://host/'],
    ['https://host/api/v2/', 'https://host/'],
    ['https://host/am/api/v2/', 'https://host/am'],
    ['https://host/api/v2x', 'https://host/api/v2x'],
    ['HTTP://[::1]:9093', 'http://[::1]:9093/'],
    ['https://bücher.example', 'https://xn--bcher-kva.example/'],
  ])('%s', (text, href) => {
    expect(parseBaseUrl(text, { strip: '/api/v2' }).href).toBe(href);
  });

  test.each([
    ['localhost:9093', 'has no scheme'],
    ['host', 'has no scheme'],
    ['/path', 'has no scheme'],
    ['http:/host', 'has no scheme'],
    ['', 'has no scheme'],
    ['ftp://host', 'is ftp'],
    ['unix:///run/x', 'is unix'],
    ['https://', 'names no host'],
    ['https:///path', 'names no host'],
    ['https://h?x=1', 'contains a query'],
    ['https://h?', 'contains a query'],
    ['https://h/#f', 'contains a fragment'],
    ['https://h:99999', 'is not a valid URL'],
    ['https://good\\@evil', 'contains a space'],
    ['https://good\t.evil', 'contains a space'],
    [' https://h', 'contains a space'],
    ['https://a b', 'contains a space'],
  ])('refuses %j: %s', (text, why) => {
    const error = failure(text);
    expect(error).toMatchObject({ code: 'invalid_value', exit: 2 });
    expect(error.message).toContain(why);
  });

  test.each(['https://u:hunter22@h', 'https://hunter22@h', 'https://@h', 'https://u:hunter22@h/p?q=1'])(
    'refuses a credential in %s, without showing it',
    (text) => {
      const error = failure(text);
      expect(error.message).toContain('contains a user name or a password');
      expect(error.hint).toContain('environment');
      expect(error.message).not.toContain('hunter22');
    },
  );

  test('names the fix for a missing scheme', () => {
    expect(failure('localhost:9093').hint).toContain('http:// or https://');
  });

  test('an accepted address is http or https with origin and path only, and parsing is idempotent', () => {
    const text = fc.oneof(
      fc.string(),
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string().map((rest) => `https://h${rest}`),
    );
    fc.assert(
      fc.property(text, (address) => {
        let url: URL;
        try {
          url = parseBaseUrl(address, { strip: '/api/v2' });
        } catch (error) {
          expect(error).toBeInstanceOf(SvcError);
          return;
        }
        expect(url.protocol).toMatch(/^https?:$/);
        expect(url.origin + url.pathname).toBe(url.href);
        expect(url.pathname).not.toMatch(/\/\/|.\/$/);
        expect(parseBaseUrl(url.href).href).toBe(url.href);
      }),
      { numRuns: 2_000 },
    );
  });
});

test.each([
  ['http://127.0.0.1', true],
  ['http://127.8.9.1:80', true],
  ['http://127.1', true],
  ['http://0x7f.1', true],
  ['http://[::1]:9', true],
  ['http://localhost', true],
  ['http://LOCALHOST', true],
  ['http://shop.localhost', true],
  ['http://a.b.localhost:3000', true],
  ['http://localhost.evil', false],
  ['http://shop.localhost.evil', false],
  ['http://shoplocalhost', false],
  ['http://127.0.0.1.evil', false],
  ['http://128.0.0.1', false],
  ['http://0.0.0.0', false],
  ['http://[::2]', false],
  ['http://localhost.', false],
])('isLoopback %s: %s', (text, is) => {
  expect(isLoopback(new URL(text))).toBe(is);
});
