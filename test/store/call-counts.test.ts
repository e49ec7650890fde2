import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CallCounts } from '../../src/store/call-counts.ts';
import { nameOwner } from '../../src/store/lock.ts';
import { lockContext, testFolder } from '../support/folder.ts';

const folder = testFolder();
const WINDOW = { cmd: 118, maxCalls: 10, windowMs: 60_000 };
const notices: string[] = [];

function countsAt(now: () => number = () => 1_000_000, state = folder.paths.state, more = {}): CallCounts {
  return new CallCounts('https://gateway.example.com', 't0ken', {
    ...lockContext,
    ...more,
    paths: { state },
    notice: (text) => void notices.push(text),
    now,
  });
}

async function takeTimes(counts: CallCounts, times: number) {
  const outcomes = [];
  for (let i = 0; i < times; i++) outcomes.push(await counts.take(WINDOW));
  return outcomes;
}

describe('the counts of calls', () => {
  it('allow exactly the calls of a window until its oldest call leaves it', async () => {
    let now = 1_000_000;
    const counts = countsAt(() => now);
    expect(counts.usage(WINDOW)).toEqual({ used: 0, freeAt: undefined });
    expect(await counts.take(WINDOW)).toBeUndefined();
    now += 1000;
    expect(await takeTimes(counts, 9)).toEqual(Array(9).fill(undefined));
    expect(await counts.take(WINDOW)).toBe(1_060_000);
    expect(counts.usage(WINDOW)).toEqual({ used: 10, freeAt: 1_060_000 });
    now = 1_060_000;
    expect(counts.usage(WINDOW)).toEqual({ used: 9, freeAt: undefined });
    expect(await counts.take(WINDOW)).toBeUndefined();
    expect(await counts.take(WINDOW)).toBe(1_061_000);
    expect(statSync(counts.path).mode & 0o777).toBe(0o600);
    expect(counts.path + readFileSync(counts.path, 'utf8')).not.toContain('t0ken');
  });

  it('never exceed the limit, whenever calls are made', async () => {
    let now = 1_000_000;
    const counts = countsAt(() => now);
    const taken: number[] = [];
    for (let i = 0; i < 100; i++) {
      if ((await counts.take(WINDOW)) === undefined) taken.push(now);
      now += (i * 7919) % 9000;
    }
    for (const at of taken) {
      expect(taken.filter((other) => other > at - WINDOW.windowMs && other <= at).length).toBeLessThanOrEqual(10);
    }
  });

  it('are those of all processes', async () => {
    const outcomes = await Promise.all(Array.from({ length: 15 }, () => countsAt().take(WINDOW)));
    expect(outcomes.filter((one) => one === undefined)).toHaveLength(10);
  });

  it('are full when the gateway says so, for that command only', async () => {
    const counts = countsAt();
    expect(await counts.fill(WINDOW)).toBe(1_060_000);
    expect(await counts.take(WINDOW)).toBe(1_060_000);
    expect(await counts.take({ ...WINDOW, cmd: 44 })).toBeUndefined();
  });

  it('start over from a file that svc did not write', async () => {
    for (const text of ['', '[]', '{"version":2,"calls":{}}', '{"version":1,"calls":{"118":"x"}}', '{"version":1}']) {
      const counts = countsAt();
      await counts.take(WINDOW);
      writeFileSync(counts.path, text);
      expect([text, counts.usage(WINDOW).used]).toEqual([text, 0]);
      expect(await counts.take(WINDOW)).toBeUndefined();
      expect(counts.usage(WINDOW).used).toBe(1);
    }
  });

  it('forget calls in the future, after the clock was set back', async () => {
    const later = countsAt(() => 9_000_000_000_000);
    await later.fill(WINDOW);
    expect(await countsAt().take(WINDOW)).toBeUndefined();
  });

  it('go on after a process died with their lock before the machine was started again', async () => {
    const counts = countsAt(undefined, undefined, { sleep: async () => {} });
    await counts.take(WINDOW);
    writeFileSync(`${counts.path}.lock`, JSON.stringify({ ...nameOwner(process), place: 'the boot before' }));
    expect(await counts.take(WINDOW)).toBeUndefined();
    expect(counts.usage(WINDOW).used).toBe(2);
  });

  it('delay nothing if the disk cannot be written', async () => {
    const file = join(folder.path, 'no-folder');
    writeFileSync(file, '');
    const counts = countsAt(undefined, file);
    expect(await takeTimes(counts, 12)).toEqual(Array(12).fill(undefined));
    expect(notices.at(-1)).toMatch(/^svc cannot count calls: /);
  });
});
