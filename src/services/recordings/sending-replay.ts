/** Recorded deliveries on their way out again, with the bytes and the documented headers that they came with. */
import { SvcError } from '../../errors.ts';
import { isObject } from '../../json-object.ts';
import { HEADER_PREFIX, headerValues, jsonHeaders, type RawHeader } from './delivery.ts';
import { readEvent } from './event.ts';
import { forwardedHeaders } from './forwarding.ts';
import { type Line, lineBatches } from './recording-reader.ts';
import type { SigningSecret } from './secret.ts';
import type { Draft, Outgoing } from './sending.ts';
import { withAgent } from './sending-event.ts';
import { signatureOf, TOLERANCE_S, type Verdict, verifySignature } from './signature.ts';

export interface ReplayOptions {
  /** How messages call the recording. */
  readonly source: string;
  /** Those that were answered, or forwarded, without success. */
  readonly onlyFailed: boolean;
  /** Of these events; any where there are none. */
  readonly eventIds: readonly string[];
  readonly types: readonly string[];
  readonly limit: number | undefined;
  /** Each is signed anew when it is sent: those of the service, and with `unproven` whatever was recorded. */
  readonly resign: { readonly secret: SigningSecret; readonly unproven: boolean } | undefined;
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Remarks for the person. */
  readonly tell: (text: string) => void;
}

const TIMESTAMP = `${HEADER_PREFIX}Timestamp`;
const SIGNATURE = `${HEADER_PREFIX}Signature`;

/** The deliveries of one recording, in its order. */
export class Replay {
  readonly #options: ReplayOptions;
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
   * Looks for the first before it resolves: a recording that cannot be used is told of before anything is sent. Throws
   * `file_unusable` where it holds no delivery at all, chosen or not.
   */
  async start(pieces: AsyncIterable<Uint8Array>): Promise<AsyncGenerator<Draft, void, void>> {
    const deliveries = this.#deliveries(pieces);
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

  async *#deliveries(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Draft, void, void> {
    try {
      yield* this.#chosenOf(pieces);
    } finally {
      if (this.#unproven > 0) {
        this.#options.tell(
          `${this.#unproven} left out: nothing shows that the service has signed them; --resign-unproven signs them all the same`,
        );
      }
    }
  }

  async *#chosenOf(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Draft, void, void> {
    const { source, limit = Number.POSITIVE_INFINITY } = this.#options;
    if (limit <= 0) return;
    for await (const lines of lineBatches(pieces)) {
      for (const line of lines) {
        const recorded = recordedIn(line);
        if (recorded === undefined) {
          this.#leaveOut(line);
          continue;
        }
        this.#read++;
        if (!this.#chooses(recorded) || !this.#mayGo(recorded)) continue;
        yield () => this.#outgoing(recorded);
        if (++this.#chosen >= limit) return;
      }
    }
    if (this.#read === 0) {
      throw new SvcError('file_unusable', `${source} holds no recorded delivery`, {
        hint: '"svc webhooks listen --record" writes recordings',
      });
    }
  }

  #leaveOut({ number, open }: Line): void {
    const { source, tell } = this.#options;
    if (open) tell(`${source}:${number} is cut off, and left out: the recorder was stopped while it wrote`);
    else {
      this.#unreadable++;
      tell(`${source}:${number} is no recorded delivery, and left out`);
    }
  }

  #chooses({ eventId, eventType, failed }: Recorded): boolean {
    const { onlyFailed, eventIds, types } = this.#options;
    if (onlyFailed && !failed) return false;
    if (eventIds.length > 0 && !eventIds.includes(eventId ?? '')) return false;
    return types.length === 0 || types.includes(eventType ?? '');
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
    const kept = forwardedHeaders(headers.flat(), { allHeaders: false });
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
    this.#options.tell(
      `warning: the recorded timestamps are older than ${TOLERANCE_S} s (the first by ${ageS} s): receivers refuse that; --resign signs anew`,
    );
  }
}

interface Recorded {
  readonly eventId: string | null;
  readonly eventType: string | null;
  readonly headers: readonly RawHeader[];
  readonly body: Buffer;
  readonly failed: boolean;
  /** As the recorder wrote it; a recording of another writer may not say. */
  readonly verdict: string | undefined;
}

/** Of which the signature was good, whatever the age. */
const SIGNED: readonly (string | undefined)[] = ['valid', 'stale', 'future'] satisfies Verdict[];

/** By the verdict of the recorder, or by its own signature, where that is of the same secret. */
function isProven({ verdict, headers, body }: Recorded, secret: SigningSecret): boolean {
  if (SIGNED.includes(verdict)) return true;
  const signed = { timestamps: headerValues(headers, TIMESTAMP), signatures: headerValues(headers, SIGNATURE) };
  return verifySignature(signed, body, [secret], { nowS: 0, toleranceS: undefined }).signatureOk;
}

function recordedIn({ bytes, number }: Line): Recorded | undefined {
  let value: unknown;
  let headers: readonly RawHeader[];
  try {
    value = JSON.parse(bytes.toString());
    if (!isObject(value) || (value['v'] ?? 1) !== 1) return undefined;
    headers = jsonHeaders(value['headers'], String(number));
  } catch {
    return undefined;
  }
  const text = value['body_b64'];
  if (typeof text !== 'string') return undefined;
  const body = Buffer.from(text, 'base64');
  // Broken base64 is decoded without a word, to other bytes than were received.
  if (body.toString('base64') !== text) return undefined;
  const event = readEvent(body);
  return {
    eventId: textOf(value['event_id']) ?? event?.id ?? null,
    eventType: textOf(value['event_type']) ?? event?.type ?? null,
    headers,
    body,
    verdict: textOf(value['verdict']),
    failed: hasFailed(value['response']) || (isObject(value['forward']) && hasFailed(value['forward']['status'])),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** A recording of another writer may not say. */
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
