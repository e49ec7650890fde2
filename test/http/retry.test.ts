import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRetryAfter, retryDelay } from '../../src/http/answers.ts';

const now = Date.parse('2026-11-20T12:00:00Z');

test.each([
  ['0', 0],
  ['120', 120_000],
  ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
  ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
  ['', undefined],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['Soon', undefined],
  ['1e3', undefined],
  ['99999999999999', undefined],
  [undefined, undefined],
])('Retry-After %s is %s ms', (text, ms) => {
  expect(parseRetryAfter(text, now)).toBe(ms);
});

test('uses full jitter below a doubling limit, or the time of the service', () => {
  expect([1, 2, 3].map((attempt) => retryDelay(attempt, undefined, now, 0.5))).toEqual([125, 250, 500]);
  expect(retryDelay(1, undefined, now, 0)).toBe(0);
  expect(retryDelay(3, '7', now, 0.9)).toBe(7_000);
});

test('reads no negative time from any text', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const ms = parseRetryAfter(text, now);
      expect(ms === undefined || ms >= 0).toBe(true);
    }),
  );
});
