import { expect, test } from 'vitest';
import { CookieJar } from '../../src/http/sender.ts';

test('sends back the cookies of a service', () => {
  for (const [answers, cookie] of [
    [['io=abc; Path=/; HttpOnly'], 'io=abc'],
    [['io=abc\nBIGipServerapi.example=1.2; path=/; Secure'], 'io=abc; BIGipServerapi.example=1.2'],
    [['a=1', 'a=2'], 'a=2'],
    [['a=b=c=='], 'a=b=c=='],
    [['a="x y"', ' b = 2 ; Path=/'], 'b=2'],
    [['a=1', 'a=; Max-Age=0'], undefined],
    [['', '=x', 'x', 'é=1', `a=${'x'.repeat(5000)}`], undefined],
    [[undefined], undefined],
  ] as const) {
    const jar = new CookieJar();
    for (const answer of answers) jar.take(answer);
    expect([answers, jar.header()]).toEqual([answers, cookie === undefined ? {} : { cookie }]);
  }
});

test('limits what a service can store', () => {
  const jar = new CookieJar();
  for (let i = 0; i < 1000; i++) jar.take(`c${i}=1`);
  expect(jar.header().cookie?.split('; ')).toHaveLength(50);
  jar.clear();
  expect(jar.header()).toEqual({});
});
