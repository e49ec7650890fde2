/** After a lost response, svc reads the tables once and lists the rows that are alike. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type RunOptions, temporaryHome } from '../../../support/svc.ts';
import { useUpCalls } from '../counts.ts';
import { ACCOUNT, type DocumentGateway, errorOf, fileGateway, parseTableTime, reply } from './document-gateway.ts';

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

it.each([-3_600_000, 3_600_000])('uses the clock of a gateway that differs by %i ms', async (skew) => {
  const { feed } = gateway;
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

describe('the rate limits', () => {
  it('counted locally do not delay these reads', async () => {
    const home = temporaryHome();
    const { SVC_TRADE_URL: url = '', SVC_TRADE_TOKEN: token = '' } = gateway.feed.env;
    await useUpCalls(home, { url, token }, Date.now);
    gateway.feed.tables['OpenPosition'] = [rows({ time: '' }).position];
    expect((await lost(BUY, cut, { home }))['candidates']).toBe('170162801');
  });

  it('of the gateway leave the other tables readable', async () => {
    gateway.feed.usedUp.add('OpenPosition');
    gateway.feed.tables['Order'] = [rows().order];
    const error = await lost(BUY, cut);
    gateway.feed.usedUp.clear();
    expect(error['candidates']).toBe('390285837');
    expect(error['message']).toContain('the table OpenPosition could not be read: the gateway says that all calls');
  });
});

it('waits for a late response, and sends the order once', async () => {
  gateway.feed.onOrder = (response) => {
    const { order, position } = rows();
    gateway.feed.push('Order', { ...order, action: 'I' });
    gateway.feed.push('OpenPosition', { ...position, action: 'I' });
    setTimeout(() => {
      reply(response, 200, '{"response":{"executed":true},"data":{"type":0,"orderId":390285837}}');
    }, 300);
  };
  const run = await gateway.run([...BUY, '--wait', '20s'], { sleeps: true });
  expect({ code: run.code, posts: gateway.feed.orders.length }, run.stderr).toEqual({ code: 0, posts: 1 });
  expect(JSON.parse(run.stdout)).toMatchObject({ status: 'filled', trades: [{ trade_id: '170162801' }] });
});

it('--wait checks once more before it reports that the order is pending', async () => {
  gateway.feed.onOrder = (response) => {
    gateway.feed.tables['OpenPosition'] = [{ ...rows().position, orderId: '390285837' }];
    reply(response, 200, '{"response":{"executed":true},"data":{"type":0,"orderId":390285837}}');
  };
  const run = await gateway.run([...BUY, '--wait', '10s']);
  expect(run.code, run.stderr).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({ status: 'filled', trades: [{ trade_id: '170162801', amount_k: 9 }] });
});

it('a close with a lost response lists the trade, open or closed', async () => {
  const { feed } = gateway;
  const { position } = rows();
  feed.tables['OpenPosition'] = [position];
  const closed = { ...position, close: 1.17, openTime: position.time, closeTime: parseTableTime(Date.now()) };
  const error = await lost(['close', '170162801', '--account', ACCOUNT, '--yes', '-o', 'json'], (response) => {
    Object.assign(feed.tables, { OpenPosition: [], ClosedPosition: [closed] });
    cut(response);
  });
  expect(error['message']).toMatch(
    /alike at the gateway: closed position 170162801 \(buy 9K EUR\/USD at 1\.16013, closed 20/,
  );
});
