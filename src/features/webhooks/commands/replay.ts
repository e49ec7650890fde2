import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { SENT_LIST } from '../columns.ts';
import { EVENT_FLAG, eventFilter } from '../event-types.ts';
import { DELIVERY_FORMATS } from '../formats.ts';
import { addressWarnings, RECEIVER_FLAGS, receiverAddress } from '../options.ts';
import { planAll, sendAll, Tally } from '../sending.ts';
import { Replay } from '../sending-replay.ts';
import { requireSecret, SECRET_FLAGS } from '../signing-secrets.ts';

export const webhooksReplay = listCommand({
  id: 'webhooks replay',
  suggestFor: ['resend', 'retry', 'redeliver'],
  summary: 'Send recorded deliveries again, byte for byte',
  description:
    'Sends what "svc webhooks listen --record" wrote, or what svc webhooks verify reads (raw HTTP, HAR, curl lines and others), in its order, with the bytes and the documented headers that it came with. Those carry the timestamp of then, which most receivers refuse after 300 s: --resign gives each a new timestamp and signature, and leaves out those that nothing shows the service to have signed: those that were refused for their signature when they came, or came unverified and do not fit the secret. The service itself has no way to send an old event again. A line that was cut off at the end is left out. Exit 0 where every answer is a 2xx, 1 where they are others, 7 where nothing answers, 10 where only some were accepted or a line could not be read.',
  effect: 'write',
  args: { file: { help: 'The recording or other file, - for standard input', required: true, complete: 'files' } },
  flags: {
    to: RECEIVER_FLAGS.to,
    format: { type: 'choice', choices: DELIVERY_FORMATS, default: 'auto', help: 'What the file is' },
    resign: { type: 'boolean', help: 'Sign each again when it is sent; needs a secret' },
    'resign-unproven': { type: 'boolean', help: 'With --resign: forgeries, too, which it makes valid' },
    'only-failed': { type: 'boolean', help: 'Only those that were answered or forwarded without a 2xx' },
    'event-id': { type: 'string', value: 'evt_x', repeat: true, help: 'Only this event' },
    event: EVENT_FLAG,
    since: { type: 'time', bare: 'back', help: 'Only those received since then' },
    until: { type: 'time', bare: 'back', help: 'Only those received until then' },
    limit: { type: 'integer', value: 'n', min: 1, help: 'Send no more than this' },
    rate: {
      type: 'string',
      value: 'n/s',
      check: (text: string) => void gapOf(text),
      help: 'No more than this: 10/s, 30/m',
    },
    concurrency: RECEIVER_FLAGS.concurrency,
    deadline: RECEIVER_FLAGS.deadline,
    insecure: RECEIVER_FLAGS.insecure,
    ...SECRET_FLAGS,
  },
  exits: ['delivery_failed', 'connect_failed', 'partly_done'],
  examples: [
    {
      run: 'svc webhooks replay rec.ndjson --to http://127.0.0.1:3000/hook --resign --secret-file key.txt',
      why: 'As if they came in now',
    },
    {
      run: 'svc webhooks replay rec.ndjson --to http://127.0.0.1:3000/hook --only-failed --resign',
      why: 'After a fix',
    },
    {
      run: 'svc webhooks replay trace.har --to http://127.0.0.1:3000/hook --resign --since 2h',
      why: 'What a browser or a proxy saw in the last two hours',
    },
    { run: 'svc webhooks replay rec.ndjson --to http://127.0.0.1:3000/hook --rate 10/s', why: 'Ten in a second' },
  ],
  output: SENT_LIST,
  async run(input, ctx) {
    if (input.resignUnproven && !input.resign) throw new SvcError('usage', '--resign-unproven is for --resign');
    const url = receiverAddress(input.to);
    const outbound = ctx.outbound(input);
    const replay = new Replay({
      path: input.file,
      format: input.format,
      onlyFailed: input.onlyFailed,
      eventIds: input.eventId,
      types: eventFilter(input.event),
      sinceMs: input.since?.ms,
      untilMs: input.until?.ms,
      limit: input.limit,
      resign: input.resign ? { secret: await requireSecret(input, ctx), unproven: input.resignUnproven } : undefined,
      userAgent: outbound.userAgent,
      chunks: ctx.inputChunks,
      now: ctx.now,
      notice: ctx.notice,
    });
    const { rate, deadline: deadlineMs, concurrency } = input;
    const route = { url, deadlineMs, concurrency, gapMs: rate === undefined ? undefined : gapOf(rate) };
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

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds from one to the next. */
function gapOf(text: string): number {
  const [, count, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?)\/([smh])$/.exec(text) ?? [];
  const gap = (UNIT_MS[unit] ?? 0) / Number(count);
  if (gap > 0 && Number.isFinite(gap)) return gap;
  throw new SvcError('invalid_value', `"${text}" is no rate`, { hint: 'write it like 10/s or 30/m' });
}
