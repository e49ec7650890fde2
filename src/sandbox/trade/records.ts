/** What the gateway keeps: accounts, trades and orders. */
import type { Instrument } from './instruments.ts';

export interface Account {
  readonly id: string;
  /** The id with zeros before it. */
  readonly name: string;
  /** Y may hold both sides of a symbol; 0 nets them. */
  readonly hedging: 'Y' | '0';
  /** What amounts of forex must be divisible by. */
  readonly step: number;
  balance: number;
  /** At the start of the trading day. */
  readonly dayBalance: number;
}

/** A stop or a limit that goes with a trade. */
export interface Exit {
  rate: number;
  /** 0 stays, 1 follows every tick, else follows in steps of so many tenths of a pip. */
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
  readonly roll: number;
  stop: Exit | undefined;
  limit: Exit | undefined;
  /** The price from which the next step of a trailing stop is counted. */
  trailedFrom: number;
}

export interface ClosedTrade {
  readonly trade: Pick<Trade, 'tradeId' | 'account' | 'instrument' | 'isBuy' | 'open' | 'time' | 'roll'>;
  readonly amountK: number;
  readonly commission: number;
  readonly close: number;
  readonly closeTime: number;
  readonly grossPL: number;
}

export const WAITING = 1;
export const IN_PROCESS = 2;
export const CANCELED = 3;
export const EXECUTING = 6;

export interface Order {
  readonly orderId: string;
  /** Reserved for the first trade that it becomes: it says nothing of whether there is one. */
  readonly tradeId: string;
  readonly account: Account;
  readonly instrument: Instrument;
  readonly isBuy: boolean;
  /** OM, OR: at once; CM, CR: closes; LE, SE, LTE, STE: waits for its rate. */
  type: string;
  status: number;
  readonly timeInForce: string;
  readonly expires: number | undefined;
  readonly time: number;
  amountK: number;
  /** 0 for any. */
  rate: number;
  range: number;
  stop: Exit | undefined;
  limit: Exit | undefined;
  /** The step by which an entry follows the price, 0 for one that stays, and from where the next step is counted. */
  trail: number;
  trailedFrom: number;
  /** Those of a group live and end together. */
  ocoBulkId: number;
  /** The trade that it closes. */
  readonly closes: string | undefined;
}

export function isEntry({ type }: Pick<Order, 'type'>): boolean {
  return type.endsWith('E');
}
