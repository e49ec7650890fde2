/** The canonical spelling of matchers, and the two grammars that servers use. */

// A type: an interface is not assignable to the service's matcher, which has unknown fields.
export type Matcher = {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
};

export const OPERATORS = ['=', '!=', '=~', '!~'] as const;
export type Operator = (typeof OPERATORS)[number];

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

/** Only `\`, `"` and the line feed are escaped: old servers read other escapes differently. */
function quote(text: string): string {
  return `"${text.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))}"`;
}

/** The spelling that every grammar of the service reads the same way. */
export function formatMatcher(of: Matcher): string {
  const name = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(of.name) ? of.name : quote(of.name);
  return `${name}${operatorOf(of)}${quote(of.value)}`;
}

/** Order and repetition do not matter. */
export function sameMatchers(a: readonly Matcher[], b: readonly Matcher[]): boolean {
  const left = new Set(a.map(formatMatcher));
  const right = new Set(b.map(formatMatcher));
  return left.size === right.size && [...left].every((text) => right.has(text));
}

// `\s` of the server's regular expressions is ASCII only.
const BLANK = '[\\t\\n\\f\\r ]';
const CLASSIC = new RegExp(`^${BLANK}*([a-zA-Z_:][a-zA-Z0-9_:]*)${BLANK}*(=~|=|!=|!~)${BLANK}*(.*)$`, 's');
// The lookbehind keeps a long run of blanks from being searched from each of its characters.
const LAST_BLANKS = new RegExp(`(?<!${BLANK})${BLANK}+$`);
const CLASSIC_VALUE = /^(?:"([^"\\]*(?:\\.[^"\\]*)*)"|([^"\\]*(?:\\.[^"\\]*)*\\?))$/s;

/** The grammar before 0.27, and later in classic mode. Undefined if it refuses the text. */
export function parseClassic(text: string): Matcher | undefined {
  const [, name, operator, rest = ''] = CLASSIC.exec(text) ?? [];
  const [, quoted, bare] = CLASSIC_VALUE.exec(rest.replace(LAST_BLANKS, '')) ?? [];
  const value = quoted ?? bare;
  if (name === undefined || value === undefined) return undefined;
  const plain = value.replace(/\\([n"\\])/g, (_, char: string) => (char === 'n' ? '\n' : char));
  return matcher(name, operator as Operator, plain);
}

// What Go calls a space; JavaScript's `\s` has U+FEFF and lacks U+0085.
const SPACE = '\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const GAP = `[${SPACE}]*`;
const TEXT = `("[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|[^${SPACE}{}!=~,\\\\"'\`]+)`;
const UTF8 = new RegExp(
  `^${GAP}(?:(\\{)${GAP})?${TEXT}${GAP}(=~|=|!=|!~)${GAP}${TEXT}${GAP}(?:,${GAP})?(?:(\\})${GAP})?$`,
  'su',
);

/** The grammar since 0.27 in strict mode, for one matcher. Undefined if it refuses the text. */
export function parseUtf8(text: string): Matcher | undefined {
  const [, open, name, operator, value, close] = isList(text) ? [] : (UTF8.exec(text) ?? []);
  if (name === undefined || value === undefined || (open === undefined) !== (close === undefined)) return undefined;
  const [left, right] = [unquote(name), unquote(value)];
  if (left === undefined || right === undefined) return undefined;
  return matcher(left, operator as Operator, right);
}

/** A server prefers the classic grammar if both read a `filter`, but differently. */
export function parseFallback(text: string): Matcher | undefined {
  return isList(text) ? undefined : (parseClassic(text) ?? parseUtf8(text));
}

function isList(text: string): boolean {
  return text.startsWith('{') || text.endsWith('}');
}

const ESCAPE =
  /\\(?:([abfnrtv\\"])|x([\da-fA-F]{2})|([0-3][0-7]{2})|u((?![dD][89a-fA-F])[\da-fA-F]{4})|U((?!0000[dD][89a-fA-F])[\da-fA-F]{8}))/g;
const SINGLE: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** A string of Go: `\xHH` and octal escapes are bytes, and all bytes together must be UTF-8. */
function unquote(text: string): string | undefined {
  if (!text.startsWith('"')) return text;
  const body = text.slice(1, -1);
  if (/[\\\n]/.test(body.replace(ESCAPE, ''))) return undefined;
  const bytesOf = (some: string): string => Buffer.from(some).toString('latin1');
  try {
    const bytes = bytesOf(body).replace(ESCAPE, (_, single?: string, hex?: string, octal?: string, ...points) => {
      if (single !== undefined) return SINGLE[single] ?? single;
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return bytesOf(String.fromCodePoint(Number.parseInt(points[0] ?? points[1], 16)));
    });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined; // no UTF-8, or no code point
  }
}

/** Splits at the commas outside double quotes. A last part that is blank is left out. */
export function splitList(list: string): string[] {
  const parts: string[] = [];
  if (!list.includes(',')) return list.trim() === '' ? [] : [list];
  let start = 0;
  for (const { 0: token, index } of list.matchAll(/\\.?|"(?:[^"\\]|\\.)*(?:"|\\?$)|,/gs)) {
    if (token !== ',') continue;
    parts.push(list.slice(start, index));
    start = index + 1;
  }
  const rest = list.slice(start);
  return rest.trim() === '' ? parts : [...parts, rest];
}

/** The 27 of `0.27.0`; of a server whose version is not known, that of the newest. */
export function minorOf(version: string | undefined): number {
  return Number(/^v?0\.(\d+)/.exec(version ?? '')?.[1] ?? 'Infinity');
}

/** With or without braces. The classic grammar is preferred if both read the text. */
export function parseMatcherList(
  line: string,
  acceptsUtf8: boolean,
  isValid = (_: Matcher): boolean => true,
): readonly Matcher[] | undefined {
  const valid = (items: readonly (Matcher | undefined)[]): readonly Matcher[] | undefined => {
    const read = items.filter((item) => item !== undefined);
    return read.length === items.length && read.every(isValid) ? read : undefined;
  };
  const classic = valid(splitList(line.replace(/^\{/, '').replace(/\}$/, '')).map(parseClassic));
  if (classic !== undefined || !acceptsUtf8) return classic;
  const trimmed = line.trim();
  const hasBraces = trimmed.startsWith('{');
  if (hasBraces !== trimmed.endsWith('}')) return undefined;
  return valid(splitList(hasBraces ? trimmed.slice(1, -1) : trimmed).map(parseUtf8));
}
