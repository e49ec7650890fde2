/** Deliveries on their way out again, with the bytes and the documented headers that they came with. */
import { SvcError } from '../../errors.ts';
import { type Delivery, HEADER_PREFIX, headerValues, type RawHeader, readEvent, signatureHeaders } from './delivery.ts';
import { type DeliveryFormat, readDeliveries } from './formats.ts';
import { forwardedHeaders } from './receiver/forwarder.ts';
import { withAgent } from './sample-event.ts';
import type { SigningSecret } from './secret.ts';
import type { Draft, Outgoing } from './sending.ts';
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

  /** Lines that hold no delivery, except for a last one that was cut off. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Reads up to the first delivery before it resolves: a file that cannot be used is reported before anything is sent. */
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
    const unusable = (error: SvcError): void => {
      this.#unreadable++;
      notice(`${error.message}, and left out`);
    };
    const input = { format, signed: false, refuseBodies: BODY_ADVICE, prefix: HEADER_PREFIX, chunks, notice, unusable };
    for await (const found of readDeliveries(path, input)) {
      if ('pieces' in found) {
        throw new SvcError('file_unusable', `${found.source}: is a body without its headers`, { hint: BODY_ADVICE });
      }
      for (const delivery of found) {
        this.#read++;
        const event = readEvent(delivery.body);
        const about = { eventId: event?.id ?? null, eventType: event?.type ?? null };
        const filter = this.#filterAgainst({ ...delivery, ...about });
        if (filter !== undefined) this.#leftOut.set(filter, (this.#leftOut.get(filter) ?? 0) + 1);
        else if (this.#mayGo(delivery)) {
          yield () => ({ ...about, headers: this.#headers(delivery), body: delivery.body });
          if (++this.#chosen >= limit) return;
        }
      }
    }
    if (this.#read === 0) {
      throw new SvcError('file_unusable', `${path === '-' ? 'stdin' : path}: holds no delivery`, {
        hint: '"svc webhooks listen --record" writes recordings',
      });
    }
  }

  /** The option that leaves it out. */
  #filterAgainst({ eventId, eventType, failed, receivedS }: Delivery & Pick<Outgoing, 'eventId' | 'eventType'>) {
    const { onlyFailed, eventIds, types, sinceMs, untilMs } = this.#options;
    if (receivedS === undefined && (sinceMs !== undefined || untilMs !== undefined)) return NO_TIME;
    const receivedMs = (receivedS ?? 0) * 1000;
    if (sinceMs !== undefined && receivedMs < sinceMs) return '--since';
    if (untilMs !== undefined && receivedMs > untilMs) return '--until';
    if (onlyFailed && failed !== true) return '--only-failed';
    if (eventIds.length > 0 && !eventIds.includes(eventId ?? '')) return '--event-id';
    return types.length === 0 || types.includes(eventType ?? '') ? undefined : '--event';
  }

  /** A new signature makes any forgery valid: what was refused for its own signature gets none unasked. */
  #mayGo({ verdict, headers, body }: Delivery): boolean {
    const { resign } = this.#options;
    if (resign === undefined || resign.unproven || SIGNED.includes(verdict)) return true;
    const clock = { nowS: 0, toleranceS: undefined };
    if (verifySignature(signatureHeaders(headers), body, [resign.secret], clock).signatureOk) return true;
    this.#unproven++;
    return false;
  }

  /** The documented headers, signed again when they are sent where that was asked for. */
  #headers({ headers, body }: Delivery): readonly RawHeader[] {
    const { resign, userAgent, now } = this.#options;
    const documented = forwardedHeaders(headers, { allHeaders: false });
    const nowS = Math.floor(now() / 1000);
    if (resign !== undefined) {
      return withAgent(resigned(documented, resign.secret.key.reveal(), String(nowS), body), userAgent);
    }
    const ageS = nowS - Number(headerValues(documented, TIMESTAMP)[0]);
    // Once: all of a recording are about as old as each other.
    if (ageS > TOLERANCE_S && !this.#warned) {
      this.#warned = true;
      this.#options.notice(
        `warning: the recorded timestamps are older than ${TOLERANCE_S} s (the first by ${ageS} s): receivers refuse that; --resign signs them again`,
      );
    }
    return withAgent(documented, userAgent);
  }
}

const NO_TIME = '--since or --until (their time of receipt is unknown)';

const BODY_ADVICE = 'svc webhooks send --body signs and sends a body';

/** Verdicts of a recorder on a delivery whose signature was good, whatever its age. */
const SIGNED: readonly (string | undefined)[] = ['valid', 'stale', 'future'] satisfies Verdict[];

/** The new values replace the old ones in their places; where there were none, they come last. */
function resigned(headers: readonly RawHeader[], key: string, timestamp: string, body: Uint8Array): RawHeader[] {
  const values = new Map([
    [TIMESTAMP.toLowerCase(), [TIMESTAMP, timestamp]],
    [SIGNATURE.toLowerCase(), [SIGNATURE, signatureOf(key, timestamp, body)]],
  ] as const);
  const places = new Set(values.keys());
  const all = headers.flatMap(([name, value]): RawHeader[] => {
    const known = name.toLowerCase();
    if (!places.has(known)) return [[name, value]];
    const made = values.get(known);
    values.delete(known);
    // One that was there twice comes once.
    return made === undefined ? [] : [[name, made[1]]];
  });
  return [...all, ...values.values()];
}
