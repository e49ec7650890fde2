/** Deliveries on their way out again, with the bytes and the documented headers that they came with. */
import { SvcError } from '../../errors.ts';
import { isObject, parseJsonText } from '../../json-object.ts';
import { type Delivery, HEADER_PREFIX, headerValues, jsonHeaders, type RawHeader } from './delivery.ts';
import { readDeliveries } from './delivery-input.ts';
import { readEvent } from './event.ts';
import type { DeliveryFormat } from './input-format.ts';
import { forwardedHeaders } from './receiver/forwarder.ts';
import type { LineReader } from './recording-reader.ts';
import type { SigningSecret } from './secret.ts';
import type { Draft, Outgoing } from './sending.ts';
import { withAgent } from './sending-event.ts';
import { signatureOf, TOLERANCE_S, type Verdict, verifySignature } from './signature.ts';

export interface ReplayOptions {
  /** A file, or `-`. */
  readonly path: string;
  readonly format: DeliveryFormat;
  /** Those that were answered, or forwarded, without success. */
  readonly onlyFailed: boolean;
  /** Of these events; any where there are none. */
  readonly eventIds: readonly string[];
  readonly types: readonly string[];
  /** When they were received: milliseconds since 1970, both included. */
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  readonly limit: number | undefined;
  /** Each is signed again when it is sent: those of the service, and with `unproven` whatever was recorded. */
  readonly resign: { readonly secret: SigningSecret; readonly unproven: boolean } | undefined;
  readonly userAgent: string;
  chunks(path: string): AsyncIterable<Uint8Array>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  notice(text: string): void;
}

const TIMESTAMP = `${HEADER_PREFIX}Timestamp`;
const SIGNATURE = `${HEADER_PREFIX}Signature`;

/** The deliveries of one file, in its order. */
export class Replay {
  readonly #options: ReplayOptions;
  /** What filters left out, by option. */
  readonly #leftOut = new Map<string, number>();
  #read = 0;
  #unreadable = 0;
  #chosen = 0;
  #unproven = 0;
  #warned = false;

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  /** Lines that hold no delivery, but for a last one that was cut off. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /**
   * Looks for the first before it resolves: a file that cannot be used is reported before anything is sent. Throws
   * `file_unusable` where it holds no delivery at all, chosen or not.
   */
  async start(): Promise<AsyncGenerator<Draft, void, void>> {
    const deliveries = this.#deliveries();
    const first = await deliveries.next();
    return (async function* () {
      try {
        if (first.done === true) return;
        yield first.value;
        yield* deliveries;
      } finally {
        await deliveries.return();
      }
    })();
  }

  async *#deliveries(): AsyncGenerator<Draft, void, void> {
    const { notice } = this.#options;
    try {
      yield* this.#chosenOnes();
    } finally {
      if (this.#leftOut.size > 0) {
        const counts = [...this.#leftOut].map(([option, count]) => `${count} by ${option}`);
        notice(`left out: ${counts.join(', ')}`);
      }
      if (this.#unproven > 0) {
        notice(
          `${this.#unproven} left out: nothing shows that the service has signed them; --resign-unproven signs them all the same`,
        );
      }
    }
  }

  async *#chosenOnes(): AsyncGenerator<Draft, void, void> {
    const { path, format, limit = Number.POSITIVE_INFINITY, chunks, notice } = this.#options;
    if (limit <= 0) return;
    const unusable = (error: SvcError): void => {
      this.#unreadable++;
      notice(`${error.message}, and left out`);
    };
    const input = {
      format,
      signed: false,
      refuseBodies: BODY_ADVICE,
      prefix: HEADER_PREFIX,
      readLine,
      chunks,
      notice,
      unusable,
    };
    for await (const found of readDeliveries(path, input)) {
      if ('pieces' in found) throw bareBody(found.source);
      for (const delivery of found) {
        this.#read++;
        const recorded = asRecorded(delivery);
        const filter = this.#filterAgainst(recorded);
        if (filter !== undefined) this.#leftOut.set(filter, (this.#leftOut.get(filter) ?? 0) + 1);
        if (filter !== undefined || !this.#mayGo(recorded)) continue;
        yield () => this.#outgoing(recorded);
        if (++this.#chosen >= limit) return;
      }
    }
    if (this.#read === 0) {
      throw new SvcError('file_unusable', `${path === '-' ? 'stdin' : path}: holds no delivery`, {
        hint: '"svc webhooks listen --record" writes recordings',
      });
    }
  }

  /** The option that leaves it out. */
  #filterAgainst({ eventId, eventType, failed, receivedMs }: Recorded): string | undefined {
    const { onlyFailed, eventIds, types, sinceMs, untilMs } = this.#options;
    if (sinceMs !== undefined && !(receivedMs >= sinceMs)) return Number.isNaN(receivedMs) ? NO_TIME : '--since';
    if (untilMs !== undefined && !(receivedMs <= untilMs)) return Number.isNaN(receivedMs) ? NO_TIME : '--until';
    if (onlyFailed && !failed) return '--only-failed';
    if (eventIds.length > 0 && !eventIds.includes(eventId ?? '')) return '--event-id';
    return types.length === 0 || types.includes(eventType ?? '') ? undefined : '--event';
  }

