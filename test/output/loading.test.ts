import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = resolve(import.meta.dirname, '../../src/output');

/** Every module that comes with `entry`: what it imports statically, types left out. */
function loadedWith(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  if (!entry.startsWith('/')) return seen;
  const text = readFileSync(entry, 'utf8');
  for (const [, clause = '', from = ''] of text.matchAll(/^(?:import|export) ([^;]*?) from '([^']+)';/gm)) {
    if (!clause.startsWith('type ')) loadedWith(from.startsWith('.') ? resolve(dirname(entry), from) : from, seen);
  }
  return seen;
}

test.each(['json', 'ndjson', 'csv', 'tsv', 'id', 'table'])('-o %s loads no package, and no other format', (format) => {
  const loaded = [...loadedWith(`${SOURCE}/render.ts`), ...loadedWith(`${SOURCE}/${format}.ts`)];
  expect(loaded).toContain(`${SOURCE}/escape.ts`);
  expect(loaded.filter((module) => !module.startsWith('/') && !module.startsWith('node:'))).toEqual([]);
  const others = ['json', 'ndjson', 'csv', 'tsv', 'yaml', 'id', 'table', 'record'].filter((name) => name !== format);
  for (const other of others) expect(loaded).not.toContain(`${SOURCE}/${other}.ts`);
});
