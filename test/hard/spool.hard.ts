/** kill -9 at random moments of `svc webhooks listen --spool`: no event is lost, and only one under way at a kill is repeated. */
import { expect, it } from 'vitest';
import { killSpool } from '../e2e/spool-kills.ts';
import { counted, scaled } from './scale.ts';

const KILLS = scaled(200);

it('a spool', async ({ task }) => {
  const { events, repeats } = await killSpool(KILLS, 40, Math.random);
  counted(task, KILLS);
  task.meta.figures = `${events} events, ${repeats} repeated`;
  expect(events).toBeGreaterThan(KILLS);
  // Each kill interrupts at most one request of the one target.
  expect(repeats).toBeLessThanOrEqual(KILLS);
});
