/** The auditor of the bot test finds faults: each test breaks one thing in a good run. */
import { describe, expect, it } from 'vitest';
import { audit, type Run, type SessionEvent } from './auditor.ts';
import type { Received } from './gateway.ts';

const FORM = { symbol: 'EUR/USD', is_buy: 'true', amount: '5' };
const SENT: Received = {
  ...{ at: 1_010, path: '/trading/open_trade', form: FORM, fault: 'none' },
  ...{ executedAt: 1_011, orderIds: ['1'], answeredAt: 1_012 },
};
const CLOSED: Received = {
  ...{ at: 2_010, path: '/trading/close_trade', form: { trade_id: '7', amount: '5' }, fault: 'none' },
  ...{ executedAt: 2_011, orderIds: ['2'], answeredAt: 2_012 },
};
const event = (
  receivedAt: number,
  id: string | null,
  name: string,
  more: Partial<SessionEvent> = {},
): SessionEvent => ({
  ...{ receivedAt, id, event: name },
  ...more,
});
const GOOD: Run = {
  commands: [
    { at: 1_000, line: { id: 'a', command: 'buy', symbol: 'EUR/USD', amount: 5 } },
    { at: 2_000, line: { id: 'b', command: 'close', trade: '7', amount: 5 } },
  ],
  events: [
    event(500, null, 'ready'),
    event(1_020, 'a', 'accepted', { order_ids: ['1'] }),
    event(1_030, 'a', 'filled', { order_ids: ['1'], trades: [{ tradeId: '7' }] }),
    event(2_020, 'b', 'accepted', { order_ids: ['2'] }),
    event(2_030, 'b', 'closed', { order_ids: ['2'] }),
    event(10_020, null, 'unreachable'),
    event(11_500, null, 'recovered'),
  ],
  journal: [SENT, CLOSED].map(({ path, form, orderIds }) => ({ path, form, outcome: 'accepted', order_ids: orderIds })),
  received: [SENT, CLOSED],
  outages: [{ from: 10_000, to: 11_000, kind: 'restart' }],
  fills: [{ tradeId: '7', orderId: '1', at: 1_015 }],
  end: 30_000,
};
const rules = (run: Run): string[] => [...new Set(audit(run).map(({ rule }) => rule))].sort();
const without = (name: string): SessionEvent[] => GOOD.events.filter((one) => one.event !== name);
const replaced = (...events: SessionEvent[]): SessionEvent[] =>
  [...GOOD.events.filter(({ id }) => id !== 'a'), ...events].sort((one, other) => one.receivedAt - other.receivedAt);

it('finds nothing in a good run', () => {
  expect(audit(GOOD)).toEqual([]);
});

it('allows for the waiting time after a refused token', () => {
  const outages = [{ from: 9_990, to: 9_995, kind: 'revoked' } as const, ...GOOD.outages];
  const events = [...without('recovered'), event(40_000, null, 'recovered')];
  expect(rules({ ...GOOD, events, end: 90_000 })).toEqual(['outage']);
  expect(audit({ ...GOOD, outages, events, end: 90_000 })).toEqual([]);
});

it('allows for an outage while an order can still arrive', () => {
  const lost = { ...SENT, executedAt: undefined, orderIds: [] } as unknown as Received;
  const settled = event(19_000, 'a', 'settled', { outcome: 'absent' });
  const of = { ...GOOD, commands: GOOD.commands.slice(0, 1), received: [lost], fills: [], end: 60_000 };
  const journal = [{ ...lost, outcome: 'unknown', order_ids: [] }];
  const events = replaced(event(1_020, 'a', 'unknown'), settled).filter(({ id }) => id !== 'b');
  expect(rules({ ...of, journal, events })).toEqual([]);
  expect(rules({ ...of, journal, events: events.filter(({ id }) => id !== null), outages: [] })).toEqual([
    'unaccounted',
  ]);
});

describe('finds', () => {
  it.each<[string, string[], Run]>([
    [
      'a request that is sent twice',
      ['duplicated', 'journal', 'misreported'],
      { ...GOOD, received: [SENT, SENT, CLOSED] },
    ],
    [
      'a request that is executed twice',
      ['duplicated', 'journal', 'unaccounted'],
      { ...GOOD, received: [{ ...SENT, orderIds: ['1', '3'] }, CLOSED] },
    ],
    ['an order that the gateway does not have', ['journal', 'misreported'], { ...GOOD, received: [CLOSED], fills: [] }],
    ['an order that no event names', ['unaccounted'], { ...GOOD, events: replaced() }],
    [
      'an executed order that is reported as refused',
      ['misreported', 'unaccounted'],
      { ...GOOD, fills: [], events: replaced(event(1_020, 'a', 'refused')) },
    ],
    [
      'an unknown outcome that is not settled',
      ['unaccounted'],
      { ...GOOD, fills: [], events: replaced(event(1_020, 'a', 'unknown')) },
    ],
    [
      'an executed order that is settled as absent',
      ['misreported', 'unaccounted'],
      {
        ...GOOD,
        fills: [],
        events: replaced(event(1_020, 'a', 'unknown'), event(1_500, 'a', 'settled', { outcome: 'absent' })),
      },
    ],
    ['a fill that is not reported', ['unaccounted'], { ...GOOD, events: without('filled') }],
    [
      'a fill that is reported after six seconds',
      ['unaccounted'],
      {
        ...GOOD,
        events: replaced(
          event(1_020, 'a', 'accepted', { order_ids: ['1'] }),
          event(7_015, 'a', 'filled', { order_ids: ['1'], trades: [{ tradeId: '7' }] }),
        ),
      },
    ],
    ['an outage that is not reported', ['outage'], { ...GOOD, events: without('unreachable') }],
    [
      'an outage that is reported late',
      ['outage'],
      { ...GOOD, outages: [{ from: 9_000, to: 11_000, kind: 'restart' }] },
    ],
    ['an outage that never ends', ['outage'], { ...GOOD, events: without('recovered') }],
    [
      'a close that is never sent',
      ['delayed', 'misreported'],
      { ...GOOD, received: [SENT], journal: GOOD.journal.slice(0, 1) },
    ],
    ['a close that is sent late', ['delayed'], { ...GOOD, received: [SENT, { ...CLOSED, at: 3_500 }] }],
    ['a request that the journal does not have', ['journal'], { ...GOOD, journal: GOOD.journal.slice(1) }],
  ])('%s', (_, expected, run) => {
    expect(rules(run)).toEqual(expected);
  });
});
