/** Searches for the outcome of a request whose response was lost. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { mayBeOf, readJournal } from '../../store/order-journal.ts';
import { FillWatch } from './fills.ts';
import type { AcceptedOrder } from './order-candidates.ts';
import type { Account, Offer, OpenPosition } from './schema.ts';
import type { SeenTables } from './seen-tables.ts';
import { type JournaledRequest, settle } from './settlement.ts';
import { openTradingSession, type TradingOptions, type TradingSession } from './trading-session.ts';

export interface SearchOptions extends TradingOptions {
  readonly open: TradingSession;
  /** `--wait`: how long pushes are watched. */
  readonly wait?: number | undefined;
  /** Set if it already follows the session. */
  readonly watch?: FillWatch | undefined;
  /** Open positions before it was sent; undefined if they could not be read. */
  readonly before?: readonly OpenPosition[] | undefined;
}

interface Sent {
  /** By the gateway's clock. */
  readonly sentAt: number;
  /** The gateway's clock minus ours. */
  readonly clockSkewMs: number;
  /** Ids of orders and positions seen before it was sent. */
  readonly earlier: ReadonlySet<string>;
}

interface Found {
  readonly text: string;
  readonly ids?: readonly string[];
  readonly isDone: boolean;
}

/** Watch pushes at least this long: the gateway may be slow. */
const LEAST_WATCH_MS = 5_000;

/** Reads the tables, watches pushes until the request is found, and reads the tables again at the end. */
export async function findLost(
  request: JournaledRequest,
  sent: Sent,
  options: SearchOptions,
  ctx: RunContext,
): Promise<Found> {
  const { open, wait = 0 } = options;
  let { watch = new FillWatch(ctx) } = options;
  let current = open;
  let replacement: TradingSession | undefined;
  const refresh = async (): Promise<void> => {
    try {
      await watch.follow(current.session, current.unlimited);
      await watch.refresh();
    } catch (error) {
      if (!(error instanceof SvcError) || ctx.signal.aborted || replacement !== undefined) throw error;
      // The session may be lost with the response.
      replacement = await openTradingSession(ctx, { ...options, forOrder: true });
      current = replacement;
      // The caller's watch stays with the caller's session, which may reconnect.
      watch = new FillWatch(ctx);
      await refresh();
    }
  };
  const over = new AbortController();
  const late = ctx.sleep(Math.max(wait, LEAST_WATCH_MS), AbortSignal.any([ctx.signal, over.signal])).then(
    () => true,
    () => true,
  );
  try {
    await refresh();
    let isLate = false;
    for (;;) {
      const changed = watch.changed().then(() => false);
      const found = await findIn(request, sent, watch.tables, options, ctx);
      if (found.isDone || isLate || ctx.signal.aborted) return found;
      isLate = await Promise.race([changed, late]);
      if (isLate) await refresh();
    }
  } finally {
    over.abort();
    await replacement?.session.close();
  }
}

async function findIn(
  request: JournaledRequest,
  { clockSkewMs, ...sent }: Sent,
  tables: SeenTables,
  { before, open: { known } }: SearchOptions,
  ctx: RunContext,
): Promise<Found> {
  const offers = (known.read('Offer') ?? []) as readonly Offer[];
  const accounts = (known.read('Account') ?? []) as readonly Account[];
  const accepted = await acceptedOrders(clockSkewMs, ctx);
  const settled = await settle(request, { ...sent, tables, before, accepted, offers, accounts });
  const { outcome, evidence, candidates, isDone } = settled;
  if (candidates === undefined) return { text: evidence, isDone };
  const text = outcome === 'absent' ? `${evidence}, which proves nothing` : evidence;
  return { text, ids: candidates.map(({ id }) => id), isDone };
}

/** At this gateway only, with times by its clock. */
async function acceptedOrders(clockSkewMs: number, ctx: RunContext): Promise<readonly AcceptedOrder[]> {
  return (await readJournal(ctx.paths))
    .filter((entry) => entry.order_ids.length > 0 && mayBeOf(ctx.target.baseUrl, entry))
    .map((entry) => ({ ...entry, at: new Date(Date.parse(entry.at) + clockSkewMs).toISOString() }));
}
