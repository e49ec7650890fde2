/** The limits that a profile sets for orders. They never refuse what reduces the exposure. */
import { join } from 'node:path';
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { isObject } from '../../../json-object.ts';
import { exactSum } from '../../../output/decimal.ts';
import { type Journal, type JournalEntry, readGatewayJournal, requireReadable } from '../../../store/order-journal.ts';
import { hedges } from '../accounts.ts';
import { marketDayStart } from '../market-hours.ts';
import { omittedOf } from '../models.ts';
import { opensNothing } from '../order-text.ts';
import type { Account, ClosedPosition, OpenPosition, Order } from '../schema.ts';
import { tableTime } from '../tables/table-time.ts';
import type { OrderTables } from './order-tables.ts';
import type { Side } from './rules.ts';

/** A request may be executed this long after it was sent, and the tables show it later still. */
export const MAY_ARRIVE_MS = 10_000;

/** A request that may add to a position. */
export interface Opening {
  readonly account: Account;
  readonly symbol: string;
  readonly side: Side;
  /** As `--amount` counts. */
  readonly amount: number;
  readonly isEntry: boolean;
  /** The pending order that it changes. */
  readonly replaces?: string;
}

/** Amounts of one symbol in one account. */
export interface Exposure {
  readonly open: Readonly<Record<Side, number>>;
  /** Market orders that are not filled yet. */
  readonly atMarket: Readonly<Record<Side, number>>;
  readonly entries: Readonly<Record<Side, number>>;
}

/** `most` is the largest position in the order's direction if everything pending is filled. */
export function positionAfter(
  { account, side, amount, isEntry }: Pick<Opening, 'account' | 'side' | 'amount' | 'isEntry'>,
  { open, atMarket, entries }: Exposure,
): { readonly most: number; readonly onlyReduces: boolean } {
  const pending = atMarket[side] + entries[side];
  if (hedges(account) !== false) return { most: open[side] + pending + amount, onlyReduces: false };
  const opposite = side === 'buy' ? open.sell - open.buy : open.buy - open.sell;
  const earlier = atMarket[side] + (isEntry ? entries[side] : 0);
  return { most: pending + amount - opposite, onlyReduces: amount + earlier <= opposite };
}

/** The refusal of an amount above `trade.maxOrder`, if it is. */
export function aboveMaxOrder(amount: number, symbol: string, { settings }: RunContext): SvcError | undefined {
  const max = settings.get('trade.maxOrder');
  if (max === undefined || amount <= Number(max)) return undefined;
  const why = `the amount ${amount} of ${symbol} is above trade.maxOrder (${max})`;
  return overLimit('trade.maxOrder', why, amount, max, 'pass a smaller amount');
}

type LimitSetting = 'trade.maxOrder' | 'trade.maxPosition' | 'trade.maxDailyLoss';

function overLimit(setting: LimitSetting, why: string, value: number, limit: string, instead: string): SvcError {
  const change = `svc config set ${setting} <${setting === 'trade.maxDailyLoss' ? 'money' : 'amount'}>`;
  return new SvcError('over_limit', `${why}; nothing was sent`, {
    hint: `${instead}, or change the limit: ${change}`,
    more: { setting, limit: Number(limit), value },
  });
}

/** Throws if the order is above a limit of the profile, or if that cannot be checked. */
export async function checkLimits(opening: Opening, tables: OrderTables, ctx: RunContext): Promise<void> {
  const { symbol, side, account } = opening;
  const refusal = aboveOrderLimit(opening, ctx) ?? (await aboveDailyLoss(account, tables, ctx));
  if (refusal !== undefined && hedges(account) !== false) throw refusal;
  const max = ctx.settings.get('trade.maxPosition');
  if (refusal === undefined && max === undefined) return;
  // In an account that does not hedge, the order may only reduce a position, which no limit refuses.
  const setting = max === undefined ? String(refusal?.more?.['setting']) : 'trade.maxPosition';
  const { most, onlyReduces } = positionAfter(opening, await exposureOf(opening, setting, tables, ctx));
  if (onlyReduces) return;
  if (refusal !== undefined) throw refusal;
  if (max === undefined || most <= Number(max)) return;
  const position = `the ${side === 'buy' ? 'long' : 'short'} position of ${symbol} in account ${account.accountId}`;
  const why = `${position} could become ${most}, above trade.maxPosition (${max})`;
  throw overLimit('trade.maxPosition', why, most, max, 'pass a smaller amount, or cancel pending orders');
}

/** Throws for an entry order: it may fill after the position that it would reduce is closed. */
function aboveOrderLimit({ amount, symbol, isEntry, replaces }: Opening, ctx: RunContext): SvcError | undefined {
  // An order that is changed was checked by its caller.
  const refusal = replaces === undefined ? aboveMaxOrder(amount, symbol, ctx) : undefined;
  if (refusal !== undefined && isEntry) throw refusal;
  return refusal;
}

