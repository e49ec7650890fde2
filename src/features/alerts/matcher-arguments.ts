/**
 * Matchers and labels in the service's default grammar. svc takes a text only if it has one meaning. What may be
 * several matchers, several values or a pattern is refused, with how to write it.
 */
import { SvcError } from '../../errors.ts';
import { shellWord } from '../../output/escape.ts';
import {
  formatMatcher,
  type Matcher,
  matcher,
  type Operator,
  operatorOf,
  parseClassic,
  parseFallback,
  splitList,
} from './matcher.ts';

type Notice = (text: string) => void;

/** All of them must match one alert, which has one value of each label. */
export function parseMatcherArguments(args: readonly string[], notice?: Notice): Matcher[] {
  const matchers = args.flatMap((text, index) => parseArgument(text, index === 0, notice));
  for (const { name } of matchers) {
    const exact = matchers.filter((of) => of.name === name && operatorOf(of) === '=').map(({ value }) => value);
    if (new Set(exact).size < 2) continue;
    const regex = [...new Set(exact)].map((value) => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|');
    const anyOf = matcher(name, '=~', regex);
    throw refused(name, 'cannot have several values in one alert', [anyOf], anyOf);
  }
  return matchers;
}

/** Labels as `name=value`. The first may be a bare alert name. */
export function parseLabels(args: readonly string[]): Record<string, string> {
  const labels = new Map<string, string>();
  for (const of of args.flatMap((text, index) => parseArgument(text, index === 0))) {
    const { name, value, isRegex, isEqual } = of;
    const fault = (why: string) => new SvcError('invalid_value', why);
    if (isRegex || !isEqual) throw fault(`${formatMatcher(of)} is not a label: write name=value`);
    if (value === '') throw fault(`the label ${name} is empty`);
    if (labels.has(name)) throw fault(`the label ${name} is given twice`);
    labels.set(name, value);
  }
  return Object.fromEntries(labels);
}

const BARE_NAME = /^(?![\s[("'`])[^=!~{}",]+(?<!\s)$/;
/** In a name, these may stand for several names or any name. */
const NAME_PATTERN = /[|*;\n\r\t]|&&|\.\+|\s(?:and|or)\s/i;

const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
const LETTER = '(?:[\\p{L}\\p{N}\\p{M}_:]|(?![\\x00-\\x7f])\\p{S})';
const NAME = `(${QUOTED}|${LETTER}(?:${LETTER}|[./-])*)`;
const PARTS = new RegExp(`^${NAME}\\s*(=~|!=|!~|=)(.*)$`, 'su');
/** What separates values or encloses them. */
const SEPARATORS = '\\p{Cc},;&{}"\'`“”„‘’，；、';
/** Its first word may have an operator, as an address has, but neither at the beginning nor after a blank. */
const VALUE = new RegExp(
  `^(?:\\s*${QUOTED}|(?:\\s(?!\\s*!)|(?![!=~])[^\\s${SEPARATORS}]*(?:\\s|$))[^=~${SEPARATORS}]*)$`,
  'su',
);
/** The server takes `a=b|c` and `a=b*` literally. */
const PATTERN = /[|*()[\]]|\.\+/;
const CONJUNCTION = /\s(?:and|or|not|unless)(?:\s|$)/i;

/** Whether the value means the same with and without double quotes. */
export function isPlainValue(value: string): boolean {
  return VALUE.test(value) && !PATTERN.test(value) && !CONJUNCTION.test(value);
}

/** `notice` reports a first argument that means an alert name. */
export function parseArgument(untrimmed: string, isFirst: boolean, notice?: Notice): readonly Matcher[] {
  if (isFirst && BARE_NAME.test(untrimmed)) {
    const name = matcher('alertname', '=', untrimmed);
    if (NAME_PATTERN.test(untrimmed)) throw refused(untrimmed, 'may be several names', [], name);
    notice?.(`${untrimmed} means ${formatMatcher(name)}`);
    return [name];
  }
  const text = untrimmed.trim();
  if (!text.startsWith('{')) return [parseOne(text)];
  const items = text.endsWith('}') ? splitList(text.slice(1, -1)).map((item) => item.trim()) : [];
  if (items.length === 0 || !items.every((item) => readValue(item) !== undefined))
    throw refused(text, 'is not a list of matchers', readMatchers(text));
  return items.map(parseOne);
}

function parseOne(text: string): Matcher {
  if (!/[=~]/.test(text)) throw refused(text, 'needs an operator (= != =~ !~)');
  const value = readValue(text);
  const parsed = parseFallback(text);
  if (value === undefined || parsed === undefined || parsed.name === '') {
    const meant = readMatchers(text);
    const why =
      meant.length > 1 ? 'has several matchers, which must be separate arguments' : 'is not one plain matcher';
    throw refused(text, why, meant.length > 0 ? meant : readValues(text));
  }
  if (parsed.isRegex && parsed.value === '') {
    const exact = shellWord(formatMatcher({ ...parsed, isRegex: false }));
    const hint = `for a ${parsed.isEqual ? 'missing' : 'present'} label, write ${exact}`;
    throw new SvcError('invalid_value', `"${text}" has an empty regular expression`, { hint });
  }
  const isBare = !value.startsWith('"');
  if (isBare && (CONJUNCTION.test(value) || (!parsed.isRegex && PATTERN.test(value))))
    throw refused(text, 'may be a regular expression or several values', readValues(text));
  return parsed;
}

/** The value as it was written; undefined if the text is not one matcher beyond doubt. */
function readValue(text: string): string | undefined {
  const value = PARTS.exec(text)?.[3];
  return value !== undefined && VALUE.test(value) ? value.trim() : undefined;
}

/** One matcher for any of the values that a person reads in `a=b,c`, `a=b|c` or `a=b.*`. */
function readValues(text: string): readonly Matcher[] {
  const joined = text
    .split(/[,;]/)
    .map((part) => part.trim())
    .join('|');
  const parsed = readValue(joined) !== undefined && /\||\.[*+]/.test(joined) ? parseFallback(joined) : undefined;
  return parsed === undefined ? [] : [{ ...parsed, isRegex: true }];
}

const WORD = `[^\\s\\p{Z}|()[\\]=!~${SEPARATORS}]*`;
const IN_TEXT = new RegExp(
  `(?<!${LETTER}|[./-])${NAME}\\s*([=!~]{1,3})\\s*(${QUOTED}|'[^']*'|\`[^\`]*\`|[“„][^“”]*[”“]|${WORD})`,
  'gsu',
);
const JOINTS = /^(?:[\s\p{Z},;&，；、(){}[\]"'`]|(?<=\s)and(?=\s))*$/iu;

/** The matchers that a person reads in the text; none if it has more than them. */
function readMatchers(text: string): readonly Matcher[] {
  if (!JOINTS.test(text.replace(IN_TEXT, ''))) return [];
  return [...text.matchAll(IN_TEXT)].map(([, name = '', operator = '', value = '']) => {
    const negation = operator.includes('!') ? '!' : '';
    const meant = operator.includes('~') ? `${negation || '='}~` : `${negation}=`;
    return matcher(withoutQuotes(name), meant as Operator, withoutQuotes(value));
  });
}

function withoutQuotes(text: string): string {
  const quoted = text.startsWith('"') ? parseClassic(`x=${text}`) : undefined;
  return quoted?.value ?? text.replace(/^(['`“„])(.*)['`”“]$/s, '$2');
}

const EXAMPLE = `write 'name="value"'`;

/** `meant` is what to write, and `literal` how the server would read the text. */
function refused(
  text: string,
  why: string,
  meant: readonly Matcher[] = [],
  literal: Matcher | undefined = parseFallback(text),
): SvcError {
  const spelled = meant.some(({ name }) => name === '') ? [] : meant.map(formatMatcher);
  const exact = literal?.name ? formatMatcher(literal) : undefined;
  const ways = [
    ...(spelled.length === 0 ? [] : [`write ${spelled.map(shellWord).join(' and ')}`]),
    ...(exact === undefined || spelled.includes(exact) ? [] : [`for the literal text, write ${shellWord(exact)}`]),
  ];
  const hint = ways.length === 0 ? EXAMPLE : ways.join('; ');
  return new SvcError('invalid_value', `"${text}" ${why}`, { hint });
}
