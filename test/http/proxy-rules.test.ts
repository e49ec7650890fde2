import { describe, expect, test } from 'vitest';
import { proxyFor } from '../../src/http/address.ts';
import { proxyHeaders } from '../../src/http/proxy.ts';

const settings = { http: 'http://plain.proxy:3128', https: 'secure.proxy:3129' };

describe('the proxy', () => {
  test('depends on the scheme of the address', () => {
    expect(proxyFor(new URL('http://h'), settings)?.href).toBe('http://plain.proxy:3128/');
    expect(proxyFor(new URL('https://h'), settings)?.href).toBe('http://secure.proxy:3129/');
    expect(proxyFor(new URL('https://h'), { http: settings.http })).toBeUndefined();
    expect(proxyFor(new URL('https://h'), { https: '' })).toBeUndefined();
  });

  test('is ALL_PROXY if the scheme has none', () => {
    const all = 'socks5h://h';
    expect(proxyFor(new URL('http://h'), { all })?.href).toBe('socks5h://h:1080');
    expect(proxyFor(new URL('https://h'), { all, https: settings.https })?.href).toBe('http://secure.proxy:3129/');
    expect(proxyFor(new URL('http://h'), { all, noProxy: 'h' })).toBeUndefined();
    expect(() => proxyFor(new URL('http://h'), { all: 'ftp://h' })).toThrow('all_proxy names a ftp proxy');
  });

  test.each(['http://127.0.0.1', 'https://localhost', 'http://[::1]:8080', 'http://127.9.9.9'])(
    'is not used for %s',
    (url) => {
      expect(proxyFor(new URL(url), settings)).toBeUndefined();
    },
  );

  test.each(['socks4://h:1', 'socks://h', 'ftp://h'])('%s is not supported', (https) => {
    expect(() => proxyFor(new URL('https://h'), { https })).toThrow(
      expect.objectContaining({ code: 'config_invalid', exit: 2 }),
    );
  });

  test('a malformed one is not shown with its password', () => {
    expect(() => proxyFor(new URL('https://h'), { https: 'http://u:hunter22@:bad:port' })).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.not.stringContaining('hunter22') }),
    );
  });
});

test.each([
  ['https://api.example.com', 'example.com', true],
  ['https://api.example.com', '.example.com', true],
  ['https://api.example.com', '*.example.com', true],
  ['https://example.com', 'example.com', true],
  ['https://example.com', '.example.com', true],
  ['https://notexample.com', 'example.com', false],
  ['https://example.com.evil', 'example.com', false],
  ['https://API.Example.com', 'api.EXAMPLE.com', true],
  ['https://api.example.com.', 'api.example.com', true],
  ['https://a', 'b, a', true],
  ['https://a', 'b a', true],
  ['https://a', '*', true],
  ['https://a', 'b,*', true],
  ['https://a', '', false],
  ['https://a', ',,', false],
  ['https://a', 'a:443', true],
  ['https://a', 'a:80', false],
  ['https://a:8443', 'a:8443', true],
  ['http://a', 'a:80', true],
  ['https://10.1.2.3', '10.1.2.3', true],
  ['https://10.1.2.3', '10.0.0.0/8', true],
  ['https://11.1.2.3', '10.0.0.0/8', false],
  ['https://10.1.2.3', '10.0.0.0/99', false],
  ['https://10.1.2.3', '2.3', false],
  ['https://[fd00::1]', 'fd00::1', true],
  ['https://[fd00::1]', '[fd00::1]', true],
  ['https://[fd00::1]', '[fd00:0::1]:443', true],
  ['https://[fd00::1]', '[fd00::1]:80', false],
  ['https://[fd00::1]', 'fd00::/8', true],
  ['https://[fe00::1]', 'fd00::/8', false],
  ['https://[fd00::1]', '10.0.0.0/8', false],
])('%s with no_proxy %j goes direct: %s', (url, noProxy, direct) => {
  expect(proxyFor(new URL(url), { ...settings, noProxy }) === undefined).toBe(direct);
});

test('the credential of the proxy', () => {
  const basic = (pair: string) => ({ 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` });
  expect(proxyHeaders(new URL('http://p'))).toEqual({});
  expect(proxyHeaders(new URL('http://u:p%40ss@p'))).toEqual(basic('u:p@ss'));
  expect(proxyHeaders(new URL('http://u@p'))).toEqual(basic('u:'));
  expect(proxyHeaders(new URL('http://u:100%@p'))).toEqual(basic('u:100%'));
});
