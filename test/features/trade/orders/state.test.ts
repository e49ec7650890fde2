/** What belongs to an order does not depend on the order in which its tables are pushed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PushedRecord, RowPush } from '../../../../src/features/trade/gateway/push.ts';
import { type AwaitedOrder, orderState } from '../../../../src/features/trade/orders/state.ts';
import { SeenTables } from '../../../../src/features/trade/tables/seen-tables.ts';
import { tableRows } from '../rows.ts';

const AWAITED: AwaitedOrder = {
  orderId: '39',
  accountId: '1',
  symbol: 'EUR/USD',
  side: 'buy',
  amountK: 7,
  hedges: true,
};
const push = (model: RowPush['model'], action: RowPush['action'], record: PushedRecord): RowPush => ({
  kind: 'row',
  model,
  action,
  key: String(record[model === 'Order' ? 'orderId' : 'tradeId']),
  record,
});
const order = (record: PushedRecord, action: RowPush['action'] = 'U') =>
  push('Order', action, { orderId: '39', ...record });
const opened = (tradeId: string, amountK: number, more: PushedRecord = {}) =>
  push('OpenPosition', 'I', {
    tradeId,
    accountId: '1',
    currency: 'EUR/USD',
    isBuy: true,
    amountK,
    open: 1.2,
    time: '04252018120716',
    ...more,
  });
const closed = (tradeId: string, amountK: number, more: PushedRecord = {}) =>
  push('ClosedPosition', 'I', {
    tradeId,
    accountId: '1',
    currency: 'EUR/USD',
    isBuy: false,
    amountK,
    close: 1.2,
    closeTime: '04252018120717',
    ...more,
  });
const INSERT = order({ tradeId: '100', time: '04252018120716391', status: 2, amountK: 7 }, 'I');

function stateOf(pushes: readonly RowPush[], awaited: Partial<AwaitedOrder> = {}) {
  const tables = new SeenTables();
  for (const one of pushes) tables.take(one);
  return orderState({ ...AWAITED, ...awaited }, tables);
}

describe('an order', () => {
  test('of three parts has three trades, in whatever order they are pushed', () => {
    const pushes = [
      INSERT,
      order({ tradeId: '100', amountK: 5, status: 6 }),
      opened('100', 2),
      order({ tradeId: '101', amountK: 3 }),
      opened('101', 2),
      order({ tradeId: '102', amountK: 0 }),
      opened('102', 3),
      push('OpenPosition', 'U', { tradeId: '100', close: 1.3, grossPL: 4 }),
      // somebody else's
      opened('200', 7),
      push('Order', 'I', { orderId: '40', tradeId: '200', amountK: 7 }),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(pushes, { minLength: pushes.length }), (shuffled) => {
        const { trades, closed_trades, filled } = stateOf(shuffled);
        expect(filled).toBe(true);
        expect(closed_trades).toEqual([]);
        const sums = new Map(trades.map(({ trade_id, amount_k }) => [trade_id, amount_k]));
        expect(sums).toEqual(
          new Map([
            ['100', 2],
            ['101', 2],
            ['102', 3],
          ]),
        );
      }),
    );
  });

  test('is filled as soon as the parts add up to its amount', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 6 }), (parts) => {
        const pushes = [
          INSERT,
          ...parts.flatMap((part, i) => [order({ tradeId: String(100 + i) }), opened(String(100 + i), part)]),
        ];
        const sum = parts.reduce((all, part) => all + part, 0);
        expect(stateOf(pushes)).toMatchObject({ filled: sum >= 7, touched: sum > 0, over: false });
      }),
    );
  });

  test('adds up thousandths exactly', () => {
    const pushes = [
      order({ tradeId: '100', amountK: 0.003 }, 'I'),
      ...['100', '101', '102'].flatMap((id) => [order({ tradeId: id }), opened(id, 0.001)]),
    ];
    expect(stateOf(pushes, { amountK: 0.003 }).filled).toBe(true);
  });

  test('opened the trade that its row names, unless it closes that trade', () => {
    const tables = new SeenTables();
    for (const tradeId of ['7', '8']) tables.take(order({ tradeId }));
    tables.take(push('Order', 'I', { orderId: '40', tradeId: '7', type: 'CM' }));
    tables.take(push('Order', 'U', { orderId: '40', tradeId: '7' }));
    expect(['7', '8', '9'].map((id) => tables.openedBy(id))).toEqual(['39', '39', undefined]);
  });

  test('opened the position that names it', () => {
    expect(stateOf([opened('300', 7, { orderId: 39 })])).toMatchObject({
      filled: true,
      trades: [{ trade_id: '300' }],
      seen: false,
    });
  });

  test('may have positions that name no order, since it was sent, of its account, symbol and side', () => {
    const unlinked = (more: PushedRecord = {}) =>
      stateOf([order({ time: '04252018120716391' }, 'I'), opened('300', 7, more)]).unlinked;
    expect(unlinked()).toBe(true);
    expect(unlinked({ accountId: undefined })).toBe(true);
    expect(unlinked({ time: undefined })).toBe(true);
    const others = [
      { accountId: '2' },
      { currency: 'USD/JPY' },
      { isBuy: false },
      { orderId: '40' },
      { time: '04252018120715' },
    ];
    expect(others.map(unlinked)).toEqual(others.map(() => false));
    // A linked one is not looked for, unless pushes were missed.
    expect(stateOf([INSERT, opened('300', 7)]).unlinked).toBe(false);
  });

  test('is filled even if its trade was stopped out at once', () => {
    const state = stateOf([INSERT, closed('100', 7, { isBuy: true, open: 1.21, openTime: '04252018120716' })]);
    expect(state).toMatchObject({
      filled: true,
      trades: [{ trade_id: '100', rate: 1.21 }],
      closed_trades: [{ trade_id: '100', rate: 1.2 }],
    });
  });

  describe('counts trades that it closes on the other side', () => {
    test('only in a non-hedging account', () => {
      const pushes = [INSERT, closed('50', 4), opened('100', 3)];
      expect(stateOf(pushes, { hedges: false })).toMatchObject({
        filled: true,
        trades: [{ trade_id: '100' }],
        closed_trades: [{ trade_id: '50', amount_k: 4 }],
      });
      expect(stateOf(pushes, { hedges: true })).toMatchObject({ filled: false, closed_trades: [] });
      expect(stateOf(pushes, { hedges: undefined })).toMatchObject({ filled: false, closed_trades: [] });
      expect(stateOf([INSERT, closed('50', 4)], { hedges: false })).toMatchObject({ filled: false, touched: true });
    });

    test('only of its account, its symbol and the other side, and only since it was sent', () => {
      const others = [{ accountId: '2' }, { currency: 'USD/JPY' }, { isBuy: true }, { closeTime: '04252018120700' }];
      for (const more of others) {
        const state = stateOf([INSERT, closed('50', 4, more)], { hedges: false });
        expect(state, JSON.stringify(more)).toMatchObject({ touched: false, closed_trades: [] });
      }
    });
  });

  describe('after a read of the tables,', () => {
    test('has its fills, and its end', () => {
      const tables = new SeenTables();
      tables.take(INSERT);
      tables.snapshot('Order', tableRows([]));
      tables.snapshot('OpenPosition', tableRows([opened('100', 7).record]));
      expect(orderState(AWAITED, tables)).toMatchObject({
        filled: true,
        over: true,
        trades: [{ trade_id: '100', amount_k: 7 }],
      });
    });

    test('is absent if nothing was ever seen of it', () => {
      const tables = new SeenTables();
      tables.snapshot('Order', tableRows([]));
      expect(orderState(AWAITED, tables)).toMatchObject({ over: true, seen: false, touched: false });
      tables.forgetSnapshot();
      expect(orderState(AWAITED, tables)).toMatchObject({ over: false, seen: false });
    });

    test('is not ended by a read that began before it was sent', async () => {
      const tables = new SeenTables();
      await tables.readTable('Order', { model: async () => tableRows([]) } as never);
      expect(tables.isGone('39')).toBe(true);
      const read = tables.readTable('Order', { model: async () => tableRows([]) } as never);
      tables.forgetSnapshot();
      await read;
      expect(tables.isGone('39')).toBe(false);
    });

    test('has each part once, even if it is pushed after the read', () => {
      const part = closed('50', 2);
      const rest = closed('50', 3);
      const looks = (pushes: readonly RowPush[], before: number): unknown => {
        const tables = new SeenTables();
        for (const one of [INSERT, ...pushes.slice(0, before)]) tables.take(one);
        tables.snapshot('ClosedPosition', tableRows([part.record, part.record]));
        for (const one of pushes.slice(before)) tables.take(one);
        tables.snapshot('ClosedPosition', tableRows([part.record, part.record, rest.record]));
        return orderState({ ...AWAITED, hedges: false }, tables);
      };
      for (const before of [0, 1, 2, 3]) {
        expect(looks([part, part, rest], before)).toMatchObject({
          filled: true,
          closed_trades: { length: 3 },
        });
      }
      expect(looks([part, part], 1)).toMatchObject({ closed_trades: { length: 3 } });
    });
  });

  test('has no fills from ids that are objects', () => {
    const hostile = JSON.parse('{"toString":1}');
    const tables = new SeenTables();
    for (const one of [
      INSERT,
      order({ tradeId: hostile }),
      opened('100', 7, { orderId: hostile, accountId: hostile }),
      closed('50', 7, { orderId: hostile, accountId: hostile, closeTime: hostile }),
    ]) {
      tables.take(one);
    }
    tables.snapshot('ClosedPosition', tableRows([closed('50', 7, { closeTime: hostile }).record]));
    expect(orderState({ ...AWAITED, hedges: false }, tables)).toMatchObject({
      filled: true,
      trades: [{ trade_id: '100' }],
    });
    const closing = { orderIds: ['39'], tradeIds: undefined, accountId: '1', symbol: undefined, amountK: 7, sentAt: 0 };
    expect(orderState(closing, tables)).toMatchObject({ filled: false, closed_trades: [] });
  });
});

describe('the orders of a close', () => {
  const CLOSING = { orderIds: ['39'], tradeIds: ['50'], accountId: '1', symbol: 'EUR/USD', amountK: 7, sentAt: 0 };
  const stateOfClose = (pushes: readonly RowPush[], awaited: object = {}) => {
    const tables = new SeenTables();
    for (const one of pushes) tables.take(one);
    const { filled, touched, seen, over, status, closed_trades } = orderState({ ...CLOSING, ...awaited }, tables);
    return { filled, touched, seen, over, status, closed: closed_trades.map(({ trade_id }) => trade_id) };
  };
  const NOTHING = { filled: false, touched: false, seen: false, over: false, status: undefined, closed: [] };

  test('are filled when the closed parts add up to the amount', () => {
    expect(stateOfClose([])).toEqual(NOTHING);
    const part = { ...NOTHING, touched: true, seen: true, closed: ['50'] };
    expect(stateOfClose([closed('50', 4)])).toEqual(part);
    expect(stateOfClose([closed('50', 7)])).toEqual({ ...part, filled: true });
    expect(stateOfClose([closed('50', 4), closed('51', 3, { orderId: '39' })])).toMatchObject({ filled: true });
  });

  test('have the closed trades of their ids, or of the account and the symbol if none is named', () => {
    const others = [closed('60', 7), closed('61', 7, { accountId: '2' }), closed('62', 7, { currency: 'USD/JPY' })];
    expect(stateOfClose(others)).toEqual(NOTHING);
    expect(stateOfClose(others, { tradeIds: undefined }).closed).toEqual(['60']);
    const all = { tradeIds: undefined, accountId: undefined, symbol: undefined };
    expect(stateOfClose(others, all).closed).toEqual(['60', '61', '62']);
  });

  test('have only what was closed since they were sent', () => {
    const at = Date.UTC(2018, 3, 25, 12, 7, 17);
    const since = (sentAt: number) => stateOfClose([closed('50', 7)], { sentAt }).closed;
    expect([since(at - 1000), since(at + 999), since(at + 1000)]).toEqual([['50'], ['50'], []]);
  });

  test('of an unknown amount are filled when all that they name is closed, unless one was canceled', () => {
    const ended = (status: number) => [order({ amountK: 7, status }, 'I'), order({ status }, 'D')];
    const filled = (pushes: readonly RowPush[]) => stateOfClose(pushes, { amountK: undefined }).filled;
    expect(filled([order({ amountK: 7, status: 2 }, 'I'), closed('50', 7)])).toBe(false);
    expect(filled([...ended(9), closed('50', 4)])).toBe(false);
    expect(filled([...ended(9), closed('50', 7)])).toBe(true);
    expect(filled([...ended(3), closed('50', 7)])).toBe(false);
  });

  test('have the status of the only order', () => {
    expect(stateOfClose([order({ status: 6 }, 'I')])).toMatchObject({ seen: true, touched: false, status: 6 });
    const two = [order({ status: 6 }, 'I'), push('Order', 'I', { orderId: '40', status: 2 })];
    expect(stateOfClose(two, { orderIds: ['39', '40'] }).status).toBeUndefined();
  });
});
