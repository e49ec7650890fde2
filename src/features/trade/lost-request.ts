/** Looks for what became of a request whose answer was lost. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { mayBeOf, readJournal } from '../../store/order-journal.ts';
import type { Trace } from './closing-traces.ts';
import { type FillWatch, watchFills } from './fills.ts';
import { type AcceptedOrder, isFound, type LostOrder, orderCandidates } from './order-candidates.ts';
import type { SeenTables, TableReader } from './seen-tables.ts';
import { openTradingSession, type TradingOptions, type TradingSession } from './trading-session.ts';

export interface LostRequest {
  /** Each order that it asks for. */
  readonly orders?: readonly LostOrder[] | undefined;
  /** If it changes what is there: how that is seen now. */
  readonly trace?: ((tables: TableReader, sentAt: number) => Promise<Trace>) | undefined;
}

export interface SearchOptions extends TradingOptions {
  readonly open: TradingSession;
  /** `--wait`: how long pushes are watched. */
  readonly wait?: number | undefined;
  /** It follows the session already. */
  readonly watch?: FillWatch | undefined;
}

interface Sent {
  /** By the gateway's clock. */
  readonly sentAt: number;
  /** The gateway's clock minus ours. */
  readonly clockSkewMs: number;
  /** Ids of orders and positions that were seen before it was sent. */
  readonly earlier: ReadonlySet<string>;
}

interface Found {
  readonly text: string;
  readonly ids?: readonly string[];
  readonly isDone: boolean;
}

/** Pushes are watched at least this long: the gateway may be slow, and it has the order. */
const LEAST_WATCH_MS = 5_000;

/** Watches what is pushed until the request is found, and reads the tables at the beginning and at the end. */
export async function findLost(
  lost: LostRequest,
  sent: Sent,
  { open, wait = 0, watch: following, ...options }: SearchOptions,
  ctx: RunContext,
): Promise<Found> {
  const watch = following ?? watchFills(ctx);
  let current = open;
  let replacement: TradingSession | undefined;
  const refresh = async (): Promise<void> => {
    try {
      await watch.follow(current.session, current.unlimited);
      await watch.refresh();
    } catch (error) {
      if (!(error instanceof SvcError) || ctx.signal.aborted || replacement !== undefined) throw error;
      // With the answer the session may be gone.
      replacement = await openTradingSession(ctx, { ...options, forOrder: true });
      current = replacement;
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
      const found = await findIn(watch.tables, lost, sent, ctx);
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
  tables: SeenTables,
  { orders: lost, trace: traceOf }: LostRequest,
  { sentAt, clockSkewMs, earlier }: Sent,
  ctx: RunContext,
): Promise<Found> {
  const trace = await traceOf?.(tables, sentAt);
  const unread = [...tables.unread].map(
    ([model, { message }]) => `the table ${model} could not be looked at: ${message}`,
  );
  const texts = trace === undefined ? unread : [trace.text];
  if (lost === undefined) return { text: texts.join('; '), isDone: trace?.isDone === true };
  const accepted = await acceptedOrders(clockSkewMs, ctx);
  const closed = tables.everyRow('ClosedPosition');
  const open = tables.rows('OpenPosition');
  const listed = new Set([...open, ...closed].map(({ tradeId }) => tradeId));
  const rows = {
    earlier,
    orders: tables.everyRow('Order'),
    // A snapshot may be older than a push.
    positions: [...open, ...tables.everyRow('OpenPosition').filter(({ tradeId }) => !listed.has(tradeId))],
    closed,
  };
  const byOrder = lost.map((order) => orderCandidates(order, sentAt, rows, accepted));
  // Both of a pair may be of the same side.
  const named = byOrder.flat().filter(({ isTaken }) => !isTaken);
  const found = [...new Map(named.map((one) => [`${one.kind} ${one.id}`, one])).values()];
  if (found.length > 0) texts.push(`this may be it: ${found.map(({ text }) => text).join('; ')}`);
  else if (tables.unread.size === 0) {
    const what = trace === undefined ? 'nothing that fits' : 'no order of it, and no position that it opened,';
    texts.push(`${what} is to be seen there now, which is no proof`);
  }
  const isDone = trace?.isDone === true || lost.every((order, index) => isFound(order, byOrder[index] ?? []));
  return { text: texts.join('; '), ids: found.map(({ id }) => id), isDone };
}

/** Of this gateway: another one numbers its orders as it likes. Their times are by its clock. */
async function acceptedOrders(clockSkewMs: number, ctx: RunContext): Promise<readonly AcceptedOrder[]> {
  return (await readJournal(ctx.paths))
    .filter((entry) => entry.order_ids.length > 0 && mayBeOf(ctx.target.baseUrl, entry))
    .map((entry) => ({ ...entry, at: new Date(Date.parse(entry.at) + clockSkewMs).toISOString() }));
}
