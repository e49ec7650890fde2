import { SvcError } from '../../errors.ts';

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

/**
 * Whether all matchers match labels that no alert of the server has; a missing label is an empty one. The server's regular
 * expressions are RE2: one that may mean something else to JavaScript is refused with `guarded`.
 */
export function matchesLabels(matchers: readonly Matcher[], labels: Readonly<Record<string, string>>): boolean {
  // What an equality decides, no regular expression has to.
  const [plain, patterns] = [matchers.filter(({ isRegex }) => !isRegex), matchers.filter(({ isRegex }) => isRegex)];
  return [...plain, ...patterns].every((matcher) => matches(matcher, labels));
}

function matches(matcher: Matcher, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, matcher.name) ? (labels[matcher.name] ?? '') : '';
  const equal = matcher.isRegex ? matchesPattern(matcher, value) : value === matcher.value;
  return equal === matcher.isEqual;
}

function matchesPattern(matcher: Matcher, value: string): boolean {
  if (!COMMON.test(matcher.value) || !PRINTABLE.test(value)) throw unsure(matcher);
  let pattern: RegExp;
  try {
    pattern = new RegExp(`^(?:${matcher.value})$`);
  } catch {
    throw unsure(matcher); // unbalanced
  }
  return pattern.test(value);
}

const LITERAL = String.raw`[A-Za-z0-9_ \-:/@,=<>"'%&#;~!]`;
const ESCAPED = String.raw`\\[!-/:-@[-\`{-~]`;
const DIGIT_OR_WORD = String.raw`\\[dDwW]`;
const CLASS = String.raw`\[\^?(?:[A-Za-z0-9_](?:-[A-Za-z0-9])?|[ .:/@]|${ESCAPED}|\\[dw])+\]`;
/**
 * Literals, dots, simple classes, each perhaps repeated, in alternatives and groups. A group is not repeated: what is nested so
 * can take JavaScript for ever, and the text comes from the service.
 */
const COMMON = new RegExp(
  String.raw`^(?:(?:${LITERAL}|${ESCAPED}|${DIGIT_OR_WORD}|${CLASS}|\.)[*+?]?|\((?:\?:)?|\)(?![*+?{])|\|)*$`,
);
/** A dot leaves out other line ends in JavaScript than in RE2. */
const PRINTABLE = /^[\x20-\x7e]*$/;

function unsure(matcher: Matcher): SvcError {
  return new SvcError('guarded', `only the server can tell what ${formatMatcher(matcher)} matches`);
}
