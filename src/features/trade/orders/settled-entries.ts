/** Settles journal entries with an unknown outcome from the gateway's tables. */
import type { RunContext } from '../../../cli/command.ts';
import {
  isInFlight,
  isRepeat,
  type JournalEntry,
  journal,
  mayBeOf,
  readJournal,
} from '../../../store/order-journal.ts';
import type { RecentEntries } from '../../../store/recent-entries.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import { marketDayStart } from '../market-hours.ts';
import { SeenTables } from '../tables/seen-tables.ts';
import { knownOffers } from '../tables/trading-offers.ts';
import { freshAccounts } from './account.ts';
import { unreadTexts } from './closing-traces.ts';
import type { FillReport } from './fills.ts';
import { IN_FLIGHT_MS, type Settlement, settle } from './settlement.ts';

export interface SettledEntry {
  readonly entry: JournalEntry;
  readonly settled: Settlement;
}

/** Reads the tables and writes nothing. Oldest first: what is found is not matched again. */
export async function settleEntries(
  entries: readonly JournalEntry[],
  open: TradingSession,
  ctx: RunContext,
  tables = new SeenTables(),
): Promise<readonly SettledEntry[]> {
  const offers = await knownOffers(open);
  const accounts = await freshAccounts(open);
  const readFrom = ctx.now();
  await tables.read(open.unlimited);
  const { clockSkewMs } = open.session;
  const own = (await readJournal(ctx.paths)).filter((one) => mayBeOf(ctx.target.baseUrl, one));
  const all = new Map(own.map((one) => [one.id, atGateway(one, clockSkewMs)]));
  const rows: SettledEntry[] = [];
  for (const entry of entries) {
    const { at } = atGateway(entry, clockSkewMs);
    const others = [...all.values()].filter(({ id }) => id !== entry.id);
    const repeats = others.filter((one) => isEqualLost(entry, one));
    const equals = 1 + repeats.length;
    const about = { sentAt: Date.parse(at), tables, others: others.filter((one) => !repeats.includes(one)), equals };
    const found = settle(entry, { ...about, offers, accounts });
    const inFlight = [entry, ...repeats].some((one) => isInFlight(one, ctx.now()));
    const times = { readFrom, readTo: ctx.now(), clockSkewMs };
    const settled = inFlight ? stillSent(found) : checkedAbsence(found, entry, times, tables);
    rows.push({ entry, settled });
    const { outcome, orderIds: order_ids = entry.order_ids, tradeIds: trade_ids = [] } = settled;
    all.set(entry.id, { ...entry, at, outcome, order_ids, trade_ids });
  }
  return rows;
}

/** What is found may belong to either. */
export function isEqualLost(request: Parameters<typeof isRepeat>[0], entry: JournalEntry): boolean {
  return isRepeat(request, entry) && entry.order_ids.length === 0;
}

/** With its time by the gateway's clock. */
export function atGateway<E extends Pick<JournalEntry, 'at' | 'clock_skew'>>(entry: E, clockSkewMs = 0): E {
  return { ...entry, at: new Date(Date.parse(entry.at) + (entry.clock_skew ?? clockSkewMs)).toISOString() };
}

/** What is found may belong to an equal order that is on its way. */
function stillSent(settled: Settlement): Settlement {
  const evidence = `${settled.evidence}, but its sender, or that of an equal one, still runs`;
  return { ...settled, outcome: 'unknown', evidence, waitMs: 1_000 };
}

/** When the tables were read, by our clock. */
interface TableTimes {
  readonly readFrom: number;
  readonly readTo: number;
  /** Undefined if no response had a date. */
  readonly clockSkewMs: number | undefined;
}

/** An entry order may expire or be canceled elsewhere, and then no table shows it. */
const ENTRY_PROOF_MS = 600_000;

