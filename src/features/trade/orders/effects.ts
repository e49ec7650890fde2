/** What a change or a close would do, for its preview: computed from the rows that it was planned with. */
import { SvcError } from '../../../errors.ts';
import { exactSum } from '../../../output/decimal.ts';
import { orderRate, sideOf } from '../order-text.ts';
import type { Account, Offer, OpenPosition, Order } from '../schema.ts';
import { costsOf, type OrderCosts } from './costs.ts';
import type { Exit, ExitsChange } from './forms.ts';
import type { OrderTables } from './order-tables.ts';
import { type ExitPreview, exitPreview } from './preview.ts';
import type { Side } from './rules.ts';

export type ChangeEffect =
  | { readonly kind: 'close'; readonly row: OpenPosition; readonly amount: number; readonly whole: number | undefined }
  | { readonly kind: 'close_all'; readonly symbol: string | undefined; readonly rows: readonly OpenPosition[] }
  | ({ readonly kind: 'order_terms'; readonly row: Order; readonly account: Account | undefined } & WholeTerms)
  | ({ readonly kind: 'order_exits'; readonly row: Order } & OrderExits)
  | { readonly kind: 'trade_exit'; readonly row: OpenPosition; readonly name: 'stop' | 'limit'; readonly exit: Exit };

/** The rate, amount and range of an order, which one request changes together. */
export interface WholeTerms {
  readonly rate: string;
  readonly amount: number;
  readonly range: string;
}

interface OrderExits extends Pick<ExitsChange, 'stop' | 'limit'> {
  /** As changed in the same command. */
  readonly rate: number | undefined;
  readonly amount: number | undefined;
}

/** What a request changes. Null is not known. */
export interface Shown extends Partial<OrderCosts> {
  readonly symbol: string | null;
  readonly side: Side | null;
  /** Of a trade. */
  readonly open?: number | null;
  /** The current price. */
  readonly rate?: number | null;
  readonly before: Readonly<Record<string, number | string | ExitPreview | null>>;
  readonly after: Readonly<Record<string, number | string | ExitPreview | null>>;
}

export async function showEffect(effect: ChangeEffect, tables: OrderTables): Promise<Shown> {
  switch (effect.kind) {
    case 'close':
      return showClose(effect.row, effect.amount, effect.whole);
    case 'close_all':
      return showCloseAll(effect.symbol, effect.rows);
    case 'order_terms':
      return showTerms(effect.row, effect, effect.account, tables);
    case 'order_exits':
      return showOrderExits(effect.row, effect, tables);
    case 'trade_exit':
      return showTradeExit(effect.row, effect.name, effect.exit, tables);
  }
}

function showClose(row: OpenPosition, amount: number, whole: number | undefined): Shown {
  const { currency = null, isBuy, open = null, close, grossPL, usedMargin } = row;
  const part = (money: number | undefined): number | null =>
    money === undefined || whole === undefined ? null : Number(((money * amount) / whole).toFixed(2));
  return {
    symbol: currency,
    side: sideOf(isBuy) ?? null,
    open,
    rate: close || null,
    before: { amount: whole ?? null, grossPL: grossPL ?? null, usedMargin: usedMargin ?? null },
    after: {
      amount: whole === undefined ? null : whole - amount,
      realized_pl: part(grossPL),
      freed_margin: part(usedMargin),
    },
  };
}

function showCloseAll(symbol: string | undefined, rows: readonly OpenPosition[]): Shown {
  const sum = (name: 'grossPL' | 'usedMargin'): number | null => {
    const values = rows.map((row) => row[name]);
    return values.every((value) => value !== undefined) ? exactSum(values) : null;
  };
  const [grossPL, usedMargin] = [sum('grossPL'), sum('usedMargin')];
  return {
    symbol: symbol ?? null,
    side: null,
    before: { trades: rows.length, grossPL, usedMargin },
    after: { trades: 0, realized_pl: grossPL, freed_margin: usedMargin },
  };
}

async function showTerms(
  row: Order,
  { rate, amount, range }: WholeTerms,
  account: Account | undefined,
  tables: OrderTables,
): Promise<Shown> {
  const side = sideOf(row.isBuy) ?? null;
  const offer = await readOffer(row.currency, tables);
  return {
    symbol: row.currency ?? null,
    side,
    before: { rate: orderRate(row) ?? null, amount: (await tables.amountOf(row)) ?? null, range: row.range ?? null },
    after: { rate: Number(rate), amount, range: Number(range) },
    ...(side !== null && account && offer && costsOf({ side, amount }, account, offer)),
  };
}

async function showOrderExits(row: Order, { stop, limit, ...terms }: OrderExits, tables: OrderTables): Promise<Shown> {
  const rate = terms.rate ?? orderRate(row) ?? null;
  const amount = terms.amount ?? (await tables.amountOf(row));
  const changes = [
    ...(stop === undefined ? [] : [{ name: 'stop', was: row.stopRate, exit: stop } as const]),
    ...(limit === undefined ? [] : [{ name: 'limit', was: row.limitRate, exit: limit } as const]),
  ];
  return showExits(row, { from: rate, amount, rate }, changes, tables);
}

async function showTradeExit(
  row: OpenPosition,
  name: 'stop' | 'limit',
  exit: Exit,
  tables: OrderTables,
): Promise<Shown> {
  const { open = null, close } = row;
  const about = { from: open, amount: await tables.amountOf(row), open, rate: close || null };
  return showExits(row, about, [{ name, was: row[name], exit }], tables);
}

interface ChangedExit {
  readonly name: 'stop' | 'limit';
  /** As the tables have it: 0 is none. */
  readonly was: number | undefined;
  readonly exit: Exit;
}

interface ExitTerms extends Pick<Shown, 'open' | 'rate'> {
  /** Distances count from it. */
  readonly from: number | null;
  readonly amount: number | undefined;
}

async function showExits(
  { currency, isBuy }: Pick<OpenPosition, 'currency' | 'isBuy'>,
  { from, amount, ...prices }: ExitTerms,
  changes: readonly ChangedExit[],
  tables: OrderTables,
): Promise<Shown> {
  const offer = await readOffer(currency, tables);
  const exitAfter = ({ name, exit }: ChangedExit): ExitPreview | string => {
    if (exit === 'none') return exit;
    const sign = (name === 'stop') === (isBuy === false) ? 1 : -1;
    if (offer !== undefined && amount !== undefined) return exitPreview(exit, from, sign, amount, offer);
    const { unit, value } = exit;
    return { rate: unit === 'price' ? value : null, pips: unit === 'pips' ? value : null, money: null };
  };
  const exitBefore = ({ was }: ChangedExit): ExitPreview | string | null => {
    if (was === undefined) return null;
    return was === 0 ? 'none' : { rate: was, pips: null, money: null };
  };
  return {
    symbol: currency ?? null,
    side: sideOf(isBuy) ?? null,
    ...prices,
    before: Object.fromEntries(changes.map((change) => [change.name, exitBefore(change)])),
    after: Object.fromEntries(changes.map((change) => [change.name, exitAfter(change)])),
  };
}

/** Undefined if the symbol is hidden or a rate limit prevents the reading. */
async function readOffer(symbol: string | undefined, tables: OrderTables): Promise<Offer | undefined> {
  try {
    return symbol === undefined ? undefined : await tables.offer(symbol);
  } catch (error) {
    if (error instanceof SvcError && (error.code === 'not_found' || error.code === 'limited')) return undefined;
    throw error;
  }
}
