import { listCommand } from '../../../cli/command.ts';
import { type Options, section } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { DELIVERY_FORMATS, type DeliveryFormat, readDeliveries } from '../captures/formats.ts';
import { once } from '../captures/input.ts';
import { SENT_LIST } from '../columns.ts';
import {
  type Delivery,
  HEADER_PREFIX,
  headerValues,
  lostBytes,
  type RawHeader,
  REBUILT,
  readEvent,
  signatureHeaders,
} from '../delivery.ts';
import { EVENT_FLAG, eventFilter } from '../event-types.ts';
import { addressWarnings, RECEIVER_FLAGS, receiverAddress } from '../options.ts';
import { forwardedHeaders } from '../receiver/forwarder.ts';
import { eventIdIn, historyPath, readHistory } from '../receiver/history.ts';
import { withAgent } from '../sending/sample-event.ts';
import { type Draft, planAll, sendAll, Tally } from '../sending/sending.ts';
import { ANY_AGE, type SigningSecret, signatureOf, TOLERANCE_S, type Verdict, verifySignature } from '../signature.ts';
import { requireSecret, SECRET_FLAGS } from '../signing-secrets.ts';
import { findSignedLayout } from '../verification.ts';

const FILTER_FLAGS = section('Filter options', {
  since: { type: 'time', bare: 'back', help: 'Only deliveries received since this time' },
  until: { type: 'time', bare: 'back', help: 'Only deliveries received until this time' },
  event: { ...EVENT_FLAG },
  status: { type: 'choice', choices: ['delivered', 'failed'], help: 'Only with this recorded outcome' },
  limit: { type: 'integer', min: 1, help: 'Maximum number of deliveries' },
});

export const webhooksReplay = listCommand({
  id: 'webhooks replay',
  suggestFor: ['resend', 'retry', 'redeliver'],
  summary: 'Resend recorded deliveries, byte for byte',
  description:
    'Sends an event that svc webhooks listen received, by its id, or the deliveries of a recording or of any file that svc webhooks verify reads, in order. Most receivers refuse timestamps older than 300 s: --resign signs each delivery again. Exit 0 if every response is a 2xx, 1 if none is, 7 without a response, 10 if only some are.',
  details:
    'An argument that begins with evt_ is an event id, or a unique beginning of one, among the last 100 valid deliveries of svc webhooks listen; a file of such a name is ./evt_x. svc sends the recorded bytes and the documented headers. --resign skips deliveries that cannot be proved to come from the service: those with an invalid signature, and unverified ones that do not match the secret. The service cannot resend an old event itself. A last line that was cut off is skipped; svc exits 10 if another line could not be read.',
  effect: 'write',
  args: {
    file: { help: 'Event id, recording or other file, or - for standard input', required: true, complete: 'files' },
  },
  flags: {
    format: { type: 'choice', choices: DELIVERY_FORMATS, default: 'auto', help: 'Format of the file' },
    to: RECEIVER_FLAGS.to,
    deadline: RECEIVER_FLAGS.deadline,
    insecure: RECEIVER_FLAGS.insecure,
    ...FILTER_FLAGS,
    ...SECRET_FLAGS,
    ...section(SECRET_FLAGS.endpoint.group, {
      resign: { type: 'boolean', help: 'Sign each again when it is sent' },
    }),
  },
  exits: ['delivery_failed', 'connect_failed', 'partly_done'],
  examples: [
    { run: 'svc webhooks replay evt_7f3a --to 3000', why: 'Resend what svc webhooks listen received' },
    {
      run: 'svc webhooks replay rec.ndjson --to http://127.0.0.1:3000/hook --resign --secret-file key.txt',
      why: 'As new deliveries',
    },
    {
      run: 'svc webhooks replay rec.ndjson --to http://127.0.0.1:3000/hook --status failed --resign',
      why: 'Resend failures after a fix',
    },
    {
      run: 'svc webhooks replay trace.har --to localhost:3000/hook --resign --since 2h',
      why: 'From a HAR, the last two hours',
    },
  ],
  output: SENT_LIST,
  async run(input, ctx) {
    const url = receiverAddress(input.to);
    const outbound = ctx.outbound(input);
    const line = EVENT_ID.test(input.file) ? findReceived(input.file, historyPath(ctx.paths)) : undefined;
    const replay = new Replay({
      path: input.file,
      format: line === undefined ? input.format : 'ndjson',
      filter: { ...input, types: eventFilter(input.event) },
      secret: input.resign ? await requireSecret(input, ctx) : undefined,
      userAgent: outbound.userAgent,
      chunks: line === undefined ? ctx.inputChunks : () => once(Buffer.from(line)),
      now: ctx.now,
      notice: ctx.notice,
    });
    const route = { url, deadlineMs: input.deadline };
    const source = await replay.start();
    for (const warning of addressWarnings(url, input)) ctx.notice(`warning: ${warning}`);
    if (ctx.dryRun) return { value: await planAll(source, url) };
    const tally = new Tally();
    return {
      value: sendAll(source, route, outbound, tally, ctx),
      code: () => tally.code ?? (replay.unreadable > 0 ? 'partly_done' : undefined),
      footer: () => tally.summary,
    };
  },
});

