/** Headers as raw requests, JSON and the output of programs have them. */
import { SvcError } from '../../../errors.ts';
import { isObject } from '../../../json-object.ts';
import { hasServiceHeader, type RawHeader } from '../delivery.ts';
import { trimmed } from '../signature.ts';
import { valuesIn } from './literals.ts';

/** `Name: value` lines, CRLF or LF. A leading space continues the previous; others are ignored. */
export function headerLines(text: string): RawHeader[] {
  const headers: [string, string][] = [];
  for (const line of text.split(/\r?\n/)) {
    const before = headers.at(-1);
    const colon = line.indexOf(':', 1);
    if (/^[ \t]/.test(line) && before !== undefined) before[1] += ` ${line.trim()}`;
    else if (colon > 0) headers.push([line.slice(0, colon).trim(), trimmed(line.slice(colon + 1))]);
  }
  return headers;
}

/**
 * An object of names and values, or a list: of pairs, of names and values in turn, of objects with
 * `name` and `value`, or of lines. Values of other kinds are left out. Undefined for anything else.
 */
export function readHeaders(value: unknown): readonly RawHeader[] | undefined {
  if (isText(value)) return headerLines(`${value}`);
  if (isObject(value)) return Object.entries(value).flatMap(([name, one]) => readHeader(name, one));
  if (!Array.isArray(value)) return undefined;
  const list: readonly unknown[] = value;
  if (list.every(isText)) {
    const isFlat = list.length % 2 === 0 && list.every((one, index) => index % 2 === 1 || TOKEN.test(`${one}`));
    if (!isFlat) return headerLines(list.join('\n'));
    return list.flatMap((one, index) => (index % 2 === 0 ? readHeader(`${one}`, list[index + 1]) : []));
  }
  const pairs = list.map(pairOf);
  if (pairs.includes(undefined)) return undefined;
  return pairs.flatMap((pair = ['', '']) => readHeader(...pair));
}

/** What RFC 9110 permits in a name. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

function isText(value: unknown): value is string | Buffer {
  return typeof value === 'string' || Buffer.isBuffer(value);
}

function pairOf(one: unknown): readonly [name: string, value: unknown] | undefined {
  if (Array.isArray(one)) return one.length === 2 && isText(one[0]) ? [`${one[0]}`, one[1]] : undefined;
  if (!isObject(one)) return undefined;
  const { name, value = '' } = one;
  return typeof name === 'string' ? [name, value] : undefined;
}

/** One header for each of its values. */
function readHeader(name: string, value: unknown): readonly RawHeader[] {
  return [value].flat().flatMap((one): RawHeader[] => {
    return isText(one) || typeof one === 'number' ? [[nameOf(name), String(one)]] : [];
  });
}

/** `HTTP_X_SERVICE_SIGNATURE` of CGI, WSGI, Rack, nginx. Only service names and length change. */
function nameOf(name: string): string {
  const spelled = name.replace(/^(?:\$?http_|http\.request\.header\.)/i, '').replaceAll('_', '-');
  return hasServiceHeader([[spelled, '']]) || spelled.toLowerCase() === 'content-length' ? spelled : name;
}

/** The output of `curl -v`, which has no bodies. */
export const VERBOSE = /^(?:\*|>|\{|Note: ).*\r?\n(?:.*\r?\n)*?> [A-Z]+ \S+ HTTP\//;

/** What was sent. */
function verboseHead(text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('> '));
  return lines.map((line) => `${line.slice(2)}\n`).join('');
}

/** `HTTP_X_SERVICE_EVENT=…` as `env` prints it, `[X-Service-Event] => …` as PHP does. */
const OTHER_LINES = /^[ \t]*\[?([\w-]+)\]?(?: => |=)(.*)$/gm;

/** An object, after only its type, its name or a log prefix: `headers: {`, `INFO:root:{`. */
const PRINTED = /^(?:[^:\n]*|\w+:[\w.]+:|[^:\n]*headers:?\s*)[[{(]/i;

/** Headers: lines, with or without a request line, JSON, a printed value, or `curl -v` output. */
export function headerFile(bytes: Uint8Array, source: string): readonly RawHeader[] {
  const text = new TextDecoder().decode(bytes);
  if (VERBOSE.test(text)) return headerLines(verboseHead(text));
  const lines = headerLines(text.replace(OTHER_LINES, '$1: $2')).flatMap((line) => readHeader(...line));
  // The value of a header may look like an object, which is not searched.
  if (!PRINTED.test(text.trimStart())) return lines;
  const lists = [...valuesIn(text, source)].flatMap(({ values }) => values.flatMap((value) => headerLists(value, 0)));
  const list = lists.find((one) => hasServiceHeader(one)) ?? lists[0];
  if (list !== undefined) return list;
  throw new SvcError('file_unusable', `${source}: contains no headers`, {
    hint: 'svc reads lines of Name: value, JSON, and objects as Node.js, Python, Ruby, PHP, Go and Java print them',
  });
}

const DEEPEST = 5;

/** The value as headers, or the headers in it. */
function headerLists(value: unknown, depth: number): readonly (readonly RawHeader[])[] {
  if (typeof value !== 'object' || value === null || Buffer.isBuffer(value) || depth === DEEPEST) return [];
  const list = readHeaders(value) ?? [];
  const inner = Object.values(value);
  return [...(list.length > 0 ? [list] : []), ...inner.flatMap((one) => headerLists(one, depth + 1))];
}
