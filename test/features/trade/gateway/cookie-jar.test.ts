import { expect, test } from 'vitest';
import { CookieJar } from '../../../../src/features/trade/gateway/engine-requests.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

test.each([
  [['io=abc; Path=/; HttpOnly'], 'io=abc'],
  [['io=abc\nBIGipServerapi.example=1.2; path=/; Secure'], 'io=abc; BIGipServerapi.example=1.2'],
  [['a=1', 'a=2'], 'a=2'],
  [['a=b=c=='], 'a=b=c=='],
  [['a="x y"', ' b = 2 ; Path=/'], 'b=2'],
  [['a=1', 'a=; Max-Age=0'], undefined],
  [['a=1', 'a=gone; expires=Thu, 01 Jan 1970 00:00:00 GMT'], undefined],
  [['a=1; expires=Fri, 01 Jan 2027 00:00:00 GMT'], 'a=1'],
  [['a=1; expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60'], 'a=1'],
  [['', '=x', 'x', 'é=1', `a=${'x'.repeat(5000)}`], undefined],
  [[undefined], undefined],
])('%j', (answers, cookie) => {
  const jar = new CookieJar();
  for (const answer of answers) jar.take(answer, NOW);
  expect(jar.header()).toEqual(cookie === undefined ? {} : { cookie });
});

test('limits what a service can store', () => {
  const jar = new CookieJar();
  for (let i = 0; i < 1000; i++) jar.take(`c${i}=1`, NOW);
  expect(jar.header().cookie?.split('; ')).toHaveLength(50);
  jar.clear();
  expect(jar.header()).toEqual({});
});
