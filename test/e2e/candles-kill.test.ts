/** `svc trade candles --out` as a process that is killed again and again. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CandleGateway, candleGateway, candlesOf } from '../features/trade/commands/candle-gateway.ts';
import { HOME, startSvc } from './binary.ts';

let served: CandleGateway;
beforeAll(async () => {
  served = await candleGateway();
});
afterAll(() => served[Symbol.asyncDispose]());

const RANGE = ['eurusd', 'm1', '--since', '2025-11-24', '--until', '2026-01-01', '--price', 'bid'];

/** Killed while the request of this number waits for its answer, or right after the answer; undefined: never. */
async function run(path: string, killAt?: number, delayMs?: number) {
  served.asked.length = 0;
  const running = startSvc(['trade', 'candles', ...RANGE, '--out', path, '--resume'], { env: served.env });
  served.answer = (request) => {
    if (served.asked.length === killAt) {
      if (delayMs === undefined) running.child.kill('SIGKILL');
      else setTimeout(() => running.child.kill('SIGKILL'), delayMs);
    }
    // However fast it is, it does not come to its end before it is killed.
    return killAt !== undefined && served.asked.length > killAt ? undefined : candlesOf(request);
  };
  return running.ended;
}

it('ends with the same file as an uninterrupted run', async () => {
  const whole = join(HOME, 'whole.csv');
  const path = join(HOME, 'killed.csv');
  expect(await run(whole)).toMatchObject({ code: 0 });
  expect(served.asked).toHaveLength(6);
  for (const [killAt, delay] of [[1], [2], [1, 0], [2, 4], [1, 10]] as const) {
    await run(path, killAt, delay);
  }
  expect(existsSync(`${path}.state.json`)).toBe(true);
  const { code, stderr } = await run(path);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(readFileSync(path).equals(readFileSync(whole))).toBe(true);
  expect(existsSync(`${path}.state.json`)).toBe(false);
});
