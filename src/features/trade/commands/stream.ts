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

/** More lines than anybody reads on a terminal. */
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
  summary: 'Print prices and changes of tables as they are pushed, and drop none',
  description: `Subscribes to each symbol and table with one request, and takes that back at the end. The tables are ${MODEL_NAMES.join(', ')}, in these very letters; anything else is a symbol.
NDJSON has {"ts","kind","table","key","data"} in each line: ts is when it came, by this machine's clock; kind is I, U or D for a row that was inserted, updated (perhaps with nothing but what has changed) or deleted, price, other for what svc does not know, snapshot for a row of --snapshot, and unreachable, recovered, gap and closed for the connection; data is the record as it came. What a price holds, and U and D, are as seen on the public implementation.
If the gateway cannot be reached, at the start as well, {"event":"unreachable","at","reason"} is printed at once and {"event":"recovered","at"} when it can, with the keys of every line. svc then connects and subscribes again. gap says from when to when pushes are missing; with --snapshot the rows are read again. closed comes before the end of a connection that is lost for good (exit 7). If --until ends the stream while the gateway is unreachable, the exit status is 7, too.
--until counts pushes alone. A slow reader holds polling back; one that does not keep up with a websocket ends the stream with exit 10 once 64 MiB wait. A terminal shows no more than 50 lines a second and counts the others; a pipe and a file get all.`,
  effect: 'read',
  service: 'trade',
  streams: () => true,
  args: { what: { help: 'A symbol as EUR/USD, or a table as Order', required: true, repeat: true } },
  flags: {
    snapshot: {
      type: 'boolean',
      help: 'First the rows there are: a look at each table, which may count towards a cap',
    },
    ...FEED_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade stream EUR/USD USD/JPY', why: 'Prices, as they tick' },
    { run: 'svc trade stream Order OpenPosition --snapshot -o ndjson', why: 'What becomes of orders, for a program' },
    { run: 'svc trade stream EUR/USD --until 100 -o csv', why: 'The next hundred ticks' },
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
          ctx.notice(`${feed.session.hide(event.name)}: what is pushed under this name is no JSON, and left out`);
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
    if (strange.count > 0) ctx.notice(`pushes that were no JSON and are left out: ${strange.count}`);
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

/** After a gap. Without it the stream goes on: if the connection is lost again, it says so itself. */
async function renewed(wanted: Wanted, feed: Feed, ctx: RunContext): Promise<readonly StreamEvent[]> {
  try {
    return await snapshot(wanted, feed, ctx);
  } catch (error) {
    if (!(error instanceof SvcError) || !error.retryable) throw error;
    ctx.notice(`the rows after the gap are not known: ${error.message}`);
    return [];
  }
}

class StrangePushes {
  readonly #names = new Set<string>();
  count = 0;

  isFirst(name: string): boolean {
    this.count++;
    // A gateway that makes up names without end fills no memory.
    if (this.#names.has(name) || this.#names.size === MOST_NAMES) return false;
    this.#names.add(name);
    return true;
  }
}

const MOST_NAMES = 100;

/** Many come within the same millisecond. */
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
  return from === undefined ? `${reason}` : `nothing is known from ${from} to ${to}: ${reason}`;
}

function priceCells({ Rates: rates }: Fields): readonly Cell[] {
  return (Array.isArray(rates) ? rates : []).slice(0, 2).map((rate) => String(rate));
}

/** Of a row's fields those that a person follows; an update has few. */
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

/** 0 stands for none in the tables. */
function numberCell(name: string, value: unknown): Cell {
  return typeof value === 'number' && value !== 0 ? `${name} ${value}` : undefined;
}
