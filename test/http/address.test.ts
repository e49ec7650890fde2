import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { isLoopback, parseBaseUrl } from '../../src/http/address.ts';
import { refusalOf } from '../support/refusal.ts';

const failure = (text: string) => refusalOf(() => parseBaseUrl(text));

describe('the address of a service', () => {
  test('has no path of the API and no slash at its end', () => {
    const parsed = {
      'http://localhost:9093': 'http://localhost:9093/',
      'https://host/prefix/': 'https://host/prefix',
      'https://host//a//b///': 'https://host/a/b',
      'https://host/api/v2/': 'https://host/',
      'https://host/am/api/v2/': 'https://host/am',
      'https://host/api/v2x': 'https://host/api/v2x',
      'HTTP://[::1]:9093': 'http://[::1]:9093/',
      'https://bücher.example': 'https://xn--bcher-kva.example/',
    };
    const found = Object.keys(parsed).map((text) => [text, parseBaseUrl(text, { strip: '/api/v2' }).href]);
    expect(Object.fromEntries(found)).toEqual(parsed);
  });

  test('is refused with the reason', () => {
    for (const [text, why] of [
      ['localhost:9093', 'has no scheme'],
      ['http:/host', 'has no scheme'],
      ['', 'has no scheme'],
      ['ftp://host', 'is ftp'],
      ['https://', 'names no host'],
      ['https:///path', 'names no host'],
      ['https://h?', 'contains a query'],
      ['https://h/#f', 'contains a fragment'],
      ['https://h:99999', 'is not a valid URL'],
      ['https://good\\@evil', 'contains a space'],
      ['https://good\t.evil', 'contains a space'],
      [' https://h', 'contains a space'],
    ] as const) {
      expect(failure(text)).toMatchObject({ code: 'invalid_value', exit: 2, message: expect.stringContaining(why) });
    }
    expect(failure('localhost:9093').hint).toContain('http:// or https://');
  });

  test('is refused with a credential, without showing it', () => {
    for (const text of ['https://u:hunter22@h', 'https://hunter22@h', 'https://@h', 'https://u:hunter22@h/p?q=1']) {
      const error = failure(text);
      expect(error.message).toContain('contains a user name or a password');
      expect(error.hint).toContain('environment');
      expect(error.message).not.toContain('hunter22');
    }
  });

  test('is http or https with origin and path only, and is read the same again', () => {
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

test('only addresses of this machine are loopback', () => {
  const hosts = {
    '127.8.9.1:80': true,
    '127.1': true,
    LOCALHOST: true,
    'a.b.localhost:3000': true,
    'localhost.evil': false,
    'shop.localhost.evil': false,
    shoplocalhost: false,
    '127.0.0.1.evil': false,
    '0.0.0.0': false,
    '[::2]': false,
    'localhost.': false,
  };
  const found = Object.keys(hosts).map((host) => [host, isLoopback(new URL(`http://${host}`))]);
  expect(Object.fromEntries(found)).toEqual(hosts);
});
