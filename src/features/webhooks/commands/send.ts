import { listCommand, type RunContext } from '../../../cli/command.ts';
import { parseDuration } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import { SENT_LIST, SENT_ONE } from '../columns.ts';
import { readEvent } from '../delivery.ts';
import { EVENT_FLAG, eventTypes, likelyType } from '../event-types.ts';
import { addressWarnings, parseByteSize, RECEIVER_FLAGS, receiverAddress } from '../options.ts';
import {
  draftEvent,
  eventBytes,
  makeDelivery,
  SUMMARY_COMPLETED,
  type Tampering,
  WEBHOOK_PING,
} from '../sample-event.ts';
import { type Draft, type Outgoing, planAll, sendAll, Tally } from '../sending.ts';
import { requireSecret, SECRET_FLAGS } from '../signing-secrets.ts';

export const webhooksSend = listCommand({
  id: 'webhooks send',
  aliases: ['trigger'],
  summary: 'Send a signed event to a receiver, as the service would',
  description:
    'Makes an event up, or takes the bytes of a file, signs it now, and posts it once: no redirect is followed and nothing is tried again. Exit 0 where every answer is a 2xx, 1 where they are others, 7 where nothing answers, 10 where only some were accepted. With --tamper the delivery is bad on purpose, and the exit status still says what the receiver said: a good one refuses with 1, except for "header", which is not signed. The same event sent again shows whether a receiver knows it again. The signature is no credential, so plain http is allowed, with a warning where it leaves this machine. Fields in JSON: n, event_id, event_type, status, ms, delivered, answer (its first 4 KiB), location, error.',
  effect: 'write',
  flags: {
    to: RECEIVER_FLAGS.to,
    event: { ...EVENT_FLAG, help: 'The event type (default webhook.ping); of several, one event each' },
    body: { type: 'string', value: 'file', complete: 'files', help: 'The exact bytes to send, - for standard input' },
    set: {
      type: 'pairs',
      value: 'path=value',
      repeat: true,
      help: 'Set a field of the made-up event: data.title=Hello',
    },
    id: { type: 'string', value: 'evt_x', help: 'The event id' },
    size: {
      type: 'string',
      value: 'size',
      check: (text: string) => void parseByteSize(text),
      help: 'The size of the body, such as 2MiB: of a summary.completed event',
    },
    repeat: { type: 'integer', value: 'n', min: 1, max: 1_000_000, default: 1, help: 'Send each so many times' },
    'new-id': { type: 'boolean', help: 'A new event each time, not the same again' },
    concurrency: RECEIVER_FLAGS.concurrency,
    skew: {
      type: 'string',
      value: '±duration',
      check: (text: string) => void signedDuration(text),
      help: 'Sign with a clock that is wrong by this: -1h, +10m',
    },
    tamper: {
      type: 'choice',
      choices: ['none', 'body', 'signature', 'timestamp', 'header'],
      default: 'none',
      help: 'What to change after signing; the header is that of the event type',
    },
    deadline: RECEIVER_FLAGS.deadline,
    insecure: RECEIVER_FLAGS.insecure,
    ...SECRET_FLAGS,
  },
  outputOf: (input) => (sendsOne(input) ? SENT_ONE : SENT_LIST),
  exits: ['delivery_failed', 'connect_failed', 'partly_done'],
  examples: [
    { run: 'svc webhooks send --to http://127.0.0.1:3000/hook --secret-file key.txt', why: 'A ping' },
    {
      run: 'svc webhooks send --to http://127.0.0.1:3000/hook --event summary.completed --set data.title=Standup',
      why: 'A summary, signed with the secret of $SVC_WEBHOOK_SECRET',
    },
    { run: 'svc webhooks send --to http://127.0.0.1:3000/hook --repeat 2', why: 'Does the receiver know it again?' },
    { run: 'svc webhooks send --to http://127.0.0.1:3000/hook --tamper body', why: 'It must be refused' },
    { run: 'svc webhooks send --to http://127.0.0.1:3000/hook --dry-run=curl', why: 'The same as a line of curl' },
  ],
  output: SENT_LIST,
  async run(input, ctx) {
    const url = receiverAddress(input.to);
    const outbound = ctx.outbound(input);
    const route = { url, deadlineMs: input.deadline, concurrency: input.concurrency };
    const source = await deliveries(input, outbound.userAgent, ctx);
    for (const warning of addressWarnings(url, input)) ctx.notice(`warning: ${warning}`);
    if (ctx.dryRun) return { value: await planAll(source, url) };
    const tally = new Tally();
    const rows = sendAll(source, route, outbound, tally, ctx);
    const about = { code: () => tally.code, footer: () => tally.summary };
    if (!sendsOne(input)) return { value: rows, ...about };
    const { value } = await rows.next();
    await rows.return();
    if (tally.unreachable !== undefined) throw tally.unreachable;
    return { value, as: SENT_ONE, ...about };
  },
});

