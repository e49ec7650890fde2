/** Events out of files: events themselves, or deliveries of them. */
import { SvcError } from '../../errors.ts';
import { jsonDocuments } from './captured-json.ts';
import { type Delivery, headerValues } from './delivery.ts';
import { gather, readDeliveries } from './delivery-input.ts';
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
    if ('pieces' in found) yield* bareEvents(await gather(found.pieces, found.source, LARGEST), found.source);
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
  const documents = jsonDocuments(Buffer.from(bytes).toString());
  if (documents === undefined) {
    throw new SvcError('file_unusable', `${source}: holds neither an event in JSON nor a delivery of one`);
  }
  const values = documents.length === 1 ? documents.flat() : documents;
  for (const [index, value] of values.entries()) {
    yield { ...bare, source: `${source}#${index + 1}`, event: asEvent(value), bytes: undefined };
  }
}
