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

test.each(['json', 'lines', 'table'])('%s loads no package, and no other format', (module) => {
  const loaded = [...loadedWith(`${SOURCE}/render.ts`), ...loadedWith(`${SOURCE}/${module}.ts`)];
  expect(loaded).toContain(`${SOURCE}/escape.ts`);
  expect(loaded.filter((path) => !path.startsWith('/') && !path.startsWith('node:'))).toEqual([]);
  // Records and the failures of tables print plain lines.
  const others = ['json', 'lines', 'yaml', 'table'].filter((name) => name !== module && module + name !== 'tablelines');
  for (const other of others) expect(loaded).not.toContain(`${SOURCE}/${other}.ts`);
});
