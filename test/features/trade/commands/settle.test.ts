/** `journal settle`: what the tables show of unknown outcomes, and what svc says when such a request is repeated. */
import { beforeEach, describe, expect, it } from 'vitest';
import { lockOwner } from '../../../../src/store/lock.ts';
import { journal, type OrderSent } from '../../../../src/store/order-journal.ts';
import { lockContext } from '../../../store/folder.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';
import { ACCOUNT, fileGateway, reply, tableTime } from './document-gateway.ts';

const gateway = await fileGateway();

const AGO_MS = 20_000;
const DAY_MS = 86_400_000;
const ACCEPTED = '{"response":{"executed":true},"data":{"type":0,"orderId":390285837}}';

const BUY = {
  command: 'buy',
  path: '/trading/open_trade',
  form: {
    account_id: ACCOUNT,
    symbol: 'EUR/USD',
    is_buy: 'true',
    rate: '0',
    amount: '9',
    order_type: 'AtMarket',
    time_in_force: 'GTC',
  },
};
const ENTRY = {
  command: 'entry buy',
  path: '/trading/create_entry_order',
  form: { ...BUY.form, rate: '1.04', order_type: 'Entry', is_in_pips: 'true' },
};
const CLOSE = {
  command: 'close',
  path: '/trading/close_trade',
  form: { trade_id: '7', amount: '9', rate: '0', order_type: 'AtMarket', time_in_force: 'GTC' },
};
const CLOSE_ALL = {
  command: 'close',
  path: '/trading/close_all_for_symbol',
  form: { account_id: ACCOUNT, forSymbol: 'true', symbol: 'EUR/USD', order_type: 'AtMarket', time_in_force: 'GTC' },
};
const CANCEL = { command: 'orders cancel', path: '/trading/delete_order', form: { order_id: '39' } };
const STOP = { command: 'positions update', path: '/trading/change_trade_stop_limit', form: { trade_id: '7' } };

interface Sent {
  readonly command: string;
  readonly path: string;
  readonly form: Readonly<Record<string, string>>;
  readonly owner?: OrderSent['owner'];
}

/** A home whose journal has these, sent a minute ago and never answered. */
async function homeWith(requests: readonly Sent[], ago = AGO_MS): Promise<string> {
  const home = temporaryHome();
  const paths = { config: `${home}/config`, state: `${home}/state`, cache: `${home}/cache` };
  for (const [index, request] of requests.entries()) {
    const at = new Date(Date.now() - ago + index).toISOString();
    const base_url = `${gateway.feed.env['SVC_TRADE_URL']}/`;
    await journal(paths, lockContext, { id: `id-${index + 1}`, at, profile: 'default', base_url, ...request });
  }
  return home;
}

function row(more: object = {}) {
  const time = tableTime(Date.now() - AGO_MS + 500);
  return { accountId: ACCOUNT, currency: 'EUR/USD', isBuy: true, amountK: 9, time, ...more };
}

const position = (more: object = {}) => row({ t: 1, tradeId: '7', open: 1.16, ...more });
const order = (more: object = {}) => row({ t: 3, orderId: '39', tradeId: '8', type: 'OM', status: 2, ...more });
const closed = (more: object = {}) =>
  position({ openTime: row().time, close: 1.17, closeTime: tableTime(Date.now() - AGO_MS + 900), ...more });
const before = { time: tableTime(Date.now() - 3_600_000) };

