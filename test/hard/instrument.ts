/** Counts every branch of a module: the guided suite keeps inputs that reach new ones. */
import { parseAst } from 'rolldown/parseAst';

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** The fields of a node that are executed or not. */
const BRANCHES: readonly (readonly [type: RegExp, ...fields: string[]])[] = [
  [/^(If|Conditional)(Statement|Expression)$/, 'consequent', 'alternate'],
  [/^(For|While|DoWhile|ForIn|ForOf)Statement$/, 'body'],
  [/^(CatchClause|FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/, 'body'],
  [/^LogicalExpression$/, 'right'],
];

function branchesOf(node: Node): readonly Node[] {
  if (node.type === 'SwitchCase') return (node['consequent'] as readonly Node[]).slice(0, 1);
  const [, ...fields] = BRANCHES.find(([type]) => type.test(node.type)) ?? [];
  return fields.map((field) => node[field]).filter(isNode);
}

/** The number of the next branch: one series for all modules. */
let next = 0;

/** The code with a call of `__reached(n)` in every branch, and its string literals for the mutator. */
export function instrumented(code: string): string {
  const inserted: (readonly [at: number, text: string])[] = [];
  const texts = new Set<string>();
  const count = (): string => `__reached(${next++})`;
  const statement = (node: Node): void => {
    if (node.type === 'BlockStatement') inserted.push([node.start + 1, `${count()};`]);
    else inserted.push([node.start, `{${count()};`], [node.end, '}']);
  };
  const expression = (node: Node): void => {
    inserted.push([node.start, `(${count()},`], [node.end, ')']);
  };
  const visit = (node: Node): void => {
    const { type } = node;
    if (type === 'Literal' && typeof node['value'] === 'string' && node['value'].length <= 40) texts.add(node['value']);
    for (const branch of branchesOf(node)) {
      const isStatement = /Statement$/.test(branch.type) || type === 'SwitchCase';
      if (isStatement) statement(branch);
      else expression(branch);
    }
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child);
  };
  visit(parseAst(code) as unknown as Node);
  // At one position, insertions keep their order; closing ones are reversed.
  const opening = inserted.filter(([, text]) => !/^[)}]$/.test(text));
  const closing = inserted.filter(([, text]) => /^[)}]$/.test(text)).reverse();
  const sorted = [...closing, ...opening].sort(([one], [other]) => one - other);
  let from = 0;
  let result = `const __reached = globalThis.__reached; globalThis.__texts(${JSON.stringify([...texts])}); `;
  for (const [at, text] of sorted) {
    result += code.slice(from, at) + text;
    from = at;
  }
  return result + code.slice(from);
}
