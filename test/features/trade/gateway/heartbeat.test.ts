import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Heartbeat } from '../../../../src/features/trade/gateway/heartbeat.ts';
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
  test('pings at each interval while anything comes', () => {
    const { heartbeat, pings, lost, start } = beating();
    for (let i = 0; i < 100; i++) {
      vi.advanceTimersByTime(1_000);
      heartbeat.heard();
    }
    expect(pings.map((at) => at - start)).toEqual([25_000, 50_000, 75_000, 100_000]);
    expect(lost).toEqual([]);
    heartbeat.stop();
  });

  test('a ping without an answer within the timeout is a lost connection', () => {
    const { pings, lost } = beating();
    vi.advanceTimersByTime(30_000);
    expect(lost).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(lost).toEqual(['no response to the heartbeat within 5 s']);
    vi.advanceTimersByTime(100_000);
    expect(pings).toHaveLength(1);
  });

  test('while a slow reader holds the answers back it pings on and loses nothing', () => {
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

  test('a machine that slept longer than the gateway waits is told at once', () => {
    let sleptMs = 0;
    const { lost } = beating({ wall: () => Date.now() + sleptMs });
    vi.advanceTimersByTime(10_000);
    sleptMs = 3_600_000;
    vi.advanceTimersByTime(1_000);
    expect(lost).toEqual(['this machine slept for 3600 s']);
  });

  test('after a short sleep it asks at once', () => {
    let sleptMs = 0;
    const { heartbeat, pings, lost, start } = beating({ wall: () => Date.now() + sleptMs });
    vi.advanceTimersByTime(10_000);
    sleptMs = 12_000;
    vi.advanceTimersByTime(1_000);
    expect(pings.map((at) => at - start)).toEqual([11_000]);
    expect(lost).toEqual([]);
    heartbeat.stop();
  });

  test('a clock that is put back is no sleep', () => {
    let sleptMs = 0;
    const { heartbeat, pings, lost } = beating({ wall: () => Date.now() + sleptMs });
    sleptMs = -7_200_000;
    vi.advanceTimersByTime(20_000);
    expect([pings, lost]).toEqual([[], []]);
    heartbeat.stop();
  });
});

describe('the delay before a reconnect', () => {
  test('none at first, then doubling to a minute', () => {
    expect([0, 1, 2, 3, 6, 7, 100].map((attempt) => reconnectDelay(attempt, 0, 0.5))).toEqual([
      0, 1_000, 2_000, 4_000, 32_000, 60_000, 60_000,
    ]);
  });

  test('after refusals from 20 s to 5 minutes', () => {
    expect([1, 2, 3, 4, 5, MOST_REFUSALS].map((refusals) => reconnectDelay(refusals, refusals, 0.5))).toEqual([
      20_000, 40_000, 80_000, 160_000, 300_000, 300_000,
    ]);
  });

  test('by chance within a fifth', () => {
    expect(reconnectDelay(1, 1, 0)).toBe(16_000);
    expect(reconnectDelay(1, 1, 0.999)).toBeLessThan(24_000);
  });
});
