import { describe, expect, it, test } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { type TradingError, tradingError } from '../../../../src/features/trade/gateway/envelope.ts';
import { explainRefusal } from '../../../../src/features/trade/gateway/failed-answer.ts';
import { orderCandidates, type SeenRows } from '../../../../src/features/trade/orders/candidates.ts';
import {
  closedWarning,
  guardOrder,
  orderSentence,
  previewOrder,
} from '../../../../src/features/trade/orders/preview.ts';
import { parseDistance, parseRate } from '../../../../src/features/trade/orders/rules.ts';
import type { Account, Offer, OpenPosition, Order } from '../../../../src/features/trade/schema.ts';

const OFFER = {
  offerId: '1',
  currency: 'USD/JPY',
  instrumentType: 1,
  ratePrecision: 3,
  sell: 154.2,
  buy: 154.214,
  pip: 0.01,
  pipCost: 0.0648,
  instrBaseUnitSize: 1,
} as Offer;
const ACCOUNT = { accountId: '654061', accountName: '00654061', hedging: 'Y', mc: 'N' } as Account;
const WEDNESDAY = Date.UTC(2026, 0, 14, 12);
const TERMS = { side: 'sell', amount: 5, tif: 'GTC' } as const;
const preview = (terms = {}, offer: Partial<Offer> = {}, account: Partial<Account> = {}) =>
  previewOrder(
    { ...TERMS, ...terms },
    { account: { ...ACCOUNT, ...account } as Account, offer: { ...OFFER, ...offer } as Offer, now: WEDNESDAY },
  );

