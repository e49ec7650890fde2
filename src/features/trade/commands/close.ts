/** `trade close`: trades by id, all of a symbol, or all of an account. */
import { listCommand, type RunContext } from '../../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../../cli/flags.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { shellWord } from '../../../output/escape.ts';
import { hedges, hedgingText } from '../accounts.ts';
import { closeAllForSymbol, closeTrade } from '../client.ts';
import { omittedOf } from '../models.ts';
import { positionText, sideText } from '../order-text.ts';
import { CLOSE_LIST, closeRowOf } from '../orders/change-report.ts';
import { checkConfirmable } from '../orders/confirming.ts';
import { FillWatch } from '../orders/fills.ts';
import { AMOUNT_FLAG, CHANGE_FLAGS, checkedIds, MARKET_TIF_FLAG, RANGE_FLAG, SENT_ONCE } from '../orders/flags.ts';
import { type Closing as ClosingTerms, closeAllForm, closeForm } from '../orders/forms.ts';
import {
  checkAccount,
  isUnread,
  notOpen,
  type OrderTables,
  wantedAccount,
  withOrderTables,
} from '../orders/order-tables.ts';
import { type PlannedRequest, planOrders } from '../orders/placing.ts';
import { confirmAll, reportChanges, sendAll, waitForAll } from '../orders/planned-requests.ts';
import { checkOrderId, parseAmount, parsePips, timeInForce } from '../orders/rules.ts';
import type { Account, ClosedPosition, OpenPosition } from '../schema.ts';
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
    complete: 'symbols',
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
  output: CLOSE_LIST,
  async run(input, ctx) {
    const closing = readClosing(input, ctx);
    await checkConfirmable(questionOf(closing), input.account, ctx);
    return withOrderTables(ctx, { reconnect: input.wait !== undefined }, async (tables) => {
      const planned = await (closing.ids.length === 0
        ? planCloseAll(closing, tables, ctx)
        : planCloseIds(closing, tables));
      if (planned.length === 0) return { value: [], footer: 'no open positions to close; nothing was sent' };
      if (ctx.dryRun) return { value: await planOrders(planned, ctx) };
      const confirmed = await confirmAll(planned, ctx);
      const waiting = input.wait === undefined ? undefined : { watch: new FillWatch(ctx), ms: input.wait };
      const sent = await sendAll(planned, { confirmed, tables, watch: waiting?.watch, goesOn: true }, ctx);
      const outcomes = waiting === undefined ? sent : await waitForAll(sent, waiting, ctx);
      return { ...reportChanges(outcomes), value: outcomes.map(closeRowOf) };
    });
  },
});

/** What may be meant by a text that is no trade id. */
function wayToClose(text: string): string {
  if (text === 'all') return `${LISTED}; --everything closes all`;
  return /^(?=.*[A-Z])[A-Z\d/.]+$/.test(text) ? `for all trades of a symbol: --symbol ${shellWord(text)}` : LISTED;
}

interface Closing {
  /** Empty for all of the account, or of the symbol. */
  readonly ids: readonly string[];
  readonly symbol: string | undefined;
  /** Of the only trade. */
  readonly amount: number | undefined;
  readonly terms: ClosingTerms;
  /** The account as given or set. */
  readonly wanted: string | undefined;
  /** The account was named on the command line. */
  readonly isNamed: boolean;
}

function readClosing(input: CloseInput, ctx: RunContext): Closing {
  const ids = checkedIds(input.trade, (id) => checkOrderId(id, 'a trade id', wayToClose(id)));
  const { symbol, everything } = input;
  const ways = [ids.length > 0, symbol !== undefined, everything].filter((wanted) => wanted).length;
  if (ways !== 1) {
    const why = ways === 0 ? 'nothing to close' : 'conflicting options';
    throw new SvcError('usage', `${why}: pass trade ids, --symbol <symbol>, or --everything`, {
      hint: LISTED,
    });
  }
  const range = input.range === undefined ? undefined : parsePips(input.range, '--range');
  const tif = timeInForce(range === undefined ? 'AtMarket' : 'MarketRange', input.tif);
  if (ids.length === 0) checkCloseAll(input, ctx);
  const amount = input.amount === undefined ? undefined : parseAmount(input.amount, '--amount');
  if (amount !== undefined && ids.length > 1) throw new SvcError('usage', '--amount needs exactly one trade');
  return {
    ids,
    symbol,
    amount,
    terms: { tif, range },
    wanted: wantedAccount(input.account, ctx),
    isNamed: input.account !== undefined,
  };
}