const EVENT_ID = /^evt_[\w-]*$/;

/** The only delivery in the history whose event id is or begins with this: a recording's line. */
function findReceived(typed: string, path: string): string {
  const events = readHistory(path).map((line) => ({ id: eventIdIn(line) ?? '', line }));
  const found = events.filter(({ id }) => id.startsWith(typed));
  const exact = found.filter(({ id }) => id === typed);
  const [first, ...others] = exact.length > 0 ? exact : found;
  if (first === undefined) {
    throw new SvcError('not_found', `svc webhooks listen has no event ${typed} in its history`, {
      hint: `the last 100 valid deliveries are in ${path}; a file of this name is ./${typed}`,
    });
  }
  if (others.length === 0) return first.line;
  throw new SvcError(
    'invalid_value',
    `${found.length} events begin with ${typed}: ${found.map(({ id }) => id).join(', ')}`,
    {
      hint: 'type more of the id',
    },
  );
}

interface ReplayOptions {
  /** A file, or `-`. */
  readonly path: string;
  readonly format: DeliveryFormat;
  readonly filter: DeliveryFilter;
  /** Signs each again when it is sent. */
  readonly secret: SigningSecret | undefined;
  readonly userAgent: string;
  chunks(path: string): AsyncIterable<Uint8Array>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  notice(text: string): void;
}

/** A line that somebody else wrote must not make svc send a file of this machine. */
function refuseBodyFile({ source, bodyFile }: Delivery): void {
  if (bodyFile === undefined) return;
  throw new SvcError(
    'file_unusable',
    `${source}: its body is the file ${bodyFile}, and svc sends no file that a capture names`,
    {
      hint: 'send the file itself: svc webhooks send --body <file>',
    },
  );
}

/** The deliveries of one file, in its order. */
class Replay {
  readonly #options: ReplayOptions;
  #unproven = 0;
  /** How many deliveries each filter leaves out. */
  readonly #leftOut = new Map<string, number>();
  #warned = false;
  /** Lines that hold no delivery, except a last one that was cut off. */
  unreadable = 0;

  constructor(options: ReplayOptions) {
    this.#options = options;
  }

  /** Resolves after the first delivery is read, to report an unusable file before sending. */
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
    const { filter } = this.#options;
    const { limit = Number.POSITIVE_INFINITY } = filter;
    let chosen = 0;
    try {
      for await (const delivery of this.#read()) {
        refuseBodyFile(delivery);
        const event = readEvent(delivery.body);
        const ids = { eventId: event?.id ?? null, eventType: event?.type ?? null };
        const option = findExcludingOption(delivery, ids.eventType, filter);
        if (option !== undefined) {
          this.#leftOut.set(option, (this.#leftOut.get(option) ?? 0) + 1);
          continue;
        }
        if (!this.#isProven(delivery)) {
          this.#unproven++;
          continue;
        }
        yield () => ({ ...ids, headers: this.#headers(delivery), body: delivery.body });
        if (++chosen >= limit) return;
      }
    } finally {
      this.#reportSkipped();
    }
  }

  #reportSkipped(): void {
    const { notice } = this.#options;
    if (this.#leftOut.size > 0) {
      notice(`skipped: ${[...this.#leftOut].map(([option, count]) => `${count} by ${option}`).join(', ')}`);
    }
    if (this.#unproven === 0) return;
    notice(
      `${this.#unproven} skipped: nothing proves that the service signed them; svc webhooks send --body signs any body`,
    );
  }

  async *#read(): AsyncGenerator<Delivery, void, void> {
    const { path, format, chunks, notice } = this.#options;
    const unusable = (error: SvcError): void => {
      this.unreadable++;
      notice(`${error.message}; skipped`);
    };
    let isEmpty = true;
    const input = { format, signed: false, refuseBodies: BODY_ADVICE, chunks, notice, unusable };
    for await (const found of readDeliveries(path, input)) {
      if ('pieces' in found) {
        throw new SvcError('file_unusable', `${found.source}: a body without headers`, { hint: BODY_ADVICE });
      }
      for (const delivery of found) {
        const received = await this.#restore(delivery);
        if (received === undefined) {
          unusable(lostBytes(delivery.source));
          continue;
        }
        isEmpty = false;
        yield received;
      }
    }
    if (!isEmpty) return;
    throw new SvcError('file_unusable', `${sourceName(path)}: contains no delivery`, {
      hint: '"svc webhooks listen --record" writes recordings',
    });
  }