/** Tables that do not show a request prove that it was not executed only if all were read late enough, and not too late. */
export function checkedAbsence(
  settled: Settlement,
  { path, order_ids, ...sent }: Pick<JournalEntry, 'path' | 'order_ids' | 'at' | 'clock_skew'>,
  { readFrom, readTo, clockSkewMs }: TableTimes,
  tables: SeenTables,
): Settlement {
  const { outcome, evidence, candidates, needsClosed } = settled;
  const skew = clockSkewMs ?? 0;
  const at = Date.parse(atGateway(sent, skew).at);
  const waitMs = at + IN_FLIGHT_MS - (readFrom + skew);
  // Its parts may come one by one.
  if (outcome === 'unknown' && waitMs > 0) return { ...settled, waitMs };
  if (outcome !== 'absent') return settled;
  const unknown = (why: string, waitMs?: number): Settlement => ({
    ...settled,
    outcome: 'unknown',
    evidence: why,
    waitMs,
  });
  if (tables.unread.size > 0) return unknown(unreadTexts(tables).join('; '), Infinity);
  if (waitMs > 0) {
    return unknown(`${evidence}, but it was sent less than ${IN_FLIGHT_MS / 1000} s ago: try again later`, waitMs);
  }
  // A change: what it would have changed is still there.
  if (candidates === undefined && !needsClosed) return settled;
  if (order_ids.length > 0) return unknown(`${evidence}, but the gateway named it: order ${order_ids.join(', ')}`);
  if (clockSkewMs === undefined) return unknown(`${evidence}, but the gateway does not tell its time`);
  const isMarket = path === '/trading/open_trade' || needsClosed;
  // Closed positions are those of the trading day.
  const isShown = isMarket ? marketDayStart(at) === marketDayStart(readTo + skew) : readTo + skew - at < ENTRY_PROOF_MS;
  return isShown ? settled : unknown(`${evidence}, which proves nothing after so long`);
}

/** Writes what became of a request to the journal. False if it is known by now, or if what was found belongs to another request. */
export async function recordSettled(
  id: string,
  { outcome, evidence, orderIds, tradeIds = [] }: Pick<Settlement, 'outcome' | 'evidence' | 'orderIds' | 'tradeIds'>,
  ctx: RunContext,
  { report, entries }: { readonly report?: FillReport | undefined; readonly entries?: RecentEntries } = {},
): Promise<boolean> {
  if (outcome === 'unknown') return false;
  const found = new Set([...(orderIds ?? []), ...tradeIds]);
  const claim = async (): Promise<void> => {
    const all = (await (entries?.read() ?? readJournal(ctx.paths))).filter((one) => mayBeOf(ctx.target.baseUrl, one));
    const isTaken = all.some(
      (one) => one.id !== id && [...one.order_ids, ...one.trade_ids].some((found_id) => found.has(found_id)),
    );
    if (isTaken || all.find((one) => one.id === id)?.outcome !== 'unknown') throw new Superseded();
  };
  const answered = { id, at: new Date(ctx.now()).toISOString(), outcome, message: evidence };
  const of = { order_ids: orderIds, trade_ids: tradeIds, ...(report && { report: { ...report } }) };
  try {
    await journal(ctx.paths, ctx, { ...answered, ...of }, claim);
    return true;
  } catch (error) {
    if (error instanceof Superseded) return false;
    throw error;
  }
}

/** How the user says what svc cannot find out. */
export function declaringHint(id: string, candidates: Settlement['candidates'] = []): string {
  const settle = `svc trade journal settle ${id} --as`;
  const trades = candidates.flatMap((one) => (one.kind === 'position' ? [` --trade ${one.id}`] : [])).join('');
  const orders = candidates.flatMap((one) => (one.kind === 'order' ? [` --order ${one.id}`] : [])).join('');
  const isOpen = orders !== '' && trades === '';
  const yes = isOpen ? `${settle} open${orders}` : `${settle} filled${trades || ' --trade <id>'}`;
  return `check svc trade orders and svc trade positions --closed; if it is there: ${yes}; if not: ${settle} absent`;
}

/** Another process was faster. */
class Superseded extends Error {}
