import { expect, test } from 'vitest';
import { parseRetryAfter, retryDelay } from '../../src/http/answers.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

test('Retry-After is a number of seconds, or a time', () => {
  const delays = {
    '0': 0,
    '120': 120_000,
    'Fri, 20 Nov 2026 12:00:30 GMT': 30_000,
    'Fri, 20 Nov 2026 11:00:00 GMT': 0,
    '': undefined,
    '-1': undefined,
    '1.5': undefined,
    soon: undefined,
    '1e3': undefined,
  };
  const read = Object.keys(delays).map((text) => [text, parseRetryAfter(text, now)]);
  expect(Object.fromEntries(read)).toEqual(delays);
  expect(parseRetryAfter(undefined, now)).toBeUndefined();
});

test('a repeated read waits a random time below a doubling limit, or as long as the service says', () => {
  expect([1, 2, 3].map((attempt) => retryDelay(attempt, undefined, now, 0.5))).toEqual([125, 250, 500]);
  expect(retryDelay(1, undefined, now, 0)).toBe(0);
  expect(retryDelay(3, '7', now, 0.9)).toBe(7_000);
});
