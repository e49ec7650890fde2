/** After a lost response, svc watches pushes, reads the tables at the end, and names only possible candidates. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type RunOptions, temporaryHome } from '../../../support/svc.ts';
import { useUpCalls } from '../counts.ts';
import { ACCOUNT, type DocumentGateway, errorOf, fileGateway, reply, tableTime } from './document-gateway.ts';

const gateway = await fileGateway();

const BUY = ['buy', 'EUR/USD', '9', '--account', ACCOUNT, '--yes', '-o', 'json'];
const ENTRY = ['entry', 'buy', 'EUR/USD', '6', '--rate', '1.04', '--account', ACCOUNT, '--yes', '-o', 'json'];

const cut = (response: ServerResponse): void => void response.socket?.destroy();

/** The rows of an order that was executed at this time. */
function rows(more: object = {}, at = Date.now()) {
  const row = { accountId: ACCOUNT, currency: 'EUR/USD', isBuy: true, amountK: 9, time: tableTime(at), ...more };
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

describe('pushes', () => {
  it.each([
    ['that come after the response is lost', [...BUY]],
    ['that come after the response is lost, with --wait', [...BUY, '--wait', '20s']],
  ])('%s identify the order with its position', async (_name, argv) => {
    const { feed } = gateway;
    const error = await lost(
      argv,
      async (response) => {
        cut(response);
        // Nothing is in the tables, however often they are read.
        await feed.subscribed('ClosedPosition');
        const { order, position } = rows();
        feed.push('Order', { ...order, action: 'I' });
        feed.push('OpenPosition', { ...position, action: 'I' });
        feed.push('Order', { ...order, action: 'D' });
      },
      { sleeps: true },
    );
    expect(error['candidates']).toBe('390285837 170162801');
    expect(error['message']).toContain('this may be it: order 390285837 (buy 9K EUR/USD, ');
    expect(gateway.feed.calls.filter((call) => call === 'POST /trading/subscribe models=Order')).toHaveLength(1);
  });

  it('of a pending entry order suffice', async () => {
    const { feed } = gateway;
    const error = await lost(
      ENTRY,
      async (response) => {
        cut(response);
        await feed.subscribed('ClosedPosition');
        const { order } = rows({ amountK: 6, type: 'LE', isEntryOrder: true, buy: 1.04, sell: 0 });
        feed.push('Order', { ...order, action: 'I' });
      },
      { sleeps: true },
    );
    expect(error['candidates']).toBe('390285837');
  });

  it('that are lost, too, are replaced by the tables at the end', async () => {
    let reads = 0;
    gateway.feed.onModel = (model) => {
      if (model === 'OpenPosition' && ++reads === 2) gateway.feed.tables['OpenPosition'] = [rows().position];
      return false;
    };
    const error = await lost(BUY, cut);
    expect({ candidates: error['candidates'], reads }).toEqual({ candidates: '170162801', reads: 2 });
  });

  it('continue in a new session if the connection is lost with the response', async () => {
    const { feed } = gateway;
    const error = await lost(
      BUY,
      async (response) => {
        feed.drop();
        cut(response);
        await feed.subscribed('ClosedPosition');
        feed.push('OpenPosition', { ...rows().position, action: 'I' });
      },
      { sleeps: true },
    );
    expect(error['candidates']).toBe('170162801');
  });
});

describe('excludes what cannot be the order', () => {
  const seen = (...orders: object[]) => ({ Order: orders });
  const open = (...positions: object[]) => ({ OpenPosition: positions });
  const earlier = () => rows({}, Date.now() - 3_600_000);
  const entry = (more: object) => rows({ amountK: 6, isEntryOrder: true, type: 'LE', ...more }).order;
  it.each<[string, readonly string[], () => object]>([
    ['more than its amount', BUY, () => seen(rows({ amountK: 10 }).order)],
    ['an order of the other side', BUY, () => seen(rows({ isBuy: false }).order)],
    ['a position of the other side', BUY, () => open(rows({ isBuy: false }).position)],
    ['another account', BUY, () => open(rows({ accountId: '2' }).position)],
    ['an older order', BUY, () => seen(earlier().order)],
    ['an older position', BUY, () => open(earlier().position)],
    ['an entry order, of an order at market', BUY, () => seen(rows({ type: 'LE', isEntryOrder: true }).order)],
    ['the stop of a trade', BUY, () => seen(rows({ type: 'S', isEntryOrder: false }).order)],
    ['another rate', ENTRY, () => seen(entry({ buy: 1.05 }))],
    ['less, at another rate', ENTRY, () => seen(entry({ amountK: 5, buy: 1.05 }))],
  ])('%s', async (_name, argv, tables) => {
    Object.assign(gateway.feed.tables, tables());
    const error = await lost(argv, cut);
    expect(error['candidates']).toBe('');
    expect(error['message']).toContain('no match at the gateway now, which proves nothing');
  });

  it.each<[string, readonly string[], () => object]>([
    ['less than its amount', BUY, () => open(rows({ amountK: 8 }).position)],
    ['a position at another rate', ENTRY, () => open(rows({ amountK: 6, open: 1.16 }).position)],
  ])('shows %s, but not as a candidate', async (_name, argv, tables) => {
    Object.assign(gateway.feed.tables, tables());
    const error = await lost(argv, cut);
    expect(error).toMatchObject({ candidates: '', message: expect.stringMatching(/; position with trade id \d+/) });
  });

  it.each<[string, readonly string[], () => object, string]>([
    ['an order', BUY, () => seen(rows().order), '390285837'],
    ['a position', BUY, () => open(rows().position), '170162801'],
    ['an entry order', ENTRY, () => seen(entry({ buy: 1.04 })), '390285837'],
    ['the position of an entry order', ENTRY, () => open(rows({ amountK: 6, open: 1.04 }).position), '170162801'],
  ])('but shows a matching %s as one', async (_name, argv, tables, candidates) => {
    Object.assign(gateway.feed.tables, tables());
    expect((await lost(argv, cut))['candidates']).toBe(candidates);
  });

  it('accepts its parts together', async () => {
    const parts = [2, 3, 4].map((amountK) => rows({ amountK, tradeId: String(amountK) }).position);
    gateway.feed.tables['OpenPosition'] = parts;
    expect((await lost(BUY, cut))['candidates']).toBe('2 3 4');
  });

  it('excludes the position of another order', async () => {
    const { feed } = gateway;
    feed.tables['OpenPosition'] = [rows().position];
    feed.tables['Order'] = [rows({ type: 'LE', isEntryOrder: true }).order];
    expect((await lost(BUY, cut))['candidates']).toBe('');
  });
});

describe('after an equal order that was just accepted', () => {
  const ACCEPTED = '{"response":{"executed":true},"data":{"type":0,"orderId":390285837}}';
  /** The second one is lost; the tables then have this many positions. */
  async function second(positions: number) {
    const { feed } = gateway;
    const open = (count: number) =>
      Array.from({ length: count }, (_, index) => rows({ tradeId: `${index + 1}` }).position);
    feed.onOrder = (response) => reply(response, 200, ACCEPTED);
    const home = temporaryHome();
    expect((await gateway.run(BUY, { home })).code).toBe(0);
    feed.onOrder = (response) => {
      feed.tables['OpenPosition'] = open(positions);
      cut(response);
    };
    const run = await gateway.run(BUY, { home });
    expect({ code: run.code, posts: feed.orders.length }, run.stderr).toEqual({ code: 8, posts: 2 });
    return { error: errorOf(run), home };
  }

  it('the only position belongs to that order, and the search continues', async () => {
    let reads = 0;
    gateway.feed.onModel = (model) => {
      if (model === 'OpenPosition') reads += 1;
      return false;
    };
    const { error } = await second(1);
    expect({ candidates: error['candidates'], reads }).toEqual({ candidates: '', reads: 2 });
  });

  it('one of two positions belongs to it', async () => {
    const { error } = await second(2);
    expect(error['candidates']).toBe('1 2');
    expect(error['message']).toContain('unless it belongs to order 390285837, which has the same terms');
  });

  it('the outcome stays unknown, because it may have ended without a fill', async () => {
    const { home } = await second(1);
    const run = await gateway.run(['journal', 'settle', '-o', 'json'], { home });
    expect(run.code).toBe(8);
    expect(JSON.parse(run.stdout)).toMatchObject([
      { outcome: 'unknown', evidence: expect.stringContaining('position with trade id 1') },
    ]);
  });
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
  expect(JSON.parse(run.stdout)).toMatchObject({ status: 'filled', trades: [{ tradeId: '170162801' }] });
});

it('--wait checks once more before it reports that the order is pending', async () => {
  gateway.feed.onOrder = (response) => {
    gateway.feed.tables['OpenPosition'] = [rows().position];
    reply(response, 200, '{"response":{"executed":true},"data":{"type":0,"orderId":390285837}}');
  };
  const run = await gateway.run([...BUY, '--wait', '10s']);
  expect(run.code, run.stderr).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({ status: 'filled', trades: [{ tradeId: '170162801', amountK: 9 }] });
});

describe('a close with a lost response', () => {
  const CLOSE = ['close', '170162801', '--account', ACCOUNT, '--yes', '-o', 'json'];

  it('is found in pushes', async () => {
    const { feed } = gateway;
    const { position } = rows();
    feed.tables['OpenPosition'] = [position];
    const error = await lost(
      CLOSE,
      async (response) => {
        cut(response);
        await feed.subscribed('ClosedPosition');
        const closed = { ...position, close: 1.17, closeTime: tableTime(Date.now()) };
        Object.assign(feed.tables, { OpenPosition: [], ClosedPosition: [closed] });
        feed.push('OpenPosition', { ...position, action: 'D' });
        feed.push('ClosedPosition', { ...closed, action: 'I' });
      },
      { sleeps: true },
    );
    expect(error['message']).toContain('trade 170162801: nothing open any more');
  });
});
