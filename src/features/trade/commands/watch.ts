import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { ListOutput, Snapshot, WatchOutput } from '../../../output/types.ts';
import { ACCOUNT_LIST, amountCell, ORDER_LIST, POSITION_LIST, withAmounts } from '../columns.ts';
import { type Price, type Push, readPush } from '../gateway/push.ts';
import type { Outage } from '../gateway/reconnecting.ts';
import type { SessionEvent } from '../gateway/session.ts';
import { FEED_FLAGS, type Feed, openFeed, parseUntil } from '../gateway/trading-feed.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import { sideOf, type Traded } from '../order-text.ts';
import { offerPrice, PRICE_COLUMNS, type PriceRow, tickPrice } from '../prices.ts';
import type { Account, MODEL_ROWS, Offer, OpenPosition, Order } from '../schema.ts';
import { compareRows, LiveTable, type TableSnapshot } from '../tables/live-table.ts';
import { offersToShow, symbolsOf } from '../tables/lookups.ts';

const PRICE_LIST: ListOutput<PriceRow> = {
  kind: 'list',
  columns: Object.values(PRICE_COLUMNS),
  id: (row) => row.symbol,
  empty: 'no prices',
};

interface Watched {
  /** Prices are offers, and pushed by symbol. */
  readonly model: 'OpenPosition' | 'Order' | 'Account' | 'Offer';
  /** The field that identifies a row. */
  readonly key: string;
  readonly output: WatchOutput<never>;
}

const WATCHED: Readonly<Record<string, Watched>> = {
  positions: {
    model: 'OpenPosition',
    key: 'tradeId',
    output: {
      kind: 'watch',
      list: POSITION_LIST,
      noun: 'position',
      title: (row: OpenPosition) => tradedTitle(row.tradeId, row),
    },
  },
  orders: {
    model: 'Order',
    key: 'orderId',
    output: { kind: 'watch', list: ORDER_LIST, noun: 'order', title: (row: Order) => tradedTitle(row.orderId, row) },
  },
  accounts: {
    model: 'Account',
    key: 'accountId',
    output: { kind: 'watch', list: ACCOUNT_LIST, noun: 'account', title: ({ accountId }: Account) => accountId },
  },
  prices: {
    model: 'Offer',
    key: 'symbol',
    output: {
      kind: 'watch',
      list: PRICE_LIST,
      noun: 'price',
      title: ({ symbol, bid, ask }: PriceRow) => `${symbol} ${bid ?? '?'} ${ask ?? '?'}`,
    },
  },
};

function tradedTitle(id: string, row: Traded): string {
  const { currency, isBuy } = row;
  return [id, currency, sideOf(isBuy), amountCell(row)].filter((part) => part !== undefined).join(' ');
}

export const tradeWatch = listCommand({
  id: 'trade watch',
  summary: 'Follow positions, orders, accounts or prices live',
  description:
    'Reads the table once, then follows the pushes; nothing is polled. A terminal redraws the table (q or Ctrl-C ends it); a pipe gets one line of JSON per change. Changes within --interval are shown as one: svc trade stream prints each.',
  details:
    '-o ndjson prints {"event":"added|changed|resolved","at","position|order|account|price"}, with every row of the first reading as added, and {"event":"unreachable","at","reason"} and {"event":"recovered","at"} for outages; {"event":"stale","at","reason"} if no price came for a minute although forex is traded, and recovered with the next one. After an outage the table is read again. If --until ends the watch while the gateway is unreachable, the exit status is 7. The requests, the rows beyond the interface document, and the actions U and D of pushes are as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  streams: () => true,
  args: {
    what: { help: 'positions, orders, accounts or prices', required: true },
    symbol: { help: 'Filter by symbol (default: all)', repeat: true },
  },
  flags: {
    interval: {
      type: 'duration',
      positive: true,
      default: '250ms',
      group: 'Follow options',
      help: 'Minimum refresh interval',
    },
    ...FEED_FLAGS,
  },
  examples: [
    { run: 'svc trade watch positions', why: 'Follow open positions and their profit' },
    { run: 'svc trade watch prices EUR/USD USD/JPY', why: 'Follow two prices' },
    { run: 'svc trade watch orders -o ndjson --until 5m', why: 'Follow orders in a script' },
  ],
  output: PRICE_LIST,
  outputOf: ({ what }) => WATCHED[what]?.output.list ?? PRICE_LIST,
  async run(input, ctx) {
    const { what } = input;
    const watched = Object.hasOwn(WATCHED, what) ? WATCHED[what] : undefined;
    if (watched === undefined) {
      const hint = `one of: ${Object.keys(WATCHED).join(', ')}`;
      throw new SvcError('invalid_value', `cannot watch "${what}"`, { hint });
    }
    if (what === 'accounts' && input.symbol.length > 0) {
      throw new SvcError('usage', 'accounts cannot be filtered by symbol');
    }
    return { value: takeSnapshots(watched, input, ctx), as: watched.output };
  },
});

