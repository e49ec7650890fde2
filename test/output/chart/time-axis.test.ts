import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { position } from '../../../src/output/chart/stretches.ts';
import { axisLines } from '../../../src/output/chart/terminal.ts';
import { instantText, timeTicks, windowText, zoneName, zoneNames } from '../../../src/output/chart/time-axis.ts';
import { displayWidth } from '../../../src/output/terminal.ts';
import { DAY, HOUR } from './pictures.ts';

const window = (from: string, to: string) => ({ from: Date.parse(from), to: Date.parse(to) });
const texts = (from: string, to: string, length = 74): string[] =>
  timeTicks(window(from, to), 'utc', { length, gap: 3 }).map(({ text, context }) => `${context} ${text}`.trim());

describe('the ticks of time', () => {
  test('are round times, from milliseconds to decades', () => {
    const ticks = {
      '2026-01-15T10:00:00.100Z 2026-01-15T10:00:00.300Z':
        '2026-01-15 10:00:00.100, 2026-01-15 10:00:00.150, 2026-01-15 10:00:00.200, 2026-01-15 10:00:00.250, 2026-01-15 10:00:00.300',
      '2026-01-15T10:00:03Z 2026-01-15T10:00:45Z':
        '2026-01-15 10:00:10, 2026-01-15 10:00:20, 2026-01-15 10:00:30, 2026-01-15 10:00:40',
      '2026-01-15T10:07:00Z 2026-01-15T11:10:00Z':
        '2026-01-15 10:10, 2026-01-15 10:20, 2026-01-15 10:30, 2026-01-15 10:40, 2026-01-15 10:50, 2026-01-15 11:00, 2026-01-15 11:10',
      '2025-12-28T00:00:00Z 2026-01-02T00:00:00Z':
        '2025 Dec 28, 2025 Dec 29, 2025 Dec 30, 2025 Dec 31, 2026 Jan 1, 2026 Jan 2',
      '2026-01-15T00:00:00Z 2026-02-14T00:00:00Z': '2026 Jan 19, 2026 Jan 26, 2026 Feb 2, 2026 Feb 9',
      '2025-11-15T00:00:00Z 2026-06-14T00:00:00Z':
        '2025 Dec, 2026 Jan, 2026 Feb, 2026 Mar, 2026 Apr, 2026 May, 2026 Jun',
      '1890-11-15T00:00:00Z 2026-06-14T00:00:00Z': '1900, 1920, 1940, 1960, 1980, 2000, 2020',
    };
    const found = Object.keys(ticks).map((window) => {
      const [from = '', to = ''] = window.split(' ');
      return [window, texts(from, to).join(', ')];
    });
    expect(Object.fromEntries(found)).toEqual(ticks);
  });

  test('a skipped hour has no tick, a repeated hour has one', () => {
    const night = (from: string, to: string): string[] =>
      timeTicks(window(from, to), 'local', { length: 74, gap: 3 }).map(({ at, text }) => `${text} ${(at / HOUR) % 24}`);
    vi.stubEnv('TZ', 'Europe/Berlin');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(night('2026-03-28T22:00:00Z', '2026-03-29T03:00:00Z').join(', ')).toBe(
      '23:00 22, 00:00 23, 01:00 0, 03:00 1, 04:00 2, 05:00 3',
    );
    const repeated = night('2026-10-24T21:00:00Z', '2026-10-25T05:00:00Z').map((text) => text.slice(0, 5));
    expect(repeated.join(' ')).toBe('23:00 00:00 01:00 02:00 03:00 04:00 05:00 06:00');
    expect(zoneName(Date.parse('2026-07-01T00:00:00Z'), 'local')).toBe('UTC+02:00');
    const [summer, winter] = [Date.parse('2026-10-24T22:00:00Z'), Date.parse('2026-10-26T23:00:00Z')];
    expect(zoneNames({ from: summer, to: winter }, 'local')).toBe('UTC+02:00, then UTC+01:00');
    expect(zoneNames({ from: summer, to: summer }, 'local')).toBe('UTC+02:00');
    expect(windowText({ from: summer, to: winter }, 'local')).toBe('from 2026-10-25 UTC+02:00 to 2026-10-27 UTC+01:00');
    expect(windowText({ from: summer, to: winter }, 'utc')).toBe('from 2026-10-24 22:00 to 2026-10-26 23:00 UTC');
    expect(instantText(Date.parse('2026-07-01T22:00:00Z'), 'local')).toBe('2026-07-02');
  });

  test('shows an instant exactly', () => {
    expect(instantText(Date.parse('2026-07-01T00:00:00Z'), 'utc')).toBe('2026-07-01');
    expect(instantText(Date.parse('2026-07-01T10:30:00Z'), 'utc')).toBe('2026-07-01 10:30');
    expect(instantText(Date.parse('2026-07-01T10:30:05Z'), 'utc')).toBe('2026-07-01 10:30:05');
    expect(instantText(Date.parse('2026-07-01T10:30:05.250Z'), 'utc')).toBe('2026-07-01 10:30:05.25');
    expect(instantText(1e300, 'utc')).toBe('1e+300');
  });

  const instants = fc.oneof(
    fc.integer({ min: -8_640_000_000_000_000, max: 8_640_000_000_000_000 }),
    fc.integer({ min: 0, max: 4_000_000_000_000 }),
  );
  const spans = fc.oneof(
    fc.integer({ min: 0, max: 100 * DAY }),
    fc.integer({ min: 0, max: 2 * HOUR }),
    fc.integer({ min: 0, max: 10_000_000_000_000 }),
    fc.constant(1e300),
  );

  test('ticks ascend within the window, and their labels do not touch', () => {
    fc.assert(
      fc.property(
        instants,
        spans,
        fc.integer({ min: 5, max: 200 }),
        fc.constantFrom('utc', 'local'),
        (from, span, length, time) => {
          const all = { from, to: from + span };
          const ticks = timeTicks(all, time, { length, gap: 3 });
          expect(ticks.length).not.toBe(1);
          let end = Number.NEGATIVE_INFINITY;
          let before = Number.NEGATIVE_INFINITY;
          for (const { at, text } of ticks) {
            expect(at).toBeGreaterThan(before);
            expect(at >= all.from && at <= all.to).toBe(true);
            const center = position(at, all) * length;
            expect(center - displayWidth(text) / 2).toBeGreaterThanOrEqual(end);
            end = center + displayWidth(text) / 2 + 2;
            before = at;
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test('lines below the plot are at most as wide, and show position and time', () => {
    fc.assert(
      fc.property(instants, spans, fc.integer({ min: 12, max: 200 }), fc.boolean(), (from, span, width, ascii) => {
        const lines = axisLines({ from, to: from + span }, 'utc', { width, margin: 4, ascii });
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        expect(displayWidth(lines[0] ?? '')).toBe(width);
        expect(lines.join('\n')).toContain('UTC');
        if (span < 1e300 && width > 30) expect(lines[1]).toMatch(/\d|[A-Z]/);
      }),
      { numRuns: 300 },
    );
  });
});
