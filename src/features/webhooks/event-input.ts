/** The events in what somebody has in hand: events themselves, or the deliveries of some. */

import { SvcError } from '../../errors.ts';
import { parseJsonText } from '../../json-object.ts';
import type { Delivery } from './delivery.ts';
import { headerValues } from './delivery.ts';
import { readDeliveries } from './delivery-input.ts';
import { asEvent, type ReadEvent, readEvent } from './event.ts';
import { fingerprint, type SigningSecret } from './secret.ts';
import { SignatureCheck, type Verdict } from './signature.ts';

/** `unsigned`: an event by itself, of which no signature tells anything. `unchecked`: no secret was given. */
export type EventVerdict = Verdict | 'unsigned' | 'unchecked';

export interface FoundEvent {
  /** Where it was read: `hook.http`, `rec.ndjson:12`. */
  readonly source: string;
  readonly verdict: EventVerdict;
  /** The fingerprint of the secret that it was signed with. */
  readonly secret: string | undefined;
  /** Undefined where the body is no event, or must not be read: its signature is not good. */
  readonly event: ReadEvent | undefined;
  /** The event as it was received, where it is the whole of a body. */
  readonly bytes: Uint8Array | undefined;
}

export interface EventInput {
  readonly secrets: readonly SigningSecret[];
  readonly prefix: string;
  /** Whether a body is read although its signature is not good. */
  readonly unverified: boolean;
  chunks(path: string): AsyncIterable<Uint8Array>;
  notice(text: string): void;
  /** What cannot be read; the rest still is. */
  unusable(error: SvcError): void;
}

const LARGEST = 64 << 20;

/** One after the other, in their order. */
export async function* readEvents(path: string, input: EventInput): AsyncGenerator<FoundEvent, void, void> {
  const { prefix, chunks, notice, unusable } = input;
  const options = { format: 'auto', signed: false, prefix, chunks, notice, unusable } as const;
  for await (const found of readDeliveries(path, options)) {
    if ('pieces' in found) yield* bareEvents(await whole(found.pieces, found.source), found.source);
    else for (const delivery of found) yield deliveredEvent(delivery, input);
  }
}

/** The age counts for who receives a delivery, not for who reads one afterwards. */
function deliveredEvent(delivery: Delivery, { secrets, prefix, unverified }: EventInput): FoundEvent {
  const { source, headers, body } = delivery;
  const found = { source, bytes: body };
  if (secrets.length === 0) return { ...found, verdict: 'unchecked', secret: undefined, event: readEvent(body) };
  const timestamps = headerValues(headers, `${prefix}timestamp`);
  const check = new SignatureCheck({ timestamps, signatures: headerValues(headers, `${prefix}signature`) }, secrets);
  check.update(body);
  const { verdict, secretIndex } = check.finish({ nowS: 0, toleranceS: undefined }, delivery.truncated === true);
  const secret = secrets[secretIndex ?? -1];
  const mayRead = verdict === 'valid' || unverified;
  return {
    ...found,
    verdict,
    secret: secret && fingerprint(secret),
    event: mayRead ? readEvent(body) : undefined,
  };
}

/** One event, an array of them as the service's samples are, or one on each line. */
function* bareEvents(bytes: Uint8Array, source: string): Generator<FoundEvent> {
  const bare = { verdict: 'unsigned', secret: undefined } as const;
  const single = readEvent(bytes);
  if (single !== undefined) {
    yield { ...bare, source, event: single, bytes };
    return;
  }
  for (const [index, value] of values(bytes, source).entries()) {
    yield { ...bare, source: `${source}#${index + 1}`, event: asEvent(value), bytes: undefined };
  }
}

function values(bytes: Uint8Array, source: string): readonly unknown[] {
  const text = Buffer.from(bytes).toString();
  try {
    const value: unknown = parseJsonText(text);
    return Array.isArray(value) ? value : [value];
  } catch {
    try {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return lines.map((line): unknown => parseJsonText(line));
    } catch {
      throw new SvcError('file_unusable', `${source}: holds neither an event in JSON nor a delivery of one`);
    }
  }
}

async function whole(pieces: AsyncIterable<Uint8Array>, source: string): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > LARGEST) throw new SvcError('file_unusable', `${source}: is larger than 64 MiB`);
    all.push(Buffer.from(piece));
  }
  return Buffer.concat(all);
}
