import { expect, it } from 'vitest';
import { getAccounts, getModel, openTrade } from '../../../../src/features/trade/client.ts';
import { limitOfRequest } from '../../../../src/features/trade/gateway/trading-session.ts';

it('each request counts against its limit of doc 3 §8', () => {
  const limits = {
    accounts: limitOfRequest(getAccounts, undefined),
    'open positions': limitOfRequest(getModel('OpenPosition'), { query: { models: 'OpenPosition' } }),
    orders: limitOfRequest(getModel('Order'), { query: { models: ['Order'] } }),
    subscriptions: limitOfRequest({ path: '/trading/update_subscriptions/' }, undefined),
    offers: limitOfRequest(getModel('Offer'), { query: { models: 'Offer' } }),
    'a new order': limitOfRequest(openTrade, undefined),
  };
  expect(Object.entries(limits).map(([request, limit]) => [request, limit?.cmd])).toEqual([
    ['accounts', 79],
    ['open positions', 44],
    ['orders', 46],
    ['subscriptions', 24],
    ['offers', undefined],
    ['a new order', undefined],
  ]);
});
