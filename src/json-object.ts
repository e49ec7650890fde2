/** Parsed JSON that is an object, neither null nor a list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text that is a number. */
export const NUMERIC = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** A string unchanged, other values as JSON: an object's own `toString` may be no function. */
export function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Outside of strings, such numbers begin like this; so do some texts. */
const MAY_BE_INEXACT = /(?:[:,[\s]|^)-?(?:[\d.]{16}|[\d.]+[eE])/;

/** Numbers that JavaScript cannot represent become strings, so that no digit is lost. */
export function exactNumbers(json: string): string {
  if (!MAY_BE_INEXACT.test(json)) return json;
  return json.replace(TOKEN, (token) => (token.startsWith('"') || isExact(token) ? token : `"${token}"`));
}

function isExact(token: string): boolean {
  const value = Number(token);
  if (/^-?\d+$/.test(token)) return Number.isSafeInteger(value);
  const digits = significantDigits(token);
  // Smaller numbers have fewer than 15 digits.
  const isNormal = Math.abs(value) >= 2 ** -1022;
  return Number.isFinite(value) && (digits === significantDigits(String(value)) || (digits.length <= 15 && isNormal));
}

function significantDigits(number: string): string {
  return number.replace(/[eE].*$|[-.]/g, '').replace(/^0+|0+$/g, '');
}

/** Deeper values than any service sends would overflow the stack of recursive code. */
export const DEEPEST = 256;
/** Names and values. Each takes up to 200 bytes of memory, however short its text. */
const MOST_VALUES = 1_000_000;
/** Per object: copying or checking an object with very many names takes seconds. */
const MOST_NAMES = 10_000;

/** Possibly valid JSON, but more than svc reads. */
export class JsonLimit extends SyntaxError {
  override readonly name = 'JsonLimit';
}

export const TOO_DEEP = `nested more than ${DEEPEST} levels deep`;
const TOO_WIDE = `too large: more than ${MOST_NAMES} names in one object`;

/** Throws `JsonLimit`. The user's own file may have any number of values. */
export function parseJsonText(text: string, mostValues = MOST_VALUES): unknown {
  // Most texts cannot exceed the limits.
  if (text.length > DEEPEST) checkLimits(text, mostValues);
  return JSON.parse(text);
}

/** The same, and undefined for text that is not such JSON. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

function checkLimits(text: string, mostValues: number): void {
  let depth = 0;
  let values = 0;
  /** Of the object at each depth. */
  const names: number[] = [0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    switch (code) {
      case QUOTE:
        values++;
        i = endOfString(text, i);
        break;
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        values++;
        if (++depth > DEEPEST) throw new JsonLimit(TOO_DEEP);
        names[depth] = 0;
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        depth--;
        break;
      case COLON:
        if (++(names[depth] as number) > MOST_NAMES) throw new JsonLimit(TOO_WIDE);
        break;
      default:
        if (code <= COMMA) break;
        values++;
        i = endOfScalar(text, i);
    }
    if (values > mostValues) throw new JsonLimit(`too large: more than ${mostValues} names and values`);
  }
}

/** Where the string ends. A search for the quote is much faster than reading each character. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Where the last character of a number or a word is. */
function endOfScalar(text: string, start: number): number {
  let end = start;
  while (isWithinScalar(text.charCodeAt(end + 1))) end++;
  return end;
}

/** Whether an odd number of backslashes stands before the character. */
export function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Digits, letters, signs and the point. False past the end of the text, for NaN. */
function isWithinScalar(code: number): boolean {
  return (
    (code > COMMA && code < COLON) ||
    (code > COLON && code < OPEN_ARRAY) ||
    (code > 0x60 && code < OPEN_OBJECT) ||
    code === 0x2b
  );
}

/** An object whose values are all strings. */
export function isTextRecord(value: unknown): value is Readonly<Record<string, string>> {
  if (!isObject(value)) return false;
  for (const text of Object.values(value)) if (typeof text !== 'string') return false;
  return true;
}

export interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly expected?: string | undefined;
}

/**
 * Such as `credentials.0.expires_at is a string, not a number`, without the value, which may be
 * secret. `before` separates the field from the schema's own message.
 */
export function schemaProblem([issue]: readonly SchemaIssue[], value: unknown, before: ' ' | ': ' = ' '): string {
  const path = issue?.path ?? [];
  const found = path.reduce<unknown>((at, name) => (at as Record<PropertyKey, unknown> | undefined)?.[name], value);
  const field = path.length === 0 ? 'it' : path.join('.');
  if (found === undefined) return `${field} is missing`;
  if (issue?.code === 'invalid_type') return `${field} is ${named(kindOf(found))}, not ${named(issue.expected ?? '')}`;
  const message = issue?.message ?? 'has another shape';
  // After a colon, a message about the whole value is a sentence of its own.
  return path.length === 0 && before === ': ' ? message : `${field}${before}${message}`;
}

/** `an array` */
function named(kind: string): string {
  return kind === 'null' ? kind : `${/^[aeio]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
