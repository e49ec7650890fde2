import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTime, UTC, zoneOf } from '../../src/cli/time.ts';
import { refusalOf } from '../support/refusal.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0, 250);
const forward = { now: NOW, bare: 'forward' } as const;
const back = { now: NOW, bare: 'back' } as const;
const unix = { now: NOW, bare: 'back', unix: true } as const;

const refusal = (text: string, rules: Parameters<typeof parseTime>[1] = forward) =>
  refusalOf(() => parseTime(text, rules));

test('a time is RFC 3339 with any offset and digits', () => {
  const times = {
    '2026-11-20T12:00:00Z': '2026-11-20T12:00:00.000Z',
    '2026-11-20T12:00:00.123456789Z': '2026-11-20T12:00:00.123Z',
    '2026-11-20T00:30:00+05:45': '2026-11-19T18:45:00.000Z',
    '2026-11-20T23:30:00-03:30': '2026-11-21T03:00:00.000Z',
    '2000-02-29T00:00:00Z': '2000-02-29T00:00:00.000Z',
    '0001-01-01T00:00:00Z': '0001-01-01T00:00:00.000Z',
    '9999-12-31T23:59:59Z': '9999-12-31T23:59:59.000Z',
  };
  const parsed = Object.fromEntries(Object.keys(times).map((text) => [text, parseTime(text, forward)]));
  const expected = Object.entries(times).map(([text, iso]) => [text, { ms: Date.parse(iso), iso }]);
  expect(parsed).toEqual(Object.fromEntries(expected));
});

test('a bare date is the start of its day in UTC, where dates are accepted', () => {
  const dates = { ...back, dates: true };
  expect(parseTime('2026-02-01', dates).iso).toBe('2026-02-01T00:00:00.000Z');
  expect(parseTime('2024-02-29', dates).iso).toBe('2024-02-29T00:00:00.000Z');
  expect(parseTime('-2h', dates).ms).toBe(NOW - 2 * HOUR);
  expect(refusal('2026-02-30', dates).message).toContain('does not exist');
  expect(refusal('2026-2-1', dates).message).toContain('is not an RFC 3339 time');
  expect(refusal('2026-02-01T10:00', dates).message).toContain('is not an RFC 3339 time');
});

const HOUR = 3_600_000;

test('a time may be relative to now; without a direction, the option decides', () => {
  for (const [text, ahead, behind] of [
    ['now', 0, 0],
    ['2h', 2 * HOUR, -2 * HOUR],
    ['-2h', -2 * HOUR, -2 * HOUR],
    ['2h ago', -2 * HOUR, -2 * HOUR],
    ['+2h', 2 * HOUR, 2 * HOUR],
    ['in 2h', 2 * HOUR, 2 * HOUR],
    ['1d1ms', 24 * HOUR + 1, -24 * HOUR - 1],
  ] as const) {
    const iso = new Date(NOW + ahead).toISOString();
    expect(parseTime(text, forward), text).toEqual({ ms: NOW + ahead, iso, relative: true });
    expect(parseTime(text, back).ms, text).toBe(NOW + behind);
  }
});

const REFUSED: Readonly<Record<string, readonly [hint: string, texts: readonly string[]]>> = {
  'is not an RFC 3339 time': [
    'write it like 2026-11-20T12:00:00Z',
    [
      ...['2026-11-20T12:00:00', '2026-11-20 12:00', '2026-11-20t12:00:00z', '2026-11-20T12:00Z', '2026-1-2T12:00:00Z'],
      ...['2026-11-20T12:00:00,5Z', '2026-11-20T12:00:00+0200', '2026-11-20T12:00:00+24:00', '2026-11-20T'],
    ],
  ],
  'has no time of day': ['write "2026-11-20 00:00"', ['2026-11-20']],
  'names a day or time that does not exist': [
    'write it like',
    [
      ...['2026-02-30T10:00:00Z', '1900-02-29T10:00:00Z', '2026-11-00T10:00:00Z', '2026-13-01T10:00:00Z'],
      ...['2027-02-30', '2026-11-20T24:00:00Z', '2026-11-20T12:60:00Z', '2026-11-20T12:00:60Z'],
    ],
  ],
  'is outside the years 1 to 9999': [
    'closer to now',
    ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-01:00', '0001-01-01T00:00:00+01:00'],
  ],
  'is not a time': [
    'write it like',
    [
      '+002026-11-20T12:00:00Z',
      'yesterday',
      '',
      '1.5h',
      '-90min',
      'in 5 minutes',
      '2 hours ago',
      'in 2h ago',
      '-2h ago',
    ],
  ],
  'is a bare number': ['write it like', ['90']],
  'is a bare number ': ['write 2023-11-14T22:13:20Z', ['1700000000', '1700000000000']],
};

test.each(Object.entries(REFUSED))('a text that %s is refused', (why, [hint, texts]) => {
  for (const text of texts) {
    const error = refusal(text);
    expect(error).toMatchObject({ code: 'invalid_value', exit: 2 });
    expect(error.message).toContain(`"${text}" ${why.trim()}`);
    expect(error.hint, text).toContain(hint);
  }
});

test('a long run of spaces is read in linear time', () => {
  const spaces = ' '.repeat(500_000);
  for (const text of [`1h${spaces}x`, `in${spaces}`, `${spaces}ago`]) expect(refusal(text).code).toBe('invalid_value');
});

