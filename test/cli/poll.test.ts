import { describe, expect, test } from 'vitest';
import { type PollOptions, poll, type Reading } from '../../src/cli/poll.ts';
import { SvcError } from '../../src/errors.ts';

const AWAY = () => new SvcError('connect_failed', 'nothing is there');

interface Trial {
  readonly readAt: number[];
  readonly readings: Reading<number>[];
  readonly notices: string[];
  readonly failure: unknown;
}

/** Runs the loop with its own clock. `read` gets the number of earlier reads. */
async function trial(
  options: PollOptions,
  read: (index: number) => number | Promise<number>,
  { readMs = 0, most = Number.POSITIVE_INFINITY, signal = new AbortController().signal, onSleep = () => {} } = {},
): Promise<Trial> {
  let clock = 1000;
  const result = { readAt: [] as number[], readings: [] as Reading<number>[], notices: [] as string[] };
  const ctx = {
    now: () => clock,
    signal,
    notice: (text: string) => void result.notices.push(text),
    sleep: async (ms: number) => {
      onSleep();
      signal.throwIfAborted();
      clock += ms;
    },
  };
  const reader = async () => {
    result.readAt.push(clock - 1000);
    clock += readMs;
    return read(result.readAt.length - 1);
  };
  try {
    for await (const reading of poll(reader, options, ctx)) {
      result.readings.push(reading);
      if (result.readings.length >= most) break;
    }
    return { ...result, failure: undefined };
  } catch (failure) {
    return { ...result, failure };
  }
}

describe('a poll reads', () => {
  test.each([
    [{ intervalMs: 5000, waitMs: 12_000 }, [0, 5000, 10_000, 12_000]],
    [{ intervalMs: 5000, waitMs: 10_000 }, [0, 5000, 10_000]],
    [{ intervalMs: 5000, waitMs: 0 }, [0]],
  ])('with %j at %j ms', async (options, readAt) => {
    expect((await trial(options, () => 1)).readAt).toEqual(readAt);
  });

  test('an interval after the end of the last read, so never twice at once', async () => {
    const { readAt } = await trial({ intervalMs: 5000, waitMs: 12_000 }, () => 1, { readMs: 2000 });
    expect(readAt).toEqual([0, 7000, 12_000]);
  });

  test('an unreachable service every second for a minute', async () => {
    const read = (index: number) => (index < 62 ? Promise.reject(AWAY()) : index);
    const { readAt } = await trial({ intervalMs: 5000 }, read, { most: 64 });
    const pauses = readAt.slice(1).map((at, index) => at - (readAt[index] ?? 0));
    expect(pauses).toEqual([...Array<number>(60).fill(1000), 5000, 5000, 5000]);
  });

  test('a service that limits calls less and less often, but at least once a minute', async () => {
    const limited = () => Promise.reject(new SvcError('limited', 'too many calls'));
    const { readAt } = await trial({ intervalMs: 5000 }, limited, { most: 6 });
    expect(readAt).toEqual([0, 10_000, 30_000, 70_000, 130_000, 190_000]);
    const rare = await trial({ intervalMs: 90_000 }, limited, { most: 3 });
    expect(rare.readAt).toEqual([0, 90_000, 180_000]);
  });
});

describe('the values of a poll', () => {
  test('have times; transient failures are reported once', async () => {
    const script = [1, AWAY(), AWAY(), 2, AWAY(), 3];
    const read = (index: number) => {
      const next = script[index] ?? 0;
      return next instanceof SvcError ? Promise.reject(next) : next;
    };
    const { readings, notices } = await trial({ intervalMs: 1000 }, read, { most: 6 });
    expect(readings.map(({ at, value, trouble }) => [at, value ?? trouble?.code])).toEqual([
      [1000, 1],
      [2000, 'connect_failed'],
      [3000, 'connect_failed'],
      [4000, 2],
      [5000, 'connect_failed'],
      [6000, 3],
    ]);
    expect(readings.map(({ outage }) => outage?.event)).toEqual([
      undefined,
      'unreachable',
      undefined,
      'recovered',
      'unreachable',
      'recovered',
    ]);
    const [away, back] = ['nothing is there; waiting for it', 'the service responds again'];
    expect(notices).toEqual([away, back, away, back]);
  });

  test('end with a permanent failure', async () => {
    for (const error of [new SvcError('unauthorized', 'no'), new TypeError('a bug')]) {
      const { readAt, failure } = await trial({ intervalMs: 1000 }, (index) => (index < 2 ? 1 : Promise.reject(error)));
      expect([readAt.length, failure]).toEqual([3, error]);
    }
  });

  test.each([0, 2500])('end after %d ms with a value or a failure', async (waitMs) => {
    const error = AWAY();
    const away = await trial({ intervalMs: 1000, waitMs }, () => Promise.reject(error), { readMs: 7 });
    expect(away.failure).toBe(error);
    const back = await trial(
      { intervalMs: 1000, waitMs },
      (index) => (index < 1 && waitMs > 0 ? Promise.reject(error) : 5),
      { readMs: 7 },
    );
    expect([back.failure, back.readings.at(-1)?.value]).toEqual([undefined, 5]);
  });
});
