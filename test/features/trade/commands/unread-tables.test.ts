/** Tables that the gateway cannot show: what protects is sent all the same, and says what was not checked. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT, errorOf, fileGateway, parseTableTime, reply } from './document-gateway.ts';

const gateway = await fileGateway();

const AN_HOUR_AGO = parseTableTime(Date.now() - 3_600_000);
const row = { accountId: ACCOUNT, currency: 'EUR/USD', isBuy: true, amountK: 9, time: AN_HOUR_AGO };
const TABLES = ['OpenPosition', 'Order', 'Account', 'Offer'] as const;

beforeEach(() => {
  const { feed } = gateway;
  feed.tables['OpenPosition'] = [{ ...row, t: 1, tradeId: '7', open: 1.16 }];
  feed.tables['Order'] = [{ ...row, t: 3, orderId: '39', tradeId: '8', type: 'LE', isEntryOrder: true, buy: 1.15 }];
  feed.onOrder = (response) => reply(response, 200, '{"response":{"executed":true},"data":{"orderId":40}}');
});

/** How a table cannot be read. */
const FAULTS: readonly (readonly [fault: string, status: number, body: string])[] = [
  ['the gateway fails', 500, '{"response":{"executed":false}}'],
  [
    'a row of it makes no sense',
    200,
    '{"response":{"executed":true},"%":[{"tradeId":null,"orderId":{},"currency":1}]}',
  ],
];
const BODY_KEYS: Readonly<Record<string, string>> = {
  OpenPosition: 'open_positions',
  Order: 'orders',
  Account: 'accounts',
  Offer: 'offers',
};

describe.each(FAULTS)('where %s', (_fault, status, body) => {
  const spoil = (table: string): void => {
    gateway.feed.onModel = (name, response) => {
      if (name !== table) return false;
      reply(response, status, body.replace('%', BODY_KEYS[table] ?? ''));
      return true;
    };
  };
  const commands: readonly (readonly string[])[] = [
    ['close', '--symbol', 'EUR/USD'],
    ['close', '--everything'],
    ['close', '7', '--amount', '9'],
    ['orders', 'cancel', '39'],
    ['orders', 'update', '39', '--stop', '40pips'],
    ['positions', 'update', '7', '--stop', '40pips'],
  ];
  it.each(TABLES.flatMap((table) => commands.map((argv) => [table, argv] as const)))(
    'in %s, it sends %j',
    async (table, argv) => {
      spoil(table);
      const { stderr } = await gateway.run([...argv, '--account', ACCOUNT, '--yes']);
      expect(gateway.feed.orders.length, stderr).toBeGreaterThan(0);
    },
  );

  it.each([
    ['OpenPosition', ['close', '7'], /the amount of trade 7 is unknown/],
    ['Order', ['orders', 'cancel', '--all'], /cannot read the pending orders/],
    ['Order', ['orders', 'update', '39', '--rate', '1.14'], /could not be read/],
  ])('in %s, it does not send %j, which is no rate limit', async (table, argv, why) => {
    spoil(table);
    const run = await gateway.run([...argv, '--account', ACCOUNT, '--yes', '-o', 'json']);
    expect({ code: run.code, orders: gateway.feed.orders }, run.stderr).toEqual({
      code: status === 500 ? 7 : 3,
      orders: [],
    });
    expect(errorOf(run)['message']).toMatch(why);
  });
});

it('nothing goes on after a refused credential', async () => {
  gateway.feed.onModel = (name, response) => {
    if (name !== 'OpenPosition') return false;
    reply(response, 401, '{"code":401,"message":"Unauthorized"}');
    return true;
  };
  const { code } = await gateway.run(['close', '7', '--amount', '9', '--account', ACCOUNT, '--yes']);
  expect({ code, orders: gateway.feed.orders }).toEqual({ code: 4, orders: [] });
});
