/**
 * Matchers and labels in the service's default grammar. Where a person may mean something else than
 * this grammar says, svc refuses the text and shows how to write each meaning.
 */
import { SvcError } from '../../errors.ts';
import { shellWord } from '../../output/escape.ts';
import { formatMatcher, type Matcher, matcher, OPERATORS, parseFallback, splitList } from './matcher.ts';
import {
  isJoinedByAnd,
  isReadAs,
  isUnbalanced,
  matcherOf,
  otherMeaning,
  type Reading,
  readMatchers,
  spellMeant,
  withoutQuotes,
} from './matcher-readings.ts';

/** A matcher, with its text and its value as they were written. */
interface Typed {
  readonly text: string;
  readonly value: string;
  readonly matcher: Matcher;
}

/** All of them must match. `notice` reports a first argument that is taken as an alert name. */
export function parseMatcherArguments(args: readonly string[], notice: (text: string) => void = () => {}): Matcher[] {
  return args.flatMap((text, index) => {
    const typed = parseArgument(text, index === 0);
    for (const one of typed) refuseOtherMeaning(one);
    const matchers = typed.map((one) => one.matcher);
    if (index === 0 && BARE_NAME.test(text)) notice(`${text} taken as ${matchers.map(formatMatcher).join()}`);
    return matchers;
  });
}

/** Labels as `name=value`. The first may be a bare alert name. */
export function parseLabels(args: readonly string[]): Record<string, string> {
  const labels = new Map<string, string>();
  for (const { matcher: of } of args.flatMap((text, index) => parseArgument(text, index === 0))) {
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

function parseArgument(untrimmed: string, isFirst: boolean): readonly Typed[] {
  if (isFirst && BARE_NAME.test(untrimmed)) {
    return [{ text: untrimmed, value: untrimmed, matcher: matcher('alertname', '=', untrimmed) }];
  }
  const text = untrimmed.trim();
  const [, metric, list = ''] = /^([a-zA-Z_:][\w:]*)\s*(\{.*\})$/s.exec(text) ?? [];
  if (metric !== undefined) {
    const items = parseList(list).map((item) => item.matcher);
    const meant = [matcher('alertname', '=', metric), ...items].map(formatMatcher);
    throw refused(text, 'a name before a list is not supported', meant);
  }
  return text.startsWith('{') ? parseList(text) : [parseOne(untrimmed)];
}

function parseList(text: string): readonly Typed[] {
  if (!text.endsWith('}')) throw refused(text, 'the list is not closed', spellMeant(readMatchers(text)));
  const list = text.slice(1, -1);
  const items = splitList(list);
  if (items.length === 0) throw refused(text, 'the list is empty');
  const readings = readMatchers(list);
  const isMixed = readings.length !== items.length && readings.length > 0;
  if (isMixed || /[{}]/.test(list.replace(/"(?:[^"\\]|\\.)*"/gs, ''))) {
    throw refused(text, 'is not a list of matchers with commas between them', spellMeant(readings));
  }
  return items.map(parseOne);
}

function parseOne(untrimmed: string): Typed {
  const text = untrimmed.trim();
  if (text === '') throw refused(text, 'is empty');
  const readings = readMatchers(text);
  const [reading] = readings;
  if (reading === undefined) {
    const name = matcher('alertname', '=', withoutQuotes(text));
    throw refused(text, 'has no operator (= != =~ !~)', [formatMatcher(otherMeaning(name)?.meant ?? name)], name);
  }
  const why = readings.length > 1 ? whySeveral(readings) : whyRefused(text, reading);
  if (why !== undefined) throw refused(text, why, spellMeant(readings));
  const parsed = parseFallback(untrimmed);
  if (parsed !== undefined && isReadAs(matcherOf(reading), parsed))
    return { text, value: reading.value, matcher: parsed };
  throw refused(text, 'needs double quotes around its name and its value', spellMeant(readings));
}

function whySeveral(readings: readonly Reading[]): string {
  return isJoinedByAnd(readings)
    ? 'several matchers must be separate arguments'
    : 'matchers can only be joined by "and": run svc once for each';
}

function whyRefused(text: string, reading: Reading): string | undefined {
  const { name, operator, value, after } = reading;
  if (withoutQuotes(name) === '') return 'has no label name';
  if (!OPERATORS.some((known) => known === operator)) return `${operator} is not an operator`;
  if (/^[[(]/.test(text)) return 'brackets around a matcher are not supported';
  // No grammar takes these for quotes.
  if (/^(?:(['`]).*\1|[“„].*[”“]|‘.*’)$/s.test(value) && value.length > 1) return 'the value is in single quotes';
  // `severity*=critical` and `value>=5` would be labels with such names.
  if (/(?=[\x21-\x7e])[^\w"'`]$/.test(name)) return 'needs double quotes around its name';
  if (after.trim() !== '') return after.trim() === ',' ? 'ends with a comma' : 'has text after its value';
  return isUnbalanced(reading) ? 'has an unmatched quote or bracket' : undefined;
}

/** For the server, `a=b|c` and `a=b*` are literal. A value in double quotes is, for svc too. */
function refuseOtherMeaning({ text, value, matcher: literal }: Typed): void {
  const other = value.startsWith('"') ? undefined : otherMeaning(literal);
  if (other !== undefined) throw refused(text, other.why, [formatMatcher(other.meant)], literal);
}

const EXAMPLE = `write 'name="value"'`;

/** `meant` is what to write, and `literal` how the server would read the text. */
function refused(text: string, why: string, meant: readonly string[] = [], literal = parseFallback(text)): SvcError {
  const exact = literal?.name ? formatMatcher(literal) : undefined;
  const ways = [
    meant.length === 0 ? undefined : `write ${meant.map(shellWord).join(' and ')}`,
    exact === undefined || meant.includes(exact) ? undefined : `for the literal text, write ${shellWord(exact)}`,
  ].filter((way) => way !== undefined);
  const hint = ways.length === 0 ? EXAMPLE : ways.join('; ');
  return new SvcError('invalid_value', `matcher ${text || '""'}: ${why}`, { hint });
}