function typesOf(event: readonly string[]): readonly string[] {
  return event.length === 0 ? [] : eventTypes(event);
}

/** Then the value is that delivery, and no list. */
function sendsOne({ repeat, event }: Pick<DeliveryOptions, 'repeat' | 'event'>): boolean {
  return repeat === 1 && typesOf(event).length < 2;
}

interface DeliveryOptions {
  readonly event: readonly string[];
  readonly body: string | undefined;
  readonly set: Readonly<Record<string, string>>;
  readonly id: string | undefined;
  readonly size: string | undefined;
  readonly repeat: number;
  readonly newId: boolean;
  readonly skew: string | undefined;
  readonly tamper: Tampering;
  readonly endpoint: readonly string[];
  readonly secretFile: readonly string[];
  readonly secretEnv: readonly string[];
  readonly secretFd: readonly number[];
}

/** Each is made, and signed, when it is asked for. */
async function deliveries(input: DeliveryOptions, userAgent: string, ctx: RunContext): Promise<Iterable<Draft>> {
  const { set, id, repeat, newId, tamper } = input;
  const types = typesOf(input.event);
  for (const type of types) {
    const likely = likelyType(type);
    if (likely !== undefined) ctx.notice(`warning: the service has no event type ${type}; did you mean ${likely}?`);
  }
  if (types.length > 1 && (id !== undefined || input.body !== undefined)) {
    throw new SvcError('usage', `--${id === undefined ? 'body' : 'id'} is for one event: give one --event`);
  }
  if (newId && id !== undefined) throw new SvcError('usage', '--id and --new-id both say what the event is called');
  const size = input.size === undefined ? undefined : parseByteSize(input.size);
  const skewMs = input.skew === undefined ? 0 : signedDuration(input.skew);
  const making = { key: (await requireSecret(input, ctx)).key.reveal(), tamper, skewMs, userAgent, ...clockOf(ctx) };
  if (input.body !== undefined) {
    if (Object.keys(set).length > 0 || id !== undefined || newId || size !== undefined) {
      throw new SvcError('usage', '--body says all of the event: --set, --id, --new-id and --size do not go with it');
    }
    const bytes = await ctx.readInput(input.body);
    const event = readEvent(bytes);
    const about = { id: event?.id ?? null, type: types[0] ?? event?.type ?? null };
    return many(repeat, [() => makeDelivery(bytes, about, making)]);
  }
  const made = types.length > 0 ? types : [size === undefined ? WEBHOOK_PING : SUMMARY_COMPLETED];
  const makers = made.map((type) => {
    const draft = () => draftEvent({ type, id, set, size }, ctx);
    const first = draft();
    return (round: number): Outgoing => {
      const event = newId && round > 0 ? draft() : first;
      return makeDelivery(eventBytes(event), event, making);
    };
  });
  return many(repeat, makers);
}

function clockOf({ now, random }: RunContext): Pick<RunContext, 'now' | 'random'> {
  return { now, random };
}

function* many(count: number, makers: readonly ((round: number) => Outgoing)[]): Generator<Draft, void, void> {
  for (const make of makers) for (let round = 0; round < count; round++) yield () => make(round);
}

function signedDuration(text: string): number {
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  return parseDuration(text.slice(sign.length)) * (sign === '-' ? -1 : 1);
}
