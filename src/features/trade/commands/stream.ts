import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Cell, Column, ListOutput, Tone } from '../../../output/types.ts';
import { moneyCell } from '../columns.ts';
import { type Price, readPush } from '../gateway/push.ts';
import type { Outage } from '../gateway/reconnecting.ts';
import type { SessionEvent } from '../gateway/session.ts';
import type { Wanted } from '../gateway/subscription.ts';
import { FEED_FLAGS, type Feed, openFeed, parseUntil } from '../gateway/trading-feed.ts';
import { isModelName, MODEL_NAMES, MODELS, type ModelName } from '../models.ts';
import { orderStateText, orderTypeText, sideOf } from '../order-text.ts';
import {
  connectionEvent,
  OutageEvent,
  type OutageLine,
  outageLine,
  pushedEvent,
  StreamEvent,
} from '../stream-event.ts';
import { snapshotRows, wantedOf } from '../tables/lookups.ts';
import { shownTime } from '../tables/table-time.ts';

const STREAM_LIST: ListOutput<StreamEvent> = {
  kind: 'list',
  columns: [
    { name: 'ts', cell: ({ ts }) => ts },
    { name: 'kind', cell: ({ kind }) => kind },
    { name: 'table', cell: ({ table }) => table },
    { name: 'key', cell: ({ key }) => key },
    { name: 'data', cell: ({ data }) => JSON.stringify(data), flex: true },
  ],
  id: ({ key }) => key ?? undefined,
  json: ({ json }) => json,
  live: liveCells,
};

/** A row of `--prices`. */
interface Tick {
  /** RFC 3339 in UTC, by the gateway's clock, or the time of arrival if the gateway sent none. */
  readonly time: string;
  readonly symbol: string;
  readonly bid: number;
  readonly ask: number;
  /** Of the day. */
  readonly high: number | null;
  readonly low: number | null;
}

/** Prices may be missing after it. */
interface TickGap {
  readonly event: 'gap' | 'closed';
  readonly at: string;
  readonly reason: string;
  /** Of a gap. */
  readonly from?: string;
  readonly to?: string;
}

type TickRow = Tick | TickGap | OutageLine;

const TICK_FIELDS = ['time', 'symbol', 'bid', 'ask', 'high', 'low'] as const;

const TICK_LIST: ListOutput<TickRow> = {
  kind: 'list',
  columns: TICK_FIELDS.map(
    (name): Column<TickRow> => ({
      name,
      cell: (row) => (isTick(row) ? row[name] : undefined),
      ...(name === 'time' || name === 'symbol' ? {} : { align: 'right' }),
    }),
  ),
  id: (row) => (isTick(row) ? row.symbol : undefined),
  live: liveTickCells,
};

