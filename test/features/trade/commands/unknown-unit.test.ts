/** Offers that do not say whether amounts are thousands or contracts (doc 3 §2 shows none of their fields): nothing is computed by a guess. */

import { beforeEach, expect, it } from 'vitest';
import { failure } from '../../../support/svc.ts';
import { ACCOUNT, fileGateway, reply, tableTime } from './document-gateway.ts';

const gateway = await fileGateway();

const position = (more: object = {}) => ({
  ...{ t: 1, tradeId: '7', accountId: ACCOUNT, currency: 'EUR/USD', isBuy: true, amountK: 9, open: 1.16 },
  ...{ time: tableTime(Date.now() - 3_600_000), ...more },
});

beforeEach(() => {
  const { feed } = gateway;
  feed.tables['Offer'] = [{ offerId: 1, currency: 'EUR/USD', sell: 1.16, buy: 1.16013, pip: 0.0001 }];
  feed.tables['OpenPosition'] = [position()];
  feed.onOrder = (response) => reply(response, 200, '{"response":{"executed":true},"data":{"orderId":40}}');
});

it('svc trade close needs the amount if the unit of a symbol is unknown', async () => {
  gateway.feed.tables['Account'] = [{ accountId: ACCOUNT, hedging: 'Y' }];
  const run = await gateway.run(['close', '7', '--yes', '-o', 'json']);
  expect({ code: run.code, orders: gateway.feed.orders }, run.stderr).toEqual({ code: 3, orders: [] });
  expect(failure(run)['message']).toMatch(/amount.* unknown; nothing was sent/);
});

it('a preview names no unit then', async () => {
  const { stdout } = await gateway.run(['buy', 'EUR/USD', '9', '--preview', '-o', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({ amount: 9, notional: 'unit unknown' });
});

it('a lost order is found by its amount then, too', async () => {
  gateway.feed.onOrder = (response) => {
    gateway.feed.tables['OpenPosition'] = [position({ tradeId: '8', time: tableTime(Date.now()) })];
    response.socket?.destroy();
  };
  const run = await gateway.run(['buy', 'EUR/USD', '9', '--yes', '-o', 'json']);
  expect({ code: run.code, found: failure(run)['candidates'] }, run.stderr).toEqual({ code: 8, found: '8' });
});

it('a close of several is not filled while the amount of one is unknown', async () => {
  const { feed } = gateway;
  const [one, other] = [position({ tradeId: '7', amountK: 5 }), position({ tradeId: '8', amountK: undefined })];
  feed.tables['OpenPosition'] = [one, other];
  feed.tables['ClosedPosition'] = [];
  feed.onOrder = (response) => {
    const closed = { ...one, close: 1.17, closeTime: tableTime(Date.now()) };
    Object.assign(feed.tables, { OpenPosition: [other], ClosedPosition: [closed] });
    reply(response, 200, '{"response":{"executed":true},"data":null}');
  };
  const argv = ['close', '--symbol', 'EUR/USD', '--wait', '50ms', '--yes', '-o', 'json'];
  const run = await gateway.run(argv);
  expect({ code: run.code, rows: JSON.parse(run.stdout) }, run.stderr).toMatchObject({
    code: 9,
    rows: [{ status: 'pending', closed_trades: [{ trade_id: '7', amount_k: 5 }] }],
  });
});
