/** What an account of the emulated gateway has, put there behind everybody's back. */

import { INSTRUMENTS } from '../../../../src/sandbox/trade/instruments.ts';
import type { TradingEmulator } from '../../../../src/sandbox/trade/server.ts';
import { HEDGING, NOW } from './trader.ts';

const OPENED_AT = NOW - 60_000;

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
  };
}

/** Opens at 1.16 by default. Returns the trade id. */
export function holdTrade(gateway: TradingEmulator, of: Of & { readonly open?: number } = {}): string {
  return gateway.book.addTrade({ ...common(gateway, of), open: of.open ?? 1.16 }, OPENED_AT).tradeId;
}

/** An entry at 1.15 by default. Returns the order id. */
export function holdOrder(
  gateway: TradingEmulator,
  of: Of & { readonly rate?: number; readonly ocoBulkId?: number } = {},
): string {
  const { rate = 1.15, ocoBulkId = 0 } = of;
  const order = { ...common(gateway, of), type: 'LE', timeInForce: 'GTC', rate, ocoBulkId };
  return gateway.book.addOrder(order, OPENED_AT).orderId;
}
