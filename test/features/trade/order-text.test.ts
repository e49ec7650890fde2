/** How orders are named in questions and messages. */
import { expect, it } from 'vitest';
import {
  opensNothing,
  orderRate,
  orderStateText,
  orderText,
  orderTypeText,
  tradedText,
} from '../../../src/features/trade/order-text.ts';

it('an order is named by its id, what it trades, its kind, its rate and its exits', () => {
  const order = { orderId: '39', isBuy: true, amountK: 5, currency: 'EUR/USD', type: 'LE', buy: 1.15, sell: 0 };
  expect(orderText(order)).toBe('order 39 (buy 5K EUR/USD, limit entry at 1.15)');
  expect(orderText({ ...order, isBuy: false, sell: 1.2, stopRate: 1.21, limitRate: 1.1 })).toBe(
    'order 39 (sell 5K EUR/USD, limit entry at 1.2, stop 1.21, limit 1.1)',
  );
});

it('what the table does not say of an order is a question mark, or left out', () => {
  expect(orderText({ orderId: '39' })).toBe('order 39 (? ?K ?, order)');
  expect(tradedText({ currency: 'EUR/USD' })).toBe('EUR/USD');
  expect(tradedText({ isBuy: false, amountK: 2, currency: 'EUR/USD' })).toBe('sell 2K EUR/USD');
});

it('a rate of 0 is no rate: the other side has it', () => {
  const rates = [
    { isBuy: true, buy: 1.1, sell: 1.2 },
    { isBuy: false, buy: 1.1, sell: 1.2 },
    { isBuy: true, buy: 0, sell: 1.2 },
    { isBuy: false, buy: 1.1, sell: 0 },
    { isBuy: undefined, buy: 0, sell: 0 },
  ].map(orderRate);
  expect(rates).toEqual([1.1, 1.2, 1.2, 1.1, 0]);
});

it('kinds and states are named, and an unknown one stays as it is', () => {
  expect(['S', 'SE', 'CM', 'toString', 'X'].map(orderTypeText)).toEqual([
    'stop',
    'stop entry',
    'close at market',
    'toString',
    'X',
  ]);
  expect([0, 3, 9, 10, 11, undefined].map(orderStateText)).toEqual([
    'unknown',
    'canceled',
    'executed',
    'activated',
    '11',
    undefined,
  ]);
});

it('stops, limits, closing orders and margin calls open nothing', () => {
  const types = ['S', 'ST', 'L', 'C', 'CM', 'CR', 'M', 'SE', 'LE', 'OM', undefined];
  expect(types.filter((type) => !opensNothing({ type }))).toEqual(['SE', 'LE', 'OM', undefined]);
});
