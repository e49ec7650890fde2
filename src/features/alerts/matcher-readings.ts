/** What a person may have meant by a text that the service refuses or takes otherwise. */
import { formatMatcher, type Matcher, matcher, type Operator, parseClassic, parseFallback } from './matcher.ts';

/** A matcher that a person reads in a text, as it was written. */
export interface Reading {
  readonly name: string;
  readonly operator: string;
  readonly value: string;
  /** The text after the value: a comma, a word such as `and`, a bracket, or anything else. */
  readonly after: string;
}

/** Ends a bare word: a blank, a separator, a bracket or a quote. */
const BREAK = `(?:[\\s\\p{Z}\\p{Cc},;&|+(){}[\\]"'\`]|(?![\\x21-\\x7e])\\p{P})`;
const QUOTED = `(?:"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|'[^']*'|\`[^\`]*\`|[“„][^“”]*[”“]|‘[^‘’]*’)`;
const BARE = `(?:(?!${BREAK})[^=!~])+`;
const FIRST = new RegExp(`^(?:(${QUOTED})\\s*|([^=!~]*))([=!~](?:[=!~\\s]*[=!~])?)`, 'su');
/** The last name in what is before the first operator, and what is before that name. */
const LAST_NAME = new RegExp(`^(.*?)(${QUOTED}|${BARE}|)$`, 'su');
/** A further name and its operator. An escaped line feed or tab in front of it counts as one. */
const NEXT = `(?<=${BREAK}|\\\\[nrt])(?:(${QUOTED}|(?:(?!${BREAK})[^=!~\\\\])+)\\s*)?([!~]?=(?:[=!~\\s]*[=!~])?|!~)`;
const VALUE = `\\s*${QUOTED}`;

const CONJUNCTIONS = '(?:and|or|not|unless)';
const BETWEEN_LISTS = '[\\s,;&]*(?:and[\\s,]*)?';
const SEPARATOR = `(?:[\\s\\p{Z},;&|，；、]|\\\\[nrt]|\\}(?=${BETWEEN_LISTS}\\{)|(?<=\\}${BETWEEN_LISTS})\\{)`;
const joined = (by: string) => new RegExp(`(?<!${by})${by}+(?:${CONJUNCTIONS}${by}+)*$`, 'iu');
const BEFORE_NEXT = joined(SEPARATOR);
const BEFORE_BRACKET = joined(BREAK);
const AT_END = new RegExp(`(?<![\\s,;])(?:[\\s,;]+(?:${CONJUNCTIONS}|&&|\\|\\|))?[\\s,;]*$`, 'i');
const JOINT = new RegExp(`^(?:${BREAK}|\\\\[nrt]|${CONJUNCTIONS}(?!\\w))*$`, 'iu');