describe('a preview', () => {
  test('measures distances from the rate at which the side is filled', () => {
    const exits = { stop: parseDistance('40pips', '--stop'), limit: parseDistance('80pips', '--limit') };
    expect(preview(exits)).toMatchObject({
      rate: 154.2,
      stop: { rate: 154.6, pips: 40, money: 12.96 },
      limit: { rate: 153.4, pips: 80, money: 25.92 },
      warnings: [],
    });
    expect(preview({ ...exits, side: 'buy', rate: parseRate('150') })).toMatchObject({
      rate: 150,
      stop: { rate: 149.6 },
      limit: { rate: 150.8 },
    });
    expect(preview({ stop: parseDistance('154.7', '--stop') })).toMatchObject({
      stop: { rate: 154.7, pips: 50, money: 16.2 },
    });
  });

  test('leaves out what the table lacks', () => {
    const bare = preview(
      { stop: parseDistance('40pips', '--stop') },
      { sell: undefined, buy: undefined, pipCost: undefined },
    );
    expect(bare).toMatchObject({ rate: null, bid: null, stop: { rate: null, pips: 40, money: null } });
    expect(orderSentence({}, bare)).toBe(
      'Sell 5 USD/JPY (5,000 USD) at market, GTC, in account 654061 (00654061), stop 40 pips',
    );
    // The older table counts by the single unit.
    expect(
      preview({ stop: parseDistance('40pips', '--stop') }, { instrBaseUnitSize: undefined }).stop?.money,
    ).toBeNull();
  });

  test('says how the stop and the entry follow the price', () => {
    const stop = parseDistance('40pips', '--stop');
    const rate = parseRate('150');
    const entry = preview({ stop, rate, trail: 1, trailEntry: 12 });
    expect(entry).toMatchObject({ trail: 1, trailEntry: 12 });
    expect(orderSentence({ rate }, entry)).toMatch(
      /stop entry at 150, trailing in steps of 12 entry, GTC, .*, trailing stop 150.4 \(40 pips/,
    );
    expect(preview({ stop })).toMatchObject({ trail: null, trailEntry: null });
  });

  test('distinguishes thousands of forex from contracts', () => {
    expect(preview({ amount: 1500 }).notional).toBe('1,500,000 USD');
    expect(preview({ amount: 1 }, { instrumentType: 2, currency: 'US30' }).notional).toBe('1 contract');
    expect(preview({ amount: 2 }, { instrumentType: 2, currency: 'US30' }).notional).toBe('2 contracts');
  });
});

describe('hours', () => {
  it.each([
    ['open', Date.UTC(2026, 0, 14, 12), undefined],
    [
      'on Friday after 16:55 in New York',
      Date.UTC(2026, 0, 16, 21, 55),
      'forex is usually closed now and opens in 48 h 5 m (Sun 2026-01-18 17:00 EST)',
    ],
    [
      'the last minutes',
      Date.UTC(2026, 0, 18, 21, 48),
      'forex is usually closed now and opens in 12 m (Sun 2026-01-18 17:00 EST)',
    ],
    [
      "within New York's summer",
      Date.UTC(2026, 2, 8, 20, 30),
      'forex is usually closed now and opens in 30 m (Sun 2026-03-08 17:00 EDT)',
    ],
    [
      'just opening',
      Date.UTC(2026, 0, 18, 22, 5),
      'forex is just opening, and prices may not be available yet (Sun 2026-01-18 17:05 EST)',
    ],
  ])('%s', (_name, now, warning) => {
    expect(closedWarning(OFFER, now)).toBe(warning);
    expect(closedWarning({ ...OFFER, instrumentType: 3 }, now)).toBeUndefined();
  });

  it.each([
    ['a price of half a minute ago', Date.UTC(2026, 0, 17, 12), 30_000, false],
    ['a price of two minutes ago', Date.UTC(2026, 0, 17, 12), 120_000, true],
    ['a price just after the close', Date.UTC(2026, 0, 16, 21, 59), 1000, true],
    ['a price while it opens', Date.UTC(2026, 0, 18, 22, 5), 1000, false],
  ])('%s decides about a weekend', (_name, now, age, warned) => {
    const warning = closedWarning({ ...OFFER, time: new Date(now - age).toISOString() }, now);
    expect(warning !== undefined).toBe(warned);
  });
});

describe('guards', () => {
  const guard = (offer: Partial<Offer>, account: Partial<Account> = {}, terms = {}) =>
    guardOrder(
      { ...TERMS, ...terms },
      { account: { ...ACCOUNT, ...account } as Account, offer: { ...OFFER, ...offer } as Offer },
    );
  it.each([
    ['W', 'warning: no new positions'],
    ['A', 'equity alert: no new positions'],
    ['Y', 'margin call: liquidated'],
    ['Q', 'equity stop: liquidated'],
  ])('an account in the state %s cannot open a position', (mc, state) => {
    expect(() => guard({}, { mc })).toThrow(`account 654061 cannot open positions now: ${state}; nothing was sent`);
  });

  it.each([
    [{ sellTradable: false }, {}, 'USD/JPY cannot be sold now'],
    [{ minQuantity: 10 }, {}, '5 is too small: the minimum of USD/JPY is 10'],
    [{ maxQuantity: 4 }, {}, '5 is too large: the maximum of USD/JPY is 4'],
    [{ instrBaseUnitSize: 2 }, {}, '5 is not a multiple of 2, the trading step of USD/JPY'],
    [{}, { stop: parseDistance('154.1', '--stop') }, '--stop: 154.1 must be above the rate 154.2 for a sell'],
  ])('%j %j', (offer, terms, why) => {
    expect(() => guard(offer, {}, terms)).toThrow(
      expect.objectContaining({ code: 'guarded', exit: 3, message: expect.stringContaining(why) }),
    );
  });

  test('missing values refuse nothing, and an entry may wait for its market', () => {
    guard({});
    guard({ buyTradable: false, maxQuantity: 0 });
    guard({}, { mc: undefined });
    guard({ sellTradable: false }, {}, { rate: parseRate('150'), stop: parseDistance('154.1', '--stop') });
  });
});

const seen = (orders: readonly Order[], positions: readonly OpenPosition[]): SeenRows => ({
  ...{ orders, positions, closed: [] },
  openedBy: (id) => orders.find(({ tradeId }) => tradeId === id)?.orderId,
});

test('candidates for a lost order have its account, symbol, side and amount, and are not older', () => {
  const lost = { accountId: '1', symbol: 'EUR/USD', side: 'buy', amountK: 5 } as const;
  const row = { accountId: '1', currency: 'EUR/USD', isBuy: true, amountK: 5, time: '01142026120000123' };
  const orders = [
    { ...row, orderId: 'fits' },
    { ...row, orderId: 'account', accountId: '2' },
    { ...row, orderId: 'symbol', currency: 'USD/JPY' },
    { ...row, orderId: 'side', isBuy: false },
    { ...row, orderId: 'amount', amountK: 6 },
    { ...row, orderId: 'older', time: '01142026115957000' },
    { ...row, orderId: 'part', amountK: 2, time: undefined },
    { ...row, orderId: 'entry', isEntryOrder: true },
    { ...row, orderId: 'closing', type: 'CM' },
    { ...row, orderId: 'without-time', time: undefined },
  ] as Order[];
  const positions = [{ ...row, tradeId: 'position', time: '01142026120001' }] as OpenPosition[];
  const found = orderCandidates(lost, WEDNESDAY, seen(orders, positions));
  expect(found.map(({ id }) => id)).toEqual(['fits', 'without-time', 'position']);
  expect(found[0]?.text).toBe('order fits (buy 5K EUR/USD, 2026-01-14T12:00:00.123Z)');
  expect(found[2]?.text).toBe('position with trade id position (buy 5K EUR/USD, 2026-01-14T12:00:01.000Z)');
});

test.each<[string, Partial<OpenPosition>, Partial<Order>[], string[]]>([
  ['of which only an update was seen', {}, [{ orderId: '39', tradeId: '7', status: 6 }], ['7']],
  ['that is in no table', { orderId: '39' }, [], ['7']],
  ['that is of another account', { orderId: '39' }, [{ orderId: '39', accountId: '2', currency: 'EUR/USD' }], []],
  ['that was accepted before', { orderId: '38' }, [], []],
])('a position of an order %s', (_name, more, rows, ids) => {
  const lost = { accountId: '1', symbol: 'EUR/USD', side: 'buy', amountK: 5 } as const;
  const row = { accountId: '1', currency: 'EUR/USD', isBuy: true, amountK: 5, time: '01142026120000' };
  const positions = [{ ...row, tradeId: '7', ...more }] as OpenPosition[];
  const accepted = [
    { at: '2026-01-14T12:00:00Z', form: {}, outcome: 'accepted' as const, order_ids: ['38'], trade_ids: [] },
  ];
  const found = orderCandidates(lost, WEDNESDAY, seen(rows as Order[], positions), accepted);
  expect(found.map(({ id }) => id)).toEqual(ids);
});

describe('a position of a lost order, with equal orders that were accepted', () => {
  const lost = { accountId: '1', symbol: 'EUR/USD', side: 'buy', amountK: 5, amount: 5 } as const;
  const form = { account_id: '1', symbol: 'EUR/USD', is_buy: 'true', amount: '5', order_type: 'AtMarket', rate: '0' };
  const accepted = (order_id: string, at: string, more: object = {}, trade_ids: string[] = []) => ({
    at: `2026-01-14T${at}Z`,
    form: { ...form, ...more },
    outcome: 'accepted' as const,
    order_ids: [order_id],
    trade_ids,
  });
  const position = (tradeId: string, time: string, more: object = {}) =>
    ({
      accountId: '1',
      currency: 'EUR/USD',
      isBuy: true,
      amountK: 5,
      tradeId,
      time: `01142026${time}`,
      ...more,
    }) as OpenPosition;
  const order39 = { orderId: '39', tradeId: '7', currency: 'EUR/USD', isBuy: true, amountK: 5 } as Order;

  test.each<[string, ReturnType<typeof accepted>[], OpenPosition[], Order[], string[]]>([
    ['is of the only one', [accepted('39', '11:59:59')], [position('7', '115959')], [], []],
    ['is one of two', [accepted('39', '11:59:59')], [position('7', '120000'), position('8', '120001')], [], ['7', '8']],
    [
      'is the other one, as a row shows',
      [accepted('39', '11:59:59')],
      [position('7', '120000'), position('8', '120001')],
      [order39],
      ['8'],
    ],
    [
      'is the other one, as the journal has it',
      [accepted('39', '11:59:59', {}, ['7'])],
      [position('7', '120000'), position('8', '120001')],
      [],
      ['8'],
    ],
    [
      'is the one that is older than the other order',
      [accepted('39', '12:00:05')],
      [position('7', '120000'), position('8', '120005')],
      [],
      ['7'],
    ],
    [
      'is its own where that of the other order is older',
      [accepted('39', '11:59:58.500')],
      [position('7', '115957'), position('8', '120001')],
      [],
      ['8'],
    ],
    ['is its own, of an older order', [accepted('39', '11:57:00')], [position('7', '120000')], [], ['7']],
    [
      'is its own, of an order of another account',
      [accepted('39', '11:59:59', { account_id: '2' })],
      [position('7', '120000')],
      [],
      ['7'],
    ],
    [
      'is its own, of an order of another symbol',
      [accepted('39', '11:59:59', { symbol: 'USD/JPY' })],
      [position('7', '120000')],
      [],
      ['7'],
    ],
    [
      'is its own, of an order of the other side',
      [accepted('39', '11:59:59', { is_buy: 'false' })],
      [position('7', '120000')],
      [],
      ['7'],
    ],
    [
      'is its own, of a smaller order',
      [accepted('39', '11:59:59', { amount: '4' })],
      [position('7', '120000')],
      [],
      ['7'],
    ],
    [
      'may be a part of a larger order',
      [accepted('39', '11:59:59', { amount: '6' })],
      [position('7', '120000')],
      [],
      [],
    ],
    [
      'is its own, of an entry order',
      [accepted('39', '11:59:59', { order_type: 'Entry', rate: '1.1' })],
      [position('7', '120000')],
      [],
      ['7'],
    ],
    [
      'may be in parts, which are of the only one',
      [accepted('39', '11:59:59')],
      [position('7', '120000', { amountK: 2 }), position('8', '120000', { amountK: 3 })],
      [],
      [],
    ],
  ])('%s', (_name, equals, positions, orders, ids) => {
    const found = orderCandidates(lost, WEDNESDAY, seen(orders, positions), equals);
    expect(found.filter(({ isTaken }) => !isTaken).map(({ id }) => id)).toEqual(ids);
  });

  test('names the other order if it may belong to that one', () => {
    const positions = [position('7', '120000'), position('8', '120001')];
    const found = orderCandidates(lost, WEDNESDAY, seen([], positions), [accepted('39', '11:59:59')]);
    expect(found[0]?.text).toBe(
      'position with trade id 7 (buy 5K EUR/USD, 2026-01-14T12:00:00.000Z), unless it belongs to order 39, which has the same terms',
    );
  });

  test('is not one that existed before', () => {
    const rows = seen([], [position('7', '120000'), position('8', '120001')]);
    const found = orderCandidates(lost, WEDNESDAY, { ...rows, earlier: new Set(['7']) }, [accepted('39', '11:59:59')]);
    expect(found.map(({ id, isTaken }) => ({ id, isTaken }))).toEqual([{ id: '8', isTaken: false }]);
  });
});

test.each([
  [{ parameters: ['10'] }, undefined, 'use another amount: EUR/USD is traded in steps of 10, so 10 or 20'],
  [
    { parameters: [], message: 'Amount should be divisible by 100' },
    undefined,
    'use another amount: EUR/USD is traded in steps of 100, so at least 100',
  ],
  [{ parameters: [] }, { instrBaseUnitSize: 4 }, 'use another amount: EUR/USD is traded in steps of 4, so 12 or 16'],
  [{ parameters: [] }, { instrBaseUnitSize: 5 }, 'use another amount'],
  [{ parameters: [] }, undefined, 'use another amount'],
])('code 3 with %j and the offer %j', (said, offer, hint) => {
  const error = tradingError({ code: 3, message: 'no', ...said }) as TradingError;
  const common = new SvcError('refused', 'the gateway refused', { more: { server_code: 3 } });
  const explained = explainRefusal(error, common, {
    amount: 15,
    symbol: 'EUR/USD',
    account: ACCOUNT,
    offer,
  });
  expect(explained).toMatchObject({ hint, more: { server_code: 3 } });
});
