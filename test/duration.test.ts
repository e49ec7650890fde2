import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from '../src/duration.ts';
import { refusalOf } from './support/refusal.ts';

const refusal = (text: string) => refusalOf(() => parseDuration(text));

test('a duration is a number of each unit, the largest first', () => {
  const durations = {
    '0': 0,
    '0s': 0,
    '7ms': 7,
    '90m': 5_400_000,
    '1h30m': 5_400_000,
    '1w': 604_800_000,
    '1y2w3d4h5m6s7ms': 31_536_000_000 + 2 * 604_800_000 + 3 * 86_400_000 + 4 * 3_600_000 + 5 * 60_000 + 6_007,
    '292y': 292 * 31_536_000_000,
  };
  const parsed = Object.keys(durations).map((text) => [text, parseDuration(text)]);
  expect(Object.fromEntries(parsed)).toEqual(durations);
});

test('any other text is refused with what to write', () => {
  const hints = {
    'write it like 1h30m, 2d or 45s (units y w d h m s ms)': [
      '1.5h',
      '90min',
      '30m1h',
      '1h 30m',
      '1h1h',
      '2H',
      '-2h',
      '',
    ],
    'write 90s, 90m, 90h or 90d (units y w d h m s ms)': ['90'],
    'the longest duration is 292y': ['293y', '99999999999999999999999h'],
  };
  for (const [hint, texts] of Object.entries(hints)) {
    for (const text of texts) {
      const message = expect.stringContaining(`"${text}"`);
      expect(refusal(text)).toMatchObject({ code: 'invalid_value', exit: 2, hint, message });
    }
  }
});

test('a duration is printed in the largest units', () => {
  const texts = new Map([
    [0, '0s'],
    [7_776_000_000, '90d'],
    [604_800_000, '1w'],
    [8 * 86_400_000, '8d'],
    [31_536_000_000, '1y'],
    [61_001, '1m1s1ms'],
  ]);
  expect([...texts.keys()].map(formatDuration)).toEqual([...texts.values()]);
});

const LONGEST = 9_223_372_036_854;

test('a duration that was printed is the same duration', () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(100_000), fc.integer({ min: 0, max: LONGEST })), (ms) => {
      expect(parseDuration(formatDuration(ms))).toBe(ms);
    }),
  );
});

test('a duration is the sum of its units, in the declared order only', () => {
  const units = ['y', 'w', 'd', 'h', 'm', 's', 'ms'];
  const factors = [31_536_000_000, 604_800_000, 86_400_000, 3_600_000, 60_000, 1000, 1];
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(6), { minLength: 1 }),
      fc.array(fc.nat(40), { minLength: 7 }),
      (order, counts) => {
        const text = order.map((unit) => `${counts[unit]}${units[unit]}`).join('');
        const sum = order.reduce((total, unit) => total + (counts[unit] ?? 0) * (factors[unit] ?? 0), 0);
        const ascending = order.every((unit, index) => index === 0 || (order[index - 1] ?? 0) < unit);
        if (ascending) expect(parseDuration(text)).toBe(sum);
        else expect(refusal(text).code).toBe('invalid_value');
      },
    ),
  );
});
