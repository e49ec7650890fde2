import { listCommand, type RunContext } from '../../../cli/command.ts';
import { type Flags, type Options, section } from '../../../cli/flags.ts';
import { type OutageEvent, outageEvent, poll } from '../../../cli/poll.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { timeCell } from '../../../output/cells.ts';
import type { Cell, Column, ListOutput, Tone } from '../../../output/types.ts';
import { openRecordings, type Recordings } from '../api.ts';
import { EVENT_FLAG, eventFilter } from '../event-types.ts';
import { SUBSCRIPTION_ARGUMENT } from '../options.ts';
import type { LogItem } from '../schema.ts';
import {
  DELIVERED,
  type DeliveryChange,
  FAILED,
  keepsItem,
  LARGEST_PAGE,
  type LogFilter,
  latestFirst,
  PENDING,
  readWholeLog,
  type ShownLogItem,
  shownLogItem,
} from '../subscriptions/delivery-log.ts';
import { checkSubscriptionId, findSubscription } from '../subscriptions/subscription.ts';

/** Doc 2 §4. */
const USUAL_PAGE = 20;
const FASTEST_MS = 2_000;
const SLOWEST_MS = 10_000;

const STATE_TONES: Readonly<Record<string, Tone>> = { pending: 'warn', delivered: 'good', failed: 'bad' };

function stateCell({ status_text: text }: ShownLogItem): Cell {
  return { text, tone: STATE_TONES[text] ?? 'warn' };
}

const COLUMNS: readonly Column<ShownLogItem>[] = [
  { name: 'event', cell: (item) => item.event_id },
  { name: 'type', cell: (item) => item.event_type, shrinks: true },
  { name: 'status', cell: stateCell, vital: true },
  { name: 'attempts', cell: ({ attempts }) => attempts, align: 'right' },
  { name: 'last-error', cell: (item) => item.last_error || '-', shrinks: true, vital: true },
  { name: 'created', cell: (item) => timeCell(item.created_at) ?? '-', vital: true },
  { name: 'delivered', cell: (item) => timeCell(item.delivered_at) ?? '-' },
  { name: 'id', cell: ({ id }) => id },
];

const LOG_LIST: ListOutput<ShownLogItem> = {
  kind: 'list',
  columns: COLUMNS,
  id: ({ id }) => id,
  empty: 'no matching deliveries',
};

const CHANGE_LIST: ListOutput<DeliveryChange> = {
  kind: 'list',
  columns: [{ name: 'change', cell: ({ change }) => change }, ...COLUMNS],
  id: ({ id }) => id,
  live: (item) => [
    item.event_id,
    item.event_type,
    stateCell(item),
    item.attempts === undefined ? undefined : `attempt ${item.attempts}`,
    item.last_error === '' ? undefined : item.last_error,
  ],
};

const FLAGS = {
  ...section('Filter options', {
    status: { type: 'choice', choices: ['pending', 'delivered', 'failed'], help: 'Filter by status' },
    event: EVENT_FLAG,
    'event-id': { type: 'string', value: 'id', help: 'Only deliveries of this event' },
    since: { type: 'time', bare: 'back', help: 'Only deliveries created since this time' },
    limit: { type: 'integer', min: 0, help: 'Maximum number of results' },
    all: { type: 'boolean', help: 'List all deliveries' },
  }),
  ...section('Follow options', {
    follow: { type: 'boolean', short: 'f', help: 'Print changes as they happen' },
    until: { type: 'string', value: 'event', help: 'End when this event is delivered or failed' },
    wait: { type: 'duration', positive: true, help: 'End after this time' },
  }),
} as const satisfies Flags;

type LogInput = Options<typeof FLAGS>;