interface WatchInput {
  readonly symbol: readonly string[];
  readonly until: string | undefined;
  /** The minimum time between two snapshots of changes. */
  readonly interval: number;
  readonly reconnect: boolean;
}

/** Yields a snapshot for each outage at once, and for changes no faster than the interval. */
async function* takeSnapshots(
  watched: Watched,
  input: WatchInput,
  ctx: RunContext,
): AsyncGenerator<Snapshot<unknown>, void, void> {
  const { MODEL_ROWS } = await import('../schema.ts');
  const { pushes, ms } = parseUntil(input.until);
  const feed = await openFeed(ctx, { reconnect: input.reconnect, ms });
  const rows = new WatchedRows(watched, MODEL_ROWS);
  const connection = new ConnectionState();
  try {
    for await (const outage of follow({ feed, rows, connection, pushes, input }, ctx)) {
      yield {
        at: ctx.now(),
        ...rows.takeChanges(),
        footer: connection.text(),
        error: connection.trouble,
        outage: eventOf(outage),
      };
    }
    feed.checkReachable();
  } finally {
    await feed.end();
  }
}

function eventOf(outage: Outage | undefined): Snapshot<unknown>['outage'] {
  if (outage === undefined) return undefined;
  if (outage.kind === 'recovered') return { event: outage.kind };
  return { event: outage.kind, reason: outage.reason };
}

interface Following {
  readonly feed: Feed;
  readonly rows: WatchedRows;
  readonly connection: ConnectionState;
  /** The watch ends after so many. */
  readonly pushes: number;
  readonly input: WatchInput;
}

/** Yields when the rows are to be shown, with the outage if it is the reason. */
async function* follow(following: Following, ctx: RunContext): AsyncGenerator<Outage | undefined, void, void> {
  const { feed, rows, connection, pushes, input } = following;
  const changes = new DueChanges(input.interval, feed.signal, ctx);
  let left = pushes;
  for await (const event of changes.among(feed.events())) {
    switch (event.kind) {
      case 'due':
        yield undefined;
        break;
      case 'push':
        changes.add();
        if (takePush(event, rows, feed, ctx)) left -= 1;
        break;
      case 'connected':
      case 'gap':
        connection.connected(event, ctx.now());
        if (await readRows(following, ctx)) changes.add();
        break;
      case 'closed':
        yield undefined;
        throw event.error;
      default:
        connection.outage(event);
        feed.startTimer();
        yield event;
    }
    if (left === 0) break;
  }
  yield undefined;
}

const DUE = { kind: 'due' } as const;

/** Says when changes are to be shown: no faster than the interval. */
class DueChanges {
  readonly #interval: number;
  readonly #signal: AbortSignal;
  readonly #ctx: Pick<RunContext, 'now' | 'sleep'>;
  /** While changes wait to be shown. */
  #due: Promise<typeof DUE> | undefined;
  #shownAt = Number.NEGATIVE_INFINITY;

