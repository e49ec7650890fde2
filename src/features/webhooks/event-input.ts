/** Events out of files: events themselves, or deliveries of them. */
import { SvcError } from '../../errors.ts';
import { jsonDocuments } from './captured-json.ts';
import { asEvent, type Delivery, lostBytes, REBUILT, type ReadEvent, readEvent, signatureHeaders } from './delivery.ts';
import type { DeliveryFilter } from './delivery-filter.ts';
import { gather, type Input, readDeliveries } from './formats.ts';
import { fingerprint, type SigningSecret } from './secret.ts';
import { type Verdict, verifySignature } from './signature.ts';

/** `unsigned`: an event alone, without a signature. `unchecked`: no secret was given. */
export type EventVerdict = Verdict | 'unsigned' | 'unchecked';

export interface FoundEvent {
  /** Where it was read: `hook.http`, `rec.ndjson:12`. */
  readonly source: string;
  readonly verdict: EventVerdict;
  /** The fingerprint of the secret that it was signed with. */
  readonly secret: string | undefined;
  /** Undefined if the body is not an event, or must not be read because its signature is invalid. */
  readonly event: ReadEvent | undefined;
  /** The event as received, if it is a complete body. */
  readonly bytes: Uint8Array | undefined;
}

export interface EventInput extends Omit<Input, 'signed' | 'refuseBodies'> {
  readonly secrets: readonly SigningSecret[];
  readonly filter: DeliveryFilter;
  /** Whether a body is read although its signature is invalid. */
  readonly unverified: boolean;
}

const LARGEST = 64 << 20;

/** One after the other, in order. */
export async function* readEvents(path: string, input: EventInput): AsyncGenerator<FoundEvent, void, void> {
  for await (const found of readDeliveries(path, { ...input, signed: false })) {
    if ('pieces' in found) yield* bareEvents(await gather(found.pieces, found.source, LARGEST), found.source);
    else {
      for (const delivery of found) {
        if (!input.filter.takes(delivery)) continue;
        const event = deliveredEvent(delivery, input);
        const isLost = event.verdict === 'signature_mismatch' && delivery.notes.includes(REBUILT);
        if (isLost && !input.unverified) input.unusable(lostBytes(delivery.source));
        else yield event;
      }
    }
  }
}

/** The age matters for the receiver of a delivery, not for a reader. */
function deliveredEvent(delivery: Delivery, { secrets, prefix, unverified }: EventInput): FoundEvent {
  const { source, headers, body, truncated } = delivery;
  const found = { source, bytes: body };
  if (secrets.length === 0) return { ...found, verdict: 'unchecked', secret: undefined, event: readEvent(body) };
  const clock = { nowS: 0, toleranceS: undefined };
  const { verdict, secretIndex } = verifySignature(signatureHeaders(headers, prefix), body, secrets, clock, truncated);
  const secret = secrets[secretIndex ?? -1];
  const event = verdict === 'valid' || unverified ? readEvent(body) : undefined;
  return { ...found, verdict, secret: secret && fingerprint(secret), event };
}

/** One event, an array of events such as the service's samples, or one per line. */
function* bareEvents(bytes: Uint8Array, source: string): Generator<FoundEvent> {
  const bare = { verdict: 'unsigned', secret: undefined } as const;
  const single = readEvent(bytes);
  if (single !== undefined) {
    yield { ...bare, source, event: single, bytes };
    return;
  }
  const documents = jsonDocuments(Buffer.from(bytes).toString());
  if (documents === undefined) {
    throw new SvcError('file_unusable', `${source}: contains neither a JSON event nor a delivery`);
  }
  const values = documents.length === 1 ? documents.flat() : documents;
  for (const [index, value] of values.entries()) {
    yield { ...bare, source: `${source}#${index + 1}`, event: asEvent(value), bytes: undefined };
  }
}
