/** src/http/pool.ts imports two modules of undici by path, because loading its index costs every start 38 ms. */
import { buildConnector, Pool } from 'undici';
import buildConnect from 'undici/lib/core/connect.js';
import UndiciPool from 'undici/lib/dispatcher/pool.js';
import { expect, test } from 'vitest';
import { FILES, nodesOf, syntaxTree } from '../structure/source.ts';

test('the modules imported by path are what undici exports', () => {
  expect(UndiciPool).toBe(Pool);
  expect(buildConnect).toBe(buildConnector);
});

test('one file imports undici', () => {
  const importers = FILES.filter((file) => !file.endsWith('.d.ts')).filter((file) =>
    [...nodesOf(syntaxTree(file))].some(
      ({ type, source }) =>
        type === 'ImportDeclaration' && String((source as { value?: unknown }).value).startsWith('undici'),
    ),
  );
  expect(importers).toEqual(['http/pool.ts']);
});