function questionOf({ ids, symbol }: Closing): string {
  if (ids.length > 0) return `close ${ids.join(', ')}?`;
  return `close ${symbol === undefined ? 'everything' : `all ${symbol}`}?`;
}

function checkCloseAll({ amount, range, everything, account }: CloseInput, ctx: RunContext): void {
  if (amount !== undefined || range !== undefined) {
    throw new SvcError('usage', '--amount and --range need trade ids');
  }
  if (everything && ctx.yes && !ctx.dryRun && account === undefined) {
    throw new SvcError('confirmation_required', '--everything with --yes needs --account; nothing was sent', {
      hint: 'pass --account <id|name>',
    });
  }
}

async function planCloseIds(closing: Closing, tables: OrderTables): Promise<readonly PlannedRequest[]> {
  const { ids } = closing;
  const rows = await tables.rows('OpenPosition');
  // A row that cannot be read may be of any trade.
  const isListed = rows !== undefined && omittedOf(rows).length === 0;
  const missing = ids.filter((id) => isListed && !rows.some(({ tradeId }) => tradeId === id));
  if (missing.length > 0) throw notOpen(missing);
  const planned: PlannedRequest[] = [];
  for (const id of ids) planned.push(await planClose(id, closing, rows, tables));
  return planned;
}

async function planClose(
  id: string,
  closing: Closing,
  rows: readonly OpenPosition[] | undefined,
  tables: OrderTables,
): Promise<PlannedRequest> {
  const { amount: asked, wanted, isNamed, terms } = closing;
  const row = rows?.find(({ tradeId }) => tradeId === id);
  const account = await readAccount(row?.accountId ?? wanted, tables);
  await checkAccount(`trade ${id}`, account, isNamed ? wanted : undefined, tables);
  if (account !== undefined && hedges(account) === false) throw closesOldest(id, account, row);
  if (row !== undefined) return planSeenClose(row, account?.accountId, closing, tables);
  if (asked !== undefined) return closeRequest(id, asked, { terms, accountId: account?.accountId });
  throw unknownAmount(id, rows === undefined ? tables.unreadCode : 'guarded');
}

/** The gateway closes single trades only in accounts that hedge. */
function closesOldest(id: string, { accountId, hedging }: Account, row: OpenPosition | undefined): SvcError {
  const symbol = shellWord(row?.currency ?? '<symbol>');
  const why = `account ${accountId} does not hedge (${hedgingText(hedging)}), so trade ${id} cannot be closed alone`;
  const less =
    row?.isBuy === undefined ? '' : `, or reduce it: svc trade ${row.isBuy ? 'sell' : 'buy'} ${symbol} <amount>`;
  return new SvcError('guarded', `${why}; nothing was sent`, {
    hint: `close the symbol: svc trade close --symbol ${symbol}${less}`,
  });
}

async function planSeenClose(
  row: OpenPosition,
  accountId: string | undefined,
  { amount: asked, terms }: Closing,
  tables: OrderTables,
): Promise<PlannedRequest> {
  const { tradeId: id, currency, isBuy, open = '?', grossPL = '?', amountK } = row;
  const whole = await tables.amountOf(row);
  const amount = asked ?? whole;
  if (amount === undefined) throw unknownAmount(id, 'guarded');
  checkTradeAmount(id, amount, whole);
  // As the tables count.
  const closedK = amountK === undefined || whole === undefined ? undefined : (amountK * amount) / whole;
  const opened = ` (${sideText(isBuy)}, opened at ${open}, P/L ${grossPL})`;
  return {
    ...closeRequest(id, amount, { terms, accountId, symbol: currency, opened, amountK: closedK }),
    warnings: await tables.closedWarnings(currency),
  };
}

