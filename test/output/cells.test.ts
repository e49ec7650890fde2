import { expect, onTestFinished, test, vi } from 'vitest';
import { showTime, timeCell } from '../../src/output/cells.ts';
import { NOW } from './rendering.ts';

const show = (text: string, time: 'relative' | 'utc' | 'local' | 'iso') => showTime(text, { time, now: NOW });

test('a relative time has one or two units', () => {
  const times = {
    '2026-03-01T12:00:00.4Z': 'now',
    '2026-03-01T12:00:00.9Z': 'in 1s',
    '2026-03-02T11:59:40Z': 'in 1d',
    '2026-03-01T11:55:29Z': '5m ago',
    '2026-03-01T10:54:59Z': '1h5m ago',
    '2026-02-26T07:59:59Z': '3d4h ago',
    '2028-03-01T12:00:00Z': 'in 2y1d',
    '2026-03-01T13:57:00+02:00': '3m ago',
  };
  expect(Object.fromEntries(Object.keys(times).map((text) => [text, show(text, 'relative')]))).toEqual(times);
});

test('no time, and the zero time of Go, have no cell', () => {
  const times = [null, undefined, '', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'];
  expect(times.map(timeCell)).toEqual(times.map(() => undefined));
});

test('utc is RFC 3339 with the digits of the service, iso is as the service wrote it', () => {
  expect(show('2026-03-01T11:57:00.123456789Z', 'utc')).toBe('2026-03-01T11:57:00.123456789Z');
  expect(show('2026-03-01T13:57:00+02:00', 'utc')).toBe('2026-03-01T11:57:00Z');
  expect(show('2026-03-01T13:57:00+02:00', 'iso')).toBe('2026-03-01T13:57:00+02:00');
});

test('local is the time of the zone, with its offset', () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('TZ', 'Europe/Berlin');
  expect(show('2026-03-01T11:57:00Z', 'local')).toBe('2026-03-01T12:57:00+01:00');
  vi.stubEnv('TZ', 'America/St_Johns');
  expect(show('2026-03-01T11:57:00Z', 'local')).toBe('2026-03-01T08:27:00-03:30');
});

test('a value that is no time is shown unchanged', () => {
  for (const time of ['relative', 'utc', 'local', 'iso'] as const) expect(show('soon', time)).toBe('soon');
});
