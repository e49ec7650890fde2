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

/** The number of the next branch: one series for all modules. */
let next = 0;

/** The code with a call of `__reached(n)` in every branch, and its string literals for the mutator. */
export function instrumented(code: string): string {
  const inserted: (readonly [at: number, text: string])[] = [];
  const texts = new Set<string>();
  const count = (): string => `__reached(${next++})`;
  const statement = (node: unknown): void => {
    if (!isNode(node)) return;
    if (node.type === 'BlockStatement') inserted.push([node.start + 1, `${count()};`]);
    else inserted.push([node.start, `{${count()};`], [node.end, '}']);
  };
  const expression = (node: unknown): void => {
    if (isNode(node)) inserted.push([node.start, `(${count()},`], [node.end, ')']);
  };
  const visit = (node: Node): void => {
    const { type } = node;
    if (type === 'Literal' && typeof node['value'] === 'string' && node['value'].length <= 40) texts.add(node['value']);
    if (type === 'IfStatement') {
      statement(node['consequent']);
      statement(node['alternate']);
    } else if (/^(For|While|DoWhile|ForIn|ForOf)Statement$/.test(type)) statement(node['body']);
    else if (type === 'CatchClause' || type === 'FunctionDeclaration' || type === 'FunctionExpression') {
      statement(node['body']);
    } else if (type === 'ArrowFunctionExpression') {
      const { body } = node as unknown as { readonly body: Node };
      if (body.type === 'BlockStatement') statement(body);
      else expression(body);
    } else if (type === 'ConditionalExpression') {
      expression(node['consequent']);
      expression(node['alternate']);
    } else if (type === 'LogicalExpression') expression(node['right']);
    else if (type === 'SwitchCase') {
      const [first] = node['consequent'] as readonly Node[];
      if (first !== undefined) inserted.push([first.start, `${count()};`]);
    }
    for (const value of Object.values(node)) {
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child);
    }
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
