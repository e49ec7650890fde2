import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Cell, Column, ListOutput, Tone } from '../../../output/types.ts';
import { moneyCell } from '../columns.ts';
import { type Price, readPush } from '../gateway/push.ts';
import type { SessionEvent } from '../gateway/session.ts';
import { FEED_FLAGS, type Feed, openFeed, parseUntil, type Wanted } from '../gateway/trading-feed.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import { isModelName, MODEL_NAMES } from '../models.ts';
import { orderStateText, orderTypeText, sideOf } from '../order-text.ts';
import {
  type GapLine,
  gapLine,
  type OutageLine,
  outageLine,
  type SnapshotRow,
  type StreamEvent,
  streamEvent,
} from '../stream-event.ts';
import { wantedOf } from '../tables/lookups.ts';
import { shownTime } from '../tables/table-time.ts';

const STREAM_LIST: ListOutput<StreamEvent> = {
  kind: 'list',
  columns: [
    { name: 'ts', cell: ({ ts }) => ts },
    { name: 'kind', cell: ({ kind }) => kind },
    { name: 'table', cell: ({ table }) => table },
    { name: 'key', cell: ({ key }) => key },
    { name: 'data', cell: ({ data }) => JSON.stringify(data), shrinks: true },
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

type TickRow = Tick | GapLine | OutageLine;

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
  details: `Each NDJSON line is {"ts","kind","table","key","data"}. ts is the time of arrival by this machine's clock. data is the record as received. kind is I, U or D for a row that was inserted, updated or deleted (an update may have only the changed fields); price; snapshot for a row of --snapshot; other for unknown records; and unreachable, stale, recovered or gap for the connection. The form of a price and the actions U and D are as seen on the public implementation.
When the gateway cannot be reached, also at the start, {"event":"unreachable","at","reason"} is printed at once, and {"event":"recovered","at"} when it can be reached again, together with the usual keys. svc then reconnects and resubscribes. gap says between which times pushes are missing; with --snapshot the tables are read again. {"event":"stale","at","reason"} is printed if no push came for a minute although prices of forex are followed and the market is open by its usual hours; recovered follows with the next push. If the connection is lost for good, or --until ends the stream while the gateway is unreachable, the exit status is 7.
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
    if (!input.prices) return { value: followEvents(input, streamEvent, ctx) };
    if (input.snapshot) throw new SvcError('usage', '--snapshot and --prices cannot be combined');
    const model = input.what.find(isModelName);
    if (model !== undefined) throw new SvcError('usage', `--prices is for symbols, and ${model} is a table`);
    const { table, document, events } = ctx.wants;
    const hasEvents = table || document || events;
    const toRow: ToRow<TickRow> = (event) => (event.kind === 'push' || hasEvents ? tickRow(event) : null);
    return { value: followEvents(input, toRow, ctx), as: TICK_LIST };
  },
});

interface StreamInput {
  readonly what: readonly string[];
  readonly snapshot: boolean;
  readonly until: string | undefined;
  readonly reconnect: boolean;
}

/** Null for an event that is not printed. */
type ToRow<Row> = (event: SessionEvent | SnapshotRow) => Row | null;

/** Yields a row for each push, outage and gap, and after each connection the current rows if they are wanted. */
async function* followEvents<Row>(
  input: StreamInput,
  toRow: ToRow<Row>,
  ctx: RunContext,
): AsyncGenerator<Row, void, void> {
  const until = parseUntil(input.until);
  const feed = await openFeed(ctx, { reconnect: input.reconnect, ms: until.ms });
  let left = until.pushes;
  try {
    for await (const event of feed.events()) {
      if (event.kind === 'closed') throw event.error;
      const row = toRow(event);
      if (row !== null) yield row;
      if (event.kind !== 'push') {
        for (const current of await readAfter(event, input, feed, ctx)) yield toRow(current) as Row;
      } else if (row !== null && --left === 0) break;
    }
    feed.checkReachable();
  } finally {
    await feed.end();
  }
}

/** The rows to print after a connection. */
async function readAfter(
  { kind }: SessionEvent,
  input: StreamInput,
  feed: Feed,
  ctx: RunContext,
): Promise<readonly SnapshotRow[]> {
  const isConnected = kind === 'connected' || kind === 'gap';
  const rows = isConnected ? await feed.attempt(() => beginConnection(input, feed, ctx)) : [];
  feed.startTimer();
  return rows ?? [];
}

/** Subscribes after the first connection, and with --snapshot reads the rows after each. A rate limit after a gap does not end the stream. */
async function beginConnection(
  { what, snapshot }: StreamInput,
  feed: Feed,
  ctx: RunContext,
): Promise<readonly SnapshotRow[]> {
  if (feed.subscribed === undefined) {
    const wanted = await wantedOf(what, feed.open);
    await feed.subscribe(wanted);
    return snapshot ? readRows(wanted, feed.open, ctx) : [];
  }
  if (!snapshot) return [];
  try {
    return await readRows(feed.subscribed, feed.open, ctx);
  } catch (error) {
    if (!(error instanceof SvcError) || !error.retryable) throw error;
    ctx.notice(`could not read the rows after the gap: ${error.message}`);
    return [];
  }
}

/** The current rows of each table, and the offers of the symbols. */
async function readRows(
  { models, symbols }: Wanted,
  { trading }: TradingSession,
  { now }: RunContext,
): Promise<readonly SnapshotRow[]> {
  const all: SnapshotRow[] = [];
  for (const model of models) {
    const rows = model === 'Account' ? await trading.accounts() : await trading.model(model);
    all.push(...rows.map((row) => ({ kind: 'snapshot', model, row, at: now() }) as const));
  }
  if (symbols.length === 0 || models.includes('Offer')) return all;
  const offers = (await trading.model('Offer')).filter(({ currency }) => symbols.includes(currency));
  return [...all, ...offers.map((row) => ({ kind: 'snapshot', model: 'Offer', row, at: now() }) as const)];
}

function tickRow(event: SessionEvent | SnapshotRow): TickRow | null {
  switch (event.kind) {
    case 'push': {
      const push = readPush(event.name, event.payload);
      return push?.kind === 'price' ? tickOf(push, event.at) : null;
    }
    case 'gap':
      return gapLine(event);
    case 'connected':
    case 'closed':
    case 'snapshot':
      return null;
    default:
      return outageLine(event);
  }
}

function tickOf({ symbol, at, bid, ask, high, low }: Price, arrived: number): Tick {
  return { time: new Date(at ?? arrived).toISOString(), symbol, bid, ask, high: high ?? null, low: low ?? null };
}

function isTick(row: TickRow): row is Tick {
  return 'symbol' in row;
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
  if (kind === 'unreachable' || kind === 'gap') return [time, { text: kind, tone: 'bad' }, gapText(fields)];
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
