/** After a lost response, svc reads the tables once and lists the rows that are alike. */
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { type RunOptions, temporaryHome } from '../../../support/svc.ts';
import { useUpCalls } from '../counts.ts';
import { ACCOUNT, type DocumentGateway, errorOf, fileGateway, parseTableTime } from './document-gateway.ts';

const gateway = await fileGateway();

const BUY = ['buy', 'EUR/USD', '9', '--account', ACCOUNT, '--yes', '-o', 'json'];

const cut = (response: ServerResponse): void => void response.socket?.destroy();

/** The rows of an order that was executed at this time. */
function rows(more: object = {}, at = Date.now()) {
  const row = { accountId: ACCOUNT, currency: 'EUR/USD', isBuy: true, amountK: 9, time: parseTableTime(at), ...more };
  return {
    order: { t: 3, orderId: '390285837', tradeId: '170162801', type: 'OM', status: 2, ...row },
    position: { t: 1, tradeId: '170162801', open: 1.16013, ...row },
  };
}

async function lost(argv: readonly string[], onOrder: DocumentGateway['feed']['onOrder'], more: RunOptions = {}) {
  gateway.feed.onOrder = onOrder;
  const run = await gateway.run(argv, more);
  const outcomes = gateway.journal().map(({ outcome }) => outcome);
  expect({ code: run.code, posts: gateway.feed.orders.length, outcomes }, run.stderr).toEqual({
    code: 8,
    posts: 1,
    outcomes: ['unknown'],
  });
  return errorOf(run);
}

it('lists what is alike, newest first, and a few of many', async () => {
  const at = Date.now();
  gateway.feed.tables['OpenPosition'] = Array.from({ length: 12 }, (_, index) => {
    return rows({ tradeId: String(101 + index), amountK: 1 + index }, at + index).position;
  });
  gateway.feed.tables['Order'] = [rows({ isBuy: false }).order, rows({ accountId: '2' }).order];
  const error = await lost(BUY, cut);
  expect(String(error['candidates']).split(' ')).toEqual(Array.from({ length: 12 }, (_, index) => String(112 - index)));
  expect(error['message']).toMatch(
    /; alike at the gateway: open position 112 \(buy 12K EUR\/USD at 1\.16013, 20.*Z\); open position 111 .*; and 2 more$/,
  );
  expect(error['hint']).toBe(`before you repeat it, compare the rows: svc trade journal settle ${error['journal_id']}`);
});

it('uses the clock of a gateway that is an hour ahead', async () => {
  const { feed } = gateway;
  const skew = 3_600_000;
  const dated = (response: ServerResponse): void => {
    response.sendDate = false;
    response.setHeader('date', new Date(Date.now() + skew).toUTCString());
  };
  feed.onModel = (_model, response) => {
    dated(response);
    return false;
  };
  feed.tables['OpenPosition'] = [
    rows({ tradeId: '1' }, Date.now() + skew - 60_000).position,
    rows({ tradeId: '2' }, Date.now() + skew + 1_000).position,
  ];
  expect((await lost(BUY, cut))['candidates']).toBe('2');
});

it('reads the tables even if the local count of calls is at its limit', async () => {
  const home = temporaryHome();
  const { SVC_TRADE_URL: url = '', SVC_TRADE_TOKEN: token = '' } = gateway.feed.env;
  await useUpCalls(home, { url, token }, Date.now);
  gateway.feed.tables['OpenPosition'] = [rows({ time: '' }).position];
  expect((await lost(BUY, cut, { home }))['candidates']).toBe('170162801');
});
