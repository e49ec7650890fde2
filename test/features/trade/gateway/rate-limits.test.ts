import { expect, it } from 'vitest';
import { getAccounts, getModel, openTrade } from '../../../../src/features/trade/client.ts';
import { limitOfRequest } from '../../../../src/features/trade/gateway/trading-session.ts';
import type { CallValues } from '../../../../src/http/endpoint.ts';

it.each<[string, { readonly path: string }, CallValues | undefined, number | undefined]>([
  ['the accounts', getAccounts, undefined, 79],
  ['open positions', getModel('OpenPosition'), { query: { models: 'OpenPosition' } }, 44],
  ['orders', getModel('Order'), { query: { models: ['Order'] } }, 46],
  ['subscriptions', { path: '/trading/update_subscriptions/' }, undefined, 24],
  ['offers', getModel('Offer'), { query: { models: 'Offer' } }, undefined],
  ['an order', openTrade, undefined, undefined],
])('the limit of doc 3 §8 for %s', (_name, endpoint, values, cmd) => {
  expect(limitOfRequest(endpoint, values)?.cmd).toBe(cmd);
});
