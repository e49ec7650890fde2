/** The service's UTF-8 grammar (0.27 and later), and the fallback between both grammars that its servers use. */
import { type Matcher, matcher, OPERATORS, type Operator } from './matcher.ts';

// What the server's language calls a space; JavaScript's `\s` has U+FEFF and lacks U+0085.
const SPACE = '\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

const TOKEN = `[${SPACE}]*(?:(?<mark>[{},])|(?<operator>=~|=|!=|!~)|(?<quoted>"[^"\\\\]*(?:\\\\.[^"\\\\]*)*")|(?<unquoted>[^${SPACE}{}!=~,\\\\"'\`]+))`;
const END = `[${SPACE}]*$`;

interface Token {
  readonly kind: 'mark' | 'operator' | 'text';
  readonly text: string;
}

/** One matcher, as the server reads a `filter` in its strict mode. Throws `MatcherSyntaxError`. */
export function parseUtf8(input: string): Matcher {
  refuseBraces(input);
  return parseOne(input);
}

/** One matcher, as the server reads a `filter` by default: the classic grammar wins where both read it, but differently. */
export function parseFallback(input: string): Matcher {
  refuseBraces(input);
  const modern = attempt(parseOne, input);
  const classic = attempt(parseClassic, input);
  if (classic instanceof MatcherSyntaxError) {
    if (modern instanceof MatcherSyntaxError) throw classic;
    return modern;
  }
  return classic;
}

function refuseBraces(input: string): void {
  if (input.startsWith('{') || input.endsWith('}')) {
    throw new MatcherSyntaxError(`unexpected open or close brace: ${input}`);
  }
}

function attempt(parse: (input: string) => Matcher, input: string): Matcher | MatcherSyntaxError {
  try {
    return parse(input);
  } catch (error) {
    if (error instanceof MatcherSyntaxError) return error;
    throw error;
  }
}

function parseOne(input: string): Matcher {
  const found = parseList(tokensOf(input));
  const [first] = found;
  if (first === undefined) throw new MatcherSyntaxError('no matchers');
  if (found.length > 1) throw new MatcherSyntaxError(`expected 1 matcher, found ${found.length}`);
  return first;
}

function tokensOf(input: string): Token[] {
  const tokens: Token[] = [];
  const token = new RegExp(TOKEN, 'suy');
  const end = new RegExp(END, 'uy');
  for (;;) {
    end.lastIndex = token.lastIndex;
    if (end.test(input)) return tokens;
    const at = token.lastIndex;
    const groups = token.exec(input)?.groups;
    if (groups === undefined) throw new MatcherSyntaxError(`${input.slice(at)}: invalid input`);
    const { mark, operator, quoted, unquoted } = groups;
    if (mark !== undefined) tokens.push({ kind: 'mark', text: mark });
    else if (operator !== undefined) tokens.push({ kind: 'operator', text: operator });
    else tokens.push({ kind: 'text', text: quoted === undefined ? (unquoted ?? '') : unquote(quoted) });
  }
}

/** `["{"] [matcher {"," matcher} [","]] ["}"]`, the braces balanced. */
function parseList(tokens: readonly Token[]): Matcher[] {
  let at = 0;
  const isMark = (text: string) => tokens[at]?.kind === 'mark' && tokens[at]?.text === text;
  const take = (kind: Token['kind'], expected: string): string => {
    const token = tokens[at++];
    if (token?.kind !== kind) throw new MatcherSyntaxError(`${token?.text ?? 'end of input'}: expected ${expected}`);
    return token.text;
  };

  const matchers: Matcher[] = [];
  const open = isMark('{');
  if (open) at++;
  while (at < tokens.length && !isMark('}')) {
    if (matchers.length > 0 && take('mark', 'a comma or close brace') !== ',') {
      throw new MatcherSyntaxError('expected a comma or close brace');
    }
    if (matchers.length > 0 && (at === tokens.length || isMark('}'))) break;
    const name = take('text', 'label name');
    const operator = take('operator', `an operator such as ${OPERATORS.join(' ')}`) as Operator;
    matchers.push(matcher(name, operator, take('text', 'label value')));
  }
  if (open && !isMark('}')) throw new MatcherSyntaxError('expected close brace');
  if (open) at++;
  if (at < tokens.length) throw new MatcherSyntaxError(`${tokens[at]?.text}: expected end of input`);
  return matchers;
}