export const tradeStream = listCommand({
  id: 'trade stream',
  summary: 'Stream prices and table changes as they are pushed',
  description: `Subscribes to symbols and to the tables ${MODEL_NAMES.join(', ')} (exact spelling). Prints every push. Reconnects after an outage and reports what was missed as a gap.`,
  details: `Each NDJSON line is {"ts","kind","table","key","data"}. ts is the time of arrival by this machine's clock. data is the record as received. kind is I, U or D for a row that was inserted, updated or deleted (an update may have only the changed fields); price; snapshot for a row of --snapshot; other for unknown records; and unreachable, stale, recovered, gap or closed for the connection. The form of a price and the actions U and D are as seen on the public implementation.
When the gateway cannot be reached, also at the start, {"event":"unreachable","at","reason"} is printed at once, and {"event":"recovered","at"} when it can be reached again, together with the usual keys. svc then reconnects and resubscribes. gap says between which times pushes are missing; with --snapshot the tables are read again. {"event":"stale","at","reason"} is printed if no push came for a minute although prices of forex are followed and the market is open by its usual hours; recovered follows with the next push. closed is printed before a stream ends because its connection is lost for good (exit 7). If --until ends the stream while the gateway is unreachable, the exit status is 7, too.
With --prices, a row has time (of the gateway, in UTC), symbol, bid, ask, high and low (of the day), and other pushes are left out; NDJSON and JSON have outages and gaps as {"event","at"} between them, csv and tsv only prices, with notices on standard error.
--until counts only pushes. The gateway waits for a slow reader. By polling it then sends all at once, and more than 16 MiB end the stream with exit 7.`,
  effect: 'read',
  service: 'trade',
  streams: () => true,
  args: { what: { help: 'A symbol such as EUR/USD, or a table such as Order', required: true, repeat: true } },
  flags: {
    snapshot: { type: 'boolean', help: 'Print the current rows first (counts towards rate limits)' },
    prices: { type: 'boolean', help: 'Print prices only: time, symbol, bid, ask, high, low' },
    ...FEED_FLAGS,
  },
  examples: [
    { run: 'svc trade stream EUR/USD USD/JPY', why: 'Follow two prices' },
    {
      run: 'svc trade stream Order OpenPosition --snapshot -o ndjson',
      why: 'Follow orders and positions in a program',
    },
    { run: 'svc trade stream EUR/USD --prices -o csv >> prices.csv', why: 'Record prices in a file' },
  ],
  output: STREAM_LIST,
  outputOf: ({ prices }) => (prices ? TICK_LIST : STREAM_LIST),
  async run(input, ctx) {
    if (!input.prices) return { value: streamed(input, EVENT_LINES, ctx) };
    if (input.snapshot) throw new SvcError('usage', '--snapshot and --prices cannot be combined');
    const model = input.what.find(isModelName);
    if (model !== undefined) throw new SvcError('usage', `--prices is for symbols, and ${model} is a table`);
    const { table, document, events } = ctx.wants;
    return { value: streamed(input, tickLines(table || document || events), ctx), as: TICK_LIST };
  },
});

interface StreamInput {
  readonly what: readonly string[];
  readonly snapshot: boolean;
  readonly until: string | undefined;
  readonly reconnect: boolean;
}

/** What becomes of each event. Null is not shown. */
interface StreamLines<Row> {
  /** `at`: of its arrival. Undefined if it is not JSON. */
  pushed(name: string, payload: string, at: string): Row | null | undefined;
  outage(event: Outage): Row | null;
  connection(event: Extract<SessionEvent, { readonly kind: 'gap' | 'closed' }>, at: string): Row | null;
  snapshot?(model: ModelName, row: Fields, at: string): Row;
}

const EVENT_LINES: StreamLines<StreamEvent> = {
  pushed: pushedEvent,
  outage: (event) => new OutageEvent(event),
  connection: connectionEvent,
  snapshot(model, row, at) {
    const key = MODELS[model].key;
    const value = key === undefined ? undefined : row[key];
    return new StreamEvent(at, 'snapshot', { table: model, key: value === undefined ? undefined : String(value) }, row);
  },
};

/** `events`: whether outages are rows as well. */
function tickLines(events: boolean): StreamLines<TickRow> {
  return {
    pushed(name, payload, at) {
      const push = readPush(name, payload);
      if (push === undefined) return undefined;
      return push.kind === 'price' ? tickOf(push, at) : null;
    },
    outage: (event) => (events ? outageLine(event) : null),
    connection: (event, at) => (events ? tickGap(event, at) : null),
  };
}

/** The range of `Date`. */
const LAST_INSTANT = 8.64e15;

function tickOf({ symbol, at, bid, ask, high, low }: Price, arrived: string): Tick {
  const time = at === undefined || Math.abs(at) > LAST_INSTANT ? arrived : new Date(at).toISOString();
  return { time, symbol, bid, ask, high: high ?? null, low: low ?? null };
}

function tickGap(event: Extract<SessionEvent, { kind: 'gap' | 'closed' }>, at: string): TickGap {
  const { kind, reason } = event;
  if (kind === 'closed') return { event: kind, at, reason };
  return { event: kind, at, from: new Date(event.from).toISOString(), to: new Date(event.to).toISOString(), reason };
}

function isTick(row: TickRow): row is Tick {
  return 'symbol' in row;
}

