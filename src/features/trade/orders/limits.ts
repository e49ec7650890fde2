/** The limits that a profile sets for orders. They never refuse a close, a cancel, or a smaller amount of a pending order. */
import { join } from 'node:path';
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { isObject } from '../../../json-object.ts';
import { type Journal, type JournalEntry, readGatewayJournal, requireReadable } from '../../../store/order-journal.ts';
import { hedges } from '../accounts.ts';
import { omittedOf } from '../models.ts';
import { opensNothing } from '../order-text.ts';
import type { Account, OpenPosition, Order } from '../schema.ts';
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

/** Throws if the order is above a limit of the profile, or if that cannot be checked. */
export async function checkLimits(opening: Opening, tables: OrderTables, ctx: RunContext): Promise<void> {
  const { amount, symbol, side, account } = opening;
  const tooLarge = aboveMaxOrder(amount, symbol, ctx);
  if (tooLarge !== undefined) throw tooLarge;
  const max = ctx.settings.get('trade.maxPosition');
  if (max === undefined) return;
  const { most, onlyReduces } = positionAfter(opening, await exposureOf(opening, tables, ctx));
  if (onlyReduces || most <= Number(max)) return;
  const position = `the ${side === 'buy' ? 'long' : 'short'} position of ${symbol} in account ${account.accountId}`;
  const why = `${position} could become ${most}, above trade.maxPosition (${max})`;
  throw overLimit('trade.maxPosition', why, most, max);
}

/** The refusal of an amount above `trade.maxOrder`, if it is. */
export function aboveMaxOrder(amount: number, symbol: string, { settings }: RunContext): SvcError | undefined {
  const max = settings.get('trade.maxOrder');
  if (max === undefined || amount <= Number(max)) return undefined;
  const why = `the amount ${amount} of ${symbol} is above trade.maxOrder (${max})`;
  return overLimit('trade.maxOrder', why, amount, max);
}

function overLimit(setting: string, why: string, value: number, limit: string): SvcError {
  return new SvcError('over_limit', `${why}; nothing was sent`, {
    hint: `pass a smaller amount, or change the limit: svc config set ${setting} <amount>`,
    more: { setting, limit: Number(limit), value },
  });
}

/** For a pending order whose symbol or side is unknown. */
export function requireNoMaxPosition(orderId: string, { settings }: RunContext): void {
  if (settings.get('trade.maxPosition') !== undefined) throw unchecked(`order ${orderId}`);
}

function unchecked(what: string): SvcError {
  return new SvcError('not_known', `${what} could not be read to check trade.maxPosition; nothing was sent`, {
    hint: 'to reduce the position, which svc never refuses: svc trade close --symbol <symbol>',
    more: { setting: 'trade.maxPosition' },
  });
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

/** What is open and pending, and what was sent so lately that the tables may not show it. */
async function exposureOf(opening: Opening, tables: OrderTables, ctx: RunContext): Promise<Exposure> {
  // The journal is older than the tables: an order that is sent in between is seen later.
  const journal = await readGatewayJournal(ctx.paths, ctx.target.baseUrl);
  requireReadable(ctx.paths, journal);
  const recent = ordersSince(ctx.now() - MAY_ARRIVE_MS, opening.account, journal);
  const { orders, positions } = await readOwnRows(opening, tables);
  const exposure = { open: { buy: 0, sell: 0 }, atMarket: { buy: 0, sell: 0 }, entries: { buy: 0, sell: 0 } };
  for (const row of positions) exposure.open[sideOf(row)] += await amountOf(row, tables);
  const sent = sentAmounts(recent);
  for (const row of orders) {
    if (row.orderId === opening.replaces || opensNothing(row)) continue;
    const amount = await amountOf(row, tables);
    // The row of an order that is filled in part may have only the amount of that part.
    const least = sent.get(row.orderId) ?? 0;
    if (amount >= least && isFilled(row, positions)) continue;
    const to = row.isEntryOrder === true ? exposure.entries : exposure.atMarket;
    to[sideOf(row)] += Math.max(amount, least);
  }
  // The tables may not show yet what became of an order whose response was lost.
  for (const { outcome, path, form } of recent) {
    const isLost = outcome === 'unknown' && path !== CHANGE && form['symbol'] === opening.symbol;
    if (isLost) addForm(exposure.atMarket, form);
  }
  return exposure;
}

function addForm(to: Record<Side, number>, form: JournalEntry['form']): void {
  for (const isBuy of [form['is_buy'], form['is_buy2']]) {
    if (isBuy !== undefined) to[isBuy === 'true' ? 'buy' : 'sell'] += Number(form['amount']);
  }
}

async function amountOf(row: OpenPosition | Order, tables: OrderTables): Promise<number> {
  const amount = await tables.amountOf(row);
  if (amount !== undefined) return amount;
  throw unchecked(`the amount of trade ${row.tradeId ?? '?'} or its order (${row.currency})`);
}

function sideOf({ isBuy, tradeId = '?', currency }: OpenPosition | Order): Side {
  if (isBuy === undefined) throw unchecked(`isBuy of trade ${tradeId} or its order (${currency})`);
  return isBuy ? 'buy' : 'sell';
}

/** The orders and positions of the symbol in the account. */
async function readOwnRows({ symbol, account: { accountId } }: Opening, tables: OrderTables) {
  // Orders before positions: one that is filled in between counts twice, never not at all.
  const orders = await tables.rows('Order');
  const positions = await tables.rows('OpenPosition');
  if (orders === undefined || positions === undefined) throw unchecked('positions and orders');
  if ([...omittedOf(orders), ...omittedOf(positions)].some((row) => mayBeOf(row, symbol, accountId))) {
    throw unchecked(`a position or an order that may be of ${symbol}`);
  }
  const isOwn = (row: OpenPosition | Order): boolean =>
    (row.accountId ?? accountId) === accountId && row.currency === symbol;
  return { orders: orders.filter(isOwn), positions: positions.filter(isOwn) };
}

/** Whether a row that cannot be read names neither another symbol nor another account. */
function mayBeOf(row: unknown, symbol: string, accountId: string): boolean {
  if (!isObject(row)) return true;
  const { currency, accountId: account } = row;
  const isOtherSymbol = typeof currency === 'string' && currency !== symbol;
  const isNamed = typeof account === 'string' || typeof account === 'number';
  return !isOtherSymbol && !(isNamed && String(account) !== accountId);
}

/** Its row may stay a moment longer than its fill takes. */
function isFilled({ tradeId, amountK }: Order, positions: readonly OpenPosition[]): boolean {
  return positions.some((row) => row.tradeId === tradeId && row.amountK !== undefined && row.amountK === amountK);
}

const CHANGE = '/trading/change_order';
const OPENING_PATHS = ['/trading/open_trade', '/trading/create_entry_order', '/trading/simple_oco', CHANGE];

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
