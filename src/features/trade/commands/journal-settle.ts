import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import {
  isInFlight,
  type JournalEntry,
  mayBeOf,
  type OrderOutcome,
  readJournal,
} from '../../../store/order-journal.ts';
import { formCell, outcomeCell } from '../columns.ts';
import { type TradingSession, withTrading } from '../gateway/trading-session.ts';
import { recordSettled, settleEntries } from '../orders/settled-entries.ts';
import { IN_FLIGHT_MS, type Settlement } from '../orders/settlement.ts';

export const tradeJournalSettle = listCommand({
  id: 'trade journal settle',
  summary: 'Find the outcome of unknown requests',
  description:
    'Compares the open orders and the open and closed positions with each request and writes the result to the journal: filled, open, absent, or done (for a change). Sends no orders. Exits 8 if an outcome stays unknown. Then --as writes what you have found out yourself.',
  effect: 'read',
  service: 'trade',
  args: { id: { help: 'Journal id or its prefix (default: all unknown outcomes)', repeat: true } },
  flags: {
    as: {
      type: 'choice',
      choices: ['filled', 'open', 'done', 'absent'],
      help: 'Write this outcome, which you have checked yourself; needs one id',
    },
    trade: { type: 'string', value: 'id', repeat: true, help: 'With --as filled: a position that it opened' },
    order: { type: 'string', value: 'id', repeat: true, help: 'With --as: the id of the order' },
  },
  exits: ['outcome_unknown'],
  examples: [
    { run: 'svc trade journal settle', why: 'Settle all unknown outcomes' },
    { run: 'svc trade journal settle 3f2a -o json', why: 'Settle one request, as JSON' },
    { run: 'svc trade journal settle 3f2a --as filled --trade 170162801', why: 'Say that it opened this position' },
    { run: 'svc trade journal settle 3f2a --as absent', why: 'Say that it was not executed: its key sends again' },
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
  run: (input, ctx) =>
    input.as === undefined ? settleJournal(input.id, ctx) : declare({ ...input, as: input.as }, ctx),
});

type Declared = 'filled' | 'open' | 'done' | 'absent';

interface SettleInput {
  readonly id: readonly string[];
  readonly trade: readonly string[];
  readonly order: readonly string[];
}

interface SettledRow {
  readonly id: string;
  readonly at: string;
  readonly command: string;
  readonly form: JournalEntry['form'];
  readonly outcome: OrderOutcome;
  readonly evidence: string;
  readonly order_ids: readonly string[];
  readonly trade_ids: readonly string[];
  /** What may belong to it if the outcome stays unknown. */
  readonly candidates: readonly string[];
}

async function settleJournal(ids: readonly string[], ctx: RunContext): Promise<Answer<readonly SettledRow[]>> {
  const entries = await entriesToSettle(ids, ctx);
  if (entries.length === 0) return { value: [] };
  const rows = await withTrading(ctx, (open) => settleEach(entries, open, ctx), { forOrder: true });
  const left = rows.filter(({ outcome }) => outcome === 'unknown').length;
  if (left === 0) return { value: rows };
  const footer = `${left} of ${rows.length} still unknown; after a look at the gateway: svc trade journal settle <id> --as filled|open|done|absent`;
  return { value: rows, code: 'outcome_unknown', footer };
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
  for (const { entry, settled } of await settleEntries(entries, open, ctx)) {
    const isRecorded = await recordSettled(entry.id, settled, ctx);
    const isFaster = !isRecorded && settled.outcome !== 'unknown';
    const evidence = isFaster ? 'another process has changed the journal: repeat the command' : settled.evidence;
    rows.push(rowOf(entry, isFaster ? { ...settled, outcome: 'unknown', evidence } : settled));
  }
  return rows;
}

function rowOf(
  { id, at, command, form, order_ids }: JournalEntry,
  { outcome, evidence, orderIds = order_ids, tradeIds = [], candidates = [] }: Omit<Settlement, 'isDone'>,
): SettledRow {
  const ids = outcome === 'unknown' ? candidates.map((one) => one.id) : [];
  return { id, at, command, form, outcome, evidence, order_ids: orderIds, trade_ids: tradeIds, candidates: ids };
}

/** What the user has found out. Connects to nothing. */
async function declare(
  { id: ids, as, trade, order }: SettleInput & { readonly as: Declared },
  ctx: RunContext,
): Promise<Answer<readonly SettledRow[]>> {
  const [id, ...more] = ids;
  if (id === undefined || more.length > 0) throw new SvcError('usage', '--as needs one journal id');
  if (trade.length > 0 && as !== 'filled') throw new SvcError('usage', '--trade is for --as filled');
  if (order.length > 0 && as === 'absent') throw new SvcError('usage', '--order is not for --as absent');
  const [entry] = await entriesToSettle([id], ctx);
  if (entry === undefined) throw new SvcError('internal', 'no entry was found');
  if (isInFlight(entry, ctx.now()) || (as === 'absent' && ctx.now() - Date.parse(entry.at) < IN_FLIGHT_MS)) {
    throw new SvcError('guarded', `${entry.id} may still be on its way: try again in ${IN_FLIGHT_MS / 1000} s`);
  }
  const orderIds = order.length > 0 ? order : entry.order_ids;
  const settled = { outcome: as, evidence: 'as the user has declared', orderIds, tradeIds: trade } as const;
  if (!(await recordSettled(entry.id, settled, ctx))) {
    const of = [...trade, ...order].join(', ');
    const why =
      of === '' ? 'its outcome is already known' : `${of} belongs to another order, or the outcome is already known`;
    throw new SvcError('usage', `${why}; nothing was written`, { hint: 'svc trade journal' });
  }
  return { value: [rowOf(entry, settled)] };
}
