/** The options of a sandbox whose market moves. */
import { expect, test } from 'vitest';
import { svc } from '../../../support/svc.ts';

test.each([
  [['--volatility', '0'], '--volatility'],
  [['--seed', '-1'], '--seed'],
])('%j: exit 2, and nothing is started', async (args, reason) => {
  const { code, stderr } = await svc(['sandbox', 'run', ...args, '--', 'false']);
  expect(code).toBe(2);
  expect(stderr).toContain(reason);
});
