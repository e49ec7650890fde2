import { listCommand } from '../../../cli/command.ts';
import { section } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { DELIVERY_FORMATS, once } from '../captures/input.ts';
import { SENT_LIST } from '../columns.ts';
import { DeliveryFilter, FILTER_FLAGS } from '../delivery.ts';
import { addressWarnings, RECEIVER_FLAGS, receiverAddress } from '../options.ts';
import { eventIdIn, historyPath, readHistory } from '../receiver/history.ts';
import { Replay } from '../sending/replay.ts';
import { planAll, sendAll, Tally } from '../sending/sending.ts';
import { requireSecret, SECRET_FLAGS } from '../signing-secrets.ts';

const FILTER = { group: FILTER_FLAGS.since.group } as const;

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
    ...section(FILTER_FLAGS.since.group, {
      'event-id': { type: 'string', value: 'evt_x', repeat: true, help: 'Only this event' },
    }),
    ...FILTER_FLAGS,
    limit: { ...FILTER, type: 'integer', min: 1, help: 'Maximum number of deliveries' },
    ...SECRET_FLAGS,
    ...section(SECRET_FLAGS.endpoint.group, {
      resign: { type: 'boolean', help: 'Sign each again when it is sent' },
      'resign-unproven': { type: 'boolean', help: 'With --resign: sign unproven ones, even forgeries' },
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
    if (input.resignUnproven && !input.resign) throw new SvcError('usage', '--resign-unproven needs --resign');
    const url = receiverAddress(input.to);
    const outbound = ctx.outbound(input);
    const line = EVENT_ID.test(input.file) ? findReceived(input.file, historyPath(ctx.paths)) : undefined;
    const replay = new Replay({
      path: input.file,
      format: line === undefined ? input.format : 'ndjson',
      filter: new DeliveryFilter(input),
      eventIds: input.eventId,
      limit: input.limit,
      resign: input.resign ? { secret: await requireSecret(input, ctx), unproven: input.resignUnproven } : undefined,
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

/** The only delivery in the history whose event id is this one, or begins with it: a line of a recording. */
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
