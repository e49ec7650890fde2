import { type Answer, recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { parseJsonText } from '../../../json-object.ts';
import { RawJson } from '../../../output/types.ts';
import { gather, type Input, InputErrors, once, readDeliveries, sourceName } from '../captures/formats.ts';
import { asEvent, type Delivery, type ReadEvent, readEvent, signatureHeaders } from '../delivery.ts';
import { type EventVerdict, eventList, eventRecord } from '../event-columns.ts';
import { ANY_AGE, fingerprint, type SigningSecret, verifySignature } from '../signature.ts';
import { SECRET_FLAGS, signingSecrets } from '../signing-secrets.ts';

const UNKNOWN = { verdict: 'unsigned', secret: undefined } as const;

export const webhooksInspect = recordCommand({
  id: 'webhooks inspect',
  aliases: ['show'],
  summary: 'Show the event of a delivery in readable form',
  description:
    'Reads an event, an array of events, or deliveries in any format that svc webhooks verify reads. With a secret, svc first verifies each delivery, whatever its age. An event with an invalid signature is not shown: exit 1.',
  details:
    'One event is shown in full, several as a list. An unreadable line of a recording is reported, the others are shown, and the exit status is 2. Texts are escaped and never rendered. JSON is the event exactly as received.',
  effect: 'read',
  args: { file: { help: 'File, or - for standard input (the default)', complete: 'files' } },
  flags: {
    'event-id': { type: 'string', value: 'id', help: 'Only this event' },
    ...SECRET_FLAGS,
  },
  exits: ['signature_invalid'],
  examples: [
    {
      run: 'svc webhooks inspect delivery.http --secret-file key.txt',
      why: 'The event of a delivery, if it is genuine',
    },
    { run: 'svc webhooks inspect rec.ndjson --event-id evt_2', why: 'One complete event of a recording' },
  ],
  output: eventRecord(() => UNKNOWN),
  async run(input, ctx): Promise<Answer<never>> {
    const { file = '-', eventId } = input;
    const secrets = await signingSecrets(input, ctx);
    const { inputChunks: chunks, notice } = ctx;
    const bad = new InputErrors(notice);
    const unusable = (error: SvcError): void => bad.add(error);
    const options = { format: 'auto', signed: false, chunks, notice, unusable } as const;
    const { shown, refused, others } = await collectEvents(file, eventId, secrets, options);
    const [first] = shown.values();
    if (first === undefined) throw bad.failure('shown') ?? explainNothing(refused[0], others[0], input);
    for (const { source, verdict } of refused) notice(`${source}: ${verdict}: not shown`);
    for (const other of others) notice(other);
    const whole: Pick<Answer<never>, 'code' | 'footer'> = {
      code: refused.length === 0 ? undefined : 'signature_invalid',
      // After the readable part: something could not be read.
      footer: () => {
        const failure = bad.failure('shown');
        if (failure !== undefined) throw failure;
        return undefined;
      },
    };
    const verdictOf = (value: ReadEvent['value']) => shown.get(value) ?? UNKNOWN;
    const [value, ...more] = shown.keys();
    if (more.length > 0) return { ...whole, value: [...shown.keys()], as: eventList(verdictOf) };
    const raw = ctx.wants.rawJson ? first.bytes : undefined;
    return { ...whole, value: raw === undefined ? value : new RawJson(once(raw)), as: eventRecord(verdictOf) };
  },
});

interface Collected {
  /** By the value of the event, in the order of the input. */
  readonly shown: ReadonlyMap<ReadEvent['value'], FoundEvent>;
  readonly refused: readonly FoundEvent[];
  /** What the input has besides events. */
  readonly others: readonly string[];
}

async function collectEvents(
  path: string,
  eventId: string | undefined,
  secrets: readonly SigningSecret[],
  input: Input,
): Promise<Collected> {
  const shown = new Map<ReadEvent['value'], FoundEvent>();
  const refused: FoundEvent[] = [];
  const others: string[] = [];
  for await (const found of readEvents(path, secrets, input)) {
    const { event, source, verdict } = found;
    if (!READABLE.has(verdict)) refused.push(found);
    else if (event === undefined) others.push(`${source}: the body is not an event`);
    else if (eventId === undefined || event.id === eventId) shown.set(event.value, found);
  }
  return { shown, refused, others };
}

/** Verdicts with which an event may be shown. */
const READABLE: ReadonlySet<EventVerdict> = new Set<EventVerdict>(['valid', 'unsigned', 'unchecked']);

function explainNothing(
  refused: FoundEvent | undefined,
  other: string | undefined,
  { file = '-', eventId }: { readonly file?: string | undefined; readonly eventId: string | undefined },
): SvcError {
  if (refused === undefined) {
    const source = sourceName(file);
    if (eventId !== undefined) return new SvcError('not_found', `${source} has no event ${eventId}`);
    return new SvcError('file_unusable', other ?? `${source}: no matching event`);
  }
  const { verdict, source } = refused;
  return new SvcError('signature_invalid', `${verdict}: ${source}: the event is not shown`, {
    hint: '"svc webhooks verify" explains why; without a secret, svc shows it unverified',
  });
}

interface FoundEvent {
  /** Where it was read: `hook.http`, `rec.ndjson:12`. */
  readonly source: string;
  readonly verdict: EventVerdict;
  /** The fingerprint of the secret that it was signed with. */
  readonly secret: string | undefined;
  /** Undefined if the body is no event, or must not be read as its signature is invalid. */
  readonly event: ReadEvent | undefined;
  /** The event as received, if it is a complete body. */
  readonly bytes: Uint8Array | undefined;
}

const LARGEST = 64 << 20;

async function* readEvents(
  path: string,
  secrets: readonly SigningSecret[],
  input: Input,
): AsyncGenerator<FoundEvent, void, void> {
  for await (const found of readDeliveries(path, input)) {
    if ('pieces' in found) yield* readBareEvents(await gather(found.pieces, found.source, LARGEST), found.source);
    else for (const delivery of found) yield verifyDelivered(delivery, secrets);
  }
}

/** Age matters to a receiver, not to a reader. */
function verifyDelivered(
  { source, headers, body, truncated }: Delivery,
  secrets: readonly SigningSecret[],
): FoundEvent {
  if (secrets.length === 0) {
    return { source, bytes: body, verdict: 'unchecked', secret: undefined, event: readEvent(body) };
  }
  const { verdict, secretIndex } = verifySignature(signatureHeaders(headers), body, secrets, ANY_AGE, truncated);
  const secret = secrets[secretIndex ?? -1];
  const event = verdict === 'valid' ? readEvent(body) : undefined;
  return { source, bytes: body, verdict, secret: secret && fingerprint(secret), event };
}

/** One event, an array of events such as the service's samples, or one per line. */
function* readBareEvents(bytes: Uint8Array, source: string): Generator<FoundEvent> {
  const single = readEvent(bytes);
  if (single !== undefined) {
    if (!isEvent(single)) throw explainNoEvent(source);
    yield { ...UNKNOWN, source, event: single, bytes };
    return;
  }
  const documents = parseDocuments(Buffer.from(bytes).toString());
  const values = documents.length === 1 ? documents.flat() : documents;
  const events = values.map((value) => asEvent(value));
  if (!events.some(isEvent)) throw explainNoEvent(source);
  for (const [index, event] of events.entries()) {
    yield { ...UNKNOWN, source: `${source}#${index + 1}`, event: isEvent(event) ? event : undefined, bytes: undefined };
  }
}

/** Other JSON may be a line of a log. */
function isEvent(event: ReadEvent | undefined): boolean {
  return event !== undefined && ['id', 'type', 'created_at', 'data'].some((name) => name in event.value);
}

function explainNoEvent(source: string): SvcError {
  return new SvcError('file_unusable', `${source}: contains neither a JSON event nor a delivery`);
}

/** The values of one JSON document, or of one per line. Empty if it is not JSON. */
function parseDocuments(text: string): readonly unknown[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  for (const documents of [[text], lines]) {
    try {
      return documents.map((json) => parseJsonText(json, Number.POSITIVE_INFINITY));
    } catch {
      // Not JSON as a whole, or not in each line.
    }
  }
  return [];
}
