import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { MODEL_NAMES, MODELS } from '../models.ts';
import { STREAM_LIST } from '../stream.ts';
import type { StreamEvent } from '../stream-event.ts';
import type { Wanted } from '../subscription.ts';
import { FEED_FLAGS, type Feed, openFeed, parseUntil } from '../trading-feed.ts';
import type { SessionWish } from '../trading-session.ts';
import { snapshotRows, wantedOf } from '../trading-tables.ts';

interface Input extends SessionWish {
  readonly what: readonly string[];
  readonly snapshot: boolean;
  readonly until: string | undefined;
}

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
