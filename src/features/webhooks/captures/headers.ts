/** Headers as raw requests and JSON have them. */
import { isObject } from '../../../json-object.ts';
import { hasServiceHeader, type RawHeader } from '../delivery.ts';
import { trimmed } from '../signature.ts';

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

/** An object of names and values, or a list of pairs, of names and values in turn, or of objects. */
export function readHeaders(value: unknown): readonly RawHeader[] {
  if (isObject(value)) return Object.entries(value).flatMap(([name, one]) => readHeader(name, one));
  if (!Array.isArray(value)) return [];
  const list: readonly unknown[] = value;
  if (list.every((one) => typeof one === 'string')) {
    return list.flatMap((one, index) => (index % 2 === 0 ? readHeader(one, list[index + 1]) : []));
  }
  return list.flatMap((one) => {
    if (Array.isArray(one)) return readHeader(one[0], one[1]);
    return isObject(one) ? readHeader(one['name'], one['value']) : [];
  });
}

/** One header for each of its values. */
function readHeader(name: unknown, value: unknown): readonly RawHeader[] {
  if (typeof name !== 'string') return [];
  return [value].flat().flatMap((one): RawHeader[] => {
    return typeof one === 'string' || typeof one === 'number' ? [[nameOf(name), String(one)]] : [];
  });
}

/** `HTTP_X_SERVICE_SIGNATURE` of CGI, WSGI, Rack and nginx. Only names of the service change. */
function nameOf(name: string): string {
  const spelled = name.replace(/^\$?http_/i, '').replaceAll('_', '-');
  return hasServiceHeader([[spelled, '']]) ? spelled : name;
}
