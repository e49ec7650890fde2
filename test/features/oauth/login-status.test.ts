import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isAlive, isFresh } from '../../../src/features/oauth/login-status.ts';

const seconds = fc.integer({ min: 0, max: 100_000 });

it('an access token counts as fresh with more than a minute or a tenth of its lifetime left, plus a random spread', () => {
  const hour = { obtained_at: 0, expires_at: 3600 };
  expect([3509, 3511, 3540].map((now) => isFresh(hour, now, 0.9999))).toEqual([true, false, false]);
  expect([3539, 3540, 3600].map((now) => isFresh(hour, now, 0))).toEqual([true, false, false]);
  const short = { obtained_at: 0, expires_at: 10 };
  expect([8, 9, 10].map((now) => isFresh(short, now, 0))).toEqual([true, false, false]);
  expect(isFresh({ obtained_at: 0 }, 1e9, 0.5)).toBe(true);
  expect([isAlive({ expires_at: 10 }, 9), isAlive({ expires_at: 10 }, 10), isAlive({}, 10)]).toEqual([
    true,
    false,
    true,
  ]);
});

it('an expired access token never counts as fresh, and a new one always does', () => {
  const spread = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(seconds, fc.integer({ min: 1, max: 100_000 }), seconds, spread, (obtained_at, life, later, part) => {
      const lifetime = { obtained_at, expires_at: obtained_at + life };
      const now = obtained_at + later;
      expect(isFresh(lifetime, obtained_at, part)).toBe(true);
      if (isFresh(lifetime, now, part)) expect(isAlive(lifetime, now) && isFresh(lifetime, now, 0)).toBe(true);
    }),
  );
});
