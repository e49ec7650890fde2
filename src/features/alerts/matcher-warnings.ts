/** Matchers that are probably a mistake: they exclude each other, select everything, or match alerts without the label. */
import { formatMatcher, type Matcher } from './matcher.ts';

/** True only when the matcher surely needs its label to be there. An absent label counts as an empty one. */
export function isPositive(of: Matcher): boolean {
  if (!of.isEqual) return of.value === '';
  return of.isRegex ? !mayMatchEmpty(of.value) : of.value !== '';
}

/**
 * Whether it requires a definite value of its label. A negative matcher does not, nor does one that accepts every value that is
 * not empty, or an absent label.
 */
export function isDefinite(of: Matcher): boolean {
  if (!of.isEqual || !of.isRegex) return of.isEqual && of.value !== '';
  const language = languageOf(of.value);
  return language !== undefined && !language.empty && !language.every;
}

export function matcherWarnings(matchers: readonly Matcher[]): string[] {
  return [
    ...contradictions(matchers),
    ...matchers.filter(matchesAnything).map((of) => `${formatMatcher(of)} matches everything`),
    ...reachAbsentLabels(matchers),
  ];
}

function contradictions(matchers: readonly Matcher[]): string[] {
  const found = new Set<string>();
  for (const [index, first] of matchers.entries()) {
    if (!first.isEqual || first.isRegex) continue;
    for (const [other, second] of matchers.entries()) {
      if (second.name !== first.name || second.isRegex) continue;
      const excludes = second.isEqual ? other > index && second.value !== first.value : second.value === first.value;
      if (excludes)
        found.add(`${formatMatcher(first)} and ${formatMatcher(second)} exclude each other: nothing can match`);
    }
  }
  return [...found];
}

function matchesAnything(of: Matcher): boolean {
  if (!of.isRegex || !of.isEqual) return false;
  const language = languageOf(of.value);
  return language?.empty === true && language.every;
}

/** A negative matcher holds for every alert without the label, unless another matcher needs that label. */
function reachAbsentLabels(matchers: readonly Matcher[]): string[] {
  return matchers
    .filter((of) => !of.isEqual && !isPositive(of))
    .filter((of) => !matchers.some((other) => other.name === of.name && isPositive(other)))
    .map((of) => `${formatMatcher(of)} also matches every alert without the label ${of.name}`);
}

/**
 * What a regular expression of the service (RE2, anchored at both ends) matches: the empty text, and so an absent label, or every
 * value. Only the text is read, never by JavaScript's RegExp, which takes other expressions.
 */
/**
 * What a regular expression of the service (RE2, anchored at both ends) matches. It is read as text: JavaScript's RegExp takes
 * other expressions.
 */
interface Language {
  /** Whether it matches the empty text. */
  readonly empty: boolean;
  /** Whether it matches every single character. */
  readonly one: boolean;
  /** Whether it matches every text that is not empty. Line ends do not count: a dot leaves them out. */
  readonly every: boolean;
}

