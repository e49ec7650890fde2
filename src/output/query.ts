/** `--query`: JMESPath over the command's value. */
import { SvcError } from '../errors.ts';

export type Query = (value: unknown) => unknown;

/** Refuses a wrong expression, unknown functions included, before anything is asked of a service. */
export async function compileQuery(expression: string): Promise<Query> {
  const { compile, isRegistered, registerFunction, TreeInterpreter, TYPE_ANY } = await import(
    '@jmespath-community/jmespath'
  );
  const tree = refusing(() => compile(expression));
  for (const name of functionNames(tree)) {
    if (!isRegistered(name)) throw queryError(`there is no function ${name}()`);
  }
  const any = { types: [TYPE_ANY] };
  for (const [name, compare] of Object.entries(ORDERINGS)) {
    registerFunction(name, ([left, right]) => ordered(left, right, name, compare), [any, any], { override: true });
  }
  const checked = withOrderings(tree) as typeof tree;
  return (value) =>
    refusing(() => TreeInterpreter.search(checked, value as Parameters<typeof TreeInterpreter.search>[1]));
}

/** By names that no expression can call. */
const ORDERINGS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

const SIGNS: Readonly<Record<string, string>> = { LT: '<', LTE: '<=', GT: '>', GTE: '>=' };

/** JMESPath orders numbers only, and gives null for all else: in a filter that reads as "no such rows". */
function withOrderings(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(withOrderings);
  if ('type' in node && node.type === 'Literal') return node;
  const inner = Object.fromEntries(Object.entries(node).map(([key, part]) => [key, withOrderings(part)]));
  const sign = inner['type'] === 'Comparator' ? SIGNS[String(inner['name'])] : undefined;
  return sign === undefined ? inner : { type: 'Function', name: sign, children: [inner['left'], inner['right']] };
}

/** What is missing is in no order: a row without the field is none of those that are wanted. */
function ordered(left: unknown, right: unknown, sign: string, compare: (left: number, right: number) => boolean) {
  if (typeof left === 'number' && typeof right === 'number') return compare(left, right);
  if (left === null || left === undefined || right === null || right === undefined) return null;
  const other = JSON.stringify(typeof left === 'number' ? right : left).slice(0, 60);
  throw new SvcError('usage', `--query: ${sign} compares numbers only, and ${other} is none`, {
    hint: 'for texts and times write max([a, b]) == a instead of a >= b, or starts_with(a, b); --sort orders them',
  });
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof SvcError) throw error;
    throw queryError(error instanceof Error ? error.message : String(error));
  }
}

function queryError(reason: string): SvcError {
  return new SvcError('usage', `--query: ${reason}`, { hint: 'the language is JMESPath, see https://jmespath.org' });
}

/** The parser takes any name for a function; only the interpreter would notice, once an answer is there. */
function functionNames(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  if ('type' in node && node.type === 'Literal') return [];
  const own = 'type' in node && node.type === 'Function' && 'name' in node ? [String(node.name)] : [];
  return [...own, ...Object.values(node).flatMap(functionNames)];
}
