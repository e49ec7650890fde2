import { listCommand } from '../../../cli/command.ts';
import { section } from '../../../cli/flags.ts';
import { timeCell } from '../../../output/cells.ts';
import type { Column, ListOutput, Tone } from '../../../output/types.ts';
import { openRecordings } from '../api.ts';
import { EVENT_FLAG, eventFilter } from '../event-types.ts';
import { SUBSCRIPTION_ARGUMENT } from '../options.ts';
import type { LogItem } from '../schema.ts';
import {
  keepsItem,
  LARGEST_PAGE,
  type LogFilter,
  latestFirst,
  readWholeLog,
  type ShownLogItem,
  shownLogItem,
} from '../subscriptions/delivery-log.ts';
import { checkSubscriptionId, findSubscription } from '../subscriptions/subscription.ts';

/** Doc 2 §4. */
const USUAL_PAGE = 20;

const STATE_TONES: Readonly<Record<string, Tone>> = { pending: 'warn', delivered: 'good', failed: 'bad' };

const COLUMNS: readonly Column<ShownLogItem>[] = [
  { name: 'event', cell: (item) => item.event_id },
  { name: 'type', cell: (item) => item.event_type, shrinks: true },
  { name: 'status', cell: ({ status_text: text }) => ({ text, tone: STATE_TONES[text] ?? 'warn' }), vital: true },
  { name: 'attempts', cell: ({ attempts }) => attempts, align: 'right' },
  { name: 'last-error', cell: (item) => item.last_error || undefined, shrinks: true, vital: true },
  { name: 'created', cell: (item) => timeCell(item.created_at), vital: true },
  { name: 'delivered', cell: (item) => timeCell(item.delivered_at) },
  { name: 'id', cell: ({ id }) => id },
];

const LOG_LIST: ListOutput<ShownLogItem> = {
  kind: 'list',
  columns: COLUMNS,
  id: ({ id }) => id,
  empty: 'no matching deliveries',
};

export const webhooksDeliveries = listCommand({
  id: 'webhooks deliveries',
  aliases: ['log'],
  suggestFor: ['logs', 'attempts'],
  summary: 'List the deliveries of a subscription',
  description:
    'Lists 20 deliveries. With --all, --sort or a filter, svc reads all and lists the latest first. The service cannot resend a delivery; svc webhooks replay resends recorded ones.',
  details:
    'ATTEMPTS includes failures before any HTTP request. JSON adds status_text. --limit applies after the filters.',
  effect: 'read',
  service: 'webhooks',
  args: { id: SUBSCRIPTION_ARGUMENT },
  flags: section('Filter options', {
    status: { type: 'choice', choices: ['pending', 'delivered', 'failed'], help: 'Filter by status' },
    event: EVENT_FLAG,
    'event-id': { type: 'string', value: 'id', help: 'Only deliveries of this event' },
    since: { type: 'time', bare: 'back', help: 'Only deliveries created since this time' },
    limit: { type: 'integer', min: 0, help: 'Maximum number of results' },
    all: { type: 'boolean', help: 'List all deliveries' },
  }),
  examples: [
    { run: 'svc webhooks deliveries ep_1', why: 'The latest 20' },
    { run: 'svc webhooks deliveries ep_1 --status failed --since 2h', why: 'Failures of the last two hours' },
  ],
  output: LOG_LIST,
  async run(input, ctx) {
    checkSubscriptionId(input.id);
    const recordings = openRecordings(ctx.target);
    const { status, eventId } = input;
    const types = eventFilter(input.event);
    const eventTypes = types.length === 0 ? undefined : types;
    const filter: LogFilter = { status, eventTypes, eventId, since: input.since?.ms };
    const { id } = findSubscription(await recordings.subscriptions(), input.id);
    const chosen = Object.values(filter).some((value) => value !== undefined);
    const many = input.limit !== undefined && input.limit > LARGEST_PAGE;
    const whole = input.all || chosen || many || ctx.wants.sorted;
    const size = Math.max(USUAL_PAGE, input.limit ?? 0);
    const items: readonly LogItem[] = whole
      ? await readWholeLog(id, recordings, ctx.notice)
      : (await recordings.deliveries(id, { page: 1, size })).rows;
    const chosenItems = items.filter((item) => keepsItem(item, filter));
    const value = (whole ? latestFirst(chosenItems) : chosenItems).map(shownLogItem);
    const more = !whole && items.length === size ? 'there may be more; use --all' : undefined;
    const left = `${items.length - chosenItems.length} of ${items.length} filtered out; the service does not report the total`;
    return { value, footer: chosen ? left : more };
  },
});
