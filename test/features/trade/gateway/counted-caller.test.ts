import { describe, expect, it } from 'vitest';
import { getAccounts, getModel, openTrade } from '../../../../src/features/trade/client.ts';
import {
  CALL_LIMITS,
  COMMAND_NUMBERS,
  commandNumbers,
  requestName,
} from '../../../../src/features/trade/gateway/counted-caller.ts';
import type { Envelope } from '../../../../src/features/trade/schema.ts';
import type { CallValues, Endpoint } from '../../../../src/http/endpoint.ts';

describe('commandNumbers', () => {
  it('counts the known reads of doc 3 §8, and no orders', () => {
    const numberOf = (endpoint: Endpoint<Envelope>, values?: CallValues) =>
      COMMAND_NUMBERS[requestName(endpoint, values)];
    expect(numberOf(getAccounts)).toBe(79);
    expect(numberOf(getModel, { query: { models: 'OpenPosition' } })).toBe(44);
    expect(numberOf(getModel, { query: { models: 'Offer' } })).toBeUndefined();
    expect(numberOf(getModel, { query: { models: ['Order'] } })).toBe(46);
    expect(COMMAND_NUMBERS['update_subscriptions']).toBe(24);
    expect(numberOf(openTrade)).toBeUndefined();
    for (const cmd of Object.values(COMMAND_NUMBERS)) expect(CALL_LIMITS.map((one) => one.cmd)).toContain(cmd);
  });

  it('is corrected by a setting', () => {
    expect(commandNumbers(undefined)).toEqual(COMMAND_NUMBERS);
    expect(commandNumbers(' Order=117, Offer=8 ,Account=0')).toEqual({
      ...COMMAND_NUMBERS,
      Order: 117,
      Offer: 8,
      Account: 0,
    });
    for (const text of ['Order', 'Order=x', '=1', 'Order=1;Offer=2']) expect(commandNumbers(text)).toBeUndefined();
  });
});
