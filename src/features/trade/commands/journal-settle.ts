import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import {
  isRepeat,
  type JournalEntry,
  journal,
  mayBeOf,
  type OrderOutcome,
  readJournal,
} from '../../../store/order-journal.ts';
import { formCell, outcomeCell } from '../columns.ts';
import { freshAccounts } from '../order-account.ts';
import { SeenTables } from '../seen-tables.ts';
import { IN_FLIGHT_MS, type Settlement, settle } from '../settlement.ts';
import { knownOffers } from '../trading-offers.ts';
import { type TradingSession, withTrading } from '../trading-session.ts';

export const tradeJournalSettle = listCommand({
  id: 'trade journal settle',
  summary: 'Find the outcome of unknown requests',
  description:
    'Compares the open orders and the open and closed positions with each request and writes the result to the journal: filled, open, absent, or done (for a change). Sends no orders. Exits 8 if an outcome stays unknown.',
  effect: 'read',
  service: 'trade',
  args: { id: { help: 'Journal id or its prefix (default: all unknown outcomes)', repeat: true } },
  exits: ['outcome_unknown'],
  examples: [
    { run: 'svc trade journal settle', why: 'Settle all unknown outcomes' },
    { run: 'svc trade journal settle 3f2a -o json', why: 'Settle one request, as JSON' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'time', cell: ({ at }: SettledRow) => ({ time: at }) },
      { name: 'command', cell: ({ command }) => command },
      { name: 'outcome', cell: outcomeCell },
      { name: 'evidence', cell: ({ evidence }) => evidence, flex: true },
      { name: 'form', cell: formCell, wide: true },
      { name: 'id', cell: ({ id }) => id, brief: true },
    ],
    id: ({ id }) => id,
    empty: 'no unknown outcomes at this gateway',
  },
  run: ({ id }, ctx) => settleJournal(id, ctx),
});

interface SettledRow {
  readonly id: string;
  readonly at: string;
  readonly command: string;
  readonly form: JournalEntry['form'];
  readonly outcome: OrderOutcome;
  readonly evidence: string;
  readonly order_ids: readonly string[];
  readonly trade_ids: readonly string[];
}

async function settleJournal(ids: readonly string[], ctx: RunContext): Promise<Answer<readonly SettledRow[]>> {
  const entries = await entriesToSettle(ids, ctx);
  if (entries.length === 0) return { value: [] };
  const rows = await withTrading(ctx, { forOrder: true }, (open) => settleEach(entries, open, ctx));
  const left = rows.filter(({ outcome }) => outcome === 'unknown').length;
  if (left === 0) return { value: rows };
  return { value: rows, code: 'outcome_unknown', footer: `${left} of ${rows.length} still unknown` };
}

/** Oldest first: an order that is found is not matched again. */
async function entriesToSettle(ids: readonly string[], ctx: RunContext): Promise<readonly JournalEntry[]> {
  const own = (await readJournal(ctx.paths)).filter((entry) => mayBeOf(ctx.target.baseUrl, entry));
  if (ids.length === 0) return own.filter(({ outcome }) => outcome === 'unknown');
  return [...new Set(ids)].map((id) => {
    const [entry, ...more] = own.filter((one) => one.id.startsWith(id));
    if (entry === undefined || more.length > 0) {
      const why = entry === undefined ? 'no entry of this gateway has' : 'several entries have';
      throw new SvcError('not_found', `${why} an id starting with ${id}`, { hint: 'svc trade journal' });
    }
    if (entry.outcome !== 'unknown') {
      throw new SvcError('usage', `the outcome of ${entry.id} is already known: ${entry.outcome}`);
    }
    return entry;
  });
}

async function settleEach(
  entries: readonly JournalEntry[],
  open: TradingSession,
  ctx: RunContext,
): Promise<readonly SettledRow[]> {
  const offers = await knownOffers(open);
  const accounts = await freshAccounts(open);
  const tables = new SeenTables();
  await tables.read(open.unlimited);
  const skew = open.session.clockSkewMs ?? 0;
  const rows: SettledRow[] = [];
  for (const entry of entries) {
    const accepted = (await readJournal(ctx.paths)).filter(
      (one) => mayBeOf(ctx.target.baseUrl, one) && one.id !== entry.id,
    );
    const age = ctx.now() - Date.parse(entry.at);
    const equals = 1 + accepted.filter((one) => isRepeat(entry, one)).length;
    const sentAt = Date.parse(entry.at) + skew;
    const settled = await settle(entry, { sentAt, tables, accepted, equals, offers, accounts });
    rows.push(await record(entry, checked(settled, tables, age), ctx));
  }
  return rows;
}

/** `absent` needs that all tables were read and the request is no longer in flight. */
function checked(settled: Settlement, { unread }: SeenTables, age: number): Settlement {
  if (settled.outcome !== 'absent') return settled;
  if (unread.size > 0) {
    const why = [...unread.values()].map(({ message }) => message).join('; ');
    return { ...settled, outcome: 'unknown', evidence: `not all tables could be read: ${why}` };
  }
  if (age >= IN_FLIGHT_MS) return settled;
  const evidence = `${settled.evidence}, but it was sent less than ${IN_FLIGHT_MS / 1000} s ago: try again later`;
  return { ...settled, outcome: 'unknown', evidence };
}

async function record(entry: JournalEntry, settled: Settlement, ctx: RunContext): Promise<SettledRow> {
  const { outcome, evidence, orderIds = entry.order_ids, tradeIds = [] } = settled;
  const { id, at, command, form } = entry;
  if (outcome !== 'unknown') {
    const answered = { id, at: new Date(ctx.now()).toISOString(), outcome, message: evidence };
    await journal(ctx.paths, ctx, { ...answered, order_ids: orderIds, trade_ids: tradeIds });
  }
  return { id, at, command, form, outcome, evidence, order_ids: orderIds, trade_ids: tradeIds };
}
