/** Searches for the outcome of a request whose response was lost. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { mayBeOf, readJournal } from '../../../store/order-journal.ts';
import type { RecentEntries } from '../../../store/recent-entries.ts';
import { openTradingSession, type TradingOptions, type TradingSession } from '../gateway/trading-session.ts';
import type { Account, Offer, OpenPosition } from '../schema.ts';
import type { SeenBefore, SeenTables } from '../tables/seen-tables.ts';
import { FillWatch } from './fills.ts';
import { atGateway, isEqualLost } from './settled-entries.ts';
import { IN_FLIGHT_MS, type JournaledRequest, type Settlement, settle } from './settlement.ts';

export interface SearchOptions extends TradingOptions {
  readonly open: TradingSession;
  /** `--wait`: how long pushes are watched. */
  readonly wait?: number | undefined;
  /** Set if it already follows the session. */
  readonly watch?: FillWatch | undefined;
  /** Open positions before it was sent; undefined if they could not be read. */
  readonly before?: readonly OpenPosition[] | undefined;
  /** For a session that reconnects and searches for several requests. */
  readonly shared?: SharedSearch | undefined;
}

export interface SharedSearch {
  readonly journal: Pick<RecentEntries, 'read'>;
  /** Ids of orders and positions that were found: none belongs to two requests. */
  readonly found: Set<string>;
}

export interface LostRequest {
  /** By the gateway's clock. */
  readonly sentAt: number;
  /** The gateway's clock minus ours. */
  readonly clockSkewMs: number;
  /** Ids of orders and positions seen before it was sent. */
  readonly earlier: SeenBefore;
}

interface Found {
  readonly text: string;
  readonly ids?: readonly string[];
  readonly settled: Settlement;
}

/** Watch pushes at least this long: the gateway may be slow. A session, whose caller may send the order again, watches longer. */
const LEAST_WATCH_MS = 4_500;
/** For a session: how often, and after how long, tables are read again that the gateway refused. */
const MOST_READS = 20;
const AGAIN_MS = 1_000;
/** For a session, which may search for many: the least time between two searches in the tables that it knows. */
const LEAST_PAUSE_MS = 250;

/** Reads the tables, watches pushes until the request is found, and reads the tables again at the end. */
export async function findLost(
  request: JournaledRequest,
  sent: LostRequest,
  options: SearchOptions,
  ctx: RunContext,
): Promise<Found> {
  const { open, wait = 0, shared } = options;
  let { watch = new FillWatch(ctx) } = options;
  let current = open;
  let replacement: TradingSession | undefined;
  const refresh = async (): Promise<void> => {
    try {
      await watch.follow(current.session, current.unlimited);
      await watch.refresh();
    } catch (error) {
      if (!(error instanceof SvcError) || ctx.signal.aborted || replacement !== undefined) throw error;
      if (shared !== undefined) {
        await open.session.connect();
        return refresh();
      }
      // The session may be lost with the response.
      replacement = await openTradingSession(ctx, { ...options, forOrder: true });
      current = replacement;
      // The caller's watch stays with the caller's session, which may reconnect.
      watch = new FillWatch(ctx);
      await refresh();
    }
  };
  const over = new AbortController();
  const watched = Math.max(wait, shared === undefined ? LEAST_WATCH_MS : IN_FLIGHT_MS);
  const late = ctx.sleep(watched, AbortSignal.any([ctx.signal, over.signal])).then(
    () => true,
    () => true,
  );
  const offers = (open.known.read('Offer') ?? []) as readonly Offer[];
  const accounts = (open.known.read('Account') ?? []) as readonly Account[];
  try {
    await refresh();
    let isLate = false;
    for (let reads = 0; ; ) {
      const changed = watch.changed().then(() => false);
      const found = await findIn(request, { ...sent, tables: watch.tables, offers, accounts }, options, ctx);
      const { settled } = found;
      const ids = [...(settled.orderIds ?? []), ...(settled.tradeIds ?? [])];
      const isTaken = ids.some((id) => shared?.found.has(id));
      const isUnread = watch.tables.unread.size > 0;
      if (isLate && isUnread && !settled.isDone && shared !== undefined && reads++ < MOST_READS) {
        await ctx.sleep(AGAIN_MS, ctx.signal);
        await refresh();
      } else if (isLate || ctx.signal.aborted || (settled.isDone && !isTaken)) {
        if (isTaken || (settled.outcome === 'absent' && isUnread)) {
          return { ...found, settled: { ...settled, outcome: 'unknown' } };
        }
        for (const id of ids) shared?.found.add(id);
        return found;
      } else {
        isLate = await Promise.race([changed, late]);
        if (isLate) await refresh();
        else if (shared !== undefined) await ctx.sleep(LEAST_PAUSE_MS, ctx.signal);
      }
    }
  } finally {
    over.abort();
    await replacement?.session.close();
  }
}

interface Tables {
  readonly tables: SeenTables;
  readonly offers: readonly Offer[];
  readonly accounts: readonly Account[];
}

async function findIn(
  request: JournaledRequest,
  { clockSkewMs, ...sent }: LostRequest & Tables,
  { before, shared }: SearchOptions,
  ctx: RunContext,
): Promise<Found> {
  const entries = (await (shared?.journal.read() ?? readJournal(ctx.paths)))
    .filter((entry) => mayBeOf(ctx.target.baseUrl, entry))
    .map((entry) => atGateway(entry, clockSkewMs));
  const others = entries.filter((entry) => !isEqualLost(request, entry));
  const settled = settle(request, { ...sent, before, others, follows: shared !== undefined });
  const { outcome, evidence, candidates } = settled;
  // What is found may belong to an identical request whose response has not come yet.
  const equals = entries.length - others.length;
  const found = { settled: shared !== undefined && equals > 1 ? { ...settled, isDone: false } : settled };
  if (candidates === undefined) return { ...found, text: evidence };
  const text = outcome === 'absent' ? `${evidence}, which proves nothing` : evidence;
  return { ...found, text, ids: candidates.flatMap(({ id, isTaken }) => (isTaken ? [] : [id])) };
}
