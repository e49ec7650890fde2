// Run before every file of tests, to note which mutants it reaches.
import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const reached = new Set();
globalThis.__reached = (id) => reached.add(id);

afterAll(() => {
  const { testPath } = expect.getState();
  appendFileSync(process.env.SVC_REACHED, `${JSON.stringify({ file: testPath, ids: [...reached] })}\n`);
});
