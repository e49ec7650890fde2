/** What the linter cannot say of the tests: a function that declares tests may be long, no other may. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, it } from 'vitest';
import { type Node, nodesOf } from './source.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MOST_LINES = 60;
const MOST_TEST_LINES = 60_000;

const FILES = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'test'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(ts|mjs|cjs)$/.test(file) && !file.endsWith('.d.ts'));

it('no function is longer than 60 lines, but for those that declare tests', () => {
  const long = FILES.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const tree = parseAst(text, { lang: 'ts' }) as unknown as Node;
    return [...nodesOf(tree)]
      .filter((node) => isFunction(node) && !declaresTests(node))
      .map((node) => ({ from: lineAt(text, node['start']), to: lineAt(text, node['end']) }))
      .filter(({ from, to }) => to - from >= MOST_LINES)
      .map(({ from, to }) => `${file}:${from}: ${to - from + 1} lines`);
  });
  expect(long).toEqual([]);
});

it('the tests do not grow', () => {
  const lines = FILES.map((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(MOST_TEST_LINES);
});

const isFunction = ({ type }: Node): boolean => /Function(Declaration|Expression)$/.test(type);

/** A block of `describe`, or a function that declares the same tests for several servers. */
function declaresTests(node: Node): boolean {
  return [...nodesOf(node['body'] as Node, isFunction)].some(
    ({ type, callee }) =>
      type === 'CallExpression' && /^(it|test|describe|\w+Everywhere)$/.test(firstName(callee as Node)),
  );
}

/** `it` of `it(…)`, `it.each(…)(…)` and `it.skipIf(…)(…)`. */
function firstName(callee: Node): string {
  if (callee.type === 'Identifier') return String(callee['name']);
  const inner = callee['callee'] ?? callee['object'];
  return inner === undefined ? '' : firstName(inner as Node);
}

function lineAt(text: string, offset: unknown): number {
  return text.slice(0, Number(offset)).split('\n').length;
}