async function aboveDailyLoss(
  { accountId }: Account,
  tables: OrderTables,
  ctx: RunContext,
): Promise<SvcError | undefined> {
  const max = ctx.settings.get('trade.maxDailyLoss');
  if (max === undefined) return undefined;
  const { trading } = await tables.open();
  const account = await readUnlessLimited(tables.account(accountId));
  const loss = account && lossOfDay(account, await readUnlessLimited(trading.model('ClosedPosition')), ctx.now());
  if (loss === undefined) return unchecked('trade.maxDailyLoss', `the loss of the day in account ${accountId}`);
  if (loss < Number(max)) return undefined;
  const why = `account ${accountId} has lost ${loss.toFixed(2)} today, and trade.maxDailyLoss is ${max}`;
  return overLimit('trade.maxDailyLoss', why, loss, max, 'wait for the next trading day');
}

async function readUnlessLimited<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'limited') return undefined;
    throw error;
  }
}

/** The loss of a trading day, which begins at 17:00 in New York, as `ORDER_LIMITS` says: in the account's currency, negative for a profit. Undefined if the tables do not say. */
export function lossOfDay(
  account: Account,
  closed: readonly ClosedPosition[] | undefined,
  now: number,
): number | undefined {
  const { dayPL, grossPL } = account;
  const realized = closed && realizedToday(account, closed, now);
  const computed =
    realized === undefined || grossPL === undefined ? undefined : exactSum([realized, Math.min(0, grossPL)]);
  const results = [dayPL, computed].filter((value) => value !== undefined);
  return results.length === 0 ? undefined : 0 - Math.min(...results);
}

/** Undefined if a row lacks what is needed to tell. */
function realizedToday(
  { accountId, accountName }: Account,
  closed: readonly ClosedPosition[],
  now: number,
): number | undefined {
  const start = marketDayStart(now);
  if (omittedOf(closed).some((row) => mayBeOf(row, { accountId }))) return undefined;
  const parts: number[] = [];
  for (const row of closed) {
    const closedAt = tableTime(row.closeTime);
    if (closedAt !== undefined && closedAt < start) continue;
    // Closed positions may have the name of the account alone.
    const owner = row.accountId ?? row.accountName;
    if (owner !== undefined && owner !== accountId && owner !== accountName) continue;
    if (closedAt === undefined || owner === undefined || row.grossPL === undefined) return undefined;
    parts.push(row.grossPL, -(row.com ?? 0), row.roll ?? 0);
  }
  return exactSum(parts);
}

function unchecked(setting: string, what: string): SvcError {
  return new SvcError('not_known', `${what} could not be read to check ${setting}; nothing was sent`, {
    hint: 'to reduce the position, which svc never refuses: svc trade close --symbol <symbol>',
    more: { setting },
  });
}

/** For an order whose symbol or side is unknown. */
export function checkNoLimits(orderId: string, { settings }: RunContext): void {
  const setting = (['trade.maxPosition', 'trade.maxDailyLoss'] as const).find((key) => settings.get(key) !== undefined);
  if (setting !== undefined) throw unchecked(setting, `order ${orderId}`);
}

/** What is open and pending, and what was sent so lately that the tables may not show it. */
async function exposureOf(opening: Opening, setting: string, tables: OrderTables, ctx: RunContext): Promise<Exposure> {
  // The journal is older than the tables: an order that is sent in between is seen later.
  const journal = await readGatewayJournal(ctx.paths, ctx.target.baseUrl);
  requireReadable(ctx.paths, journal);
  const recent = ordersSince(ctx.now() - MAY_ARRIVE_MS, opening.account, journal);
  const { orders, positions } = await readOwnRows(opening, setting, tables);
  const exposure = { open: { buy: 0, sell: 0 }, atMarket: { buy: 0, sell: 0 }, entries: { buy: 0, sell: 0 } };
  for (const row of positions) exposure.open[sideOf(row, setting)] += await amountOf(row, setting, tables);
  const sent = sentAmounts(recent);
  for (const row of orders) {
    if (row.orderId === opening.replaces || opensNothing(row)) continue;
    const amount = await amountOf(row, setting, tables);
    // The row of an order that is filled in part may have only the amount of that part.
    const least = sent.get(row.orderId) ?? 0;
    if (amount >= least && isFilled(row, positions)) continue;
    const to = row.isEntryOrder === true ? exposure.entries : exposure.atMarket;
    to[sideOf(row, setting)] += Math.max(amount, least);
  }
  // The tables may not show yet what became of an order whose response was lost.
  for (const { outcome, path, form } of recent) {
    if (outcome === 'unknown' && path !== CHANGE && form['symbol'] === opening.symbol) {
      addForm(exposure.atMarket, form);
    }
  }
  return exposure;
}

