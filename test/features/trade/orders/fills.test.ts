/** What the wait for fills makes of what a session brings, or brings no more. */
import { describe, expect, it, test } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { openTrading } from '../../../../src/features/trade/client.ts';
import type { Session, SessionEvent } from '../../../../src/features/trade/gateway/session.ts';
import { FillWatch } from '../../../../src/features/trade/orders/fills.ts';
import { reportOrder } from '../../../../src/features/trade/orders/new-order.ts';
import type { Endpoint } from '../../../../src/http/endpoint.ts';

const AWAITED = { orderId: '39', accountId: '1', symbol: 'EUR/USD', side: 'buy', amountK: 5 } as const;

/** A session whose events a test makes. */
function handMade() {
  const waiting: SessionEvent[] = [];
  let wake = (): void => {};
  let restored: (again: Session) => Promise<void> = async () => {};
  const models: unknown[] = [];
  /** What a look at a table finds. */
  const tables = new Map<unknown, object>();
  const session = {
    async call<T>(
      { answer }: Endpoint<T, 'read'>,
      { body, query }: { body?: { models: string }; query?: { models: string } },
    ) {
      models.push(body?.models ?? `look: ${query?.models}`);
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

test('subscribes to the three tables before it resolves', async () => {
  expect((await watched()).models).toEqual(['Order', 'OpenPosition', 'ClosedPosition']);
});

test('counts pushes from before the wait', async () => {
  const { bring, watch } = await watched();
  bring(
    push('OpenPosition', { tradeId: '7', amountK: 5, open: 1.2, time: '' }),
    push('Order', { orderId: '39', tradeId: '7', amountK: 5, action: 'I' }),
  );
  await new Promise(setImmediate);
  expect(await watch.wait(AWAITED)).toEqual({
    status: 'filled',
    trades: [{ trade_id: '7', amount_k: 5, rate: 1.2, time: null }],
    closed_trades: [],
    reason: null,
  });
});

test('reports the fills so far after the connection is lost for good', async () => {
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

test('waits for a position that comes after the end of its order', async () => {
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

test.each([
  ['rejected', { orderId: '39', amountK: 5, action: 'I' }, []],
  [
    'partly_filled',
    { orderId: '39', tradeId: '7', amountK: 5, action: 'I' },
    [{ tradeId: '7', amountK: 2, open: 1.2 }],
  ],
] as const)('a canceled order is %s when nothing more comes', async (status, order, positions) => {
  const { bring, watch, tables } = await watched(atOnce);
  tables.set('OpenPosition', { open_positions: positions });
  tables.set('ClosedPosition', { closed_positions: [] });
  bring(push('Order', order), push('Order', { orderId: '39', status: 3, action: 'D' }));
  expect(await watch.wait(AWAITED)).toMatchObject({ status });
});

describe('searches for an order that ended without a reason before it is called unfilled', () => {
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
    ['no look is to be had', {}, { status: 'unknown', reason: expect.stringContaining('could not be read: ') }],
  ])('%s', async (_name, rows, expected) => {
    const { bring, watch, models, tables } = await watched(atOnce);
    for (const model of ['OpenPosition', 'ClosedPosition']) tables.set(model, rows);
    bring(
      push('Order', { orderId: '39', tradeId: '7', amountK: 5, status: 6, action: 'I' }),
      push('Order', { orderId: '39', action: 'D' }),
    );
    expect(await watch.wait(AWAITED)).toMatchObject(expected);
    expect(models[3]).toBe('look: OpenPosition');
  });
});

test.each([
  ['a position that may be its', {}, {}, 'unknown'],
  ['one of another order', { orderId: '40' }, {}, 'rejected'],
  ['one of another side', { isBuy: false }, {}, 'rejected'],
  ['one of an earlier time', { time: '04252018120710' }, {}, 'rejected'],
  ['one of another trade', {}, { tradeId: '7' }, 'rejected'],
])('never guesses what an order without a linking push has opened: %s', async (_name, row, linked, status) => {
  const { bring, watch, tables } = await watched(atOnce);
  const opened = { accountId: '1', currency: 'EUR/USD', isBuy: true, open: 1.2, amountK: 5, time: '04252018120716' };
  tables.set('OpenPosition', { open_positions: [{ ...opened, tradeId: '8', ...row }] });
  tables.set('ClosedPosition', { closed_positions: [] });
  bring(
    push('Order', { orderId: '39', amountK: 5, status: 3, time: '04252018120715', ...linked, action: 'I' }),
    push('Order', { orderId: '39', action: 'D' }),
  );
  expect(await watch.wait({ ...AWAITED, hedges: true })).toMatchObject({ status, trades: [] });
});

test('after a gap the link of a position may be missing', async () => {
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

test('a push ends only the wait for its order', async () => {
  const { bring, watch } = await watched();
  const woken: string[] = [];
  void watch.wait(AWAITED).then(() => woken.push('39'));
  void watch.wait({ ...AWAITED, orderId: '40' }).then(() => woken.push('40'));
  bring(
    push('OpenPosition', { tradeId: '8', amountK: 5, open: 1.2, action: 'I' }),
    push('Order', { orderId: '40', tradeId: '8', amountK: 5, action: 'I' }),
  );
  await new Promise(setImmediate);
  expect(woken).toEqual(['40']);
});

test.each([
  ['it was seen', [{ orderId: '39', status: 1 }], 'order 39 is still open: '],
  ['it was not', [], 'order 39 was accepted, but the tables show neither it nor a position of it; it may be open or '],
])('when the time is over, reports only a seen order as open: %s', async (_name, orders, footer) => {
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

test('interrupted, it rejects at once', async () => {
  const { stop, watch } = await watched();
  const report = watch.wait(AWAITED);
  stop.abort(new SvcError('interrupted', 'interrupted'));
  await expect(report).rejects.toMatchObject({ code: 'interrupted' });
});
