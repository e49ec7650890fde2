import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { type JournalEntry, mayBeOf, type OrderOutcome, readJournal } from '../../../store/order-journal.ts';
import { formCell, outcomeCell } from '../columns.ts';
import { recordSettled, settleEntries } from '../settled-entries.ts';
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
  const rows: SettledRow[] = [];
  for (const one of await settleEntries(entries, open, ctx)) {
    await recordSettled(one, ctx);
    const { id, at, command, form, order_ids } = one.entry;
    const { outcome, evidence, orderIds = order_ids, tradeIds = [] } = one.settled;
    rows.push({ id, at, command, form, outcome, evidence, order_ids: orderIds, trade_ids: tradeIds });
  }
  return rows;
}