describe('an unknown outcome', () => {
  const entry = (buy: number) => order({ isEntryOrder: true, type: 'LE', buy });
  const parts = () => [position({ amountK: 4 }), position({ tradeId: '9', amountK: 5 })];
  const closing = () => order({ tradeId: '7', type: 'CM', isEntryOrder: false });
  it.each<[string, Sent, () => Record<string, readonly object[]>, string, RegExp]>([
    ['an open position', BUY, () => ({ OpenPosition: [position()] }), 'filled', /position with trade id 7 \(buy 9K/],
    ['its parts', BUY, () => ({ OpenPosition: parts() }), 'filled', /7.*9/],
    [
      'its parts among other positions',
      BUY,
      () => ({ OpenPosition: [...parts(), position({ tradeId: '10', amountK: 20 })] }),
      'unknown',
      /trade id 7 .*trade id 9 /,
    ],
    [
      'a part of what may be filled in part',
      { ...BUY, form: { ...BUY.form, order_type: 'MarketRange', time_in_force: 'IOC' } },
      () => ({ OpenPosition: [position({ amountK: 4 })] }),
      'unknown',
      /trade id 7 /,
    ],
    ['a position that is closed by now', BUY, () => ({ ClosedPosition: [closed()] }), 'filled', /trade id 7/],
    ['an order that stands', BUY, () => ({ Order: [order()] }), 'open', /order 39 \(buy 9K/],
    ['an entry order', ENTRY, () => ({ Order: [entry(1.04)] }), 'open', /order 39/],
    ['an entry order at another rate', ENTRY, () => ({ Order: [entry(1.05)] }), 'absent', /no match/],
    ['nothing', BUY, () => ({}), 'absent', /no match/],
    ['an older position', BUY, () => ({ OpenPosition: [position(before)] }), 'absent', /no match/],
    ['a smaller position', BUY, () => ({ OpenPosition: [position({ amountK: 8 })] }), 'unknown', /trade id 7 /],
    ['a larger position', BUY, () => ({ OpenPosition: [position({ amountK: 10 })] }), 'absent', /no match/],
    [
      'two that fit',
      BUY,
      () => ({ OpenPosition: [position(), position({ tradeId: '9' })] }),
      'unknown',
      /more matches/,
    ],
    ['a closed trade', CLOSE, () => ({ ClosedPosition: [closed()] }), 'filled', /trade 7 9K @ 1.17/],
    [
      'a closing order',
      CLOSE,
      () => ({ OpenPosition: [position(before)], Order: [closing()] }),
      'open',
      /open to close it: order 39/,
    ],
    ['a trade that is open as before', CLOSE, () => ({ OpenPosition: [position(before)] }), 'absent', /trade 7/],
    ['no trade, and no closing', CLOSE, () => ({}), 'unknown', /nothing open/],
    ['no order', CANCEL, () => ({}), 'done', /order 39 is no longer open/],
    ['the order', CANCEL, () => ({ Order: [order()] }), 'absent', /it is now order 39/],
    ['what no table tells', STOP, () => ({ OpenPosition: [position()] }), 'unknown', /trade 7 now has no stop/],
  ])('with %s', async (_name, request, tables, outcome, evidence) => {
    Object.assign(gateway.feed.tables, tables());
    const home = await homeWith([request]);
    const run = await gateway.run(['journal', 'settle', '-o', 'json'], { home });
    expect(run.code, run.stderr).toBe(outcome === 'unknown' ? 8 : 0);
    expect(JSON.parse(run.stdout)).toMatchObject([{ id: 'id-1', outcome, evidence: expect.stringMatching(evidence) }]);
    const message = outcome === 'unknown' ? null : expect.stringMatching(evidence);
    expect(gateway.journal()).toMatchObject([{ id: 'id-1', outcome, message }]);
    expect(gateway.feed.orders).toEqual([]);
  });

  it.each<[string, Sent]>([
    ['of a part of a trade', { ...CLOSE, form: { ...CLOSE.form, amount: '2' } }],
    ['of a symbol', CLOSE_ALL],
  ])('of a close %s is not called absent once its closed positions are no longer listed', async (_name, request) => {
    // A position that was opened since, or what is left of one.
    gateway.feed.tables['OpenPosition'] = [position(before)];
    const run = await gateway.run(['journal', 'settle', '-o', 'json'], { home: await homeWith([request], DAY_MS) });
    expect(run.code).toBe(8);
    expect(JSON.parse(run.stdout)).toMatchObject([
      { outcome: 'unknown', evidence: expect.stringContaining('which proves nothing after so long') },
    ]);
    const soon = await gateway.run(['journal', 'settle', '-o', 'json'], { home: await homeWith([request]) });
    expect(JSON.parse(soon.stdout)).toMatchObject([{ outcome: 'absent' }]);
  });

  it('is not called absent within a few seconds', async () => {
    const run = await gateway.run(['journal', 'settle', '-o', 'json'], { home: await homeWith([BUY], 2_000) });
    expect(run.code).toBe(8);
    expect(JSON.parse(run.stdout)).toMatchObject([
      { outcome: 'unknown', evidence: expect.stringContaining('less than 10 s ago') },
    ]);
  });

  it('stays unknown if a table cannot be read', async () => {
    gateway.feed.usedUp.add('ClosedPosition');
    const run = await gateway.run(['journal', 'settle', '-o', 'json'], { home: await homeWith([BUY]) });
    gateway.feed.usedUp.clear();
    expect(run.code).toBe(8);
    expect(JSON.parse(run.stdout)[0].evidence).toContain(
      'the table ClosedPosition could not be read: the gateway says that all calls',
    );
  });

  it('of two equal orders matches one position each', async () => {
    gateway.feed.tables['OpenPosition'] = [position()];
    const home = await homeWith([BUY, BUY]);
    const run = await gateway.run(['journal', 'settle'], { home });
    expect(run.code, run.stderr).toBe(0);
    expect(gateway.journal().map(({ outcome, trade_ids }) => ({ outcome, trade_ids }))).toEqual([
      { outcome: 'filled', trade_ids: ['7'] },
      { outcome: 'absent', trade_ids: [] },
    ]);
  });

  it('of two equal filled orders matches one position each', async () => {
    gateway.feed.tables['OpenPosition'] = [position(), position({ tradeId: '9' })];
    const run = await gateway.run(['journal', 'settle'], { home: await homeWith([BUY, BUY]) });
    expect(run.code, run.stderr).toBe(0);
    expect(gateway.journal().map(({ outcome, trade_ids }) => ({ outcome, trade_ids }))).toEqual([
      { outcome: 'filled', trade_ids: ['7'] },
      { outcome: 'filled', trade_ids: ['9'] },
    ]);
  });

  it('is settled alone by its id or a prefix', async () => {
    const home = await homeWith([BUY, CANCEL]);
    const run = await gateway.run(['journal', 'settle', 'id-2', '-q'], { home });
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: 'id-2\n' });
    expect(gateway.journal().map(({ outcome }) => outcome)).toEqual(['unknown', 'done']);
    expect((await gateway.run(['journal', 'settle', 'id-2'], { home })).code).toBe(2);
    expect((await gateway.run(['journal', 'settle', 'id-'], { home })).code).toBe(5);
    expect((await gateway.run(['journal', 'settle', 'x'], { home })).code).toBe(5);
  });

  it.each([
    [['filled', '--trade', '7', '--trade', '8'], { outcome: 'filled', order_ids: [], trade_ids: ['7', '8'] }],
    [['open', '--order', '39'], { outcome: 'open', order_ids: ['39'], trade_ids: [] }],
    [['absent'], { outcome: 'absent', order_ids: [], trade_ids: [] }],
  ])('is settled as the user says: %j', async (as, settled) => {
    const home = await homeWith([BUY, ENTRY]);
    const run = await gateway.run(['journal', 'settle', 'id-1', '-o', 'json', '--as', ...as], { home });
    expect({ code: run.code, calls: gateway.feed.calls }, run.stderr).toEqual({ code: 0, calls: [] });
    expect(JSON.parse(run.stdout)).toMatchObject([settled]);
    expect(gateway.journal()).toMatchObject([settled, { outcome: 'unknown' }]);
    // It is final, and what belongs to it can belong to no other order.
    expect((await gateway.run(['journal', 'settle', 'id-1', '--as', 'absent'], { home })).code).toBe(2);
    const same = await gateway.run(['journal', 'settle', 'id-2', '--as', ...as], { home });
    expect(same.code).toBe(as[0] === 'absent' ? 0 : 2);
  });

  it.each([
    ['without an id', []],
    ['with several', ['id-1', 'id-2']],
    ['with a position that it did not open', ['id-1', '--trade', '7']],
    ['whose sender runs', ['id-3']],
  ])('is not settled as the user says %s', async (_name, ids) => {
    const owner = { ...lockOwner(process.pid), nonce: undefined };
    const home = await homeWith([BUY, CANCEL, { ...ENTRY, owner }]);
    const run = await gateway.run(['journal', 'settle', ...ids, '--as', 'absent'], { home });
    expect(run.code, run.stderr).toBe(ids[0] === 'id-3' ? 3 : 2);
    expect(gateway.journal().map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it('may not exist', async () => {
    const run = await gateway.run(['journal', 'settle']);
    expect({ code: run.code, stdout: run.stdout, calls: gateway.feed.calls }).toEqual({
      code: 0,
      stdout: '',
      calls: [],
    });
    expect(run.stderr).toBe('no unknown outcomes at this gateway\n');
  });
});

it('the newest entry is first in the journal, whatever its outcome', async () => {
  const home = await homeWith([BUY]);
  gateway.feed.onOrder = (response) => reply(response, 200, ACCEPTED);
  await gateway.run(['sell', 'EUR/USD', '1', '--yes'], { home });
  const run = await gateway.run(['journal', '--limit', '1', '-o', 'json'], { home });
  expect(JSON.parse(run.stdout)).toMatchObject([{ command: 'sell', outcome: 'accepted' }]);
});

describe('a repeated request after an unknown outcome', () => {
  const again = ['buy', 'EUR/USD', '9'];
  beforeEach(() => {
    gateway.feed.onOrder = (response) => reply(response, 200, ACCEPTED);
  });

  it.each(['json', 'id'])('is not sent without a terminal, with -o %s and --yes', async (format) => {
    const home = await homeWith([BUY], 2_000);
    for (let attempt = 0; attempt < 2; attempt++) {
      const run = await gateway.run([...again, '--yes', '-o', format], { home });
      expect({ code: run.code, posts: gateway.feed.orders.length }).toEqual({ code: 2, posts: 0 });
      expect(run.stderr).toMatch(/an identical order was sent at .* and its outcome is unknown \(journal id-1\)/);
    }
    const raw = ['api', 'trade', 'POST', BUY.path, '--yes'];
    const fields = Object.entries(BUY.form).flatMap(([name, value]) => ['-f', `${name}=${value}`]);
    const run = await svc([...raw, ...fields], { home, env: gateway.feed.env });
    expect({ code: run.code, posts: gateway.feed.orders.length }, run.stderr).toEqual({ code: 2, posts: 0 });
  });

  it.each([[[]], [['--yes']]])('needs a confirmation at a terminal, with %j', async (more) => {
    const home = await homeWith([BUY], 2_000);
    const run = await gateway.run([...again, ...more], { home, terminal: 200, answer: false });
    expect({ code: run.code, posts: gateway.feed.orders.length }).toEqual({ code: 2, posts: 0 });
    expect(run.asked).toEqual([expect.stringMatching(/^An identical request has an unknown outcome\. Buy 9 EUR\/USD/)]);
    const confirmed = await gateway.run([...again, ...more], { home, terminal: 200, answer: true });
    expect({ code: confirmed.code, posts: gateway.feed.orders.length }).toEqual({ code: 0, posts: 1 });
    expect(confirmed.asked).toHaveLength(1);
  });

  it('is sent if the tables prove that the earlier one was not executed', async () => {
    const run = await gateway.run([...again, '--yes'], { home: await homeWith([BUY], 15_000) });
    expect({ code: run.code, posts: gateway.feed.orders.length }, run.stderr).toEqual({ code: 0, posts: 1 });
    expect(gateway.journal().map(({ outcome }) => outcome)).toEqual(['absent', 'accepted']);
  });

  it.each([
    ['two days ago', BUY, again],
    ['an hour ago', ENTRY, ['entry', 'buy', 'EUR/USD', '9', '--rate', '1.04']],
  ])('is not sent if the tables no longer show orders of %s', async (_name, request, argv) => {
    const home = await homeWith([request], request === BUY ? 48 * 3_600_000 : 3_600_000);
    const run = await gateway.run([...argv, '--yes'], { home });
    expect({ code: run.code, posts: gateway.feed.orders.length }, run.stderr).toEqual({ code: 2, posts: 0 });
  });

  it('is not sent if the earlier one was executed, however often it is repeated', async () => {
    const home = await homeWith([BUY]);
    gateway.feed.tables['OpenPosition'] = [position()];
    for (let attempt = 0; attempt < 3; attempt++) {
      const run = await gateway.run([...again, '--yes'], { home });
      expect({ code: run.code, posts: gateway.feed.orders.length }).toEqual({ code: 2, posts: 0 });
      expect(run.stderr).toContain('position with trade id 7');
    }
  });

  it('is sent while an equal one is in flight', async () => {
    const owner = { ...lockOwner(process.pid), nonce: undefined };
    const home = await homeWith([{ ...BUY, owner }], 2_000);
    const run = await gateway.run([...again, '--yes'], { home });
    expect({ code: run.code, posts: gateway.feed.orders.length }, run.stderr).toEqual({ code: 0, posts: 1 });
    const settled = await gateway.run(['journal', 'settle', '-o', 'json'], { home });
    expect(JSON.parse(settled.stdout)).toMatchObject([{ outcome: 'unknown', evidence: expect.stringMatching(/runs/) }]);
  });

  it.each([
    ['another amount', ['buy', 'EUR/USD', '8']],
    ['another side', ['sell', 'EUR/USD', '9']],
  ])('is a different request with %s', async (_name, argv) => {
    const run = await gateway.run([...argv, '--yes'], { home: await homeWith([BUY]) });
    expect(run.stderr).not.toContain('identical');
  });

  it('has no warning after the outcome is settled', async () => {
    const home = await homeWith([BUY]);
    await gateway.run(['journal', 'settle'], { home });
    expect((await gateway.run([...again, '--yes'], { home })).stderr).not.toContain('identical');
  });

  it('may also be a change', async () => {
    gateway.feed.tables['Order'] = [order()];
    const home = await homeWith([CANCEL]);
    const run = await gateway.run(['orders', 'cancel', '39', '--yes'], { home });
    expect(run.stderr).toContain('(journal id-1)');
  });
});
