/** Compares the exit statuses that a command declares with its code and its help. */
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildCommandTree, type CommandNode } from '../../../src/cli/reference/tree.ts';
import { ERROR_KINDS, type ErrorCode } from '../../../src/errors.ts';
import { GROUPS } from '../../../src/features/index.ts';
import { FILES, importsOf, type Node, nodesOf, syntaxTree } from '../../structure/source.ts';

/** Codes that no service and no effect explain. */
const OWN = new Set(
  (Object.keys(ERROR_KINDS) as ErrorCode[]).filter((code) => [1, 9, 10].includes(ERROR_KINDS[code].exit)),
);

const literals = (tree: Node, skip?: (node: Node) => boolean): readonly unknown[] =>
  [...nodesOf(tree, skip)].filter(({ type }) => type === 'Literal').map(({ value }) => value);

const isProperty = (node: Node, name: string): boolean =>
  node.type === 'Property' && (node['key'] as { readonly name?: string }).name === name;

/** The file that each command is loaded from, as the indexes of the groups say. */
const files = new Map(FILES.filter((file) => /^features\/(\w+\/)?index\.ts$/.test(file)).flatMap(loadedFiles));

function loadedFiles(index: string): readonly (readonly [id: string, file: string])[] {
  const [, group] = /^features\/(\w+)\//.exec(index) ?? [];
  return [...nodesOf(syntaxTree(index))].flatMap((node) => {
    const [file] = node.type === 'Property' ? [...nodesOf(node)].filter(({ type }) => type === 'ImportExpression') : [];
    if (file === undefined) return [];
    const key = node['key'] as { readonly name?: string; readonly value?: string };
    const name = String(key.name ?? key.value);
    const path = String((file['source'] as { readonly value: string }).value).replace('./', '');
    return [[group === undefined ? name : `${group} ${name}`, join(dirname(index), path)] as const];
  });
}

const commands = (await buildCommandTree(GROUPS)).groups.flatMap((group) => group.commands);

/** What a command needs and does not declare, by its name. */
function undeclared(
  neededBy: (command: CommandNode) => readonly number[],
): Readonly<Record<string, readonly number[]>> {
  const missing = commands.map((command) => {
    return [command.id, neededBy(command).filter((status) => !command.exitStatuses.includes(status))] as const;
  });
  return Object.fromEntries(missing.filter(([, statuses]) => statuses.length > 0));
}

describe('every command', () => {
  it('declares the exit statuses that its code can produce', () => {
    expect(commands.length).toBeGreaterThan(100);
    expect(
      undeclared(({ id }) => {
        const file = files.get(id);
        if (file === undefined) throw new Error(`no file declares ${id}`);
        const used = literals(syntaxTree(file), (node) => isProperty(node, 'exits')) as readonly ErrorCode[];
        const bulk = importsOf(file).some(({ to }) => to === 'cli/bulk.ts') ? (['partly_done'] as const) : [];
        return [...used.filter((code) => OWN.has(code)), ...bulk].map((code) => ERROR_KINDS[code].exit);
      }),
    ).toEqual({});
  });

  it('declares the exit statuses that its help names', () => {
    expect(
      undeclared(({ description }) => {
        const named = (description ?? '').matchAll(/\bexit(?: status)? (\d+)\b/gi);
        return [...named].map(([, status]) => Number(status));
      }),
    ).toEqual({});
  });
});
