/** The exit statuses that a command declares, held to its own code and to its own words. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_KINDS, type ErrorCode } from '../../src/errors.ts';
import { commandTree } from '../../src/reference/tree.ts';
import { GROUPS } from '../../src/registry.ts';

const COMMANDS = join(import.meta.dirname, '../../src/commands');
/** Codes that no service and no effect explain. */
const OWN = new Set(
  (Object.keys(ERROR_KINDS) as ErrorCode[]).filter((code) => [1, 9, 10].includes(ERROR_KINDS[code].exit)),
);

const sources = new Map(
  readdirSync(COMMANDS, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(COMMANDS, file), 'utf8'))
    .map((text) => [/^ {2}id: '([^']+)'/m.exec(text)?.[1], text] as const),
);
const commands = (await commandTree(GROUPS)).groups.flatMap((group) => group.commands);

describe.each(commands)('svc $id', ({ id, description, exitStatuses }) => {
  it('declares the statuses that its code has', () => {
    const text = sources.get(id) ?? '';
    expect(text).not.toBe('');
    const [before = '', , after = ''] = text.split(/(^ {2}exits: .*$)/m);
    const used = [...(before + after).matchAll(/'([a-z_]+)'/g)].map(([, word]) => word as ErrorCode);
    const bulk = /cli\/bulk\.ts/.test(text) ? (['partly_done'] as const) : [];
    const needed = [...used.filter((code) => OWN.has(code)), ...bulk].map((code) => ERROR_KINDS[code].exit);
    expect(exitStatuses).toEqual(expect.arrayContaining(needed));
  });

  it('declares the statuses that it tells of', () => {
    const told = [...(description ?? '').matchAll(/\bexit(?: status)? (\d+)\b/gi)].map(([, status]) => Number(status));
    expect(exitStatuses).toEqual(expect.arrayContaining(told));
  });
});
