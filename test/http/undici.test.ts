/** src/http/pool.ts imports two modules of undici by path, because loading its index costs every start 38 ms. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { buildConnector, Pool } from 'undici';
import buildConnect from 'undici/lib/core/connect.js';
import UndiciPool from 'undici/lib/dispatcher/pool.js';
import { expect, test } from 'vitest';
import { FILES, type Node, nodesOf, syntaxTree } from '../structure/source.ts';

test('the modules imported by path are what undici exports', () => {
  expect(UndiciPool).toBe(Pool);
  expect(buildConnect).toBe(buildConnector);
});

test('only one file imports undici', () => {
  const importers = FILES.filter((file) => !file.endsWith('.d.ts')).filter((file) =>
    [...nodesOf(syntaxTree(file))].some(
      ({ type, source }) =>
        type === 'ImportDeclaration' && String((source as { value?: unknown }).value).startsWith('undici'),
    ),
  );
  expect(importers).toEqual(['http/pool.ts']);
});

/** The names that a module takes from what it requires as `node:http`. */
function namesOfHttp(source: string): readonly string[] {
  const nodes = [...nodesOf(parseAst(source) as unknown as Node)];
  const declarators = nodes.filter(({ type, init }) => {
    const [argument] = ((init as Node | null)?.['arguments'] ?? []) as readonly Node[];
    return type === 'VariableDeclarator' && argument?.['value'] === 'node:http';
  });
  return declarators.flatMap(({ id }) => {
    const { name, properties } = id as { readonly name?: string; readonly properties?: readonly { key: Node }[] };
    if (properties !== undefined) return properties.map(({ key }) => String(key['name']));
    return nodes
      .filter(({ type, object }) => type === 'MemberExpression' && (object as Node)['name'] === name)
      .map(({ property }) => String((property as Node)['name']));
  });
}

test('the build leaves out nothing of node:http that undici uses', () => {
  const lib = dirname(createRequire(import.meta.url).resolve('undici/lib/core/connect.js'));
  const names = [lib, join(lib, '../dispatcher')]
    .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
    .flatMap((file) => namesOfHttp(readFileSync(file, 'utf8')));
  // scripts/build.mjs
  expect([...new Set(names)].sort()).toEqual(['IncomingMessage', 'maxHeaderSize']);
});
