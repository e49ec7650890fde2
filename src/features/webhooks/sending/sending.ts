/** Sends deliveries as the service would, once each, without redirects, and reports outcomes. */
import type { RunContext } from '../../../cli/command.ts';
import type { ErrorCode, SvcError } from '../../../errors.ts';
import type { Plan } from '../../../http/endpoint.ts';
import { openPoster, type Posted, type Poster, planPosts } from '../../../http/poster.ts';
import type { Outbound } from '../../../http/target.ts';
import { isAccepted, isRedirect, type RawHeader } from '../delivery.ts';

/** How long the service waits for a receiver (doc 2 §6). */
export const RECEIVER_MS = 5_000;

export interface Outgoing {
  readonly eventId: string | null;
  readonly eventType: string | null;
  readonly headers: readonly RawHeader[];
  readonly body: Uint8Array;
}

/** Made when it is sent, with a current timestamp. */
export type Draft = () => Outgoing;

export interface SentDelivery {
  readonly n: number;
  readonly event_id: string | null;
  readonly event_type: string | null;
  /** The status of the receiver's response, null if there is none. */
  readonly status: number | null;
  /** Until its headers, or the failure. */
  readonly ms: number;
  /** A 2xx, as the service counts it. */
  readonly delivered: boolean;
  /** The start of the response's body, at most `LONGEST_ANSWER` characters. */
  readonly answer: string;
  /** Where a redirect would have led. */
  readonly location: string | null;
  readonly error: { readonly code: ErrorCode; readonly message: string } | null;
}

const LONGEST_ANSWER = 4096;

/** Sends one after the other. Yields each outcome as soon as it is known. */
export async function* sendAll(
  source: Iterable<Draft> | AsyncIterable<Draft>,
  url: URL,
  outbound: Outbound,
  tally: Tally,
  { now, secrets }: Pick<RunContext, 'now' | 'secrets'>,
): AsyncGenerator<SentDelivery, void, void> {
  const poster = openPoster(outbound, now);
  let n = 0;
  try {
    for await (const draft of source) {
      const sent = await send(poster, ++n, draft(), url, tally);
      // A receiver may respond with the secret.
      yield { ...sent, answer: secrets.hide(sent.answer).slice(0, LONGEST_ANSWER) };
    }
  } finally {
    await poster.close();
  }
}

export async function planAll(source: Iterable<Draft> | AsyncIterable<Draft>, url: URL): Promise<Plan> {
  const deliveries: Outgoing[] = [];
  for await (const draft of source) deliveries.push(draft());
  return planPosts(deliveries.map(({ headers, body }) => ({ url, headers, body })));
}

async function send(
  poster: Poster,
  n: number,
  { eventId, eventType, headers, body }: Outgoing,
  url: URL,
  tally: Tally,
): Promise<SentDelivery> {
  const posted = await poster.post({ url, headers, body, timeoutMs: RECEIVER_MS });
  tally.add(posted);
  const { status, failure } = posted;
  return {
    n,
    event_id: eventId,
    event_type: eventType,
    status: status ?? null,
    ms: Math.round(posted.ms),
    delivered: isAccepted(posted.status),
    answer: Buffer.from(posted.text).toString(),
    location: isRedirect(posted.status) ? (posted.headers['location'] ?? null) : null,
    error: failure === undefined ? null : { code: failure.code, message: failure.message },
  };
}

export class Tally {
  sent = 0;
  #accepted = 0;
  #answered = 0;
  #failure: SvcError | undefined;

  add(posted: Posted): void {
    this.sent++;
    if (isAccepted(posted.status)) this.#accepted++;
    if (posted.status !== undefined) this.#answered++;
    this.#failure ??= posted.failure;
  }

  /** Why there was no response, if there was none at all. */
  get unreachable(): SvcError | undefined {
    return this.#answered === 0 ? this.#failure : undefined;
  }

  get code(): ErrorCode | undefined {
    if (this.#accepted === this.sent) return undefined;
    if (this.#accepted > 0) return 'partly_done';
    return this.unreachable?.code ?? 'delivery_failed';
  }

  get summary(): string | undefined {
    if (this.sent < 2) return undefined;
    const counts = [
      `${this.#accepted} accepted`,
      `${this.#answered - this.#accepted} refused`,
      `${this.sent - this.#answered} without a response`,
    ];
    return `${this.sent} sent: ${counts.filter((count) => !count.startsWith('0 ')).join(', ')}`;
  }
}