test('a bare number means Unix seconds only where the option says so', () => {
  expect(parseTime('1700000000', unix)).toEqual({ ms: 1_700_000_000_000, iso: '2023-11-14T22:13:20.000Z' });
  expect(parseTime('0', unix).iso).toBe('1970-01-01T00:00:00.000Z');
  expect(parseTime('2h', unix).ms).toBe(NOW - 2 * HOUR);
  expect(refusal('1700000000000', unix).hint).toBe('divide by 1000: write 1700000000');
  expect(refusal('170000000000000', unix).message).toContain('outside the years');
});

const instants = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59.999Z'),
  noInvalidDate: true,
});

test('reads every RFC 3339 time in any zone', () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: -1439, max: 1439 }), (date, minutes) => {
      const local = new Date(date.getTime() + minutes * 60_000).toISOString();
      fc.pre(/^\d{4}-/.test(local) && !local.startsWith('0000'));
      const two = (n: number) => String(n).padStart(2, '0');
      const zone = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
      expect(parseTime(local.replace('Z', zone), forward).ms).toBe(date.getTime());
      expect(parseTime(date.toISOString(), forward)).toEqual({ ms: date.getTime(), iso: date.toISOString() });
    }),
  );
});

test('accepts exactly the dates that exist', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9999 }), fc.nat(14), fc.nat(33), (year, month, day) => {
      const pad = (n: number, width = 2) => String(n).padStart(width, '0');
      const text = `${pad(year, 4)}-${pad(month)}-${pad(day)}T00:00:00Z`;
      const date = new Date(0);
      date.setUTCFullYear(year, month - 1, day);
      const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
      if (exists) expect(parseTime(text, forward).iso).toBe(text.replace('Z', '.000Z'));
      else expect(refusal(text).code).toBe('invalid_value');
    }),
  );
});

describe('clock times', () => {
  const berlin = { zone: () => zoneOf('Europe/Berlin') };
  // 13:00 in Berlin.
  test('are the next one or the last one, as the option says, or those of a day', () => {
    for (const [text, next, last] of [
      ['18:00', '2026-11-20T17:00:00.000Z', '2026-11-19T17:00:00.000Z'],
      ['9:30', '2026-11-21T08:30:00.000Z', '2026-11-20T08:30:00.000Z'],
      ['00:00:30', '2026-11-20T23:00:30.000Z', '2026-11-19T23:00:30.000Z'],
      ['tomorrow 02:00', '2026-11-21T01:00:00.000Z', '2026-11-21T01:00:00.000Z'],
      ['Yesterday  02:00', '2026-11-19T01:00:00.000Z', '2026-11-19T01:00:00.000Z'],
      ['2026-07-01 02:00', '2026-07-01T00:00:00.000Z', '2026-07-01T00:00:00.000Z'],
      ['2026-03-29 03:00', '2026-03-29T01:00:00.000Z', '2026-03-29T01:00:00.000Z'],
      ['2026-10-25 03:00', '2026-10-25T02:00:00.000Z', '2026-10-25T02:00:00.000Z'],
    ] as const) {
      const expected = { ms: Date.parse(next), iso: next, zone: 'Europe/Berlin' };
      expect(parseTime(text, { ...forward, ...berlin }), text).toEqual(expected);
      expect(parseTime(text, { ...back, ...berlin }).iso, text).toBe(last);
    }
  });

  test.each([
    ['2026-03-29 02:30', 'the clocks skip it', 'write 2026-03-29T01:30:00Z'],
    ['2026-10-25 02:00', 'occurs twice', 'write 2026-10-25T00:00:00Z or 2026-10-25T01:00:00Z'],
    ['2026-10-25 02:59:59', 'occurs twice', 'write 2026-10-25T00:59:59Z or 2026-10-25T01:59:59Z'],
  ])('%s at a change of the clocks is refused', (text, why, hint) => {
    const refused = refusal(text, { ...forward, ...berlin });
    expect([refused.message, refused.hint]).toEqual([expect.stringContaining(why), hint]);
  });

  test('02:30 of tonight is refused if it occurs twice', () => {
    const evening = { ...berlin, now: Date.parse('2026-10-24T18:00:00Z') };
    expect(refusal('02:30', { ...evening, bare: 'forward' }).message).toContain('occurs twice');
    expect(parseTime('02:30', { ...evening, bare: 'back' }).iso).toBe('2026-10-24T00:30:00.000Z');
  });

  test('may be written with a T', () => {
    const berliner = { ...forward, ...berlin };
    const { zone, iso } = parseTime('2026-12-01T02:00:30', berliner);
    expect([zone, iso]).toEqual(['Europe/Berlin', '2026-12-01T01:00:30.000Z']);
    expect(parseTime('2026-12-01T02:00', { ...forward, zone: () => UTC }).iso).toBe('2026-12-01T02:00:00.000Z');
    expect(refusal('2026-12-01T02:00:00.5', berliner).message).toContain('is not an RFC 3339 time');
    expect(refusal('2026-12-01', berliner).hint).toBe('write "2026-12-01 00:00"');
  });

  test('without a zone they are refused', () => {
    expect(refusal('18:00').message).toContain('is not a time');
    expect(refusal('noon', { ...forward, ...berlin }).hint).toContain('18:00, tomorrow 02:00, 2026');
  });
});
