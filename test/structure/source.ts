/** The source files under src/, and their syntax trees as the bundler parses them. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

const SRC = resolve(import.meta.dirname, '../../src');

export type Node = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Import {
  readonly from: string;
  readonly to: string;
}

/** Paths under src/, sorted. */
export const FILES: readonly string[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .sort();

const trees = new Map<string, Node>();

export function syntaxTree(file: string): Node {
  const known = trees.get(file);
  if (known !== undefined) return known;
  const tree = parseAst(readFileSync(join(SRC, file), 'utf8'), { lang: 'ts' }) as unknown as Node;
  trees.set(file, tree);
  return tree;
}

/** Every node of a tree, parents first, without the nodes that `skip` selects and their children. */
export function* nodesOf(node: Node, skip: (node: Node) => boolean = () => false): Generator<Node> {
  if (skip(node)) return;
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* nodesOf(child, skip);
  }
}

/** The files that a file imports: static, dynamic, type-only and re-exported. */
export function importsOf(from: string): readonly Import[] {
  return [...nodesOf(syntaxTree(from))]
    .map(({ source, type }) => (isNode(source) && SOURCES.has(type) ? source['value'] : undefined))
    .filter((source) => typeof source === 'string' && source.startsWith('.'))
    .map((source) => ({ from, to: relative(SRC, resolve(SRC, dirname(from), String(source))) }));
}

/** The calls of `listCommand` and its siblings: one in each file of a command. */
export function declarationsIn(file: string): readonly Node[] {
  if (!/^features\/\w+\/commands\//.test(file)) return [];
  return [...nodesOf(syntaxTree(file))].filter(
    ({ type, callee }) =>
      type === 'CallExpression' &&
      /^(list|record|chart|text|change)Command$/.test((callee as { name?: string }).name ?? ''),
  );
}

const SOURCES = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
