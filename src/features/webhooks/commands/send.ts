import { listCommand, type RunContext } from '../../../cli/command.ts';
import { FILE, type Flags, type Options, section } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { SENT_LIST, SENT_ONE } from '../columns.ts';
import { readEvent } from '../delivery.ts';
import { eventTypes, likelyType } from '../event-types.ts';
import { addressWarnings, RECEIVER_FLAGS, receiverAddress } from '../options.ts';
import { eventBytes, type Making, makeDelivery, sampleEvent, WEBHOOK_PING } from '../sending/sample-event.ts';
import { type Draft, planAll, sendAll, Tally } from '../sending/sending.ts';
import { requireSecret, SECRET_FLAGS } from '../signing-secrets.ts';

const FLAGS = {
  to: RECEIVER_FLAGS.to,
  deadline: RECEIVER_FLAGS.deadline,
  insecure: RECEIVER_FLAGS.insecure,
  ...section('Event options', {
    body: { ...FILE, help: 'Send these exact bytes; - for stdin' },
    id: { type: 'string', value: 'evt_x', help: 'Event id' },
    repeat: { type: 'integer', min: 1, max: 1_000_000, default: 1, help: 'Number of times to send it' },
  }),
  ...SECRET_FLAGS,
} as const satisfies Flags;

type SendInput = Options<typeof FLAGS> & { readonly type: readonly string[] };

export const webhooksSend = listCommand({
  id: 'webhooks send',
  aliases: ['trigger'],
  summary: 'Send a signed event to a receiver',
  description:
    'Generates an event or takes the bytes of a file, signs it now, and posts it once. svc follows no redirect and does not retry. Exit 0 if every response is a 2xx, 1 if none is, 7 if there is no response, 10 if only some are.',
  details:
    'Sending the same event twice (--repeat 2) shows whether the receiver recognizes duplicates. The signature is not a credential, so plain http is allowed, with a warning outside this machine. JSON: n, event_id, event_type, status, ms, delivered, answer (its first 4 KiB), location, error.',
  effect: 'write',
  args: { type: { help: 'Event types, one event each (default webhook.ping)', repeat: true } },
  flags: FLAGS,
  outputOf: (input) => (sendsOne(input) ? SENT_ONE : SENT_LIST),
  exits: ['delivery_failed', 'connect_failed', 'partly_done'],
  examples: [
    { run: 'svc webhooks send webhook.ping --to http://127.0.0.1:3000/hook --secret-file key.txt', why: 'A ping' },
    {
      run: 'svc webhooks send summary.completed --to http://127.0.0.1:3000/hook',
      why: 'A summary, signed with the secret in $SVC_WEBHOOK_SECRET',
    },
    { run: 'svc webhooks send --to http://127.0.0.1:3000/hook --repeat 2', why: 'Test the handling of duplicates' },
  ],
  output: SENT_LIST,
  async run(input, ctx) {
    const url = receiverAddress(input.to);
    const outbound = ctx.outbound(input);
    const route = { url, deadlineMs: input.deadline };
    const source = await makeDrafts(input, outbound.userAgent, ctx);
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

/** The value is then that delivery, not a list. */
function sendsOne(input: SendInput): boolean {
  return input.repeat === 1 && typesOf(input).length < 2;
}

function typesOf(input: Pick<SendInput, 'type'>): readonly string[] {
  const types = eventTypes(input.type);
  for (const type of types) {
    if (type !== '' && !/[:/\\\s]|\.(?:json|ndjson|txt|http)$/.test(type)) continue;
    throw new SvcError('invalid_value', `${JSON.stringify(type)} is not an event type`, {
      hint: 'name the receiver with --to <url>, and a file with --body <file>',
    });
  }
  return types;
}

/** Each is made and signed when it is sent. */
async function makeDrafts(input: SendInput, userAgent: string, ctx: RunContext): Promise<Iterable<Draft>> {
  const types = typesOf(input);
  for (const type of types) {
    const likely = likelyType(type);
    if (likely !== undefined) ctx.notice(`warning: the service has no event type ${type}; did you mean ${likely}?`);
  }
  checkCombination(input, types);
  const key = (await requireSecret(input, ctx)).key.reveal();
  const making = { key, userAgent, now: ctx.now, random: ctx.random };
  if (input.body === undefined) return repeatDrafts(input.repeat, eventMakers(input, types, making));
  const bytes = await ctx.readInput(input.body);
  const event = readEvent(bytes);
  const about = { id: event?.id ?? null, type: types[0] ?? event?.type ?? null };
  return repeatDrafts(input.repeat, [() => makeDelivery(bytes, about, making)]);
}

function checkCombination({ id, body }: SendInput, types: readonly string[]): void {
  if (types.length > 1 && (id !== undefined || body !== undefined)) {
    throw new SvcError('usage', `--${id === undefined ? 'body' : 'id'} applies to one event: name only one`);
  }
  if (body === undefined || id === undefined) return;
  throw new SvcError('usage', '--body is the complete event: it cannot be combined with --id');
}

/** One event for each type, which repetitions deliver again. */
function eventMakers({ id }: SendInput, types: readonly string[], making: Making): readonly Draft[] {
  return (types.length > 0 ? types : [WEBHOOK_PING]).map((type): Draft => {
    const event = sampleEvent(type, { ...making, id });
    return () => makeDelivery(eventBytes(event), event, making);
  });
}

function* repeatDrafts(count: number, drafts: readonly Draft[]): Generator<Draft, void, void> {
  for (const draft of drafts) for (let round = 0; round < count; round++) yield draft;
}
