/** HTTP archives (HAR 1.2), as browsers and proxies export them. */
import { SvcError } from '../../errors.ts';
import { isObject, JsonLimit, parseJsonText } from '../../json-object.ts';
import { type Delivery, headerValues, type RawHeader } from './delivery.ts';

/** The requests that carry a header of the service, by their numbers from 1. */
export function harDeliveries(bytes: Buffer, source: string, prefix: string): readonly Delivery[] {
  const entries = entriesOf(bytes, source);
  return entries.flatMap((entry: unknown, index): Delivery[] => {
    const request = isObject(entry) ? entry['request'] : undefined;
    if (!isObject(entry) || !isObject(request)) return [];
    const headers = headersOf(request);
    const wanted = prefix.toLowerCase();
    if (!headers.some(([name]) => name.toLowerCase().startsWith(wanted))) return [];
    const receivedMs = Date.parse(textOf(entry['startedDateTime']));
    return [
      {
        source: `${source}#${index + 1}`,
        headers,
        ...bodyOf(request, headers),
        ...answeredWith(entry['response']),
        ...(Number.isNaN(receivedMs) ? {} : { receivedS: receivedMs / 1000, clock: 'startedDateTime' }),
      },
    ];
  });
}

/** An object is no value of any of these. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function entriesOf(bytes: Buffer, source: string): readonly unknown[] {
  let archive: unknown;
  try {
    archive = parseJsonText(bytes.toString().replace(/^\ufeff/, ''), Number.POSITIVE_INFINITY);
  } catch (error) {
    const fault = error instanceof JsonLimit ? error.message : 'not JSON, or not whole';
    throw new SvcError('file_unusable', `${source}: is no HAR: it is ${fault}`);
  }
  const log = isObject(archive) ? archive['log'] : undefined;
  const entries = isObject(log) ? log['entries'] : undefined;
  if (!Array.isArray(entries)) throw new SvcError('file_unusable', `${source}: is no HAR: it has no log.entries`);
  return entries;
}

/** 0 where there was no answer. */
function answeredWith(response: unknown): Pick<Delivery, 'status'> {
  const status = isObject(response) ? response['status'] : undefined;
  return typeof status === 'number' ? { status } : {};
}

function headersOf(request: Readonly<Record<string, unknown>>): readonly RawHeader[] {
  const headers = Array.isArray(request['headers']) ? request['headers'] : [];
  return headers.flatMap((header: unknown): RawHeader[] =>
    isObject(header) && typeof header['name'] === 'string' ? [[header['name'], textOf(header['value'])]] : [],
  );
}

/** An archive holds text: bytes only where its writer encoded them in base64, as some do beyond the format. */
function bodyOf(
  request: Readonly<Record<string, unknown>>,
  headers: readonly RawHeader[],
): Pick<Delivery, 'body' | 'notes' | 'truncated'> {
  const data = isObject(request['postData']) ? request['postData'] : {};
  const text = data['text'];
  if (typeof text === 'string') {
    const encoded = [data['encoding'], data['_encoding']].includes('base64') || data['_base64'] === true;
    if (encoded) return { body: Buffer.from(text, 'base64'), notes: [] };
    return { body: Buffer.from(text), notes: ['har_text_body'] };
  }
  const size = Math.max(
    Number(textOf(request['bodySize'])) || 0,
    Number(headerValues(headers, 'content-length')[0]) || 0,
  );
  return { body: Buffer.alloc(0), notes: [], ...(size > 0 ? { truncated: true } : {}) };
}