const ESCAPE = /[^\\\n]+|\\(?:([abfnrtv\\"])|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y;
const SINGLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
};

/** A quoted string of the server's language: `\xHH` and octal escapes are bytes, and all bytes together must be UTF-8. */
function unquote(quoted: string): string {
  const body = quoted.slice(1, -1);
  const refused = () => new MatcherSyntaxError(`${quoted}: invalid input`);
  const encoder = new TextEncoder();
  const bytes: number[] = [];
  const piece = new RegExp(ESCAPE);
  while (piece.lastIndex < body.length) {
    const match = piece.exec(body);
    if (match === null) throw refused();
    const [text, single, hex, octal, short, long] = match;
    const codePoint = short ?? long;
    if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (codePoint !== undefined) {
      const rune = Number.parseInt(codePoint, 16);
      if (rune > 0x10ffff || (rune >= 0xd800 && rune <= 0xdfff)) throw refused();
      bytes.push(...encoder.encode(String.fromCodePoint(rune)));
    } else {
      for (const byte of encoder.encode(single === undefined ? text : SINGLE[single])) bytes.push(byte);
    }
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    throw refused();
  }
}

export class MatcherSyntaxError extends Error {
  override readonly name = 'MatcherSyntaxError';
}

const BLANKS = '\t\n\f\r ';
// `\s` of the server's regular expressions is ASCII only.
const FORM = /^[\t\n\f\r ]*([a-zA-Z_:][a-zA-Z0-9_:]*)[\t\n\f\r ]*(=~|=|!=|!~)[\t\n\f\r ]*(.*)$/s;

/** Throws `MatcherSyntaxError`. Whether a regular expression is valid only the server can tell. */
export function parseClassic(input: string): Matcher {
  const [, name, operator, raw] = FORM.exec(input) ?? [];
  if (name === undefined || operator === undefined || raw === undefined) {
    throw new MatcherSyntaxError(`bad matcher format: ${input}`);
  }
  return matcher(name, operator as Operator, unescapeValue(withoutBlanks(raw)));
}

/** At its end. A regular expression would go through a run of blanks in its middle from each of them. */
function withoutBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && BLANKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function unescapeValue(raw: string): string {
  const quoted = raw.startsWith('"');
  const body = quoted ? raw.slice(1) : raw;
  const refused = () => new MatcherSyntaxError(`matcher value contains unescaped double quote: ${raw}`);
  let value = '';
  for (let i = 0; i < body.length; i++) {
    const char = body.charAt(i);
    const last = i === body.length - 1;
    if (char === '"') {
      if (!quoted || !last) throw refused();
      return value;
    }
    if (char === '\\' && !last) {
      const next = body.charAt(++i);
      if (next === 'n') value += '\n';
      else value += next === '"' || next === '\\' ? next : `\\${next}`;
    } else {
      value += char;
    }
  }
  if (quoted) throw refused();
  return value;
}

/** Splits at the commas outside double quotes. A last part that is blank is left out. */
export function splitList(list: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let inQuotes = false;
  for (let i = 0; i < list.length; i++) {
    const char = list.charAt(i);
    if (char === '\\') i++;
    else if (char === '"') inQuotes = !inQuotes;
    else if (char === ',' && !inQuotes) {
      parts.push(list.slice(start, i));
      start = i + 1;
    }
  }
  const rest = list.slice(start);
  return rest.trim() === '' ? parts : [...parts, rest];
}
