import { describe, expect, test } from 'vitest';
import { proxyFor } from '../../src/http/pool.ts';
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

  test('is not used for this machine', () => {
    for (const url of ['http://127.0.0.1', 'https://localhost', 'http://[::1]:8080', 'http://127.9.9.9'])
      expect(proxyFor(new URL(url), settings)).toBeUndefined();
  });

  test('is refused if its kind is not supported', () => {
    for (const https of ['socks4://h:1', 'ftp://h'])
      expect(() => proxyFor(new URL('https://h'), { https })).toThrow(
        expect.objectContaining({ code: 'config_invalid', exit: 2 }),
      );
  });

  test('is not shown with its password if it is malformed', () => {
    expect(() => proxyFor(new URL('https://h'), { https: 'http://u:hunter22@:bad:port' })).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.not.stringContaining('hunter22') }),
    );
  });
});

test('no_proxy names hosts, domains, ports and networks that are reached directly', () => {
  const direct = {
    'https://api.example.com': ['example.com', '.example.com', '*.example.com', 'api.EXAMPLE.com'],
    'https://example.com': ['.example.com'],
    'https://api.example.com.': ['api.example.com'],
    'https://a': ['b, a', 'b a', '*', 'b,*', 'a:443'],
    'https://a:8443': ['a:8443'],
    'http://a': ['a:80'],
    'https://10.1.2.3': ['10.1.2.3', '10.0.0.0/8'],
    'https://[fd00::1]': ['fd00::1', '[fd00:0::1]:443', 'fd00::/8'],
  };
  const proxied = {
    'https://notexample.com': ['example.com'],
    'https://example.com.evil': ['example.com'],
    'https://a': ['', ',,', 'a:80'],
    'https://11.1.2.3': ['10.0.0.0/8'],
    'https://10.1.2.3': ['10.0.0.0/99', '2.3'],
    'https://[fd00::1]': ['[fd00::1]:80', '10.0.0.0/8'],
    'https://[fe00::1]': ['fd00::/8'],
  };
  const isDirect = (url: string, noProxy: string) => proxyFor(new URL(url), { ...settings, noProxy }) === undefined;
  const chosen = (lists: Readonly<Record<string, readonly string[]>>, wanted: boolean) =>
    Object.entries(lists).map(([url, list]) => [url, list.filter((noProxy) => isDirect(url, noProxy) === wanted)]);
  expect(Object.fromEntries(chosen(direct, true))).toEqual(direct);
  expect(Object.fromEntries(chosen(proxied, false))).toEqual(proxied);
});

test('a proxy gets the user and the password of its address', () => {
  const basic = (pair: string) => ({ 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` });
  expect(proxyHeaders(new URL('http://p'))).toEqual({});
  expect(proxyHeaders(new URL('http://u:p%40ss@p'))).toEqual(basic('u:p@ss'));
  expect(proxyHeaders(new URL('http://u@p'))).toEqual(basic('u:'));
  expect(proxyHeaders(new URL('http://u:100%@p'))).toEqual(basic('u:100%'));
});
