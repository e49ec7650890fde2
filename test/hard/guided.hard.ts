/** A coverage-guided search for inputs that a parser cannot take, from the corpora of the repository. */
import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { search } from './guided.ts';
import { PARSERS } from './parsers.ts';
import { counted, scaled } from './scale.ts';

const EACH_MS = scaled(15_000);
const { SVC_SEED: wanted = 'random' } = process.env;
/** A library that warns would show the text as it is. */
const warned: string[] = [];
process.on('warning', ({ message }) => warned.push(message));
const totals = { branches: 0, corpusSize: 0, added: 0 };

for (const [corpus, { seeds, check }] of Object.entries(PARSERS)) {
  it(corpus, async ({ task }) => {
    const seed = wanted === 'random' ? randomInt(1, 0x7fff_ffff) : Number(wanted);
    const { runs, branches, corpusSize, added } = await search({ corpus, seeds, check, seed, ms: EACH_MS });
    counted(task, runs);
    // Without the counters nothing would guide it.
    expect(branches).toBeGreaterThan(1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(warned).toEqual([]);
    totals.branches += branches;
    totals.corpusSize += corpusSize;
    totals.added += added;
  });
}

it('in all', ({ task }) => {
  const { branches, corpusSize, added } = totals;
  task.meta.figures = `${Object.keys(PARSERS).length} parsers, ${branches} branches reached, ${corpusSize} inputs in the corpora, ${added} of them new`;
  expect(corpusSize).toBeGreaterThan(0);
});
