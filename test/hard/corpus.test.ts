/** What the guided search of the long suites has found, once more: nothing but a refusal, and what is printed is read again. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { corpusOf } from './guided.ts';
import { PARSERS } from './parsers.ts';

/** A library that warns would show the text as it is. */
const warned: string[] = [];
const note = ({ message }: Error) => warned.push(message);
beforeAll(() => process.on('warning', note));
afterAll(() => process.off('warning', note));

it.each(Object.entries(PARSERS))('%s', async (name, { seeds, check }) => {
  const corpus = corpusOf(name);
  for (const input of [...seeds.map((one) => Buffer.from(one as string)), ...corpus]) await check(input);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warned).toEqual([]);
});

it('has no corpus without a parser', () => {
  const names = readdirSync(new URL('corpus', import.meta.url)).map((name) => name.replace('.ndjson', ''));
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !Object.hasOwn(PARSERS, name))).toEqual([]);
});
