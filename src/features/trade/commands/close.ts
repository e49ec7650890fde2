/** `trade close`: trades by id, all of a symbol, or all of an account. */
import { type Answer, listCommand, type RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { shellWord } from '../../../output/escape.ts';
import { hedges, hedgingText } from '../accounts.ts';
import { closeAllForSymbol, closeTrade } from '../client.ts';
import { positionText, sideText } from '../order-text.ts';
import {
  type Change,
  type ChangeRow,
  codeOf,
  confirmChanges,
  listChanges,
  type Outcome,
  planChanges,
  reportChanges,
  rowOf,
  sendChanges,
} from '../orders/changes.ts';
import { checkConfirmable } from '../orders/confirming.ts';
import {
  acceptedBut,
  FILL_CODES,
  type FillReport,
  type FillStatus,
  FillWatch,
  fillFooter,
  fillText,
  ordersText,
} from '../orders/fills.ts';
import { AMOUNT_FLAG, CHANGE_FLAGS, checkedIds, MARKET_TIF_FLAG, RANGE_FLAG, SENT_ONCE } from '../orders/flags.ts';
import { closeAllForm, closeForm } from '../orders/forms.ts';
import { recordReport } from '../orders/once.ts';
import {
  checkAccount,
  isUnread,
  notOpen,
  type OrderTables,
  wantedAccount,
  withOrderTables,
} from '../orders/order-tables.ts';
import { checkOrderId, chooseTimeInForce, parseAmount, parsePips } from '../orders/rules.ts';
import type { AwaitedClosing, Fill } from '../orders/state.ts';
import type { Account, OpenPosition } from '../schema.ts';
import { foldedSymbol } from '../symbols.ts';

const CLOSE_ARGS = {
  trade: {
    help: 'Trade ids from svc trade positions',
    repeat: true,
    complete: 'trades',
    promptUnless: ['symbol', 'everything'],
  },
} as const satisfies Arguments;

const WHAT = 'What to close';

const CLOSE_FLAGS = {
  amount: { ...AMOUNT_FLAG, group: WHAT, help: 'Close only this amount: thousands or contracts' },
  symbol: {
    type: 'string',
    value: 'symbol',
    group: WHAT,
    help: 'Close all trades of this symbol',
  },
  everything: { type: 'boolean', group: WHAT, help: 'Close all trades of the account (asks for its id)' },
  range: RANGE_FLAG,
  tif: MARKET_TIF_FLAG,
  wait: { type: 'duration', positive: true, help: 'Wait this long for the close and show the rates' },
  ...CHANGE_FLAGS,
} as const satisfies Flags;

const LISTED = 'svc trade positions lists open trades';

type CloseInput = Input<typeof CLOSE_ARGS, typeof CLOSE_FLAGS>;

/** The status and the trades are null and empty without `--wait`, or if nothing was accepted. */
interface CloseRow extends ChangeRow {
  readonly status: FillStatus | null;
  readonly closed_trades: readonly Fill[];
}

export const tradeClose = listCommand({
  id: 'trade close',
  summary: 'Close trades, a symbol, or everything',
  description: `An account that does not hedge closes its oldest trades first, so svc closes no single trade of it: pass --symbol. ${SENT_ONCE}`,
  effect: 'money',
  service: 'trade',
  args: CLOSE_ARGS,
  flags: CLOSE_FLAGS,
  exits: ['still_pending', 'partly_done'],
  examples: [
    { run: 'svc trade close 170162801', why: 'Close one trade at market' },
    { run: 'svc trade close 170162801 --amount 5', why: 'Close a part of it' },
    { run: 'svc trade close --symbol EUR/USD --wait 30s', why: 'Close a symbol and show the rates' },
    { run: 'svc trade close --everything --account 654061', why: 'Close all trades of an account' },
  ],
  // What `--wait` shows comes first, for a narrow terminal.
  output: listChanges<CloseRow>([
    { name: 'status', cell: ({ status }) => status },
    { name: 'closed', cell: ({ closed_trades }) => closed_trades.map(fillText).join(', '), shrinks: true },
  ]),
  async run(input, ctx) {
    const closing = readClosing(input, ctx);
    await checkConfirmable(questionOf(closing), input.account, ctx);
    return withOrderTables(ctx, input.wait !== undefined, async (tables) => {
      const closes = await (closing.ids.length > 0
        ? planCloseIds(closing, tables)
        : planCloseAll(closing, tables, ctx));
      if (closes.length === 0) return { value: [], footer: 'no open positions to close; nothing was sent' };
      if (ctx.dryRun) return { value: await planChanges(closes, ctx) };
      const confirmed = await confirmChanges(closes, ctx, input.everything);
      const { wait } = input;
      const watch = wait === undefined ? undefined : new FillWatch(wait, ctx);
      const sent = await sendChanges(closes, { confirmed, tables, watch, goesOn: true }, ctx);
      return reportCloses(watch === undefined ? sent : await waitForCloses(sent, watch, ctx));
    });
  },
});

/** What may be meant by a text that is no trade id. */
function wayToClose(text: string): string {
  if (text === 'all') return `${LISTED}; --everything closes all`;
  return /^(?=.*[A-Z])[A-Z\d/.]+$/.test(text) ? `for all trades of a symbol: --symbol ${shellWord(text)}` : LISTED;
}

type Closing = ReturnType<typeof readClosing>;

/** No ids for all of the account, or of the symbol. */
function readClosing(input: CloseInput, ctx: RunContext) {
  const ids = checkedIds(input.trade, (id) => checkOrderId(id, 'a trade id', wayToClose(id)));
  const { symbol, everything, account: given } = input;
  const ways = [ids.length > 0, symbol !== undefined, everything].filter((wanted) => wanted).length;
  if (ways !== 1) {
    const why = ways === 0 ? 'nothing to close' : 'conflicting options';
    throw new SvcError('usage', `${why}: pass trade ids, --symbol <symbol>, or --everything`, { hint: LISTED });
  }
  const range = input.range === undefined ? undefined : parsePips(input.range, '--range');
  const tif = chooseTimeInForce(range === undefined ? 'AtMarket' : 'MarketRange', input.tif);
  const amount = input.amount === undefined ? undefined : parseAmount(input.amount, '--amount');
  if (ids.length === 0 && (amount !== undefined || range !== undefined)) {
    throw new SvcError('usage', '--amount and --range need trade ids');
  }
  if (amount !== undefined && ids.length > 1) throw new SvcError('usage', '--amount needs exactly one trade');
  if (everything && ctx.yes && !ctx.dryRun && given === undefined) {
    throw new SvcError('confirmation_required', '--everything with --yes needs --account; nothing was sent', {
      hint: 'pass --account <id|name>',
    });
  }
  // `given` is the account on the command line, `wanted` that or the set one.
  return { ids, symbol, amount, terms: { tif, range }, given, wanted: wantedAccount(given, ctx) };
}

function questionOf({ ids, symbol }: Closing): string {
  if (ids.length > 0) return `close ${ids.join(', ')}?`;
  return `close ${symbol === undefined ? 'everything' : `all ${symbol}`}?`;
}

interface Close extends Change {
  readonly awaits: Omit<AwaitedClosing, 'orderIds' | 'sentAt'>;
}

async function planCloseIds(closing: Closing, tables: OrderTables): Promise<readonly Close[]> {
  const { ids } = closing;
  const rows = await tables.rows('OpenPosition');
  // A row that cannot be read may be of any trade.
  const isListed = rows !== undefined && rows.omitted.length === 0;
  const missing = ids.filter((id) => isListed && !rows.some(({ tradeId }) => tradeId === id));
  if (missing.length > 0) throw notOpen(missing);
  const closes: Close[] = [];
  for (const id of ids) closes.push(await planClose(id, closing, rows, tables));
  return closes;
}

async function planClose(
  id: string,
  { amount: part, given, wanted, terms }: Closing,
  rows: readonly OpenPosition[] | undefined,
  tables: OrderTables,
): Promise<Close> {
  const row = rows?.find(({ tradeId }) => tradeId === id);
  const account = await readAccount(row?.accountId ?? wanted, tables);
  await checkAccount(`trade ${id}`, account, given, tables);
  if (account !== undefined && hedges(account) === false) throw closesOldest(id, account, row);
  const whole = row && (await tables.amountOf(row));
  const amount = part ?? whole;
  if (amount === undefined) throw unknownAmount(id, rows === undefined ? tables.unreadCode : 'guarded');
  if (whole !== undefined && amount > whole) {
    throw new SvcError('guarded', `trade ${id} has only ${whole}, not ${amount}; nothing was sent`);
  }
  const { currency: symbol, amountK } = row ?? {};
  const trade = `${amount}${symbol === undefined ? '' : ` ${symbol}`} of trade ${id}`;
  const way = terms.range === undefined ? 'at market' : `within ${terms.range.text} pips`;
  const accountId = account?.accountId;
  return {
    endpoint: closeTrade,
    form: closeForm(id, amount, terms),
    command: 'close',
    what: `to close ${trade}`,
    makesOrder: true,
    accountId,
    does: `Close ${trade}${openedText(row)} ${way} in account ${accountId ?? 'unknown (could not be read)'}`,
    tradeId: id,
    orderId: null,
    along: [],
    awaits: {
      tradeIds: [id],
      accountId,
      symbol,
      amountK: amountK && whole && (amountK * amount) / whole,
    },
  };
}

function unknownAmount(id: string, code: ErrorCode): SvcError {
  return new SvcError(code, `the amount of trade ${id} is unknown; nothing was sent`, {
    hint: 'pass --amount <n>, or close the symbol with --symbol <symbol>',
  });
}

function openedText(row: OpenPosition | undefined): string {
  if (row === undefined) return '';
  return ` (${sideText(row.isBuy)}, opened at ${row.open ?? '?'}, P/L ${row.grossPL ?? '?'})`;
}

/** The gateway closes single trades only in accounts that hedge. */
function closesOldest(id: string, { accountId, hedging }: Account, row: OpenPosition | undefined): SvcError {
  const symbol = shellWord(row?.currency ?? '<symbol>');
  const why = `account ${accountId} does not hedge (${hedgingText(hedging)}), so trade ${id} cannot be closed alone`;
  const less =
    row?.isBuy === undefined ? '' : `, or reduce it: svc trade ${row.isBuy ? 'sell' : 'buy'} ${symbol} <amount>`;
  const hint = `close the symbol: svc trade close --symbol ${symbol}${less}`;
  return new SvcError('guarded', `${why}; nothing was sent`, { hint });
}

/** Undefined if neither the trade's row nor the command line names it, or if it cannot be read. */
async function readAccount(wanted: string | undefined, tables: OrderTables): Promise<Account | undefined> {
  try {
    return await tables.accountOrGiven(wanted);
  } catch (error) {
    if (isUnread(error) || (error instanceof SvcError && error.code === 'missing_value')) return undefined;
    throw error;
  }
}

/** `--symbol` and `--everything`: one request. Empty if nothing is open. */
async function planCloseAll(
  { symbol: wantedSymbol, wanted, terms: { tif } }: Closing,
  tables: OrderTables,
  ctx: RunContext,
): Promise<readonly Close[]> {
  const { accountId } = await tables.accountOrGiven(wanted);
  const symbol = wantedSymbol === undefined ? undefined : await findClosedSymbol(wantedSymbol, tables, ctx);
  const rows = await tables.rows('OpenPosition');
  const open = rows?.filter(
    (row) => (row.accountId ?? accountId) === accountId && (symbol === undefined || row.currency === symbol),
  );
  // Of a row that cannot be read, the trade and the amount are unknown.
  const complete = rows === undefined || rows.omitted.length > 0 ? undefined : open;
  if (complete?.length === 0) return [];
  const what = symbol === undefined ? 'everything' : `all ${symbol}`;
  const positions = open === undefined ? 'open positions could not be read' : open.map(positionText).join(', ');
  return [
    {
      endpoint: closeAllForSymbol,
      form: closeAllForm(accountId, symbol, tif),
      command: 'close',
      what: `to close ${what} in account ${accountId}`,
      makesOrder: false,
      accountId,
      does: `Close ${symbol === undefined ? 'EVERYTHING' : what} at market in account ${accountId}: ${positions}`,
      tradeId: null,
      orderId: null,
      along: [],
      awaits: {
        accountId,
        symbol,
        tradeIds: complete?.map(({ tradeId }) => tradeId),
        amountK: complete && sumAmounts(complete),
      },
    },
  ];
}

/** Undefined if a row has no amount: a partial sum would pass for the total. */
function sumAmounts(rows: readonly OpenPosition[]): number | undefined {
  const amounts = rows.flatMap(({ amountK }) => amountK ?? []);
  return amounts.length < rows.length ? undefined : amounts.reduce((sum, amountK) => sum + amountK, 0);
}

/** A symbol may be hidden from the offers, and the offers may not be readable. */
async function findClosedSymbol(wanted: string, tables: OrderTables, ctx: RunContext): Promise<string> {
  try {
    return (await tables.offer(wanted)).currency;
  } catch (error) {
    const isHidden = error instanceof SvcError && error.code === 'not_found';
    if (!(isHidden || isUnread(error))) throw error;
    const rows = await tables.rows('OpenPosition');
    const row = rows?.find(({ currency = '' }) => foldedSymbol(currency) === foldedSymbol(wanted));
    if (row?.currency !== undefined) return row.currency;
    if (isHidden) throw error;
    ctx.notice(`${error.message}; using ${wanted} as given`);
    return wanted;
  }
}

interface CloseOutcome extends Outcome<Close> {
  /** Set if it was accepted and waited for. */
  readonly report?: FillReport;
}

/** All are sent before the first is waited for. */
async function waitForCloses(
  outcomes: readonly Outcome<Close>[],
  watch: FillWatch,
  ctx: RunContext,
): Promise<readonly CloseOutcome[]> {
  const accepted = outcomes.flatMap(({ placed, error }) => (error === undefined && placed ? placed : []));
  if (accepted.length === 0) return outcomes;
  const ids = accepted.flatMap(({ orderIds }) => orderIds);
  ctx.notice(`${ordersText(ids)} accepted; waiting for fills`);
  try {
    return await Promise.all(
      outcomes.map(async (outcome): Promise<CloseOutcome> => {
        const { change, placed, error } = outcome;
        if (placed === undefined || error !== undefined) return outcome;
        const report = await watch.wait({ ...change.awaits, ...placed });
        await recordReport(placed, report, undefined, ctx);
        return { ...outcome, report };
      }),
    );
  } catch (error) {
    throw acceptedBut(error, ids);
  }
}

function reportCloses(outcomes: readonly CloseOutcome[]): Answer<readonly CloseRow[]> {
  const { footer } = reportChanges(outcomes);
  const footers = outcomes.flatMap(({ change, placed, report }) => {
    if (report === undefined || placed === undefined) return [];
    const { orderIds } = placed;
    const which = orderIds.length === 0 ? `the request ${change.what}` : `order ${orderIds.join(', ')}`;
    return fillFooter(which, orderIds.length === 1 ? (orderIds[0] ?? null) : null, report) ?? [];
  });
  return {
    value: outcomes.map((outcome) => {
      const { status = null, closed_trades = [] } = outcome.report ?? {};
      return { ...rowOf(outcome), status, closed_trades };
    }),
    code: codeOf(outcomes.map(({ error, report }) => error?.code ?? (report && FILL_CODES[report.status]))),
    footer: [footer ?? [], footers].flat(2).join('\n') || undefined,
  };
}
