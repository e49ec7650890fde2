/** Reads recordings line by line: any length in the memory of a chunk. */
import { StringDecoder } from 'node:string_decoder';
import * as z from 'zod/mini';
import { SvcError } from '../../../errors.ts';
import { type Delivery, isAccepted, type RawHeader } from '../delivery.ts';

/** The fields that svc needs in the lines of `webhooks listen`. Other writers may omit the rest. */
const recordedLine = z.object({
  v: z.optional(z.literal(1)),
  received_at: z.optional(z.string()),
  /** A schema of tuples would double the time that a line takes. */
  headers: z.custom<readonly RawHeader[]>(isPairs),
  body_b64: z.string(),
  status: z.optional(z.string()),
  forward: z.nullish(z.object({ status: z.nullish(z.number()) })),
  response: z.optional(z.number()),
});

function isPairs(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  return value.every(
    (pair) => Array.isArray(pair) && pair.length === 2 && pair.every((one) => typeof one === 'string'),
  );
}

/** A longer line is not a recorded delivery. */
const LONGEST_LINE = 256 << 20;

interface Reports {
  /** Reports something that is skipped without a failure. */
  notice(text: string): void;
  /** Reports an unreadable line; the rest is still read. */
  unusable(error: SvcError): void;
}

/** The lines of each chunk as one batch. */
export async function* recordedDeliveries(
  pieces: AsyncIterable<Uint8Array>,
  source: string,
  { notice, unusable }: Reports,
): AsyncGenerator<Iterable<Delivery>, void, void> {
  const decoder = new StringDecoder('utf8');
  let number = 0;
  let rest = '';
  for await (const piece of pieces) {
    const decoded = decoder.write(piece as Buffer);
    const text = number === 0 && rest === '' ? decoded.replace(/^\ufeff/, '') : decoded;
    const end = text.lastIndexOf('\n');
    if (end >= 0) yield deliveries((rest + text.slice(0, end)).split('\n'));
    rest = end < 0 ? rest + text : text.slice(end + 1);
    if (rest.length > LONGEST_LINE) throw new SvcError('file_unusable', `${source}: a line is too long`);
  }
  const last = recordedDelivery(rest, `${source}:${++number}`);
  if (last !== undefined) yield [last];
  else if (rest.trim() !== '') {
    // A killed recorder leaves half a line.
    notice(`${source}:${number}: skipped: the last line was cut off while it was being written`);
  }

  function* deliveries(lines: readonly string[]): Generator<Delivery> {
    for (const line of lines) {
      const place = `${source}:${++number}`;
      const delivery = recordedDelivery(line, place);
      if (delivery !== undefined) yield delivery;
      else if (line.trim() !== '') unusable(new SvcError('file_unusable', `${place}: not a recorded delivery`));
    }
  }
}

export function recordedDelivery(line: string, source: string): Delivery | undefined {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return undefined;
  }
  const { success, data } = z.safeParse(recordedLine, json);
  if (!success) return undefined;
  const { received_at, headers, body_b64, status, forward, response } = data;
  const body = Buffer.from(body_b64, 'base64');
  // Invalid base64 is decoded without an error, to fewer bytes than were received.
  if (body_b64.length % 4 !== 0 || body.length !== Buffer.byteLength(body_b64, 'base64')) return undefined;
  const ms = Date.parse(received_at ?? '');
  const statuses = [response ?? [], forward ? (forward.status ?? 0) : []].flat();
  return {
    source,
    headers,
    body,
    receivedS: Number.isNaN(ms) ? undefined : ms / 1000,
    verdict: status,
    failed: statuses.length === 0 ? undefined : statuses.some((status) => !isAccepted(status)),
    notes: [],
  };
}