/** Each `name=value` outside quotes. Text before the first name is read as an alert name. */
export function readMatchers(text: string, inQuotes = false): readonly Reading[] {
  const [head, quoted, bare = '', operator = ''] = FIRST.exec(text) ?? [];
  if (head === undefined) return [];
  const [, before = '', name = ''] = quoted === undefined ? (LAST_NAME.exec(bare.trimEnd()) ?? []) : ['', '', quoted];
  // All of it is in quotes, which the shell should have removed.
  if (/^["'`]$/.test(before) && text.length > 1 && text.endsWith(before)) return readMatchers(text.slice(1, -1), true);
  const isEnclosed = inQuotes || /^[[({"'`]/.test(before);
  const readings = readFrom(text, { name, operator, start: head.length }, isEnclosed);
  const lead = before.replace(new RegExp(`^${BREAK}+`, 'u'), '').replace(BEFORE_BRACKET, '');
  if (lead === '') return readings;
  const after = before.slice(before.lastIndexOf(lead) + lead.length);
  return [{ name: JOINT.test(lead) ? '' : 'alertname', operator: '=', value: lead, after }, ...readings];
}

interface Head {
  readonly name: string;
  readonly operator: string;
  /** Where its value begins. */
  readonly start: number;
}

function readFrom(text: string, first: Head, isEnclosed: boolean): Reading[] {
  const readings: Reading[] = [];
  const [next, quoted] = [new RegExp(NEXT, 'gsu'), new RegExp(VALUE, 'suy')];
  for (let head: Head | undefined = first; head !== undefined; ) {
    const { name, operator, start } = head;
    quoted.lastIndex = start;
    const ownQuotes = quoted.exec(text)?.[0];
    next.lastIndex = start + (ownQuotes?.length ?? 0);
    const match = next.exec(text);
    const rest = text.slice(start, match?.index);
    const joint = match === null ? AT_END : BEFORE_NEXT;
    const value = (ownQuotes ?? rest.replace(isEnclosed ? BEFORE_BRACKET : joint, '')).trim();
    const after = value === '' ? rest : rest.trimStart().slice(value.length);
    readings.push({ name: name.trim(), operator, value, after });
    head = match === null ? undefined : { name: match[1] ?? '', operator: match[2] ?? '', start: next.lastIndex };
  }
  return readings;
}

/** One of the two quotes may be missing. */
export function withoutQuotes(text: string): string {
  return text
    .replace(/^(?:(["'`])(.*?)\1?|[“„](.*?)[”“]?|‘(.*?)’?)$/s, '$2$3$4')
    .replace(/"$/, '')
    .replace(/\\(["\\])/g, '$1');
}

/** Empty if it is not clear what was meant. Values joined by `or` become one matcher. */
export function spellMeant(readings: readonly Reading[]): readonly string[] {
  if (!readings.every((reading, index) => isClear(reading, index === readings.length - 1))) return [];
  const all = readings.map(matcherOf);
  if (isJoinedByAnd(readings)) return readings.map(spellReading);
  const [first] = all;
  const isOneLabel = all.every(({ name, isEqual }) => isEqual && name === first?.name);
  if (first === undefined || !isOneLabel || readings.some(({ after }) => /not|unless/i.test(after))) return [];
  const values = all.map(({ isRegex, value }) => (isRegex ? value : escapeRegex(value)));
  return [formatMatcher(matcher(first.name, '=~', values.join('|')))];
}

export function isJoinedByAnd(readings: readonly Reading[]): boolean {
  return !readings.slice(0, -1).some(({ after }) => /\||or|not|unless/i.test(after));
}

function isClear({ name, value, after }: Reading, isLast: boolean): boolean {
  if (withoutQuotes(name) === '' || !JOINT.test(after)) return false;
  return isQuoted(value) || isLast || (after !== '' && !value.includes('"'));
}

function isQuoted(value: string): boolean {
  return new RegExp(`^${QUOTED}$`, 'su').test(value);
}

/** A bare value with another meaning stays as it was written: svc asks which of them is meant. */
function spellReading(reading: Reading): string {
  const meant = matcherOf(reading);
  const typed = `${formatMatcher({ ...meant, value: '' }).replace(/""$/, '')}${reading.value}`;
  const isLiteral = isQuoted(reading.value) || isUnbalanced(reading) || otherMeaning(meant) === undefined;
  return !isLiteral && isReadAs(meant, parseFallback(typed)) ? typed : formatMatcher(meant);
}

/** The service says whether the brackets of a regular expression match. */
export function isUnbalanced({ value, operator }: Reading): boolean {
  if (value.startsWith('"')) return false;
  const plain = value.replace(/\\.|\{[^{}]*\}/gs, '');
  if (/^['`“‘]|['`”’]$|[{}]/.test(plain)) return true;
  const count = (char: string): number => plain.split(char).length;
  return !operator.includes('~') && (count('(') !== count(')') || count('[') !== count(']'));
}

/** Whether a person and the server read the same. */
export function isReadAs(reading: Matcher, parsed: Matcher | undefined): boolean {
  return parsed !== undefined && formatMatcher(parsed) === formatMatcher(reading);
}

export function matcherOf({ name, operator, value }: Reading): Matcher {
  const negation = operator.includes('!') ? '!' : '';
  const meant = operator.includes('~') ? `${negation || '='}~` : `${negation}=`;
  const isForeign = /^['`“„‘]/.test(value);
  const parsed = isForeign ? undefined : parseFallback(`${name}${meant}${value}`);
  if (parsed !== undefined) return parsed;
  const read = isForeign ? undefined : parseClassic(`x=${value}`);
  return matcher(withoutQuotes(name), meant as Operator, read?.value ?? withoutQuotes(value));
}

/** A bare value may also be meant as a list, a regular expression or a pattern with asterisks. */
export function otherMeaning(literal: Matcher): { readonly why: string; readonly meant: Matcher } | undefined {
  const { value, isRegex } = literal;
  if (!isRegex && /\.[*+]|\(.*\|.*\)/.test(value)) {
    return { why: 'a regular expression needs =~ or !~', meant: { ...literal, isRegex: true } };
  }
  const values = listedValues(value, isRegex);
  if (values.length > 1) return { why: 'several values need a regular expression', meant: anyOf(literal, values) };
  if (isRegex || !value.includes('*')) return undefined;
  const pattern = escapeRegex(value).replaceAll('\\*', '.*');
  return { why: '* needs a regular expression', meant: { ...literal, isRegex: true, value: pattern } };
}

/** `critical,warning` or `critical or warning`. In a regular expression `|` does not separate. */
function listedValues(text: string, isRegex: boolean): readonly string[] {
  const plain = text.replace(/^[[(](.*)[\])]$/s, '$1');
  const isInProse = /^\S+(?:\s+(?:and|or)\s+\S+)+$/i.test(plain);
  const values = isInProse ? plain.split(/\s+(?:and|or)\s+/i) : plain.split(/[,;\n\r\t]|&&/);
  const all = isRegex ? values : values.flatMap((value) => value.split('|'));
  return all.map((value) => value.trim());
}

/** One matcher for a label that has any of these values. */
function anyOf(of: Matcher, values: readonly string[]): Matcher {
  const [only = '', ...others] = values.filter((value) => value !== '');
  if (others.length === 0) return { ...of, value: only };
  const escaped = [only, ...others].map((value) => (of.isRegex ? value : escapeRegex(value)));
  return { ...of, isRegex: true, value: escaped.join('|') };
}

export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
