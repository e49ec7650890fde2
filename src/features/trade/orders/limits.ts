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
  return overLimit('trade.maxOrder', `the amount ${amount} of ${symbol} is above trade.maxOrder (${max})`, [
    amount,
    max,
    'pass a smaller amount',
  ]);
}

function overLimit(
  setting: string,
  why: string,
  [value, limit, instead]: readonly [value: number, limit: string, instead: string],
): SvcError {
  const change = `change the limit: svc config set ${setting} <${setting === 'trade.maxDailyLoss' ? 'money' : 'amount'}>`;
  const more = { setting, limit: Number(limit), value };
  return new SvcError('over_limit', `${why}; nothing was sent`, { hint: `${instead}, or ${change}`, more });
}

/** Throws if the order is above a limit of the profile, or if that cannot be checked. */
export async function checkLimits(opening: Opening, tables: OrderTables, ctx: RunContext): Promise<void> {
  const { symbol, amount, isEntry, account, replaces } = opening;
  const nets = hedges(account) === false;
  const tooLarge = replaces === undefined ? aboveMaxOrder(amount, symbol, ctx) : undefined;
  // An entry order may fill after the position is closed.
  if (tooLarge !== undefined && (isEntry || !nets)) throw tooLarge;
  const refusal = tooLarge ?? (await aboveDailyLoss(account, tables, ctx));
  if (refusal !== undefined && !nets) throw refusal;
  const max = ctx.settings.get('trade.maxPosition');
  if (refusal === undefined && max === undefined) return;
  // In an account that does not hedge, the order may only reduce a position, which no limit refuses.
  const refusing = tooLarge === undefined ? 'trade.maxDailyLoss' : 'trade.maxOrder';
  const setting = max === undefined ? refusing : 'trade.maxPosition';
  const { most, onlyReduces } = positionAfter(opening, await exposureOf(opening, setting, tables, ctx));
  if (onlyReduces) return;
  if (refusal !== undefined) throw refusal;
  if (most > Number(max)) throw abovePosition(opening, most, String(max));
}

function abovePosition({ account, symbol, side }: Opening, most: number, max: string): SvcError {
  const what = `the ${side === 'buy' ? 'long' : 'short'} position of ${symbol} in account ${account.accountId}`;
  return overLimit('trade.maxPosition', `${what} could become ${most}, above trade.maxPosition (${max})`, [
    most,
    max,
    'pass a smaller amount, or cancel pending orders',
  ]);
}

async function aboveDailyLoss(
  { accountId }: Account,
  tables: OrderTables,
  ctx: RunContext,
): Promise<SvcError | undefined> {
  const max = ctx.settings.get('trade.maxDailyLoss');
  if (max === undefined) return undefined;
  const account = await readUnlessLimited(tables.account(accountId));
  const loss = account && lossOfDay(account, await readUnlessLimited(tables.closedPositions()), ctx.now());
  if (loss === undefined) return unchecked('trade.maxDailyLoss', `the loss of the day in account ${accountId}`);
  if (loss < Number(max)) return undefined;
  const why = `account ${accountId} has lost ${loss.toFixed(2)} today, and trade.maxDailyLoss is ${max}`;
  return overLimit('trade.maxDailyLoss', why, [loss, max, 'wait for the next trading day']);
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
  const { symbol, replaces } = opening;
  // The journal is older than the tables: an order that is sent in between is seen later.
  tables.readAt = Math.min(tables.readAt, ctx.now());
  const journal = await readGatewayJournal(ctx.paths, ctx.target.baseUrl);
  requireReadable(ctx.paths, journal);
  const recent = ordersSince(ctx.now() - MAY_ARRIVE_MS, opening.account, journal);
  const sent = sentAmounts(recent);
  const { orders, positions } = await readOwnRows(opening, setting, tables);
  const none = (): Record<Side, number> => ({ buy: 0, sell: 0 });
  const exposure = { open: none(), atMarket: none(), entries: none() };
  const add = async (to: Record<Side, number>, row: OpenPosition | Order, least = 0): Promise<void> => {
    const amount = await tables.amountOf(row);
    if (amount === undefined || row.isBuy === undefined) {
      const field = row.isBuy === undefined ? 'isBuy' : 'the amount';
      throw unchecked(setting, `${field} of trade ${row.tradeId ?? '?'} or its order (${symbol})`);
    }
    to[row.isBuy ? 'buy' : 'sell'] += Math.max(amount, least);
  };
  for (const row of positions) await add(exposure.open, row);
  for (const row of orders) {
    const least = sent.get(row.orderId) ?? 0;
    if (row.orderId === replaces || opensNothing(row) || (await isCounted(row, positions, least, tables))) continue;
    await add(row.isEntryOrder === true ? exposure.entries : exposure.atMarket, row, least);
  }
  // The tables may not show yet what became of an order whose response was lost.
  const lost = recent.filter(({ outcome, path, form }) => {
    return outcome === 'unknown' && path !== CHANGE && form['symbol'] === symbol;
  });
  for (const { form } of lost) addForm(exposure.atMarket, form);
  return exposure;
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

/** Whether the positions contain all of an order. The row of one that is filled in part may have only the amount of that part. */
async function isCounted(
  order: Order,
  positions: readonly OpenPosition[],
  sent: number,
  tables: OrderTables,
): Promise<boolean> {
  return isFilled(order, positions) && ((await tables.amountOf(order)) ?? 0) >= sent;
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

function addForm(to: Record<Side, number>, form: JournalEntry['form']): void {
  for (const name of ['is_buy', 'is_buy2']) {
    const isBuy = form[name];
    if (isBuy !== undefined) to[isBuy === 'true' ? 'buy' : 'sell'] += Number(form['amount']);
  }
}

/**
 * Sends an order that opens something. With `trade.maxPosition` only one process at a time does so, and the limit is checked again if
 * another order was sent since the tables were read.
 */
export async function underLimits<T extends { readonly journalId: string }>(
  opens: Opening | undefined,
  tables: OrderTables,
  ctx: RunContext,
  send: () => Promise<T>,
): Promise<T> {
  if (opens === undefined || ctx.settings.get('trade.maxPosition') === undefined) return send();
  const { withLock } = await import('../../../store/lock.ts');
  const name = encodeURIComponent(`limits-${opens.account.accountId}`);
  return withLock(join(ctx.paths.state, 'trade', `${name}.lock`), ctx, async (lock) => {
    const sent = ordersSince(tables.readAt, opens.account, await readGatewayJournal(ctx.paths, ctx.target.baseUrl));
    if (sent.some(({ id }) => !tables.sent.has(id))) {
      tables.invalidate();
      await checkLimits(opens, tables, ctx);
    }
    lock.check();
    const one = await send();
    tables.sent.add(one.journalId);
    return one;
  });
}
