import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { connectPace, type PaceContext } from '../../src/store/connect-pace.ts';

const GATEWAY = new URL('https://gateway.test');
const START = Date.parse('2026-01-01T00:00:00Z');
let folder: string;
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-pace-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Clock {
  now: number;
  readonly notices: string[];
  readonly slept: number[];
  readonly context: PaceContext;
}

/** Time passes only while somebody sleeps. */
function clock(perMinute: string, state = join(folder, String(++count)), kind = 'profile'): Clock {
  const made: Clock = { now: START, notices: [], slept: [], context: undefined as never };
  const context = {
    paths: { state },
    settings: { get: () => perMinute, origin: () => ({ kind }) },
    signal: new AbortController().signal,
    pid: process.pid,
    now: () => made.now,
    random: () => 0.5,
    notice: (text: string) => made.notices.push(text),
    sleep: async (ms: number, signal?: AbortSignal) => {
      signal?.throwIfAborted();
      made.slept.push(ms);
      made.now += ms;
    },
  } as unknown as PaceContext;
  return Object.assign(made, { context });
}

const { signal } = new AbortController();

describe('the pace of connections', () => {
  test('does not delay the first of a minute; the next waits until the oldest is a minute old', async () => {
    const time = clock('3');
    const pace = connectPace(time.context, GATEWAY);
    for (let i = 0; i < 3; i++) {
      await pace.wait(signal);
      time.now += 1_000;
    }
    expect(time.slept).toEqual([]);
    await pace.wait(signal);
    expect(time.slept).toEqual([57_000]);
    expect(time.notices).toEqual([
      'waiting 57 s to connect: at most 3 connections a minute to gateway.test (setting trade.connectsPerMinute)',
    ]);
  });

  test('never exceeds the limit in a minute', async () => {
    const time = clock('4');
    const pace = connectPace(time.context, GATEWAY);
    const connects: number[] = [];
    for (let i = 0; i < 40; i++) {
      await pace.wait(signal);
      connects.push(time.now);
      time.now += (i * 7919) % 20_000;
    }
    for (const at of connects)
      expect(connects.filter((other) => other > at - 60_000 && other <= at).length).toBeLessThan(5);
  });

  test('processes at the same time take one slot each', async () => {
    const time = clock('2');
    const one = connectPace(time.context, GATEWAY);
    const other = clock('2', time.context.paths.state);
    await one.wait(signal);
    await connectPace(other.context, GATEWAY).wait(signal);
    const third = clock('2', time.context.paths.state);
    const fourth = clock('2', time.context.paths.state);
    const fifth = clock('2', time.context.paths.state);
    for (const { context } of [third, fourth, fifth]) await connectPace(context, GATEWAY).wait(signal);
    expect([third, fourth, fifth].map(({ slept }) => slept)).toEqual([[60_000], [60_000], [120_000]]);
  });

  test('is separate for each gateway, in files without its name', async () => {
    const time = clock('1');
    await connectPace(time.context, GATEWAY).wait(signal);
    await connectPace(time.context, new URL('https://other.test')).wait(signal);
    expect(time.slept).toEqual([]);
    const files = readdirSync(join(time.context.paths.state, 'trade'));
    expect(files).toHaveLength(2);
    for (const file of files) expect(file).toMatch(/^connects-[0-9a-f]{16}\.json$/);
  });

  test.each(['http://127.0.0.1:80', 'http://localhost:3000', 'https://[::1]:1'])(
    'does not apply to %s',
    async (address) => {
      const time = clock('1', undefined, 'default');
      const pace = connectPace(time.context, new URL(address));
      for (let i = 0; i < 50; i++) await pace.wait(signal);
      expect(time.slept).toEqual([]);
      expect(() => readdirSync(time.context.paths.state)).toThrow('ENOENT');
    },
  );

  test('applies to this machine if it is set', async () => {
    const time = clock('1');
    const pace = connectPace(time.context, new URL('http://127.0.0.1:80'));
    await pace.wait(signal);
    await pace.wait(signal);
    expect(time.slept).toEqual([60_000]);
  });

  test('does not delay protective connections, but counts them', async () => {
    const time = clock('2');
    const order = connectPace(time.context, GATEWAY, { waits: false });
    for (let i = 0; i < 5; i++) await order.wait(signal);
    expect(time.slept).toEqual([]);
    await connectPace(time.context, GATEWAY).wait(signal);
    expect(time.slept).toEqual([60_000]);
  });

  test('does not wait after the clock was set back by days', async () => {
    const time = clock('1');
    await connectPace(time.context, GATEWAY).wait(signal);
    time.now -= 3 * 86_400_000;
    await connectPace(time.context, GATEWAY).wait(signal);
    expect(time.slept).toEqual([]);
  });

  test.each(['', '{', '{"a":1}', '[null,"x",{}]'])('ignores a file with %j', async (content) => {
    const time = clock('1');
    const pace = connectPace(time.context, GATEWAY);
    await pace.wait(signal);
    const trade = join(time.context.paths.state, 'trade');
    writeFileSync(join(trade, readdirSync(trade)[0] ?? ''), content);
    await pace.wait(signal);
    expect(time.slept).toEqual([]);
  });

  test('reports a full disk and does not wait', async () => {
    const file = join(folder, 'no-folder');
    writeFileSync(file, '');
    const time = clock('1', file);
    const pace = connectPace(time.context, GATEWAY);
    await pace.wait(signal);
    await pace.wait(signal);
    expect(time.slept).toEqual([]);
    expect(time.notices[0]).toMatch(/^svc cannot count connections here: /);
  });

  test('ends the wait after an interruption', async () => {
    const time = clock('1');
    const pace = connectPace(time.context, GATEWAY);
    const reason = new SvcError('interrupted', 'interrupted');
    await pace.wait(signal);
    await expect(pace.wait(AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