/** Subscribes, and yields the current rows if they are wanted, then each push, outage and gap. */
async function* streamed<Row>(
  input: StreamInput,
  lines: StreamLines<Row>,
  ctx: RunContext,
): AsyncGenerator<Row, void, void> {
  const until = parseUntil(input.until);
  const feed = await openFeed(ctx, input);
  const startTimer = (): void => {
    if (until.ms !== undefined) feed.endAfter(until.ms);
  };
  try {
    let wanted: Wanted = { models: [], symbols: [] };
    let rows: readonly Row[] = [];
    const begin = async (): Promise<void> => {
      await feed.session.connect();
      wanted = await wantedOf(input.what, feed.open);
      await feed.subscription.begin(wanted);
      startTimer();
      if (input.snapshot) rows = await readRows(wanted, lines, feed, ctx);
    };
    for await (const outage of feed.outagesDuring(begin)) {
      startTimer();
      yield* shown(lines.outage(outage));
    }
    yield* rows;
    void feed.reportSilence(wanted);
    yield* followed(feed, lines, { pushes: until.pushes, rereads: input.snapshot ? wanted : undefined }, ctx);
    ctx.signal.throwIfAborted();
    feed.checkReachable();
  } finally {
    await feed.end();
  }
}

interface Following {
  /** The stream ends after so many. */
  readonly pushes: number;
  /** What is read again after a gap. */
  readonly rereads: Wanted | undefined;
}

async function* followed<Row>(
  feed: Feed,
  lines: StreamLines<Row>,
  { pushes, rereads }: Following,
  ctx: RunContext,
): AsyncGenerator<Row, void, void> {
  const strange = new StrangePushes(feed, ctx);
  const clock = rfc3339();
  let left = pushes;
  try {
    for await (const event of feed.events) {
      if (event.kind !== 'push') {
        yield* connectionRows(event, feed, lines, rereads, ctx);
        continue;
      }
      const row = lines.pushed(event.name, event.payload, clock(event.at));
      if (row === undefined) strange.note(event.name);
      if (row === undefined || row === null) continue;
      yield row;
      if (--left === 0) return;
    }
  } finally {
    strange.report();
  }
}

async function* connectionRows<Row>(
  event: Exclude<SessionEvent, { readonly kind: 'push' }>,
  feed: Feed,
  lines: StreamLines<Row>,
  rereads: Wanted | undefined,
  ctx: RunContext,
): AsyncGenerator<Row, void, void> {
  if (event.kind !== 'gap' && event.kind !== 'closed') {
    yield* shown(lines.outage(event));
    return;
  }
  yield* shown(lines.connection(event, new Date(ctx.now()).toISOString()));
  if (event.kind === 'closed') throw event.error;
  if (rereads !== undefined) yield* rowsAfterGap(rereads, lines, feed, ctx);
}

/** Yields the outages meanwhile, and nothing else if the connection is lost again: another gap follows then. */
async function* rowsAfterGap<Row>(
  wanted: Wanted,
  lines: StreamLines<Row>,
  feed: Feed,
  ctx: RunContext,
): AsyncGenerator<Row, void, void> {
  if (!(await feed.subscription.restored())) return;
  let rows: readonly Row[] = [];
  const read = async (): Promise<void> => {
    try {
      rows = await readRows(wanted, lines, feed, ctx);
    } catch (error) {
      if (!(error instanceof SvcError) || !error.retryable) throw error;
      ctx.notice(`could not read the rows after the gap: ${error.message}`);
    }
  };
  for await (const outage of feed.outagesDuring(read)) yield* shown(lines.outage(outage));
  yield* rows;
}

async function readRows<Row>(
  wanted: Wanted,
  lines: StreamLines<Row>,
  feed: Feed,
  ctx: RunContext,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const { model, row } of snapshotRows(wanted, feed.open)) {
    rows.push(...shown(lines.snapshot?.(model, row, new Date(ctx.now()).toISOString()) ?? null));
  }
  return rows;
}

