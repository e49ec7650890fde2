/** What an account of the emulated gateway has, put there behind everybody's back. */

import { type Order, type Trade, WAITING } from '../../../../src/sandbox/trade/book.ts';
import { INSTRUMENTS } from '../../../../src/sandbox/trade/instruments.ts';
import type { TradingEmulator } from '../../../../src/sandbox/trade/server.ts';
import { HEDGING, NOW } from './trader.ts';

interface Of {
  readonly account?: string;
  readonly symbol?: string;
  readonly isBuy?: boolean;
  readonly amountK?: number;
}

function common(gateway: TradingEmulator, { account = HEDGING, symbol = 'EUR/USD', isBuy = true, amountK = 10 }: Of) {
  const owner = gateway.book.accounts.find(({ id }) => id === account);
  const instrument = INSTRUMENTS.find((one) => one.symbol === symbol);
  if (owner === undefined || instrument === undefined) throw new Error(`no ${account} or ${symbol}`);
  return {
    account: owner,
    instrument,
    isBuy,
    amountK,
    time: NOW - 60_000,
    stop: undefined,
    limit: undefined,
    trailedFrom: 0,
  };
}

/** Opens at 1.16 by default. Returns the trade id. */
export function holdTrade(gateway: TradingEmulator, of: Of & { readonly open?: number } = {}): string {
  const tradeId = gateway.book.newTradeId();
  const trade: Trade = { ...common(gateway, of), tradeId, open: of.open ?? 1.16, commission: 0, roll: 0 };
  gateway.book.trades.set(tradeId, trade);
  return tradeId;
}

/** An entry at 1.15 by default. Returns the order id. */
export function holdOrder(
  gateway: TradingEmulator,
  of: Of & { readonly rate?: number; readonly ocoBulkId?: number } = {},
): string {
  const orderId = gateway.book.newOrderId();
  const order: Order = {
    ...common(gateway, of),
    orderId,
    tradeId: gateway.book.newTradeId(),
    type: 'LE',
    status: WAITING,
    timeInForce: 'GTC',
    expires: undefined,
    rate: of.rate ?? 1.15,
    range: 0,
    trail: 0,
    ocoBulkId: of.ocoBulkId ?? 0,
    closes: undefined,
    fill: undefined,
  };
  gateway.book.orders.set(orderId, order);
  return orderId;
}
