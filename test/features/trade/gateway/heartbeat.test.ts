import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Heartbeat } from '../../../../src/features/trade/gateway/engine-connection.ts';
import { MOST_REFUSALS, reconnectDelay } from '../../../../src/features/trade/gateway/reconnecting.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

function beating(given: { isPaused?: () => boolean; wall?: () => number } = {}) {
  const pings: number[] = [];
  const lost: string[] = [];
  const heartbeat = new Heartbeat({
    pingIntervalMs: 25_000,
    pingTimeoutMs: 5_000,
    wall: given.wall ?? Date.now,
    ping: () => pings.push(performance.now()),
    isPaused: given.isPaused ?? (() => false),
    lost: (reason) => {
      lost.push(reason);
      heartbeat.stop();
    },
  });
  return { heartbeat, pings, lost, start: performance.now() };
}

describe('the heartbeat', () => {
  test('pings at each interval', () => {
    const { heartbeat, pings, lost, start } = beating();
    for (let i = 0; i < 100; i++) {
      vi.advanceTimersByTime(1_000);
      heartbeat.hear();
    }
    expect(pings.map((at) => at - start)).toEqual([25_000, 50_000, 75_000, 100_000]);
    expect(lost).toEqual([]);
    heartbeat.stop();
  });

  test('reports a lost connection if nothing comes within the timeout', () => {
    const { pings, lost } = beating();
    vi.advanceTimersByTime(30_000);
    expect(lost).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(lost).toEqual(['no response to the heartbeat within 5 s']);
    vi.advanceTimersByTime(100_000);
    expect(pings).toHaveLength(1);
  });

  test('goes on for a slow reader, and reports nothing', () => {
    let isPaused = true;
    const { pings, lost } = beating({ isPaused: () => isPaused });
    vi.advanceTimersByTime(100_000);
    expect(pings).toHaveLength(4);
    isPaused = false;
    vi.advanceTimersByTime(5_000);
    expect(lost).toEqual([]);
    vi.advanceTimersByTime(2_000);
    expect(lost).toHaveLength(1);
  });

  test.each([
    [3_600_000, 11_000],
    [12_000, 13_000],
  ])('pings at once after the machine slept for %i ms', (ms, pingedAt) => {
    let sleptMs = 0;
    const { pings, lost, start } = beating({ wall: () => Date.now() + sleptMs });
    vi.advanceTimersByTime(10_000);
    sleptMs = ms;
    vi.advanceTimersByTime(3_000);
    expect(pings.map((at) => at - start)).toEqual([pingedAt]);
    expect(lost).toEqual([]);
    vi.advanceTimersByTime(6_000);
    expect(lost).toEqual(['no response to the heartbeat within 5 s']);
  });

  test('does not mistake a clock set back for a sleep', () => {
    let sleptMs = 0;
    const { heartbeat, pings, lost } = beating({ wall: () => Date.now() + sleptMs });
    sleptMs = -7_200_000;
    vi.advanceTimersByTime(20_000);
    expect([pings, lost]).toEqual([[], []]);
    heartbeat.stop();
  });
});

describe('the delay before a reconnect', () => {
  test('is zero at first, then doubles up to a minute', () => {
    expect([0, 1, 2, 3, 6, 7, 100].map((attempt) => reconnectDelay(attempt, 0, 0.5))).toEqual([
      0, 1_000, 2_000, 4_000, 32_000, 60_000, 60_000,
    ]);
  });

  test('is 20 s to 5 minutes after refusals', () => {
    expect([1, 2, 3, 4, 5, MOST_REFUSALS].map((refusals) => reconnectDelay(refusals, refusals, 0.5))).toEqual([
      20_000, 40_000, 80_000, 160_000, 300_000, 300_000,
    ]);
  });

  test('varies at random by a fifth', () => {
    expect(reconnectDelay(1, 1, 0)).toBe(16_000);
    expect(reconnectDelay(1, 1, 0.999)).toBeLessThan(24_000);
  });
});