function addForm(to: Record<Side, number>, form: JournalEntry['form']): void {
  for (const isBuy of [form['is_buy'], form['is_buy2']]) {
    if (isBuy !== undefined) to[isBuy === 'true' ? 'buy' : 'sell'] += Number(form['amount']);
  }
}

async function amountOf(row: OpenPosition | Order, setting: string, tables: OrderTables): Promise<number> {
  const amount = await tables.amountOf(row);
  if (amount !== undefined) return amount;
  throw unchecked(setting, `the amount of trade ${row.tradeId ?? '?'} or its order (${row.currency})`);
}

function sideOf({ isBuy, tradeId = '?', currency }: OpenPosition | Order, setting: string): Side {
  if (isBuy === undefined) throw unchecked(setting, `isBuy of trade ${tradeId} or its order (${currency})`);
  return isBuy ? 'buy' : 'sell';
}

/** The orders and positions of the symbol in the account. */
async function readOwnRows(
  { symbol, account: { accountId } }: Opening,
  setting: string,
  tables: OrderTables,
): Promise<{ readonly orders: readonly Order[]; readonly positions: readonly OpenPosition[] }> {
  // Orders before positions: one that is filled in between counts twice, never not at all.
  const orders = await tables.rows('Order');
  const positions = await tables.rows('OpenPosition');
  if (orders === undefined || positions === undefined) throw unchecked(setting, 'positions and orders');
  if ([...omittedOf(orders), ...omittedOf(positions)].some((row) => mayBeOf(row, { currency: symbol, accountId }))) {
    throw unchecked(setting, `a position or an order that may be of ${symbol}`);
  }
  const isOwn = (row: OpenPosition | Order): boolean =>
    (row.accountId ?? accountId) === accountId && row.currency === symbol;
  return { orders: orders.filter(isOwn), positions: positions.filter(isOwn) };
}

/** Whether a row that cannot be read has none of these fields with another value of the right type. */
function mayBeOf(row: unknown, fields: { readonly accountId: string; readonly currency?: string }): boolean {
  const { accountId, currency }: Readonly<Record<string, unknown>> = isObject(row) ? row : {};
  const account = typeof accountId === 'number' ? String(accountId) : accountId;
  const isOther = (known: unknown, value = known): boolean => typeof known === 'string' && known !== value;
  return !isOther(account, fields.accountId) && !isOther(currency, fields.currency);
}

/** Its row may stay a moment longer than its fill takes. */
function isFilled({ tradeId, amountK }: Order, positions: readonly OpenPosition[]): boolean {
  return positions.some((row) => row.tradeId === tradeId && row.amountK !== undefined && row.amountK === amountK);
}

/** By order: the largest amount that this machine sent of late. The tables may show less of it. */
function sentAmounts(entries: readonly JournalEntry[]): ReadonlyMap<string, number> {
  const amounts = new Map<string, number>();
  for (const { path, form, outcome, order_ids } of entries) {
    if (outcome !== 'unknown' && outcome !== 'accepted') continue;
    for (const id of path === CHANGE ? [String(form['order_id'])] : order_ids) {
      amounts.set(id, Math.max(amounts.get(id) ?? 0, Number(form['amount'])));
    }
  }
  return amounts;
}

const CHANGE = '/trading/change_order';
const OPENING_PATHS = ['/trading/open_trade', '/trading/create_entry_order', '/trading/simple_oco', CHANGE];

function ordersSince(since: number, { accountId }: Account, { entries }: Journal): readonly JournalEntry[] {
  return entries.filter(
    ({ at, path, form }) =>
      Date.parse(at) >= since &&
      OPENING_PATHS.includes(path) &&
      // A change does not say of which account it is.
      (form['account_id'] ?? accountId) === accountId,
  );
}

/**
 * Sends an order that opens something. With `trade.maxPosition` only one process at a time does so, and the limit is checked again if
 * another order was sent since this command began.
 */
export async function sendWithinLimits<T>(
  opening: Opening,
  tables: OrderTables,
  ctx: RunContext,
  send: () => Promise<T>,
): Promise<T> {
  const { account } = opening;
  if (ctx.settings.get('trade.maxPosition') === undefined) return send();
  const { withLock } = await import('../../../store/lock.ts');
  const name = encodeURIComponent(`limits-${account.accountId}`);
  return withLock(join(ctx.paths.state, 'trade', `${name}.lock`), ctx, async (lock) => {
    const journal = await readGatewayJournal(ctx.paths, ctx.target.baseUrl);
    if (ordersSince(ctx.startedAt, account, journal).length > 0) {
      tables.invalidate();
      await checkLimits(opening, tables, ctx);
    }
    lock.check();
    return send();
  });
}
