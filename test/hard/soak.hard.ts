/** What runs for days: a flood of deliveries and of pushes, and memory that stays where it is. The senders are those of npm run bench. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { ROOT } from '../e2e/binary.ts';
import { counted, scaled } from './scale.ts';

/** Between a tenth of the way and the end. */
const MOST_GROWTH_MIB = 40;

interface Flood {
  readonly count: number;
  readonly mibAtTenth: number;
  readonly mib: number;
}

async function flood(program: string, count: number): Promise<Flood> {
  const child = spawn(process.execPath, [`${ROOT}/bench/${program}`, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(await text(child.stdout)) as Flood;
}

for (const [name, program, count] of [
  ['webhooks listen, with 500 half-open connections', 'listen.mjs', scaled(1_000_000)],
  ['trade stream', 'trade.mjs', scaled(8_000_000)],
] as const) {
  it(name, async ({ task }) => {
    const { mibAtTenth, mib, ...flooded } = await flood(program, count);
    // Nothing is dropped: every delivery gets a response, and the stream ends after the last push.
    expect(flooded.count).toBeGreaterThanOrEqual(count);
    expect(mib - mibAtTenth, `${mibAtTenth} MiB after a tenth, ${mib} MiB at most`).toBeLessThan(MOST_GROWTH_MIB);
    counted(task, flooded.count);
  });
}
