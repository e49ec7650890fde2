/** `journal settle`: the rows that are alike, what the user declares, and what svc says when such a request is repeated. */
import { beforeEach, describe, expect, it } from 'vitest';
import { processName } from '../../../../src/store/lock.ts';
import type { OrderSent } from '../../../../src/store/order-journal.ts';
import { addToJournal } from '../../../support/journal.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';
import { ACCOUNT, fileGateway, reply, tableTime } from './document-gateway.ts';

const gateway = await fileGateway();

const AGO_MS = 20_000;
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
  readonly form: OrderSent['form'];
  readonly owner?: OrderSent['owner'];
  readonly asked?: OrderSent['asked'];
  readonly clock_skew?: number;
}

/** A home whose journal has these, sent a minute ago and never answered. */
function homeWith(requests: readonly Sent[], ago = AGO_MS): string {
  const home = temporaryHome();
  const paths = { config: `${home}/config`, state: `${home}/state` };
  for (const [index, request] of requests.entries()) {
    const at = new Date(Date.now() - ago + index).toISOString();
    const base_url = `${gateway.feed.env['SVC_TRADE_URL']}/`;
    addToJournal(paths, { id: `id-${index + 1}`, at, profile: 'default', base_url, ...request });
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

const settle = (home: string, ...more: string[]) => gateway.run(['journal', 'settle', '-o', 'json', ...more], { home });

describe('svc trade journal settle', () => {
  const entry = (more: object = {}) => order({ isEntryOrder: true, type: 'LE', buy: 1.04, ...more });
  type Listed = readonly [request: Sent, tables: () => Record<string, readonly object[]>, alike: readonly string[]];
  const LISTED: Readonly<Record<string, Listed>> = {
    'an open position': [BUY, () => ({ OpenPosition: [position()] }), ['open position 7']],
    'a position of any amount': [BUY, () => ({ OpenPosition: [position({ amountK: 4 })] }), ['open position 7']],
    'a position that is closed by now': [BUY, () => ({ ClosedPosition: [closed()] }), ['closed position 7']],
    'a pending order': [BUY, () => ({ Order: [order()] }), ['order 39']],
    'an entry order at any rate': [ENTRY, () => ({ Order: [entry({ buy: 1.05 })] }), ['order 39']],
    'a row without a time or an account': [
      BUY,
      () => ({ Order: [order({ time: '', accountId: undefined })] }),
      ['order 39'],
    ],
    'a row without a symbol, a side, an amount or a rate': [
      BUY,
      () => ({
        Order: [order({ currency: undefined, isBuy: undefined, amountK: undefined, buy: undefined, sell: undefined })],
      }),
      ['order 39'],
    ],
    'what it closed on the other side': [
      BUY,
      () => ({ ClosedPosition: [closed({ isBuy: false, openTime: before.time })] }),
      ['closed position 7'],
    ],
    'no row': [BUY, () => ({}), []],
    'no older order': [BUY, () => ({ Order: [order(before)] }), []],
    'no older position': [BUY, () => ({ OpenPosition: [position(before)] }), []],
    'no position that was opened before': [BUY, () => ({ ClosedPosition: [closed({ openTime: before.time })] }), []],
    'no position of the other side': [BUY, () => ({ OpenPosition: [position({ isBuy: false })] }), []],
    'no position of another symbol': [BUY, () => ({ OpenPosition: [position({ currency: 'USD/JPY' })] }), []],
    'no position of another account': [BUY, () => ({ OpenPosition: [position({ accountId: '2' })] }), []],
    'the trade that it closes, however old': [
      CLOSE,
      () => ({
        OpenPosition: [position(before), position({ tradeId: '8' })],
        ClosedPosition: [closed({ amountK: 2 })],
      }),
      ['closed position 7', 'open position 7'],
    ],
    'all of a symbol, and what was closed of it since': [
      CLOSE_ALL,
      () => ({ OpenPosition: [position(before)], ClosedPosition: [closed({ tradeId: '8', isBuy: false })] }),
      ['closed position 8', 'open position 7'],
    ],
    'the order that it cancels': [CANCEL, () => ({ Order: [order(before), order({ orderId: '40' })] }), ['order 39']],
    'the trade that it changes': [STOP, () => ({ OpenPosition: [position(before)] }), ['open position 7']],
  };

  const ALIKE = ['kind', 'id', 'symbol', 'side', 'amount_k', 'rate', 'time'];

  it('lists the rows that are alike, and sends nothing', async () => {
    for (const [name, [request, tables, alike]] of Object.entries(LISTED)) {
      const none = { OpenPosition: [], ClosedPosition: [], Order: [] };
      Object.assign(gateway.feed.tables, none, tables());
      const run = await settle(homeWith([request]));
      expect(run.code, `${name}: ${run.stderr}`).toBe(8);
      const [row] = JSON.parse(run.stdout);
      expect(row, name).toMatchObject({ id: 'id-1', outcome: 'unknown' });
      for (const one of row.alike) expect(Object.keys(one), name).toEqual(ALIKE);
      const listed = row.alike.map(({ kind, id }: { kind: string; id: string }) => `${kind} ${id}`);
      expect(listed, name).toEqual(alike);
      expect(gateway.journal()).toMatchObject([{ id: 'id-1', outcome: 'unknown' }]);
    }
    expect(gateway.feed.orders).toEqual([]);
  });

  it('lists the newest row first, and the next command', async () => {
    const later = tableTime(Date.now() - AGO_MS + 5_000);
    gateway.feed.tables['OpenPosition'] = [position(), position({ tradeId: '9', time: later })];
    const home = homeWith([BUY, CANCEL]);
    const run = await gateway.run(['journal', 'settle', 'id-1'], { home });
    expect(run.code).toBe(8);
    expect(run.stdout).toMatch(/ buy +unknown +9 7 +id-1/);
    expect(run.stderr).toMatch(
      /^buy of .*Z: alike at the gateway, newest first:\n {2}open position 9 \(buy 9K EUR\/USD at 1\.16, 20.*Z\)\n {2}open position 7 /,
    );
    expect(run.stderr).toContain('svc trade journal settle id-1 --as filled|open|done|absent');
    const others = await gateway.run(['journal', 'settle', 'id-2'], { home });
    expect(others.stderr).toMatch(/^orders cancel of .*Z: nothing alike is at the gateway now\n {2}if you know /);
    gateway.feed.tables['OpenPosition'] = [position()];
    const one = await gateway.run(['journal', 'settle', 'id-1'], { home });
    expect(one.stderr).toContain('alike at the gateway, newest first:\n  open position 7 ');
    expect((await gateway.run(['journal', 'settle', '-q'], { home })).stdout).toBe('id-1\nid-2\n');
    const several = await gateway.run(['journal', 'settle', 'id-'], { home });
    expect(several).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('several entries have an id starting with id-'),
    });
    const none = await gateway.run(['journal', 'settle', 'x'], { home });
    expect(none).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('no entry of this gateway has an id starting with x'),
    });
  });

  it('compares times by the clock of the gateway', async () => {
    const time = tableTime(Date.now() - 3_600_000);
    gateway.feed.tables['OpenPosition'] = [position({ time })];
    expect(JSON.parse((await settle(homeWith([BUY]))).stdout)).toMatchObject([{ alike: [] }]);
    const ahead = homeWith([{ ...BUY, clock_skew: -3_600_000 }]);
    expect(JSON.parse((await settle(ahead)).stdout)).toMatchObject([{ alike: [{ id: '7' }] }]);
    gateway.feed.onModel = (_model, response) => {
      response.sendDate = false;
      return false;
    };
    expect(JSON.parse((await settle(homeWith([BUY]))).stdout)).toMatchObject([{ alike: [{ id: '7' }] }]);
  });

  it('lists rows even if a table cannot be read', async () => {
    gateway.feed.usedUp.add('ClosedPosition');
    gateway.feed.tables['Order'] = [order()];
    const run = await settle(homeWith([BUY]));
    gateway.feed.usedUp.clear();
    expect(run.code).toBe(8);
    expect(run.stderr).toContain('the table ClosedPosition could not be read: the gateway says that all calls');
    expect(JSON.parse(run.stdout)).toMatchObject([{ alike: [{ id: '39' }] }]);
  });

  it.each(['filled', 'absent'])('settles one as the user says: %s', async (as) => {
    const home = homeWith([BUY, ENTRY]);
    const run = await settle(home, 'id-1', '--as', as);
    expect({ code: run.code, calls: gateway.feed.calls }, run.stderr).toEqual({ code: 0, calls: [] });
    expect(JSON.parse(run.stdout)).toMatchObject([{ id: 'id-1', outcome: as }]);
    expect(gateway.journal()).toMatchObject([{ outcome: as }, { outcome: 'unknown' }]);
    // It is final.
    expect((await settle(home, 'id-1', '--as', 'absent')).code).toBe(2);
    expect(gateway.journal()).toMatchObject([{ outcome: as }, { outcome: 'unknown' }]);
  });

  it.each<[string, number, readonly string[], number]>([
    ['without an id', 2, [], AGO_MS],
    ['with several', 2, ['id-1', 'id-2'], AGO_MS],
    ['whose sender runs', 3, ['id-3'], AGO_MS],
    ['that was sent a moment ago', 3, ['id-1'], 2_000],
  ])('settles none as absent %s', async (_name, code, ids, ago) => {
    const owner = processName(process.pid);
    const run = await settle(homeWith([BUY, CANCEL, { ...ENTRY, owner }], ago), ...ids, '--as', 'absent');
    expect(run.code, run.stderr).toBe(code);
    expect(gateway.journal().map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown', 'unknown']);
  });

  it.each([
    ['refuses it for a minute', 30_000, 3, 'unknown'],
    ['settles it after that', 90_000, 0, 'absent'],
  ])('of a request from another machine, whose sender cannot be checked, %s', async (_name, ago, code, outcome) => {
    const owner = { ...processName(process.pid), host: 'elsewhere' };
    const run = await settle(homeWith([{ ...BUY, owner }], ago), 'id-1', '--as', 'absent');
    expect({ code: run.code, journal: gateway.journal() }, run.stderr).toMatchObject({ code, journal: [{ outcome }] });
  });
});