/** `whole` is undefined if it could not be read. */
function checkTradeAmount(id: string, amount: number, whole: number | undefined): void {
  if (whole === undefined || amount <= whole) return;
  throw new SvcError('guarded', `trade ${id} has only ${whole}, not ${amount}; nothing was sent`);
}

interface ClosedTrade {
  readonly terms: ClosingTerms;
  readonly accountId: string | undefined;
  readonly symbol?: string | undefined;
  /** What is known of the trade, for the confirmation. */
  readonly opened?: string;
  /** In thousands: what is to be closed. */
  readonly amountK?: number | undefined;
}

function closeRequest(
  id: string,
  amount: number,
  { terms, accountId, symbol, opened = '', amountK }: ClosedTrade,
): PlannedRequest {
  const of = symbol === undefined ? '' : ` ${symbol}`;
  const where = accountId ?? 'unknown (could not be read)';
  return {
    request: {
      endpoint: closeTrade,
      form: closeForm(id, amount, terms),
      command: 'close',
      what: `to close ${amount}${of} of trade ${id}`,
      makesOrder: true,
    },
    accountId,
    does: `Close ${amount}${of} of trade ${id}${opened} ${wayOf(terms)} in account ${where}`,
    tradeId: id,
    awaits: { tradeIds: [id], accountId, symbol, amountK },
  };
}

function unknownAmount(id: string, code: ErrorCode): SvcError {
  return new SvcError(code, `the amount of trade ${id} is unknown; nothing was sent`, {
    hint: 'pass --amount <n>, or close the symbol with --symbol <symbol>',
  });
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

function wayOf({ range }: ClosingTerms): string {
  return range === undefined ? 'at market' : `within ${range.text} pips`;
}

/** `--symbol` and `--everything`: one request. Empty if nothing is open. */
async function planCloseAll(
  { symbol: wantedSymbol, wanted, terms: { tif } }: Pick<Closing, 'symbol' | 'wanted' | 'terms'>,
  tables: OrderTables,
  ctx: RunContext,
): Promise<readonly PlannedRequest[]> {
  const { accountId } = await tables.accountOrGiven(wanted);
  const symbol = wantedSymbol === undefined ? undefined : await symbolOf(wantedSymbol, tables, ctx);
  const isMeant = (row: OpenPosition | ClosedPosition): boolean =>
    (row.accountId ?? accountId) === accountId && (symbol === undefined || row.currency === symbol);
  const rows = await tables.rows('OpenPosition');
  const open = rows?.filter(isMeant);
  const isComplete = rows !== undefined && omittedOf(rows).length === 0;
  if (isComplete && open?.length === 0) return [];
  const what = symbol === undefined ? 'EVERYTHING' : `all ${symbol}`;
  const warnings = open === undefined || symbol === undefined ? [] : await tables.closedWarnings(symbol);
  return [
    {
      request: {
        endpoint: closeAllForSymbol,
        form: closeAllForm(accountId, symbol, tif),
        command: 'close',
        what: `to close ${symbol === undefined ? 'everything' : what} in account ${accountId}`,
        makesOrder: false,
      },
      accountId,
      warnings,
      awaits: {
        accountId,
        symbol,
        tradeIds: isComplete ? open?.map(({ tradeId }) => tradeId) : undefined,
        amountK: isComplete && open !== undefined ? wholeAmountK(open) : undefined,
      },
      does: `Close ${what} at market in account ${accountId}: ${open === undefined ? 'open positions could not be read' : open.map(positionText).join(', ')}`,
      isTyped: symbol === undefined,
    },
  ];
}

/** Undefined if a row has no amount: a partial sum would pass for the total. */
function wholeAmountK(rows: readonly OpenPosition[]): number | undefined {
  const amounts = rows.flatMap(({ amountK }) => amountK ?? []);
  return amounts.length < rows.length ? undefined : amounts.reduce((sum, amountK) => sum + amountK, 0);
}

/** A symbol may be hidden from the offers, and the offers may not be readable. */
async function symbolOf(wanted: string, tables: OrderTables, ctx: RunContext): Promise<string> {
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