export const webhooksDeliveries = listCommand({
  id: 'webhooks deliveries',
  aliases: ['log'],
  suggestFor: ['logs', 'attempts'],
  summary: 'List the deliveries of a subscription',
  description:
    'Lists 20 deliveries. With --all, --sort or a filter, svc reads all and lists the latest first. With --follow, it prints each change until Ctrl-C. The service cannot resend a delivery; svc webhooks replay resends recorded ones.',
  details:
    'ATTEMPTS includes failures before any HTTP request. JSON adds status_text. --limit applies after the filters.\nWith --follow, each change is one line: {"type":"delivery","change":"new|status|attempt",…}. An outage is {"event":"unreachable|recovered","at"}. With --until, svc exits 0 when that event is delivered and 1 when it has failed; with --wait, it exits 9 on timeout. Without --since, --until finds an event only among the newest 100 deliveries and new ones.',
  effect: 'read',
  service: 'webhooks',
  streams: ({ follow }) => follow,
  args: { id: SUBSCRIPTION_ARGUMENT },
  flags: FLAGS,
  exits: ['delivery_failed', 'still_pending'],
  examples: [
    { run: 'svc webhooks deliveries ep_1', why: 'The latest 20' },
    { run: 'svc webhooks deliveries ep_1 --status failed --since 2h', why: 'Failures of the last two hours' },
    { run: 'svc webhooks deliveries ep_1 --follow -o ndjson', why: 'Each change as a line of JSON' },
  ],
  output: LOG_LIST,
  outputOf: ({ follow }) => (follow ? CHANGE_LIST : LOG_LIST),
  async run(input, ctx) {
    checkSubscriptionId(input.id);
    checkOptions(input);
    const recordings = openRecordings(ctx.target);
    const { status, eventId } = input;
    const types = eventFilter(input.event);
    const eventTypes = types.length === 0 ? undefined : types;
    const filter: LogFilter = { status, eventTypes, eventId, since: input.since?.ms };
    if (input.follow) return { ...(await follow(filter, input, recordings, ctx)), as: CHANGE_LIST };
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

function checkOptions({ all, limit, follow, until, wait }: LogInput): void {
  if (!follow && (until !== undefined || wait !== undefined)) {
    throw new SvcError('usage', `--${until === undefined ? 'wait' : 'until'} needs --follow`);
  }
  if (follow && (all || limit !== undefined)) {
    throw new SvcError('usage', '--follow prints only changes: it cannot be combined with --all or --limit');
  }
}

interface Following {
  readonly value: AsyncIterable<DeliveryChange | OutageEvent>;
  readonly code: () => ErrorCode | undefined;
}

async function follow(
  filter: LogFilter,
  { id, until, wait }: LogInput & { readonly id: string },
  recordings: Recordings,
  ctx: RunContext,
): Promise<Following> {
  let follower: InstanceType<typeof LogFollower> | undefined;
  const read = async (): Promise<readonly DeliveryChange[]> => {
    follower ??= new LogFollower(findSubscription(await recordings.subscriptions(), id).id, recordings);
    return follower.poll(filter);
  };
  const showsOutages = ctx.wants.events || ctx.wants.document;
  let code: ErrorCode | undefined;
  let intervalMs = FASTEST_MS;
  async function* changes(): AsyncGenerator<DeliveryChange | OutageEvent> {
    const polls = poll(read, { intervalMs: () => intervalMs, waitMs: wait }, ctx);
    for await (const { at, value, outage } of polls) {
      if (outage !== undefined && showsOutages) yield outageEvent(outage, at);
      if (value === undefined) continue;
      intervalMs = nextInterval(intervalMs, value);
      yield* value;
      const end = follower?.outcomeOf(until);
      if (end === undefined) continue;
      if (end === FAILED) code = 'delivery_failed';
      return;
    }
    // If the reader leaves early, that is no failure.
    code = 'still_pending';
  }
  return { value: changes(), code: () => code };
}

function nextInterval(intervalMs: number, changes: readonly DeliveryChange[]): number {
  return changes.length > 0 ? FASTEST_MS : Math.min(SLOWEST_MS, intervalMs * 1.25);
}

/** More pages than this of new deliveries between two polls are not followed. */
const MOST_PAGES = 10;

class LogFollower {
  readonly #known = new Map<string, LogItem>();
  readonly #recordings: Pick<Recordings, 'deliveries'>;
  readonly #id: string;
  #first = true;

  constructor(id: string, recordings: Pick<Recordings, 'deliveries'>) {
    this.#id = id;
    this.#recordings = recordings;
  }

  /** Changes since the last poll. The first one reports only what `since` asks for. */
  async poll(filter: LogFilter): Promise<readonly DeliveryChange[]> {
    const changes: DeliveryChange[] = [];
    for (const item of await this.#recent(filter.since)) {
      const before = this.#known.get(item.id);
      this.#known.set(item.id, item);
      const silent = this.#first && filter.since === undefined;
      const change = silent ? undefined : changeOf(before, item);
      if (change !== undefined && keepsItem(item, filter)) changes.push(change);
    }
    this.#first = false;
    // The log has the latest first; changes are reported in order.
    return changes.reverse();
  }

  /** Undefined if the event is not known, or not decided yet. */
  outcomeOf(eventId: string | undefined): number | undefined {
    if (eventId === undefined) return undefined;
    const status = [...this.#known.values()].find((item) => item.event_id === eventId)?.status;
    return status === DELIVERED || status === FAILED ? status : undefined;
  }

  /** Reads pages until one has known deliveries, or at first too old ones, and every pending delivery was seen again. */
  async #recent(since: number | undefined): Promise<readonly LogItem[]> {
    const pending = new Set([...this.#known.values()].filter(({ status }) => status === PENDING).map(({ id }) => id));
    const found = new Map<string, LogItem>();
    for (let page = 1; page <= MOST_PAGES; page++) {
      const { rows: items, received } = await this.#recordings.deliveries(this.#id, { page, size: LARGEST_PAGE });
      const before = found.size;
      for (const item of items) {
        found.set(item.id, item);
        pending.delete(item.id);
      }
      const reached = this.#first
        ? since === undefined || items.some((item) => !keepsItem(item, { since }))
        : items.some(({ id }) => this.#known.has(id));
      if (received < LARGEST_PAGE || found.size === before || (reached && pending.size === 0)) break;
    }
    return [...found.values()];
  }
}

function changeOf(before: LogItem | undefined, item: LogItem): DeliveryChange | undefined {
  const row = { type: 'delivery', ...shownLogItem(item) } as const;
  if (before === undefined) return { ...row, change: 'new' };
  if (before.status !== item.status) return { ...row, change: 'status', from: before.status, to: item.status };
  const same =
    before.attempts === item.attempts &&
    before.last_error === item.last_error &&
    before.delivered_at === item.delivered_at;
  return same ? undefined : { ...row, change: 'attempt' };
}
