/** `--query`: JMESPath over the command's value. */
import { SvcError } from '../errors.ts';

export type Query = (value: unknown) => unknown;

/** Refuses a wrong expression, unknown functions included, before anything is asked of a service. */
export async function compileQuery(expression: string): Promise<Query> {
  const { compile, isRegistered, TreeInterpreter } = await import('@jmespath-community/jmespath');
  const tree = told(() => compile(expression));
  for (const name of functionNames(tree)) {
    if (!isRegistered(name)) throw queryError(`there is no function ${name}()`);
  }
  return (value) => told(() => TreeInterpreter.search(tree, value as Parameters<typeof TreeInterpreter.search>[1]));
}

function told<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
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
