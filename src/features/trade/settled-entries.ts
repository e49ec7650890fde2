/** Settles journal entries with an unknown outcome from the gateway's tables. */
import type { RunContext } from '../../cli/command.ts';
import { isInFlight, isRepeat, type JournalEntry, journal, mayBeOf, readJournal } from '../../store/order-journal.ts';
import type { FillReport } from './fills.ts';
import { marketDayStart } from './market-hours.ts';
import { freshAccounts } from './order-account.ts';
import { SeenTables } from './seen-tables.ts';
import { IN_FLIGHT_MS, type Settlement, settle } from './settlement.ts';
import { knownOffers } from './trading-offers.ts';
import type { TradingSession } from './trading-session.ts';

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
  await tables.read(open.unlimited);
  const skew = open.session.clockSkewMs ?? 0;
  const own = (await readJournal(ctx.paths)).filter((one) => mayBeOf(ctx.target.baseUrl, one));
  const others = new Map(own.map((one) => [one.id, one]));
  const rows: SettledEntry[] = [];
  for (const entry of entries) {
    const accepted = [...others.values()].filter(({ id }) => id !== entry.id);
    const age = ctx.now() - Date.parse(entry.at);
    const repeats = accepted.filter((one) => isRepeat(entry, one));
    const sentAt = Date.parse(entry.at) + skew;
    const found = await settle(entry, { sentAt, tables, accepted, equals: 1 + repeats.length, offers, accounts });
    const inFlight = [entry, ...repeats].some((one) => isInFlight(one, ctx.now()));
    const settled = checked(found, tables, age, inFlight);
    rows.push({ entry, settled });
    const { outcome, orderIds: order_ids = entry.order_ids, tradeIds: trade_ids = [] } = settled;
    others.set(entry.id, { ...entry, outcome, order_ids, trade_ids });
  }
  return rows;
}

/** `absent` needs that all tables were read and the request is no longer in flight. */
function checked(settled: Settlement, { unread }: SeenTables, age: number, inFlight: boolean): Settlement {
  const { outcome, evidence } = settled;
  const unknown = (text: string): Settlement => ({ ...settled, outcome: 'unknown', evidence: text });
  // What is found may belong to an equal order that is on its way.
  if (inFlight && outcome !== 'unknown')
    return unknown(`${evidence}, but its sender, or that of an equal one, still runs`);
  if (outcome !== 'absent') return settled;
  if (unread.size > 0) {
    return unknown(`not all tables could be read: ${[...unread.values()].map(({ message }) => message).join('; ')}`);
  }
  if (age >= IN_FLIGHT_MS) return settled;
  return unknown(`${evidence}, but it was sent less than ${IN_FLIGHT_MS / 1000} s ago: try again later`);
}

/** Writes what was found to the journal, unless it is still unknown. */
export async function recordSettled(
  { entry, settled }: SettledEntry,
  ctx: RunContext,
  report?: FillReport,
): Promise<void> {
  const { outcome, evidence, orderIds = entry.order_ids, tradeIds = [] } = settled;
  if (outcome === 'unknown') return;
  const answered = { id: entry.id, at: new Date(ctx.now()).toISOString(), outcome, message: evidence };
  const of = { order_ids: orderIds, trade_ids: tradeIds, ...(report && { report: { ...report } }) };
  await journal(ctx.paths, ctx, { ...answered, ...of });
}

/** An entry order may expire or be canceled elsewhere, and then no table shows it. */
const ENTRY_PROOF_MS = 600_000;

/** Whether tables that were read at `at` and lack the order prove that it was never executed: closed positions are those of the trading day. */
export function provesAbsence({ path, at: sentAt, order_ids }: JournalEntry, at: number): boolean {
  // The gateway named an order.
  if (order_ids.length > 0) return false;
  const sent = Date.parse(sentAt);
  return path === '/trading/open_trade' ? marketDayStart(sent) === marketDayStart(at) : at - sent < ENTRY_PROOF_MS;
}