/** Undefined where the expression is not understood. */
export function languageOf(regex: string): Language | undefined {
  const reader: Reader = { text: regex, at: 0 };
  try {
    const language = alternatives(reader);
    return reader.at < regex.length ? undefined : language;
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

/** What is not understood may match. */
export function mayMatchEmpty(regex: string): boolean {
  return languageOf(regex)?.empty ?? true;
}

class NotUnderstood extends Error {}

interface Reader {
  readonly text: string;
  at: number;
}

const EMPTY: Language = { empty: true, one: false, every: false };
const SOME_CHARACTER: Language = { empty: false, one: false, every: false };
const ANY_CHARACTER: Language = { empty: false, one: true, every: false };

/** Stops before `)` and at the end. */
function alternatives(reader: Reader): Language {
  let all = sequence(reader);
  while (reader.text[reader.at] === '|') {
    reader.at++;
    const next = sequence(reader);
    all = { empty: all.empty || next.empty, one: all.one || next.one, every: all.every || next.every };
  }
  return all;
}

function sequence(reader: Reader): Language {
  let all = EMPTY;
  while (reader.at < reader.text.length && reader.text[reader.at] !== '|' && reader.text[reader.at] !== ')') {
    all = joined(all, repetition(reader, atom(reader)));
  }
  return all;
}

function joined(a: Language, b: Language): Language {
  return {
    empty: a.empty && b.empty,
    one: (a.one && b.empty) || (a.empty && b.one),
    // The last two: one character, and then any text or none.
    every:
      (a.every && b.empty) || (a.empty && b.every) || (a.one && b.every && b.empty) || (a.every && a.empty && b.one),
  };
}

function take(reader: Reader, sticky: RegExp): RegExpExecArray | null {
  sticky.lastIndex = reader.at;
  const match = sticky.exec(reader.text);
  if (match !== null) reader.at = sticky.lastIndex;
  return match;
}

// Sticky patterns; `take` sets where each begins.
const FLAGS = /\(\?[imsU-]+\)/uy;
const OPEN = /\((?:\?(?:P?<\w+>|[imsU-]*:))?/uy;
const CLOSE = /\)/uy;
const POSITION = /\^|\$|\\[AbBz]/uy;
const CLASS = /\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]/suy;
/** One character, an escape as a whole. `\Q…\E` is not among them: it quotes a text that may be empty. */
const CHARACTER =
  /\\(?:[pP](?:\{\^?\w+\}|\w)|x(?:\{[0-9a-fA-F]+\}|[0-9a-fA-F]{2})|[0-7]{1,3}|[^QEpPx\d])|[^\\[\](){}*+?^$|]|\{(?!\d+(?:,\d*)?\})|[\]}]/suy;
const REPETITION = /([*+?]|\{(\d+)(?:,(\d*))?\})\??/uy;

function atom(reader: Reader): Language {
  if (take(reader, FLAGS) !== null) {
    // An operator behind flags repeats what is before them.
    if (/[*+?{]/.test(reader.text.charAt(reader.at))) throw new NotUnderstood();
    return EMPTY;
  }
  if (take(reader, OPEN) !== null) {
    const inner = alternatives(reader);
    if (take(reader, CLOSE) === null) throw new NotUnderstood();
    return inner;
  }
  if (take(reader, POSITION) !== null) return EMPTY;
  const set = take(reader, CLASS);
  if (set !== null) return isEveryCharacter(set[0]) ? ANY_CHARACTER : SOME_CHARACTER;
  const character = take(reader, CHARACTER);
  if (character === null) throw new NotUnderstood();
  return character[0] === '.' ? ANY_CHARACTER : SOME_CHARACTER;
}

/** A class that leaves out line ends only, or has a kind of character and its opposite. */
function isEveryCharacter(set: string): boolean {
  return /^\[\^(?:\\[nrfv])+\]$/.test(set) || ['s', 'd', 'w'].some((kind) => hasBoth(set, kind));
}

function hasBoth(set: string, kind: string): boolean {
  return !set.startsWith('[^') && set.includes(`\\${kind}`) && set.includes(`\\${kind.toUpperCase()}`);
}

/** What the atom matches with the operator behind it. */
function repetition(reader: Reader, atom: Language): Language {
  const operator = take(reader, REPETITION);
  if (operator === null) return atom;
  if (/[*+?]/.test(reader.text.charAt(reader.at))) throw new NotUnderstood();
  const [, sign, low, high] = operator;
  const least = low === undefined ? (sign === '+' ? 1 : 0) : Number(low);
  const most = low === undefined ? (sign === '?' ? 1 : Infinity) : high === '' ? Infinity : Number(high ?? low);
  if (most === 0) return EMPTY;
  const once = least <= 1 || atom.empty;
  return {
    empty: least === 0 || atom.empty,
    one: once && atom.one,
    every: once && (atom.every || (atom.one && most === Infinity)),
  };
}
