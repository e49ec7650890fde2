/** A delivery as it came over the wire, or out of a file that holds one. */
import { SvcError } from '../../errors.ts';
import { isObject } from '../../json-object.ts';

/** A header as it was received: its name in its own case, values of repeated ones apart. */
export type RawHeader = readonly [name: string, value: string];

export interface Delivery {
  /** Where it was read: `hook.http`, `rec.ndjson:12`, `trace.har#3`. */
  readonly source: string;
  /** In the order received. */
  readonly headers: readonly RawHeader[];
  /** The exact bytes. */
  readonly body: Uint8Array;
  /** When it was received, in Unix seconds, where that is recorded. */
  readonly receivedS?: number | undefined;
  /** What the receiver answered, where that is recorded. */
  readonly status?: number | undefined;
  /** The input ended before the body did. */
  readonly truncated?: true | undefined;
  /** Where that time was read, if not in a recording's `received_at`. */
  readonly clock?: 'startedDateTime' | undefined;
  /** Another body that these bytes may have been before a program changed them, and the hint that says so. */
  readonly original?: { readonly hint: string; readonly body: Uint8Array } | undefined;
  /** What was noticed while it was read: `bare_lf_head`, `har_text_body`, `curl_d_strips_newlines`. */
  readonly notes: readonly string[];
}

/** The names of the delivery's headers (doc 2 §6) are made of this, unless told. */
export const HEADER_PREFIX = 'X-Service-';

/** The values of all headers of this name, whose case does not count. */
export function headerValues(headers: readonly RawHeader[], name: string): string[] {
  const wanted = name.toLowerCase();
  const values: string[] = [];
  for (const [found, value] of headers)
    if (found.length === wanted.length && found.toLowerCase() === wanted) values.push(value);
  return values;
}

/** Headers out of JSON: an object of names and values, or a list of pairs. Throws `file_unusable`. */
export function jsonHeaders(value: unknown, source: string): readonly RawHeader[] {
  const pairs = Array.isArray(value) ? value : isObject(value) ? Object.entries(value) : [undefined];
  return pairs.flatMap((pair: unknown): RawHeader[] => {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== 'string') throw notHeaders(source);
    const [name, values] = pair as [string, unknown];
    return [values].flat().map((one): RawHeader => {
      if (typeof one !== 'string' && typeof one !== 'number') throw notHeaders(source);
      return [name, String(one)];
    });
  });
}

function notHeaders(source: string): SvcError {
  return new SvcError('file_unusable', `${source}: the headers are neither pairs nor an object of texts`);
}