  /** `signal` is aborted when no more changes come. */
  constructor(interval: number, signal: AbortSignal, ctx: Pick<RunContext, 'now' | 'sleep'>) {
    this.#interval = interval;
    this.#signal = signal;
    this.#ctx = ctx;
  }

  add(): void {
    this.#due ??= this.#waitUntilDue();
  }

  async #waitUntilDue(): Promise<typeof DUE> {
    const wait = this.#shownAt + this.#interval - this.#ctx.now();
    if (wait > 0) await this.#ctx.sleep(wait, this.#signal).catch(() => {});
    return DUE;
  }

  /** The events, and one more among them when changes are to be shown. */
  async *among(events: AsyncIterable<SessionEvent>): AsyncGenerator<SessionEvent | typeof DUE, void, void> {
    const iterator = events[Symbol.asyncIterator]();
    for (let next = iterator.next(); ; ) {
      const first = await Promise.race([this.#due ?? next, next]);
      if ('kind' in first) {
        this.#due = undefined;
        this.#shownAt = this.#ctx.now();
        yield first;
      } else {
        if (first.done) return;
        next = iterator.next();
        yield first.value;
      }
    }
  }
}

/** False for a push that does not count: of an unexpected form, or before there are rows. */
function takePush(
  { name, payload }: Extract<SessionEvent, { kind: 'push' }>,
  rows: WatchedRows,
  feed: Feed,
  ctx: RunContext,
): boolean {
  if (!rows.isRead) return false;
  const push = readPush(name, payload);
  if (push === undefined || !rows.take(push)) rows.reportOdd(feed.session.hide(name), ctx);
  return push !== undefined;
}

/** Reads the rows at first, and after a gap. False if the connection is lost meanwhile. */
async function readRows({ feed, rows, connection, input }: Following, ctx: RunContext): Promise<boolean> {
  const isFirst = feed.subscribed === undefined;
  const table = await feed.attempt(async () => {
    if (isFirst) await rows.subscribe(input.symbol, feed, ctx);
    return isFirst ? rows.read(feed.open) : readAgain(rows, feed, ctx);
  });
  if (table === undefined) return false;
  connection.stale = typeof table === 'string' ? table : undefined;
  if (typeof table !== 'string') rows.show(table);
  feed.startTimer();
  return true;
}

/** Returns why rows stay out of date if unreadable: a rate limit does not end the watch. */
async function readAgain(rows: WatchedRows, feed: Feed, ctx: RunContext): Promise<TableSnapshot<WatchedRow> | string> {
  try {
    return await rows.read(feed.open);
  } catch (error) {
    if (!(error instanceof SvcError) || !error.retryable) throw error;
    const stale = `out of date since the gap: ${error.message}`;
    ctx.notice(stale);
    return stale;
  }
}

type WatchedRow = Readonly<Record<string, unknown>>;

/** The rows that are watched, and what changed since they were shown. */
class WatchedRows {
  readonly #watched: Watched;
  readonly #table: LiveTable<WatchedRow>;
  /** None for all. */
  #symbols: readonly string[] = [];
  /** They say what the amounts of positions and orders are. */
  #offers: readonly Offer[] = [];
  #shown: ReadonlyMap<string, WatchedRow> = new Map();
  #isOdd = false;
  /** At least once. */
  isRead = false;

  constructor(watched: Watched, schemas: typeof MODEL_ROWS) {
    const { model, key } = watched;
    this.#watched = watched;
    this.#table = new LiveTable<WatchedRow>(key, (fields) =>
      model === 'Offer' ? (fields as WatchedRow) : schemas[model].safeParse(fields).data,
    );
  }

  /** `names` are symbols as typed. */
  async subscribe(names: readonly string[], feed: Feed, ctx: RunContext): Promise<void> {
    const { open } = feed;
    const { model } = this.#watched;
    this.#symbols = await symbolsOf(names, open);
    if (model === 'Offer' && names.length === 0) {
      this.#symbols = (await open.trading.model(model)).map(({ currency }) => currency);
    }
    if (model === 'OpenPosition' || model === 'Order') this.#offers = await offersToShow(open, ctx);
    await feed.subscribe(model === 'Offer' ? { models: [], symbols: this.#symbols } : { models: [model], symbols: [] });
  }

  async read({ trading }: TradingSession): Promise<TableSnapshot<WatchedRow>> {
    const { model } = this.#watched;
    const rows = model === 'Account' ? await trading.accounts() : await trading.model(model);
    const shown = model === 'Offer' ? rows.map((offer) => offerPrice(offer as Offer)) : rows;
    return { rows: shown as readonly object[] as readonly WatchedRow[], isComplete: rows.omitted.length === 0 };
  }

  /** Pushes that came since the rows were read follow. */
  show(rows: TableSnapshot<WatchedRow>): void {
    this.#table.snapshot(rows);
    this.isRead = true;
  }

  /** False for a record of an unexpected form. */
  take(push: Push): boolean {
    const { model } = this.#watched;
    if (push.kind === 'price') {
      this.#takePrice(push);
      return true;
    }
    // The row of totals has no key. Prices are pushed by symbol, not as offers.
    if (push.kind !== 'row' || push.model !== model || model === 'Offer' || !push.key) return true;
    const { action: _, ...fields } = push.record;
    if (push.action !== 'D') return this.#table.set(push.key, fields);
    this.#table.delete(push.key);
    return true;
  }

  /** One notice, however many such pushes come. */
  reportOdd(name: string, { notice }: Pick<RunContext, 'notice'>): void {
    if (!this.#isOdd) notice(`${name}: skipped a push of an unexpected form`);
    this.#isOdd = true;
  }

  #takePrice(tick: Price): void {
    const before = this.#table.rows.get(tick.symbol) as PriceRow | undefined;
    if (before !== undefined) this.#table.set(tick.symbol, tickPrice(tick, before));
  }

  /** Since the call before. */
  takeChanges(): Pick<Snapshot<unknown>, 'rows' | 'changes'> {
    const wanted = [...this.#table.rows.values()].filter((row) => this.#isWanted(row));
    const rows = withAmounts(wanted, this.#offers);
    const before = this.#shown;
    this.#shown = new Map(rows.map((row) => [this.#table.idOf(row), row]));
    return { rows, changes: compareRows(before, this.#shown) };
  }

  #isWanted(row: WatchedRow): boolean {
    const symbol = this.#watched.model === 'Offer' ? row['symbol'] : row['currency'];
    return this.#symbols.length === 0 || this.#symbols.includes(String(symbol));
  }
}

/** The state of the connection, in a line for a person. */
class ConnectionState {
  #since = '';
  #gap = 'no gaps';
  /** Why the gateway cannot be reached. */
  trouble: string | undefined;
  /** Why the rows may be outdated although the gateway can be reached. */
  stale: string | undefined;
  #silence: string | undefined;

  connected(event: Extract<SessionEvent, { kind: 'connected' | 'gap' }>, at: number): void {
    this.#since = clockText(at);
    if (event.kind === 'gap') this.#gap = `last gap from ${clockText(event.from)} to ${clockText(event.to)}`;
  }

  outage(outage: Outage): void {
    this.trouble = outage.kind === 'unreachable' ? outage.reason : undefined;
    this.#silence = outage.kind === 'stale' ? outage.reason : undefined;
  }

  /** `connected since 16:02:14Z; last gap from 16:02:11Z to 16:02:14Z` */
  text(): string {
    return [
      this.trouble === undefined ? `connected since ${this.#since}` : 'no connection: reconnecting',
      this.#gap,
      this.stale,
      this.#silence,
    ]
      .filter((part) => part !== undefined)
      .join('; ');
  }
}

function clockText(at: number): string {
  return `${new Date(at).toISOString().slice(11, 19)}Z`;
}
