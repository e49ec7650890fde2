import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sleep } from '../../src/process/context.ts';

const DAY_MS = 86_400_000;

describe('sleep', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each([1, 24, 25, 30, 60])('of %d days ends then, although timers are shorter', async (days) => {
    let isOver = false;
    const over = sleep(days * DAY_MS).then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(days * DAY_MS - 1);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await over;
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const over = sleep(60 * DAY_MS, stop.signal);
    const failed = expect(over).rejects.toThrow('enough');
    await vi.advanceTimersByTimeAsync(30 * DAY_MS);
    stop.abort(new Error('enough'));
    await failed;
    expect(vi.getTimerCount()).toBe(0);
    await expect(sleep(1, stop.signal)).rejects.toThrow('enough');
  });
});
