import { listCommand, type RunContext } from '../../../cli/command.ts';
import { type Arguments, type Flags, type Input, section } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { once, readDeliveries, sourceName } from '../captures/formats.ts';
import { SENT_LIST } from '../columns.ts';
import {
  type Delivery,
  HEADER_PREFIX,
  headerValues,
  type RawHeader,
  type ReadEvent,
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

const ARGS = {
  file: { help: 'Event id, recording or other file, or - for standard input', required: true, complete: 'files' },
} as const satisfies Arguments;

const FLAGS = {
  ...RECEIVER_FLAGS,
  ...section('Filter options', {
    since: { type: 'time', bare: 'back', help: 'Only deliveries received since this time' },
    until: { type: 'time', bare: 'back', rare: true, help: 'Only deliveries received until this time' },
    event: { ...EVENT_FLAG },
    status: { type: 'choice', choices: ['delivered', 'failed'], help: 'Only with this recorded outcome' },
  }),
  ...SECRET_FLAGS,
  ...section(SECRET_FLAGS.endpoint.group, {
    resign: { type: 'boolean', help: 'Sign each again when it is sent' },
  }),
} as const satisfies Flags;

type ReplayInput = Input<typeof ARGS, typeof FLAGS>;

export const webhooksReplay = listCommand({
  id: 'webhooks replay',
  suggestFor: ['resend', 'retry', 'redeliver'],
  summary: 'Resend recorded deliveries, byte for byte',
  description:
    'Sends an event that svc webhooks listen received, by its id, or the deliveries of a recording or of any file that svc webhooks verify reads, in order. Most receivers refuse timestamps older than 300 s: --resign signs each delivery again. Exit 0 if every response is a 2xx, 1 if none is, 7 without a response, 10 if only some are.',
  details:
    'An argument that begins with evt_ is an event id, or a unique beginning of one, among the last 100 valid deliveries of svc webhooks listen; a file of such a name is ./evt_x. svc sends the recorded bytes and the documented headers. --resign skips deliveries that cannot be proved to come from the service: those with an invalid signature, and unverified ones that do not match the secret. The service cannot resend an old event itself. A last line that was cut off is skipped; svc exits 10 if another line could not be read.',
  effect: 'write',
  args: ARGS,
  flags: FLAGS,
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
  ],
  output: SENT_LIST,
  async run(input, ctx) {
    const url = receiverAddress(input.to);
    const outbound = ctx.outbound(input);
    const secret = input.resign ? await requireSecret(input, ctx) : undefined;
    const skipped = new Skipped(ctx.notice);
    const deliveries = chooseDeliveries(input, secret, skipped, ctx);
    // A file that cannot be read is reported before anything is sent.
    const { value: first } = await deliveries.next();
    for (const warning of addressWarnings(url, input)) ctx.notice(`warning: ${warning}`);
    if (first !== undefined && secret === undefined) warnOfAge(first.delivery, ctx);
    const source = makeDrafts(first, deliveries, { secret, userAgent: outbound.userAgent, now: ctx.now });
    if (ctx.dryRun) return { value: await planAll(source, url) };
    const tally = new Tally();
    return {
      value: sendAll(source, url, outbound, tally, ctx),
      code: () => tally.code ?? (skipped.unreadable > 0 ? 'partly_done' : undefined),
      footer: () => tally.summary,
    };
  },
});

/** What is not sent, and why. */
class Skipped {
  readonly #notice: (text: string) => void;
  /** Lines that hold no delivery, except a last one that was cut off. */
  unreadable = 0;
  /** Nothing proves that the service signed them. */
  unproven = 0;
  /** By a filter. */
  unwanted = 0;

  constructor(notice: (text: string) => void) {
    this.#notice = notice;
  }

  addUnreadable({ message }: SvcError): void {
    this.unreadable++;
    this.#notice(`${message}; skipped`);
  }

  report(): void {
    if (this.unwanted > 0) this.#notice(`${this.unwanted} skipped by the filters`);
    if (this.unproven === 0) return;
    this.#notice(
      `${this.unproven} skipped: nothing proves that the service signed them; svc webhooks send --body signs any body`,
    );
  }
}

interface Chosen {
  readonly delivery: Delivery;
  readonly event: ReadEvent | undefined;
}

