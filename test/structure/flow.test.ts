/** What decides what svc does next: codes and types, never the text of our own messages. */
import { describe, expect, it } from 'vitest';
import { FILES, type Node, nodesOf, syntaxTree } from './source.ts';

/** Files that read the text of somebody else's error, at the edge where it enters svc. */
const EDGES: Readonly<Record<string, string>> = {
  'features/trade/gateway/envelope.ts': 'what the gateway says, which becomes a fault here',
  'features/webhooks/api.ts': 'what the service says in an error of its own',
  'http/answers.ts': 'what a service says of a failure',
  'process/streams.ts': 'the error of the system, without its code and its call',
  'http/failures.ts': 'undici throws these two with a code that it gives other failures too',
};

const TEXT_METHODS = new Set([
  'endsWith',
  'exec',
  'includes',
  'indexOf',
  'localeCompare',
  'match',
  'matchAll',
  'replace',
  'replaceAll',
  'search',
  'slice',
  'split',
  'startsWith',
  'substring',
  'test',
]);

function readsText(node: unknown): boolean {
  const { type, property, expression, left, name } = node as Node;
  // Taken out of an error: `const { message } = error`.
  if (type === 'Identifier') return name === 'message' || name === 'hint';
  if (type === 'MemberExpression') return ['message', 'hint'].includes((property as { name?: string }).name ?? '');
  // `error?.message`, `error.message as string`, `error.hint!`, `error.hint ?? ''`
  if (type === 'LogicalExpression') return readsText(left);
  return expression !== undefined && expression !== null && readsText(expression);
}

/** A comparison, a search or a cut of a `.message` or `.hint`. To compare it with `undefined` or `null` only asks whether there is one. */
function decidesByText(node: Node): boolean {
  if (node.type === 'BinaryExpression' && /^[!=]==?$/.test(String(node['operator']))) {
    const sides = [node['left'], node['right']] as readonly Node[];
    const isAbsent = sides.some(
      ({ type, name, value }) => name === 'undefined' || (type === 'Literal' && value === null),
    );
    return !isAbsent && sides.some(readsText);
  }
  if (node.type === 'SwitchStatement') return readsText(node['discriminant']);
  if (node.type !== 'CallExpression') return false;
  const callee = node['callee'] as Node;
  if (callee.type !== 'MemberExpression' || !TEXT_METHODS.has((callee['property'] as { name?: string }).name ?? '')) {
    return false;
  }
  return readsText(callee['object']) || (node['arguments'] as readonly unknown[]).some(readsText);
}

describe('the text of a message or a hint', () => {
  const found = FILES.filter((file) => !file.startsWith('sandbox/')).flatMap((file) =>
    [...nodesOf(syntaxTree(file))].filter(decidesByText).map(() => file),
  );

  it('decides control flow only at the edges', () => {
    expect(found.filter((file) => EDGES[file] === undefined)).toEqual([]);
  });

  it('is read at each listed edge', () => {
    expect(new Set(found)).toEqual(new Set(Object.keys(EDGES)));
  });
});

describe('the proof of confirmation', () => {
  it('is created by ctx.confirm only', () => {
    const makers = FILES.filter((file) =>
      [...nodesOf(syntaxTree(file))].some(
        ({ type, typeAnnotation }) =>
          type === 'TSAsExpression' && JSON.stringify(typeAnnotation).includes('"name":"Confirmed"'),
      ),
    );
    expect(makers).toEqual(['cli/run-context.ts']);
  });
});
