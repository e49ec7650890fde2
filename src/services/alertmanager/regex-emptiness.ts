/**
 * Whether a regular expression of the service (RE2, anchored at both ends) can match the empty text, and so an absent label.
 * Only the text is looked at, never JavaScript's RegExp, which reads other expressions. What is not understood may match.
 */
export function mayMatchEmpty(regex: string): boolean {
  const reader: Reader = { text: regex, at: 0 };
  try {
    return alternatives(reader) || reader.at < regex.length;
  } catch (error) {
    if (error instanceof NotUnderstood) return true;
    throw error;
  }
}

class NotUnderstood extends Error {}

interface Reader {
  readonly text: string;
  at: number;
}

/** True as soon as one alternative may be empty. Stops before `)` and at the end. */
function alternatives(reader: Reader): boolean {
  let empty = sequence(reader);
  while (reader.text[reader.at] === '|') {
    reader.at++;
    empty = sequence(reader) || empty;
  }
  return empty;
}

/** A sequence may be empty only when each of its pieces may. */
function sequence(reader: Reader): boolean {
  let empty = true;
  while (reader.at < reader.text.length && reader.text[reader.at] !== '|' && reader.text[reader.at] !== ')') {
    const piece = atom(reader);
    empty = (repetition(reader) || piece) && empty;
  }
  return empty;
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
const REPETITION = /([*+?]|\{(\d+)(?:,\d*)?\})\??/uy;

function atom(reader: Reader): boolean {
  if (take(reader, FLAGS) !== null) {
    // An operator behind flags repeats what stands before them.
    if (/[*+?{]/.test(reader.text.charAt(reader.at))) throw new NotUnderstood();
    return true;
  }
  if (take(reader, OPEN) !== null) {
    const empty = alternatives(reader);
    if (take(reader, CLOSE) === null) throw new NotUnderstood();
    return empty;
  }
  if (take(reader, POSITION) !== null) return true;
  if (take(reader, CLASS) !== null || take(reader, CHARACTER) !== null) return false;
  throw new NotUnderstood();
}

/** The operator after an atom; true when it allows no repetition at all. */
function repetition(reader: Reader): boolean {
  const operator = take(reader, REPETITION);
  if (operator === null) return false;
  if (/[*+?]/.test(reader.text.charAt(reader.at))) throw new NotUnderstood();
  const [, sign, least] = operator;
  return least === undefined ? sign !== '+' : Number(least) === 0;
}
