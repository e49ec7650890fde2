import timers from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { sleep } from '../../src/process/context.ts';

const DAY_MS = 86_400_000;
const LONGEST_TIMER = 2 ** 31 - 1;

describe('a wait', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('ends after any number of days, although timers are shorter', async () => {
    const slept: number[] = [];
    vi.spyOn(timers, 'setTimeout').mockImplementation(async (ms = 0) => void slept.push(ms) as never);
    for (const days of [0, 24, 25, 60]) {
      slept.length = 0;
      await sleep(days * DAY_MS);
      expect(slept.every((ms) => ms <= LONGEST_TIMER)).toBe(true);
      expect(slept.reduce((sum, ms) => sum + ms)).toBe(days * DAY_MS);
    }
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const failed = expect(sleep(60 * DAY_MS, stop.signal)).rejects.toThrow('enough');
    expect(await Promise.race([failed, sleep(50).then(() => 'waits')])).toBe('waits');
    stop.abort(new Error('enough'));
    await failed;
    await expect(sleep(1, stop.signal)).rejects.toThrow('enough');
  });
});
