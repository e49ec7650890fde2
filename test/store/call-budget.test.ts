import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { budgetPath, CallBudgetFile } from '../../src/store/call-budget.ts';
import { lockContext, testFolder } from './folder.ts';

const folder = testFolder();
const WINDOW = { cmd: 118, maxCalls: 10, windowMs: 60_000 };

function budget(now: () => number = () => 1_000_000) {
  const path = budgetPath(folder.paths, 'https://gateway.example.com', 't0ken');
  return { path, file: new CallBudgetFile(path, { ...lockContext, now }) };
}

/** A lock's deadline needs a clock that runs; the budget's own is the test's. */
async function takeTimes(file: CallBudgetFile, times: number) {
  const outcomes = [];
  for (let i = 0; i < times; i++) outcomes.push(await file.take(WINDOW));
  return outcomes;
}

describe('CallBudgetFile', () => {
  it('allows exactly the calls of a window until its oldest call leaves it', async () => {
    let now = 1_000_000;
    const { file, path } = budget(() => now);
    expect(file.usage(WINDOW)).toEqual({ used: 0, freeAt: undefined });
    expect(await file.take(WINDOW)).toBeUndefined();
    now += 1000;
    expect(await takeTimes(file, 9)).toEqual(Array(9).fill(undefined));
    expect(await file.take(WINDOW)).toEqual({ freeAt: 1_060_000 });
    expect(file.usage(WINDOW)).toEqual({ used: 10, freeAt: 1_060_000 });
    now = 1_060_000;
    expect(file.usage(WINDOW)).toEqual({ used: 9, freeAt: undefined });
    expect(await file.take(WINDOW)).toBeUndefined();
    expect(await file.take(WINDOW)).toEqual({ freeAt: 1_061_000 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(path + readFileSync(path, 'utf8')).not.toContain('t0ken');
  });

  it('counts concurrent calls', async () => {
    const outcomes = await Promise.all(Array.from({ length: 15 }, () => budget().file.take(WINDOW)));
    expect(outcomes.filter((one) => one === undefined)).toHaveLength(10);
  });

  it('is full when the gateway says so, for that command only', async () => {
    const { file } = budget();
    expect(await file.fill(WINDOW)).toBe(1_060_000);
    expect(await file.take(WINDOW)).toEqual({ freeAt: 1_060_000 });
    expect(await file.take({ ...WINDOW, cmd: 44 })).toBeUndefined();
  });

  it('resets on request', async () => {
    const { file } = budget();
    await file.fill(WINDOW);
    await file.forget();
    expect(file.usage(WINDOW).used).toBe(0);
  });

  it.each(['', '{', '[]', '{"version":2,"calls":{}}', '{"version":1,"calls":{"118":"x"}}', '{"version":1}'])(
    'starts over from %j',
    async (text) => {
      const { file, path } = budget();
      await file.take(WINDOW);
      writeFileSync(path, text);
      expect(file.usage(WINDOW).used).toBe(0);
      expect(await file.take(WINDOW)).toBeUndefined();
      expect(file.usage(WINDOW).used).toBe(1);
    },
  );

  it('does not count calls in the future forever', async () => {
    const later = budget(() => 9_000_000_000_000);
    await later.file.fill(WINDOW);
    expect(await budget().file.take(WINDOW)).toBeUndefined();
  });
});
