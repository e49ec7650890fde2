/** What the wait for fills makes of what a session brings, or brings no more. */
import { describe, expect, it, test } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { openTrading } from '../../../../src/features/trade/client.ts';
import type { Session, SessionEvent } from '../../../../src/features/trade/gateway/session.ts';
import {
  acceptedBut,
  FillWatch,
  fillFooter,
  fillText,
  ordersText,
} from '../../../../src/features/trade/orders/fills.ts';
import { reportOrder } from '../../../../src/features/trade/orders/new-order.ts';
import type { Endpoint } from '../../../../src/http/endpoint.ts';

const AWAITED = { orderId: '39', accountId: '1', symbol: 'EUR/USD', side: 'buy', amountK: 5 } as const;

/** A session whose events a test makes. */
function handMade() {
  const waiting: SessionEvent[] = [];
  let wake = (): void => {};
  let restored: (again: Session) => Promise<void> = async () => {};
  const models: unknown[] = [];
  /** What a read of a table finds. */
  const tables = new Map<unknown, object>();
  const session = {
    async call<T>(
      { answer }: Endpoint<T, 'read'>,
      { body, query }: { body?: { models: string }; query?: { models: string } },
    ) {
      models.push(body?.models ?? `read: ${query?.models}`);
      const outcome = (await answer?.())?.safeParse({ response: { executed: true }, ...tables.get(query?.models) });
      return outcome?.success === true ? outcome.data : undefined;
    },
    async *events(): AsyncGenerator<SessionEvent> {
      for (;;) {
        const next = waiting.shift();
        if (next?.kind === 'closed') {
          yield next;
          return;
        }
        if (next !== undefined) yield next;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
    onReconnect(restore: (again: Session) => Promise<void>) {
      restored = restore;
    },
  } as unknown as Session;
  const bring = (...events: SessionEvent[]): void => {
    waiting.push(...events);
    wake();
  };
  return { session, models, tables, bring, reconnect: () => restored(session) };
}

const push = (name: string, record: object): SessionEvent => ({
  kind: 'push',
  name,
  payload: JSON.stringify(record),
  at: 0,
});
const forEver = (_ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

/** The time for what comes late is over. */
const atOnce = (ms: number, signal?: AbortSignal): Promise<void> =>
  ms === 250 ? Promise.resolve() : forEver(ms, signal);

async function watched(sleep: (ms: number, signal?: AbortSignal) => Promise<void> = forEver, waitMs = 1) {
  const made = handMade();
  const stop = new AbortController();
  const watch = new FillWatch(waitMs, { signal: stop.signal, sleep, notice: () => {} });
  await watch.follow({ session: made.session, trading: openTrading(made.session) });
  return { ...made, stop, watch };
}

describe('the wait for fills', () => {
  test('reports the fills so far if the connection is lost for good', async () => {
    const { bring, watch } = await watched();
    bring(
      push('Order', { orderId: '39', tradeId: '7', amountK: 5, action: 'I' }),
      push('OpenPosition', { tradeId: '7', amountK: 2, open: 1.2, time: '04252018120716' }),
      { kind: 'closed', reason: 'gone', error: new SvcError('connection_lost', 'the gateway is gone') },
    );
    expect(await watch.wait(AWAITED)).toMatchObject({
      status: 'unknown',
      trades: [{ trade_id: '7', amount_k: 2 }],
      reason: 'the gateway is gone',
    });
  });

  test('waits a moment for a position that is pushed after the end of its order', async () => {
    const sleeps: number[] = [];
    const made = await watched((ms, signal) => {
      sleeps.push(ms);
      return forEver(ms, signal);
    }, 60_000);
    const report = made.watch.wait(AWAITED);
    made.bring(
      push('Order', { orderId: '39', tradeId: '7', amountK: 5, action: 'I' }),
      push('Order', { orderId: '39', action: 'D' }),
    );
    await new Promise(setImmediate);
    expect(sleeps).toEqual([60_000, 250]);
    made.bring(push('OpenPosition', { tradeId: '7', amountK: 5, open: 1.2, action: 'I' }));
    expect(await report).toMatchObject({ status: 'filled' });
  });

  describe('reads the tables once more if an order ended without a fill:', () => {
    const position = { tradeId: '7', amountK: 5, open: 1.2, time: '' };
    const nothing = { open_positions: [], closed_positions: [] };
    it.each([
      ['it is open', { ...nothing, open_positions: [position] }, { status: 'filled', trades: [{ trade_id: '7' }] }],
      [
        'it is closed by now',
        { ...nothing, closed_positions: [{ ...position, closeTime: '' }] },
        { status: 'filled', trades: [{ trade_id: '7' }], closed_trades: [{ trade_id: '7' }] },
      ],
      ['a part of it', { ...nothing, open_positions: [{ ...position, amountK: 2 }] }, { status: 'partly_filled' }],
      ['it is nowhere', nothing, { status: 'rejected', reason: 'its last state was "executing"' }],
      ['they cannot be read', {}, { status: 'unknown', reason: expect.stringContaining('could not be read: ') }],
    ])('%s', async (_name, rows, expected) => {
      const { bring, watch, models, tables } = await watched(atOnce);
      for (const model of ['OpenPosition', 'ClosedPosition']) tables.set(model, rows);
      bring(
        push('Order', { orderId: '39', tradeId: '7', amountK: 5, status: 6, action: 'I' }),
        push('Order', { orderId: '39', action: 'D' }),
      );
      expect(await watch.wait(AWAITED)).toMatchObject(expected);
      expect(models[3]).toBe('read: OpenPosition');
    });
  });

  test('never guesses what an order without a linking push has opened', async () => {
    const opened = { accountId: '1', currency: 'EUR/USD', isBuy: true, open: 1.2, amountK: 5, time: '04252018120716' };
    const statusWith = async (row: object, linked: object): Promise<unknown> => {
      const { bring, watch, tables } = await watched(atOnce);
      tables.set('OpenPosition', { open_positions: [{ ...opened, tradeId: '8', ...row }] });
      tables.set('ClosedPosition', { closed_positions: [] });
      bring(
        push('Order', { orderId: '39', amountK: 5, status: 3, time: '04252018120715', ...linked, action: 'I' }),
        push('Order', { orderId: '39', action: 'D' }),
      );
      const { status, trades } = await watch.wait({ ...AWAITED, hedges: true });
      expect(trades).toEqual([]);
      return status;
    };
    expect({
      'a position that may be its': await statusWith({}, {}),
      'one of another order': await statusWith({ orderId: '40' }, {}),
      'one of the other side': await statusWith({ isBuy: false }, {}),
      'one of an earlier time': await statusWith({ time: '04252018120710' }, {}),
      'one of another trade': await statusWith({}, { tradeId: '7' }),
    }).toEqual({
      'a position that may be its': 'unknown',
      'one of another order': 'rejected',
      'one of the other side': 'rejected',
      'one of an earlier time': 'rejected',
      'one of another trade': 'rejected',
    });
  });

  test('is not certain of a fill if the push that links its position was missed', async () => {
    const { bring, watch, tables, reconnect } = await watched(atOnce);
    const opened = { accountId: '1', currency: 'EUR/USD', isBuy: true, open: 1.2, time: '04252018120716' };
    const [seven, eight] = [
      { ...opened, tradeId: '7', amountK: 2 },
      { ...opened, tradeId: '8', amountK: 3 },
    ];
    tables.set('Order', { orders: [] });
    tables.set('OpenPosition', { open_positions: [seven, eight] });
    tables.set('ClosedPosition', { closed_positions: [] });
    await reconnect();
    bring(
      push('Order', { orderId: '39', tradeId: '7', amountK: 5, status: 6, time: '04252018120715', action: 'I' }),
      push('Order', { orderId: '39', action: 'D' }),
    );
    const found = await watch.wait({ ...AWAITED, hedges: true });
    expect(found).toMatchObject({ status: 'unknown', trades: [{ trade_id: '7' }] });
  });

  test.each([
    ['it was seen', [{ orderId: '39', status: 1 }], 'order 39 is still open: '],
    [
      'it was not',
      [],
      'order 39 was accepted, but the tables show neither it nor a position of it; it may be open or ',
    ],
  ])('after the time, calls an order open only if a table shows it: %s', async (_name, orders, footer) => {
    let ring = (): void => {};
    const { watch, tables } = await watched(() => new Promise((resolve) => (ring = resolve)));
    tables.set('Order', { orders });
    for (const model of ['OpenPosition', 'ClosedPosition'])
      tables.set(model, { open_positions: [], closed_positions: [] });
    const report = watch.wait(AWAITED);
    await new Promise(setImmediate);
    ring();
    const { value, code, footer: told } = reportOrder('39', await report);
    expect({ status: value.status, code }).toEqual({ status: 'pending', code: 'still_pending' });
    expect(told?.startsWith(footer)).toBe(true);
  });
});

describe('an order that was accepted', () => {
  const CHECK = 'check svc trade orders and svc trade positions';

  it('has a footer unless it is filled, with what to run next', () => {
    const footer = (status: Parameters<typeof fillFooter>[2]['status'], reason: string | null, id: string | null) =>
      fillFooter('order 39', id, { status, reason });
    expect(footer('filled', null, '39')).toBeUndefined();
    expect(footer('rejected', null, '39')).toBeUndefined();
    expect(footer('rejected', 'no margin', '39')).toBe('order 39: no margin');
    expect(footer('partly_filled', '2K of 5K', '39')).toBe('order 39: 2K of 5K');
    expect(footer('pending', null, null)).toBe(`order 39 is not complete yet; ${CHECK}`);
    expect(footer('pending', null, '39')).toBe('order 39 is still open: svc trade orders get 39, svc trade positions');
    expect(footer('pending', 'the wait ended', '39')).toBe(
      `order 39 was accepted, but the wait ended; it may be open or filled; ${CHECK}`,
    );
    expect(footer('unknown', 'the session ended', '39')).toBe(
      `order 39 was accepted and may be open or filled: the session ended; ${CHECK}`,
    );
  });

  it('is named in a failure that comes while svc waits for it', () => {
    const lost = new SvcError('connection_lost', 'the gateway is gone');
    const failures = [[], ['39'], ['39', '40']].map((ids) => acceptedBut(lost, ids));
    expect(failures).toMatchObject([
      {
        code: 'connection_lost',
        message: 'the gateway is gone: request accepted, and now open or filled',
        hint: 'svc trade orders, svc trade positions',
        more: {},
      },
      {
        message: 'the gateway is gone: order 39 accepted, and now open or filled',
        hint: 'svc trade orders get 39, svc trade positions',
        more: { order_id: '39' },
      },
      {
        message: 'the gateway is gone: orders 39, 40 accepted, and now open or filled',
        hint: 'svc trade orders, svc trade positions',
        more: { order_id: '39 40' },
      },
    ]);
    const bug = new TypeError('a bug');
    expect(acceptedBut(bug, ['39'])).toBe(bug);
  });

  it('has fills with their amount and rate, where the tables say them', () => {
    expect(fillText({ trade_id: '7', amount_k: 5, rate: 1.2, time: null })).toBe('7 5K @ 1.2');
    expect(fillText({ trade_id: '7', amount_k: null, rate: null, time: null })).toBe('7 ?K @ ?');
    expect([[], ['39'], ['39', '40']].map(ordersText)).toEqual(['request', 'order 39', 'orders 39, 40']);
  });
});
