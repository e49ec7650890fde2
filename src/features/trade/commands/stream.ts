import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Cell, ListOutput } from '../../../output/types.ts';
import { moneyCell, sideWord } from '../columns.ts';
import { MODEL_NAMES, MODELS } from '../models.ts';
import { orderStateText, orderTypeText } from '../order-text.ts';
import type { StreamEvent } from '../stream-event.ts';
import type { Wanted } from '../subscription.ts';
import { shownTime } from '../table-time.ts';
import { FEED_FLAGS, type Feed, openFeed, parseUntil } from '../trading-feed.ts';
import type { TradingOptions } from '../trading-session.ts';
import { snapshotRows, wantedOf } from '../trading-tables.ts';

interface Input extends TradingOptions {
  readonly what: readonly string[];
  readonly snapshot: boolean;
  readonly until: string | undefined;
}

/** More than a person can read on a terminal. */
const LINES_PER_SECOND = 50;

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
  linesPerSecond: LINES_PER_SECOND,
};

export const tradeStream = listCommand({
  id: 'trade stream',
  summary: 'Stream prices and table changes as they are pushed',
  description: `Subscribes to symbols and to the tables ${MODEL_NAMES.join(', ')} (exact spelling). Prints every push; a terminal shows at most 50 lines a second. Reconnects after an outage and reports what was missed as a gap.`,
  details: `Each NDJSON line is {"ts","kind","table","key","data"}. ts is the time of arrival by this machine's clock. data is the record as received. kind is I, U or D for a row that was inserted, updated or deleted (an update may have only the changed fields); price; snapshot for a row of --snapshot; other for unknown records; and unreachable, recovered, gap or closed for the connection. The form of a price and the actions U and D are as seen on the public implementation.
When the gateway cannot be reached, also at the start, {"event":"unreachable","at","reason"} is printed at once, and {"event":"recovered","at"} when it can be reached again, together with the usual keys. svc then reconnects and resubscribes. gap says between which times pushes are missing; with --snapshot the tables are read again. closed is printed before a stream ends because its connection is lost for good (exit 7). If --until ends the stream while the gateway is unreachable, the exit status is 7, too.
--until counts only pushes. A slow reader slows polling down. A websocket whose reader falls 64 MiB behind ends the stream with exit 10.`,
  effect: 'read',
  service: 'trade',
  streams: () => true,
  args: { what: { help: 'A symbol such as EUR/USD, or a table such as Order', required: true, repeat: true } },
  flags: {
    snapshot: { type: 'boolean', help: 'Print the current rows first (counts towards rate limits)' },
    ...FEED_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade stream EUR/USD USD/JPY', why: 'Follow two prices' },
    {
      run: 'svc trade stream Order OpenPosition --snapshot -o ndjson',
      why: 'Follow orders and positions in a program',
    },
    { run: 'svc trade stream EUR/USD --until 100 -o csv', why: 'Save the next hundred ticks' },
  ],
  output: STREAM_LIST,
  async run(input, ctx) {
    return { value: streamed(input, ctx) };
  },
});

async function* streamed(input: Input, ctx: RunContext): AsyncGenerator<StreamEvent, void, void> {
  const { pushedEvent, connectionEvent, OutageEvent } = await import('../stream-event.ts');
  const until = parseUntil(input.until);
  const feed = await openFeed(ctx, input);
  const strange = new StrangePushes();
  const clock = rfc3339();
  let left = until.pushes;
  const timed = (): void => {
    if (until.ms !== undefined) feed.endAfter(until.ms);
  };
  try {
    let wanted: Wanted = { models: [], symbols: [] };
    let rows: readonly StreamEvent[] = [];
    const begin = async (): Promise<void> => {
      await feed.session.connect();
      wanted = await wantedOf(input.what, feed);
      await feed.subscription.begin(wanted);
      timed();
      if (input.snapshot) rows = await snapshot(wanted, feed, ctx);
    };
    for await (const outage of feed.outagesDuring(begin)) {
      timed();
      yield new OutageEvent(outage);
    }
    yield* rows;
    for await (const event of feed.events) {
      if (event.kind === 'unreachable' || event.kind === 'recovered') {
        yield new OutageEvent(event);
        continue;
      }
      if (event.kind !== 'push') {
        yield connectionEvent(event, clock(ctx.now()));
        if (event.kind === 'closed') throw event.error;
        if (!input.snapshot || !(await feed.subscription.restored())) continue;
        const renew = async (): Promise<void> => {
          rows = await renewed(wanted, feed, ctx);
        };
        for await (const outage of feed.outagesDuring(renew)) yield new OutageEvent(outage);
        yield* rows;
        continue;
      }
      const pushed = pushedEvent(event.name, event.payload, clock(event.at));
      if (pushed === undefined) {
        if (strange.isFirst(event.name)) {
          ctx.notice(`${feed.session.hide(event.name)}: skipped a push that is not JSON`);
        }
        continue;
      }
      yield pushed;
      if (--left === 0) return;
    }
    ctx.signal.throwIfAborted();
    feed.checkReachable();
  } finally {
    await feed.end();
    if (strange.count > 0) ctx.notice(`skipped ${strange.count} pushes that were not JSON`);
  }
}

async function snapshot(wanted: Wanted, feed: Feed, ctx: RunContext): Promise<readonly StreamEvent[]> {
  const { StreamEvent } = await import('../stream-event.ts');
  const rows: StreamEvent[] = [];
  for await (const { model, row } of snapshotRows(wanted, feed)) {
    const key = MODELS[model].key;
    const value = key === undefined ? undefined : row[key];
    const at = new Date(ctx.now()).toISOString();
    rows.push(
      new StreamEvent(at, 'snapshot', { table: model, key: value === undefined ? undefined : String(value) }, row),
    );
  }
  return rows;
}

/** After a gap. The stream continues if this fails: a connection that is lost again reports itself. */
async function renewed(wanted: Wanted, feed: Feed, ctx: RunContext): Promise<readonly StreamEvent[]> {
  try {
    return await snapshot(wanted, feed, ctx);
  } catch (error) {
    if (!(error instanceof SvcError) || !error.retryable) throw error;
    ctx.notice(`could not read the rows after the gap: ${error.message}`);
    return [];
  }
}

class StrangePushes {
  readonly #names = new Set<string>();
  count = 0;

  isFirst(name: string): boolean {
    this.count++;
    // Bounded, so that a gateway that invents names cannot fill the memory.
    if (this.#names.has(name) || this.#names.size === MOST_NAMES) return false;
    this.#names.add(name);
    return true;
  }
}

const MOST_NAMES = 100;

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

type Fields = Readonly<Record<string, unknown>>;

function liveCells(event: StreamEvent): readonly Cell[] {
  const { ts, kind, table, key, data } = event;
  const fields = typeof data === 'object' && data !== null ? (data as Fields) : {};
  const time = ts.slice(11);
  if (kind === 'recovered') return [time, { text: kind, tone: 'good' }];
  if (kind === 'unreachable' || kind === 'gap' || kind === 'closed')
    return [time, { text: kind, tone: 'bad' }, gapText(fields)];
  if (kind === 'price') return [time, kind, key, ...priceCells(fields)];
  if (table === null) return [time, kind, key, { text: JSON.stringify(data), tone: 'dim' }];
  const tone = kind === 'I' ? 'good' : kind === 'D' ? 'warn' : 'dim';
  return [time, { text: kind, tone }, table, key, ...rowCells(fields)];
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
    typeof isBuy === 'boolean' ? sideWord(isBuy) : undefined,
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