function shown<Row>(row: Row | null): readonly Row[] {
  return row === null ? [] : [row];
}

/** Bounded, so that a gateway that invents names cannot fill the memory. */
const MOST_NAMES = 100;

class StrangePushes {
  readonly #feed: Feed;
  readonly #ctx: RunContext;
  readonly #names = new Set<string>();
  #count = 0;

  constructor(feed: Feed, ctx: RunContext) {
    this.#feed = feed;
    this.#ctx = ctx;
  }

  /** Reported once for each name. */
  note(name: string): void {
    this.#count++;
    if (this.#names.has(name) || this.#names.size === MOST_NAMES) return;
    this.#names.add(name);
    this.#ctx.notice(`${this.#feed.session.hide(name)}: skipped a push that is not JSON`);
  }

  report(): void {
    if (this.#count > 0) this.#ctx.notice(`skipped ${this.#count} pushes that were not JSON`);
  }
}

/** Caches the text: many pushes come within the same millisecond. */
function rfc3339(): (ms: number) => string {
  let last = Number.NaN;
  let text = '';
  return (ms) => {
    if (ms !== last) {
      last = ms;
      text = new Date(ms).toISOString();
    }
    return text;
  };
}

function liveTickCells(row: TickRow): readonly Cell[] {
  if (isTick(row)) return [{ text: row.time.slice(11), tone: 'dim' }, row.symbol, row.bid, row.ask];
  const time = row.at.slice(11);
  if (row.event === 'recovered') return [time, { text: row.event, tone: 'good' }];
  return [time, { text: row.event, tone: 'bad' }, gapText({ ...row })];
}

type Fields = Readonly<Record<string, unknown>>;

const ROW_TONES: Readonly<Record<string, Tone>> = { I: 'good', D: 'warn' };

function liveCells(event: StreamEvent): readonly Cell[] {
  const { ts, kind, table, key, data } = event;
  const fields = typeof data === 'object' && data !== null ? (data as Fields) : {};
  const time = ts.slice(11);
  if (kind === 'recovered') return [time, { text: kind, tone: 'good' }];
  if (kind === 'stale') return [time, { text: kind, tone: 'warn' }, gapText(fields)];
  if (kind === 'unreachable' || kind === 'gap' || kind === 'closed')
    return [time, { text: kind, tone: 'bad' }, gapText(fields)];
  if (kind === 'price') return [time, kind, key, ...priceCells(fields)];
  if (table === null) return [time, kind, key, { text: JSON.stringify(data), tone: 'dim' }];
  return [time, { text: kind, tone: ROW_TONES[kind] ?? 'dim' }, table, key, ...rowCells(fields)];
}

function gapText({ from, to, reason }: Fields): string {
  return from === undefined ? `${reason}` : `no data from ${from} to ${to}: ${reason}`;
}

function priceCells({ Rates: rates }: Fields): readonly Cell[] {
  return (Array.isArray(rates) ? rates : []).slice(0, 2).map((rate) => String(rate));
}

/** The fields of a row that a person follows. */
function rowCells(fields: Fields): readonly Cell[] {
  const { currency, isBuy, amountK, type, status, grossPL, time } = fields;
  return [
    typeof currency === 'string' ? currency : undefined,
    typeof isBuy === 'boolean' ? sideOf(isBuy) : undefined,
    typeof amountK === 'number' ? `${amountK}K` : undefined,
    typeof type === 'string' ? orderTypeText(type) : undefined,
    typeof status === 'number' ? orderStateText(status) : undefined,
    ...['sell', 'buy', 'open', 'close', 'balance', 'equity'].map((name) => numberCell(name, fields[name])),
    typeof grossPL === 'number' ? ['P/L', moneyCell(grossPL)] : undefined,
    typeof time === 'string' ? { text: shownTime(time) ?? '', tone: 'dim' } : undefined,
  ];
}

/** The tables use 0 for none. */
function numberCell(name: string, value: unknown): Cell {
  return typeof value === 'number' && value !== 0 ? `${name} ${value}` : undefined;
}