  /** What an export parsed and wrote again is sent in the layout that its signature proves. */
  async #restore(delivery: Delivery): Promise<Delivery | undefined> {
    if (!delivery.notes.includes(REBUILT)) return delivery;
    const { secret } = this.#options;
    if (secret === undefined) return undefined;
    const body = await findSignedLayout(delivery.body, signatureHeaders(delivery.headers), [secret]);
    return body && { ...delivery, body };
  }

  /** A new signature makes a forgery valid: --resign needs proof that the service signed it. */
  #isProven({ verdict, headers, body }: Delivery): boolean {
    const { secret } = this.#options;
    if (secret === undefined || SIGNED.includes(verdict)) return true;
    return verifySignature(signatureHeaders(headers), body, [secret], ANY_AGE).signatureOk;
  }

  /** The documented headers, signed again with --resign. */
  #headers({ headers, body }: Delivery): readonly RawHeader[] {
    const { secret, userAgent, now } = this.#options;
    const documented = forwardedHeaders(headers);
    const nowS = Math.floor(now() / 1000);
    if (secret !== undefined) {
      return withAgent(signAgain(documented, secret.key.reveal(), String(nowS), body), userAgent);
    }
    const ageS = ageOf(documented, nowS);
    if (ageS > TOLERANCE_S && !this.#warned) {
      this.#warned = true;
      this.#options.notice(
        `warning: the recorded timestamps are older than ${TOLERANCE_S} s (the first by ${ageS} s): receivers refuse that; --resign signs them again`,
      );
    }
    return withAgent(documented, userAgent);
  }
}

/** Both times are included. */
interface DeliveryFilter extends Omit<Options<typeof FILTER_FLAGS>, 'event'> {
  /** Empty for all. */
  readonly types: readonly string[];
}

/** Why a delivery is left out. The type is the one in its body. */
function findExcludingOption(
  { receivedS, failed }: Delivery,
  type: string | null,
  { since, until, status, types }: DeliveryFilter,
): string | undefined {
  if (receivedS === undefined && (since ?? until) !== undefined) return NO_TIME;
  const receivedMs = (receivedS ?? 0) * 1000;
  if (since !== undefined && receivedMs < since.ms) return '--since';
  if (until !== undefined && receivedMs > until.ms) return '--until';
  if (status !== undefined && failed !== (status === 'failed')) return '--status';
  return types.length === 0 || types.includes(type ?? '') ? undefined : '--event';
}

const NO_TIME = '--since or --until (their time of receipt is unknown)';

function sourceName(path: string): string {
  return path === '-' ? 'stdin' : path;
}

const BODY_ADVICE = 'svc webhooks send --body signs and sends a body';

/** Verdicts of a recorder on a delivery whose signature was good, whatever its age. */
const SIGNED: readonly (string | undefined)[] = ['valid', 'stale', 'future'] satisfies Verdict[];

const TIMESTAMP = `${HEADER_PREFIX}Timestamp`;
const SIGNATURE = `${HEADER_PREFIX}Signature`;

/** The age of a delivery in seconds, by its own timestamp. */
function ageOf(headers: readonly RawHeader[], nowS: number): number {
  return nowS - Number(headerValues(headers, TIMESTAMP)[0]);
}

/** Headers with a new timestamp and signature in the places of the old ones, or at the end. */
function signAgain(
  headers: readonly RawHeader[],
  key: string | Uint8Array,
  timestamp: string,
  body: Uint8Array,
): RawHeader[] {
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
