/** JMESPath expressions of `--query`. */
import { SvcError } from '../errors.ts';
import { exactMean, exactSum } from './decimal.ts';

type Query = (value: unknown) => unknown;

/** Refuses an invalid expression, including unknown functions, before any request. */
export async function compileQuery(expression: string): Promise<Query> {
  const jmespath = await import('@jmespath-community/jmespath');
  const { TreeInterpreter } = jmespath;
  for (const [name, compute] of Object.entries(SUMS)) {
    jmespath.registerFunction(
      name,
      ([values]) => compute(values as readonly number[]),
      [{ types: [jmespath.TYPE_ARRAY_NUMBER] }],
      { override: true },
    );
  }
  const tree = refuseFaults(() => jmespath.compile(expression), languageHint(expression));
  checkTokens(jmespath.tokenize(expression), jmespath.isRegistered);
  return (value) =>
    refuseFaults(() => TreeInterpreter.search(tree, value as Parameters<typeof TreeInterpreter.search>[1]));
}

/** Sums are decimal: money has no binary remainders. */
const SUMS: Readonly<Record<string, (values: readonly number[]) => number | null>> = {
  sum: exactSum,
  avg: (values) => (values.length === 0 ? null : exactMean(values)),
};

const COMPARATORS: readonly unknown[] = ['EQ', 'NE', 'LT', 'LTE', 'GT', 'GTE'];

/** Refuses what the parser accepts, and what would show after the response only, or never. */
function checkTokens(
  tokens: readonly { readonly type: string; readonly value: unknown }[],
  isFunction: (name: string) => boolean,
): void {
  for (const [index, { type, value }] of tokens.entries()) {
    const name = String(value);
    const next = tokens[index + 1]?.type;
    if (type === 'UnquotedIdentifier' && next === 'Lparen' && !isFunction(name)) {
      throw queryError(`there is no function ${name}()`);
    }
    // In jq and most languages, double quotes there make a text.
    const isCompared = COMPARATORS.includes(tokens[index - 1]?.type) && next !== 'Dot' && next !== 'Lbracket';
    if (type === 'QuotedIdentifier' && isCompared) {
      throw queryError(
        `${JSON.stringify(name)}, in double quotes, is the name of a field`,
        `write the text as '${name}'; a field belongs on the left of a comparison`,
      );
    }
  }
}

function refuseFaults<T>(work: () => T, hint?: string): T {
  try {
    return work();
  } catch (error) {
    throw queryError(error instanceof Error ? error.message : String(error), hint);
  }
}

const LANGUAGE = 'the language is JMESPath, see https://jmespath.org';

function languageHint(expression: string): string {
  if (/^\s*\./.test(expression)) return 'the language is JMESPath: [].a for .[].a in jq; or pipe -o json to jq';
  return expression.includes('`') ? "write texts in single quotes: 'a'; backticks are for JSON: `1`" : LANGUAGE;
}

function queryError(reason: string, hint = LANGUAGE): SvcError {
  return new SvcError('usage', `--query: ${reason}`, { hint });
}