  /** A new signature makes a forgery as good as any: what was refused for its own is not given one unasked. */
  #mayGo(recorded: Recorded): boolean {
    const { resign } = this.#options;
    if (resign === undefined || resign.unproven || isProven(recorded, resign.secret)) return true;
    this.#unproven++;
    return false;
  }

  #outgoing({ eventId, eventType, headers, body }: Recorded): Outgoing {
    const { resign, userAgent, now } = this.#options;
    const kept = forwardedHeaders(headers, { allHeaders: false });
    const nowS = Math.floor(now() / 1000);
    if (resign === undefined) this.#warnOfAge(headerValues(kept, TIMESTAMP)[0], nowS);
    const sent = resign === undefined ? kept : resigned(kept, resign.secret.key.reveal(), String(nowS), body);
    return { eventId, eventType, headers: withAgent(sent, userAgent), body };
  }

  /** Once: all of a recording are about as old as each other. */
  #warnOfAge(timestamp: string | undefined, nowS: number): void {
    const ageS = nowS - Number(timestamp);
    if (this.#warned || !(ageS > TOLERANCE_S)) return;
    this.#warned = true;
    this.#options.notice(
      `warning: the recorded timestamps are older than ${TOLERANCE_S} s (the first by ${ageS} s): receivers refuse that; --resign signs them again`,
    );
  }
}

const NO_TIME = '--since or --until (their time of receipt is unknown)';

const BODY_ADVICE = 'svc webhooks send --body signs and sends a body';

function bareBody(source: string): SvcError {
  return new SvcError('file_unusable', `${source}: is a body without its headers`, {
    hint: BODY_ADVICE,
  });
}

interface Recorded {
  readonly eventId: string | null;
  readonly eventType: string | null;
  readonly headers: readonly RawHeader[];
  readonly body: Uint8Array;
  /** NaN where it is not known. */
  readonly receivedMs: number;
  readonly failed: boolean;
  /** As the recorder wrote it; other files do not say. */
  readonly verdict: string | undefined;
}

/** What a recording says of a delivery beside its bytes. */
interface RecordedDelivery extends Delivery {
  readonly line?: Readonly<Record<string, unknown>>;
}

function asRecorded({ headers, body, receivedS, status, line = {} }: RecordedDelivery): Recorded {
  const event = readEvent(body);
  const { response = status, forward } = line;
  return {
    eventId: textOf(line['event_id']) ?? event?.id ?? null,
    eventType: textOf(line['event_type']) ?? event?.type ?? null,
    headers,
    body,
    receivedMs: (receivedS ?? Number.NaN) * 1000,
    verdict: textOf(line['verdict']),
    failed: hasFailed(response) || (isObject(forward) && hasFailed(forward['status'])),
  };
}

/** Of which the signature was good, whatever the age. */
const SIGNED: readonly (string | undefined)[] = ['valid', 'stale', 'future'] satisfies Verdict[];

/** By the verdict of the recorder, or by its own signature, where that is of the same secret. */
function isProven({ verdict, headers, body }: Recorded, secret: SigningSecret): boolean {
  if (SIGNED.includes(verdict)) return true;
  const signed = { timestamps: headerValues(headers, TIMESTAMP), signatures: headerValues(headers, SIGNATURE) };
  return verifySignature(signed, body, [secret], { nowS: 0, toleranceS: undefined }).signatureOk;
}

/** Stricter than for verification: what is sent must be what was received. */
const readLine: LineReader = (bytes, source): RecordedDelivery | undefined => {
  let line: unknown;
  let headers: readonly RawHeader[];
  try {
    line = parseJsonText(bytes.toString());
    if (!isObject(line) || (line['v'] ?? 1) !== 1) return undefined;
    headers = jsonHeaders(line['headers'], source);
  } catch {
    return undefined;
  }
  const text = line['body_b64'];
  if (typeof text !== 'string') return undefined;
  const body = Buffer.from(text, 'base64');
  // Broken base64 is decoded without an error, to other bytes than were received.
  if (body.toString('base64') !== text) return undefined;
  const ms = Date.parse(textOf(line['received_at']) ?? '');
  return { source, headers, body, receivedS: Number.isNaN(ms) ? undefined : ms / 1000, notes: [], line };
};

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A file may not say. */
function hasFailed(status: unknown): boolean {
  return status !== undefined && !(typeof status === 'number' && status >= 200 && status <= 299);
}

/** The new values stand where the old ones did; where there were none, at the end. */
function resigned(headers: readonly RawHeader[], key: string, timestamp: string, body: Uint8Array): RawHeader[] {
  const values = new Map([
    [TIMESTAMP, timestamp],
    [SIGNATURE, signatureOf(key, timestamp, body)],
  ]);
  const all: RawHeader[] = [];
  for (const header of headers) {
    const name = [TIMESTAMP, SIGNATURE].find((one) => one.toLowerCase() === header[0].toLowerCase());
    const value = name === undefined ? header[1] : values.get(name);
    if (value === undefined) continue; // it was there twice
    all.push([header[0], value]);
    if (name !== undefined) values.delete(name);
  }
  return [...all, ...values];
}
