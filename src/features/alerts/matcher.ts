/** A matcher and its one canonical spelling, which every grammar of the service reads the same way. */
// A type, not an interface: only so can it stand where the service's own matcher, with unknown fields, is expected.
export type Matcher = {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
};

export const OPERATORS = ['=', '!=', '=~', '!~'] as const;
export type Operator = (typeof OPERATORS)[number];

const CLASSIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

export function matcher(name: string, operator: Operator, value: string): Matcher {
  return { name, value, isRegex: operator.includes('~'), isEqual: operator.startsWith('=') };
}

/** A matcher as the service sends it: `isEqual` may be missing and is then true (doc 1 §2). */
export function matcherFrom(
  wire: Omit<Matcher, 'isEqual'> & { readonly isEqual?: boolean | null | undefined },
): Matcher {
  return { name: wire.name, value: wire.value, isRegex: wire.isRegex, isEqual: wire.isEqual ?? true };
}

export function operatorOf(of: Matcher): Operator {
  if (of.isEqual) return of.isRegex ? '=~' : '=';
  return of.isRegex ? '!~' : '!=';
}

/** In double quotes with only `\`, `"` and the line feed escaped: more escapes would not mean the same to old servers. */
function quote(text: string): string {
  return `"${text.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))}"`;
}

export function formatMatcher(of: Matcher): string {
  const name = CLASSIC_NAME.test(of.name) ? of.name : quote(of.name);
  return `${name}${operatorOf(of)}${quote(of.value)}`;
}

/** As one argument of the command line, or as a person reads a silence: `{a="b",c=~"d"}`. */
export function formatMatchers(matchers: readonly Matcher[]): string {
  return `{${matchers.map(formatMatcher).join(',')}}`;
}

/** Whether both lists mean the same: order and repetition do not matter. */
export function sameMatchers(a: readonly Matcher[], b: readonly Matcher[]): boolean {
  const left = new Set(a.map(formatMatcher));
  const right = new Set(b.map(formatMatcher));
  return left.size === right.size && [...left].every((text) => right.has(text));
}
