import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from '../src/duration.ts';
import { refusalOf } from './support/refusal.ts';

const refusal = (text: string) => refusalOf(() => parseDuration(text));

test.each([
  ['0', 0],
  ['0s', 0],
  ['7ms', 7],
  ['45s', 45_000],
  ['90m', 5_400_000],
  ['1h30m', 5_400_000],
  ['1d', 86_400_000],
  ['1w', 604_800_000],
  ['1y', 31_536_000_000],
  ['1y2w3d4h5m6s7ms', 31_536_000_000 + 2 * 604_800_000 + 3 * 86_400_000 + 4 * 3_600_000 + 5 * 60_000 + 6_007],
  ['292y', 292 * 31_536_000_000],
])('%s is %d ms', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  ['1.5h', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['90min', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['30m1h', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['1h 30m', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['1h, 30m', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['2 hours', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['1h1h', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['2H', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['.5d', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['-2h', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['+ 1.5h', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['90', 'write 90s, 90m, 90h or 90d (units y w d h m s ms)'],
  ['', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['soon', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['5M', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['3months', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['0.5ms', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['-soon', 'write it like 1h30m, 2d or 45s (units y w d h m s ms)'],
  ['293y', 'the longest duration is 292y'],
  ['99999999999999999999999h', 'the longest duration is 292y'],
])('%s is refused: %s', (text, hint) => {
  const error = refusal(text);
  expect(error).toMatchObject({ code: 'invalid_value', exit: 2, hint });
  expect(error.message).toContain(`"${text}"`);
});

test.each([
  [0, '0s'],
  [7_776_000_000, '90d'],
  [604_800_000, '1w'],
  [8 * 86_400_000, '8d'],
  [31_536_000_000, '1y'],
  [5_400_000, '1h30m'],
  [61_001, '1m1s1ms'],
])('formats %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

const LONGEST = 9_223_372_036_854;

test('parses its own output', () => {
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

test('refuses any other text with a usage error', () => {
  const form = /^(?=.)(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?$/;
  const text = fc.string({ unit: fc.constantFrom(...'0159ywdhms.-+ \n'), maxLength: 8 });
  fc.assert(
    fc.property(text, (value) => {
      fc.pre(value !== '0' && !form.test(value));
      expect(refusal(value).code).toBe('invalid_value');
    }),
  );
});
