/** Everything that the gateway stores: accounts, trades and orders. */
import { type Instrument, round } from './instruments.ts';

export interface Account {
  readonly id: string;
  /** The id with leading zeros. */
  readonly name: string;
  /** Y: may have both sides of a symbol; 0: nets them. */
  readonly hedging: 'Y' | '0';
  /** Amounts of forex must be divisible by this. */
  readonly step: number;
  balance: number;
  /** At the start of the sandbox: the profit of the day counts from here. */
  readonly dayBalance: number;
}

export interface Exit {
  rate: number;
  /** 0 stays, 1 follows every tick, a larger number follows in steps of so many tenths of a pip. */
  trail: number;
}

export interface Trade {
  readonly tradeId: string;
  readonly account: Account;
  readonly instrument: Instrument;
  readonly isBuy: boolean;
  amountK: number;
  readonly open: number;
  readonly time: number;
  readonly commission: number;
  stop?: Exit | undefined;
  limit?: Exit | undefined;
  /** The next step of a trailing stop counts from this price. */
  trailedFrom: number;
}

/** A trade or a part of one. */
export interface ClosedTrade extends Trade {
  readonly close: number;
  readonly closeTime: number;
  readonly grossPL: number;
}

const WAITING = 1;
const IN_PROCESS = 2;
export const CANCELED = 3;
export const EXECUTING = 6;

/** `tradeId` is reserved for its first trade, which may not exist. */
export interface Order extends Omit<Trade, 'open' | 'commission'> {
  readonly orderId: string;
  /** OM, OR: at market; CM, CR: close; S, L: a closing stop or limit; others wait for a rate. */
  type: string;
  status: number;
  readonly timeInForce: string;
  readonly expires?: number | undefined;
  /** 0 for any. */
  rate: number;
  range: number;
  /** The step by which an entry follows the price, 0 for none. */
  trail: number;
  /** Orders of a group are canceled together; 0 for no group. */
  ocoBulkId: number;
  /** The trade and the amount of the latest part, which the pushed rows show. */
  fill?: { readonly tradeId: string; readonly amountK: number };
  /** The trade that it closes. */
  readonly closes?: string;
}

/** For a thousand, in dollars: once when a trade is opened, and once when it is closed. */
export const COMMISSION = 0.04;

export type OrderDraft = Pick<Order, 'account' | 'instrument' | 'isBuy' | 'amountK' | 'type' | 'timeInForce'> &
  Partial<Order>;

type TradeDraft = Pick<Trade, 'account' | 'instrument' | 'isBuy' | 'amountK' | 'open'> & Partial<Trade>;

export function isEntry({ type }: Pick<Order, 'type'>): boolean {
  return type.endsWith('E');
}

export class Book {
  readonly accounts: Account[] = [];
  readonly trades = new Map<string, Trade>();
  readonly closed: ClosedTrade[] = [];
  readonly orders = new Map<string, Order>();
  /** Not in the table of offers until they are shown. */
  readonly hidden = new Set<Instrument>();
  #lastOrder = 390_285_836;
  #lastTrade = 170_162_800;

  addTrade(draft: TradeDraft, time: number): Trade {
    const { tradeId = this.newTradeId(), amountK, open } = draft;
    const trade = { ...draft, tradeId, time, commission: round(amountK * COMMISSION, 2), trailedFrom: open };
    this.trades.set(tradeId, trade);
    return trade;
  }

  newTradeId(): string {
    this.#lastTrade++;
    return String(this.#lastTrade);
  }

  addOrder(draft: OrderDraft, time: number): Order {
    this.#lastOrder++;
    const order: Order = {
      orderId: String(this.#lastOrder),
      tradeId: draft.tradeId ?? this.newTradeId(),
      status: isEntry(draft) ? WAITING : IN_PROCESS,
      time,
      rate: 0,
      range: 0,
      trail: 0,
      trailedFrom: 0,
      ocoBulkId: 0,
      ...draft,
    };
    this.orders.set(order.orderId, order);
    return order;
  }
}
