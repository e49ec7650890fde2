/**
 * Whether matchers match labels that no alert of the server has. The server's regular expressions are RE2; here only those are
 * judged that mean the same to JavaScript, and any other is refused instead of guessed.
 */
import { SvcError } from '../../errors.ts';
import { formatMatcher, type Matcher } from './matcher.ts';

/** All of them, as the server asks of a silence. A missing label is an empty one. Throws `guarded` where it cannot tell. */
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