it('a raw order that the gateway refuses for a used-up limit was sent, and is refused', async () => {
  const message = 'ORA-20301: The number of API requests has exceeded the limit. Cmd=117';
  gateway.feed.onOrder = (response) => reply(response, 400, JSON.stringify({ code: 7, message, parameters: [] }));
  const home = temporaryHome();
  const fields = Object.entries(BUY.form).flatMap(([name, value]) => ['-f', `${name}=${value}`]);
  const argv = ['api', 'trade', 'POST', BUY.path, ...fields, '--yes', '-o', 'json'];
  const run = await svc(argv, { home, env: gateway.feed.env });
  const journal = await gateway.run(['journal', '-o', 'json'], { home });
  expect({ code: run.code, journal: JSON.parse(journal.stdout) }, run.stderr).toMatchObject({
    code: 6,
    journal: [{ outcome: 'refused', error: { code: 'limited' } }],
  });
});

describe('the same request after an unknown outcome', () => {
  const again = ['buy', 'EUR/USD', '9'];
  beforeEach(() => {
    gateway.feed.onOrder = (response) => reply(response, 200, ACCEPTED);
  });

  it('is not sent without a terminal, not even with --yes', async () => {
    const home = homeWith([BUY], 2_000);
    for (let attempt = 0; attempt < 2; attempt++) {
      const run = await gateway.run([...again, '--yes'], { home });
      expect({ code: run.code, posts: gateway.feed.orders.length }).toEqual({ code: 2, posts: 0 });
      expect(run.stderr).toMatch(/an identical order was sent at .* and its outcome is unknown \(journal id-1\)/);
    }
    const raw = ['api', 'trade', 'POST', BUY.path, '--yes'];
    const fields = Object.entries(BUY.form).flatMap(([name, value]) => ['-f', `${name}=${value}`]);
    const run = await svc([...raw, ...fields], { home, env: gateway.feed.env });
    expect({ code: run.code, posts: gateway.feed.orders.length }, run.stderr).toEqual({ code: 2, posts: 0 });
  });

  it.each([
    ['another machine', { host: 'elsewhere' }],
    ['another container', { place: 'another boot and namespace' }],
  ])('is not sent if the sender cannot be checked because it is on %s', async (_name, where) => {
    const owner = { ...processName(process.pid), ...where };
    const home = homeWith([{ ...BUY, owner }], 2_000);
    const run = await gateway.run([...again, '--yes'], { home });
    expect({ code: run.code, posts: gateway.feed.orders.length }, run.stderr).toEqual({ code: 2, posts: 0 });
  });

  it.each([[[]], [['--yes']]])('needs a confirmation at a terminal, with %j', async (more) => {
    const home = homeWith([BUY], 2_000);
    const run = await gateway.run([...again, ...more], { home, terminal: 200, answer: false });
    expect({ code: run.code, posts: gateway.feed.orders.length }).toEqual({ code: 2, posts: 0 });
    expect(run.asked).toEqual([expect.stringMatching(/^An identical request has an unknown outcome\. Buy 9 EUR\/USD/)]);
    const confirmed = await gateway.run([...again, ...more], { home, terminal: 200, answer: true });
    expect({ code: confirmed.code, posts: gateway.feed.orders.length }).toEqual({ code: 0, posts: 1 });
    expect(confirmed.asked).toHaveLength(1);
  });

  it.each([
    ['two days ago', BUY, again, 48 * 3_600_000],
    ['just now', BUY, again, AGO_MS],
  ])('is not sent until it is settled: %s', async (_name, request, argv, ago) => {
    const home = homeWith([request], ago);
    for (let attempt = 0; attempt < 2; attempt++) {
      const run = await gateway.run([...argv, '--yes'], { home });
      expect({ code: run.code, posts: gateway.feed.orders.length }, run.stderr).toEqual({ code: 2, posts: 0 });
      expect(run.stderr).toContain('svc trade journal settle id-1');
    }
    await settle(home, 'id-1', '--as', 'absent');
    const run = await gateway.run([...argv, '--yes'], { home });
    expect({ code: run.code, posts: gateway.feed.orders.length }, run.stderr).toEqual({ code: 0, posts: 1 });
    expect(run.stderr).not.toContain('identical');
  });

  it('is sent if the sender of the other is still running', async () => {
    const owner = processName(process.pid);
    const home = homeWith([{ ...BUY, owner }], 2_000);
    const run = await gateway.run([...again, '--yes'], { home });
    expect({ code: run.code, posts: gateway.feed.orders.length }, run.stderr).toEqual({ code: 0, posts: 1 });
  });

  it('may have another date, but no other account', async () => {
    const entry = ['entry', 'buy', 'EUR/USD', '9', '--rate', '1.04', '--expires', '2h', '--yes'];
    gateway.feed.onOrder = (response) => response.destroy();
    await gateway.run(entry);
    const [sent] = gateway.journal();
    const { command, path, form, asked } = sent as OrderSent;
    gateway.feed.onOrder = (response) => reply(response, 200, ACCEPTED);
    for (const [account_id, posts] of [
      [ACCOUNT, 0],
      ['2', 1],
    ] as const) {
      gateway.feed.orders.length = 0;
      const home = homeWith([{ command, path, form: { ...form, account_id }, asked }]);
      const run = await gateway.run(entry, { home, now: () => Date.now() + 300_000 });
      expect({ account_id, posts: gateway.feed.orders.length }, run.stderr).toEqual({ account_id, posts });
    }
  });

  it('is another request with another side', async () => {
    const run = await gateway.run(['sell', 'EUR/USD', '9', '--yes'], { home: homeWith([BUY]) });
    expect(run.stderr).not.toContain('identical');
  });

  it('may be a change, too', async () => {
    gateway.feed.tables['Order'] = [order()];
    const home = homeWith([CANCEL]);
    const run = await gateway.run(['orders', 'cancel', '39', '--yes'], { home });
    expect(run.stderr).toContain('svc trade journal settle id-1');
    expect(gateway.feed.orders).toHaveLength(1);
  });
});