/** The deliveries that the filters leave, in the order of the file. */
async function* chooseDeliveries(
  input: ReplayInput,
  secret: SigningSecret | undefined,
  skipped: Skipped,
  ctx: RunContext,
): AsyncGenerator<Chosen, undefined, void> {
  const types = eventFilter(input.event);
  try {
    for await (const delivery of readFile(input.file, skipped, ctx)) {
      const event = readEvent(delivery.body);
      if (!isWanted(delivery, event?.type, { ...input, types })) skipped.unwanted++;
      else if (secret === undefined || isProven(delivery, secret)) yield { delivery, event };
      else skipped.unproven++;
    }
  } finally {
    skipped.report();
  }
}

const EVENT_ID = /^evt_[\w-]*$/;

/** All deliveries. Exit 2 if there is none. */
async function* readFile(path: string, skipped: Skipped, ctx: RunContext): AsyncGenerator<Delivery, void, void> {
  const line = EVENT_ID.test(path) ? findReceived(path, historyPath(ctx.paths)) : undefined;
  const input = {
    format: line === undefined ? 'auto' : 'ndjson',
    signed: false,
    refuseBodies: 'svc webhooks send --body signs and sends a body',
    chunks: line === undefined ? ctx.inputChunks : () => once(Buffer.from(line)),
    notice: ctx.notice,
    unusable: (error: SvcError) => skipped.addUnreadable(error),
  } as const;
  let isEmpty = true;
  for await (const found of readDeliveries(path, input)) {
    // A body without headers was refused.
    if ('pieces' in found) continue;
    for (const delivery of found) {
      isEmpty = false;
      yield delivery;
    }
  }
  if (!isEmpty) return;
  throw new SvcError('file_unusable', `${sourceName(path)}: contains no delivery`, {
    hint: '"svc webhooks listen --record" writes recordings',
  });
}

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

/** Both times are included. */
interface DeliveryFilter extends Pick<ReplayInput, 'since' | 'until' | 'status'> {
  /** Empty for all. */
  readonly types: readonly string[];
}

/** The type is the one in its body. Without a time of receipt, a range of times excludes it. */
function isWanted(
  { receivedS = Number.NaN, failed }: Delivery,
  type: string | undefined,
  { since, until, status, types }: DeliveryFilter,
): boolean {
  const receivedMs = receivedS * 1000;
  if (since !== undefined && !(receivedMs >= since.ms)) return false;
  if (until !== undefined && !(receivedMs <= until.ms)) return false;
  if (status !== undefined && failed !== (status === 'failed')) return false;
  return types.length === 0 || types.includes(type ?? '');
}

/** Verdicts of a recorder on a delivery whose signature was good, whatever its age. */
const SIGNED: readonly (string | undefined)[] = ['valid', 'stale', 'future'] satisfies Verdict[];

/** A new signature makes a forgery valid: --resign needs proof that the service signed it. */
function isProven({ verdict, headers, body }: Delivery, secret: SigningSecret): boolean {
  return SIGNED.includes(verdict) || verifySignature(signatureHeaders(headers), body, [secret], ANY_AGE).signatureOk;
}

const TIMESTAMP = `${HEADER_PREFIX}Timestamp`;
const SIGNATURE = `${HEADER_PREFIX}Signature`;

function warnOfAge({ headers }: Delivery, { now, notice }: Pick<RunContext, 'now' | 'notice'>): void {
  const ageS = Math.floor(now() / 1000) - Number(headerValues(headers, TIMESTAMP)[0]);
  if (!(ageS > TOLERANCE_S)) return;
  notice(
    `warning: the recorded timestamps are older than ${TOLERANCE_S} s (the first by ${ageS} s): receivers refuse that; --resign signs them again`,
  );
}

interface Resigning {
  /** Signs each again. */
  readonly secret: SigningSecret | undefined;
  readonly userAgent: string;
  readonly now: () => number;
}

async function* makeDrafts(
  first: Chosen | undefined,
  others: AsyncIterable<Chosen>,
  resigning: Resigning,
): AsyncGenerator<Draft, void, void> {
  if (first !== undefined) yield makeDraft(first, resigning);
  for await (const chosen of others) yield makeDraft(chosen, resigning);
}

/** The recorded bytes with the documented headers. */
function makeDraft({ delivery: { headers, body }, event }: Chosen, { secret, userAgent, now }: Resigning): Draft {
  const documented = forwardedHeaders(headers);
  return () => {
    const timestamp = String(Math.floor(now() / 1000));
    const signed = secret === undefined ? documented : signAgain(documented, secret.key.reveal(), timestamp, body);
    const about = { eventId: event?.id ?? null, eventType: event?.type ?? null };
    return { ...about, headers: withAgent(signed, userAgent), body };
  };
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
