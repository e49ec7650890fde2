/** Tables that the gateway cannot show: what protects is sent all the same, and says what was not checked. */

import type { ServerResponse } from 'node:http';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { failure, svc, temporaryHome } from '../../../support/svc.ts';
import { ACCOUNT, fileGateway, reply, tableTime } from './document-gateway.ts';

const gateway = await fileGateway();

const AN_HOUR_AGO = tableTime(Date.now() - 3_600_000);
const row = { accountId: ACCOUNT, currency: 'EUR/USD', isBuy: true, amountK: 9, time: AN_HOUR_AGO };

beforeEach(() => {
  const { feed } = gateway;
  feed.tables['OpenPosition'] = [{ ...row, t: 1, tradeId: '7', open: 1.16 }];
  feed.tables['Order'] = [{ ...row, t: 3, orderId: '39', tradeId: '8', type: 'LE', isEntryOrder: true, buy: 1.15 }];
  feed.onOrder = (response) => reply(response, 200, '{"response":{"executed":true},"data":{"orderId":40}}');
});

interface Fault {
  readonly name: string;
  readonly status: number;
  /** % is the list of the table. */
  readonly body: string;
  /** Of a command that cannot do without the table. */
  readonly exit: number;
}

/** How a table cannot be read. */
const FAULTS: readonly Fault[] = [
  { name: 'the gateway fails', status: 500, body: '{"response":{"executed":false}}', exit: 7 },
  {
    name: 'no row makes sense',
    status: 200,
    body: '{"response":{"executed":true},"%":[{"tradeId":null,"orderId":{},"currency":1}]}',
    exit: 3,
  },
  {
    name: 'all calls are used up',
    status: 200,
    body: '{"response":{"executed":false,"error":"Error code ORA-20301, Cmd=46"}}',
    exit: 6,
  },
];
const BODY_KEYS: Readonly<Record<string, string>> = {
  OpenPosition: 'open_positions',
  Order: 'orders',
  Account: 'accounts',
  Offer: 'offers',
};

describe.each(FAULTS)('where $name', ({ status, body, exit }) => {
  const run = async (table: string, argv: readonly string[]) => {
    gateway.feed.orders.length = 0;
    gateway.feed.onModel = (name, response) => {
      if (name !== table) return false;
      reply(response, status, body.replace('%', BODY_KEYS[table] ?? ''));
      return true;
    };
    const done = await gateway.run([...argv, '--account', ACCOUNT, '--yes', '-o', 'json']);
    return { ...done, sent: gateway.feed.orders.length };
  };

  const PROTECTING = [
    ['OpenPosition', 'close --symbol EUR/USD'],
    ['OpenPosition', 'close --everything'],
    ['OpenPosition', 'close 7 --amount 9'],
    ['OpenPosition', 'positions update 7 --stop 40pips'],
    ['Order', 'orders cancel 39'],
    ['Order', 'orders update 39 --stop 40pips'],
    ['Order', 'orders update 39 --rate 1.14 --amount 5 --range 5'],
  ] as const;

  it('sends what protects, and says what was not checked', async () => {
    for (const [table, line] of PROTECTING) {
      const { sent, stderr } = await run(table, line.split(' '));
      expect(sent, `${line}: ${stderr}`).toBe(1);
      expect(stderr, line).toMatch(/could not be checked|could not check|could not be read/);
    }
    // A table that is not of the positions and orders does not matter either.
    for (const table of ['Account', 'Offer']) {
      for (const [, line] of PROTECTING) expect((await run(table, line.split(' '))).sent, `${table} ${line}`).toBe(1);
    }
  });

  it.each<[table: string, argv: readonly string[], why: RegExp, hint: string]>([
    ['OpenPosition', ['close', '7'], /the amount of trade 7 is unknown/, '--amount'],
    ['Order', ['orders', 'cancel', '--all'], /cannot read the pending orders/, 'svc trade orders cancel <order-id>'],
    ['Order', ['orders', 'update', '39', '--amount', '5'], /could not be read/, '--rate'],
  ])('does not send what depends on %s: %j', async (table, argv, why, hint) => {
    const done = await run(table, argv);
    expect({ code: done.code, sent: done.sent }, done.stderr).toEqual({ code: exit, sent: 0 });
    expect(failure(done)['message']).toMatch(why);
    expect(failure(done)['hint']).toContain(hint);
  });
});

/** How else a table cannot be read. */
const UNREADABLE: Readonly<Record<string, (response: ServerResponse) => void>> = {
  'the gateway does not know the path': (response) => reply(response, 404, '{"message":"Not found"}'),
  'the gateway refuses the read': (response) =>
    reply(response, 200, '{"response":{"executed":false,"error":"not available now"}}'),
  'the answer is not JSON': (response) => reply(response, 200, 'rows'),
  'the answer is too large': (response) =>
    void response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1e9 }).write('{'),
  'the gateway answers 408': (response) => reply(response, 408, ''),
};

it.each(Object.keys(UNREADABLE))('a close and a cancel are sent although %s', async (name) => {
  for (const [table, argv] of [
    ['OpenPosition', ['close', '7', '--amount', '9']],
    ['Order', ['orders', 'cancel', '39']],
  ] as const) {
    gateway.feed.orders.length = 0;
    gateway.feed.onModel = (model, response) => {
      if (model === table) UNREADABLE[name]?.(response);
      return model === table;
    };
    const { code, stderr } = await gateway.run([...argv, '--account', ACCOUNT, '--yes']);
    expect({ code, sent: gateway.feed.orders.length }, stderr).toEqual({ code: 0, sent: 1 });
    expect(stderr).toContain(`: could not check the table ${table}\n`);
  }
});

it('with real money, a cancel whose account cannot be read needs the word unknown', async () => {
  const home = temporaryHome();
  await svc(['config', 'set', 'trade.live', 'true'], { home });
  gateway.feed.usedUp.add('Order');
  onTestFinished(() => void gateway.feed.usedUp.clear());
  for (const [typed, sent] of [
    [ACCOUNT, []],
    ['unknown', [{ order_id: '39' }]],
  ] as const) {
    const { asked } = await gateway.run(['orders', 'cancel', '39'], {
      home,
      terminal: 200,
      env: { NO_COLOR: '1' },
      answers: [typed],
    });
    expect({ asked, sent: gateway.feed.orders }).toEqual({
      asked: ['REAL MONEY, account unknown: Cancel order 39? Type unknown to confirm:'],
      sent,
    });
  }
});

it('a refused credential ends a command before it sends anything', async () => {
  gateway.feed.onModel = (name, response) => {
    if (name !== 'OpenPosition') return false;
    reply(response, 401, '{"code":401,"message":"Unauthorized"}');
    return true;
  };
  const { code } = await gateway.run(['close', '7', '--amount', '9', '--account', ACCOUNT, '--yes']);
  expect({ code, orders: gateway.feed.orders }).toEqual({ code: 4, orders: [] });
});
