import { listCommand, type RunContext } from '../../../cli/command.ts';
import { type Arguments, FILE, type Flags, type Input, section } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { SENT_LIST, SENT_ONE } from '../columns.ts';
import { readEvent } from '../delivery.ts';
import { likelyType } from '../event-types.ts';
import { addressWarnings, RECEIVER_FLAGS, receiverAddress } from '../options.ts';
import { eventBytes, makeDelivery, sampleEvent, WEBHOOK_PING } from '../sending/sample-event.ts';
import { type Draft, planAll, sendAll, Tally } from '../sending/sending.ts';
import { requireSecret, SECRET_FLAGS } from '../signing-secrets.ts';

const FLAGS = {
  ...RECEIVER_FLAGS,
  ...section('Event options', {
    body: { ...FILE, help: 'Send these exact bytes; - for stdin' },
    id: { type: 'string', value: 'evt_x', help: 'Event id' },
    repeat: { type: 'integer', min: 1, max: 1_000_000, default: 1, help: 'Number of times to send it' },
  }),
  ...SECRET_FLAGS,
} as const satisfies Flags;

const ARGS = { type: { help: 'Event type (default webhook.ping)' } } as const satisfies Arguments;

type SendInput = Input<typeof ARGS, typeof FLAGS>;

export const webhooksSend = listCommand({
  id: 'webhooks send',
  aliases: ['trigger'],
  summary: 'Send a signed event to a receiver',
  description:
    'Generates an event or takes the bytes of a file, signs it now, and posts it once. Like the service, svc waits 5 s, follows no redirect and does not retry. Exit 0 if every response is a 2xx, 1 if none is, 7 if there is no response, 10 if only some are.',
  details:
    'Sending the same event twice (--repeat 2) shows whether the receiver recognizes duplicates. The signature is not a credential, so plain http is allowed, with a warning outside this machine. JSON: n, event_id, event_type, status, ms, delivered, answer (its first 4 KiB), location, error.',
  effect: 'write',
  args: ARGS,
  flags: FLAGS,
  outputOf: ({ repeat }) => (repeat === 1 ? SENT_ONE : SENT_LIST),
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
    const source = repeatDraft(input.repeat, await makeDraft(input, outbound.userAgent, ctx));
    for (const warning of addressWarnings(url, input)) ctx.notice(`warning: ${warning}`);
    if (ctx.dryRun) return { value: await planAll(source, url) };
    const tally = new Tally();
    const rows = sendAll(source, url, outbound, tally, ctx);
    const about = { code: () => tally.code, footer: () => tally.summary };
    if (input.repeat > 1) return { value: rows, ...about };
    const { value } = await rows.next();
    await rows.return();
    if (tally.unreachable !== undefined) throw tally.unreachable;
    return { value, as: SENT_ONE, ...about };
  },
});

/** The event is made once, and signed whenever it is sent. */
async function makeDraft({ type, id, body, ...input }: SendInput, userAgent: string, ctx: RunContext): Promise<Draft> {
  if (type !== undefined) {
    checkType(type);
    const likely = likelyType(type);
    if (likely !== undefined) ctx.notice(`warning: the service has no event type ${type}; did you mean ${likely}?`);
  }
  if (body !== undefined && id !== undefined) {
    throw new SvcError('usage', '--body is the complete event: it cannot be combined with --id');
  }
  const key = (await requireSecret(input, ctx)).key.reveal();
  const making = { key, userAgent, now: ctx.now, random: ctx.random };
  if (body === undefined) {
    const event = sampleEvent(type ?? WEBHOOK_PING, { ...making, id });
    return () => makeDelivery(eventBytes(event), event, making);
  }
  const bytes = await ctx.readInput(body);
  const event = readEvent(bytes);
  return () => makeDelivery(bytes, { id: event?.id ?? null, type: type ?? event?.type ?? null }, making);
}

function checkType(type: string): void {
  if (!/[:/\\\s,]|\.(?:json|ndjson|txt|http)$/.test(type)) return;
  throw new SvcError('invalid_value', `${JSON.stringify(type)} is not an event type`, {
    hint: 'name the receiver with --to <url>, and a file with --body <file>',
  });
}

function* repeatDraft(count: number, draft: Draft): Generator<Draft, void, void> {
  for (let round = 0; round < count; round++) yield draft;
}
