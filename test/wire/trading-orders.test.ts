/**
 * Forms, answers and pushes of orders, written by hand from document 3 and as seen on the public implementation: the sandbox may be
 * wrong in the same way as the client, these files are not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { createEntryOrder, deleteOrder, openTrade, simpleOco } from '../../src/features/trade/client.ts';
import type { TradingError } from '../../src/features/trade/envelope.ts';
import { checkForm, entryForm, marketForm, type OrderForm } from '../../src/features/trade/order-forms.ts';
import { type Awaited, type AwaitedOrder, OrderLedger } from '../../src/features/trade/order-ledger.ts';
import { parseDistance, parsePips, parseRate } from '../../src/features/trade/order-rules.ts';
import { explainRefusal } from '../../src/features/trade/order-sending.ts';
import { type OrderRequest, placeOrder } from '../../src/features/trade/placing.ts';
import { readPush } from '../../src/features/trade/push.ts';
import { envelope } from '../../src/features/trade/schema.ts';
import { bodyText } from '../../src/http/endpoint.ts';
import type { OrderJournal } from '../../src/store/order-journal.ts';
import { CONFIRMED } from '../http/targets.ts';

const FOLDER = new URL('trade/', import.meta.url);
const sample = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8').trimEnd();

const who = { accountId: '1027808', symbol: 'EUR/USD', amount: 5 } as const;
const stop = (text: string) => parseDistance(text, '--stop');
const limit = (text: string) => parseDistance(text, '--limit');

const FORMS: Readonly<Record<string, OrderForm>> = {
  'market-buy': marketForm({ ...who, side: 'buy', tif: 'GTC' }),
  'market-sell-pips': marketForm({
    ...who,
    side: 'sell',
    tif: 'FOK',
    stop: stop('40pips'),
    limit: limit('80pips'),
    trail: 10,
  }),
  'market-range-price': marketForm({
    ...who,
    symbol: 'USD/JPY',
    amount: 3,
    side: 'buy',
    tif: 'IOC',
    range: parsePips('2.5pips', '--range'),
    stop: stop('109.100'),
  }),
  'entry-document': entryForm({
    ...who,
    side: 'buy',
    tif: 'GTC',
    rate: parseRate('1.1500'),
    stop: stop('50pips'),
    trail: 1,
  }),
  'entry-bare': entryForm({ ...who, side: 'sell', tif: 'GTC', rate: parseRate('1.2') }),
  'entry-everything': entryForm({
    ...who,
    side: 'sell',
    tif: 'GTD',
    rate: parseRate('1.2'),
    stop: stop('1.21'),
    limit: limit('1.15'),
    trailEntry: 12,
    range: parsePips('3', '--range'),
    expires: '2026-11-20 12:00',
  }),
};

describe('forms', () => {
  it('are all there', () => {
    expect(readdirSync(new URL('forms/', FOLDER)).sort()).toEqual(
      Object.keys(FORMS)
        .sort()
        .map((name) => `${name}.txt`),
    );
  });

  it.each(Object.entries(FORMS))('%s', (name, form) => {
    expect(bodyText({ body: form, encoding: 'form' })).toBe(sample(`forms/${name}.txt`));
  });

  it.each([
    [openTrade.path, 'is_buy'],
    [createEntryOrder.path, 'is_buy'],
    [simpleOco.path, 'is_buy2'],
  ])('%s without %s is a bug of svc, and goes nowhere', (path, field) => {
    const whole = { ...FORMS['market-buy'], is_buy2: 'false' };
    expect(() => checkForm(path, whole)).not.toThrow();
    for (const broken of [undefined, '', '1', 'True']) {
      expect(() => checkForm(path, { ...whole, [field]: broken })).toThrow(`without ${field}; nothing was sent`);
    }
  });
});

interface Noted {
  readonly outcome: string;
  readonly orderIds?: readonly string[];
}

async function judge(name: string | SvcError, request: Partial<OrderRequest> = {}) {
  const noted: Noted[] = [];
  const order: string[] = [];
  const journal: OrderJournal = {
    async sent() {
      order.push('journal');
      return 'j1';
    },
    async answered(_id, outcome, { orderIds }) {
      noted.push({ outcome, ...(orderIds === undefined ? {} : { orderIds }) });
    },
  };
  const session = {
    async send<T>(): Promise<T> {
      order.push('POST');
      if (name instanceof SvcError) throw name;
      return envelope.parse(JSON.parse(sample(`answers/${name}.json`))) as T;
    },
  };
  const explain = (error: TradingError, common: SvcError) =>
    explainRefusal(error, common, { amount: 15, symbol: 'EUR/USD', account: { accountId: '1', accountName: '01' } });
  const form = marketForm({ ...who, side: 'buy', tif: 'GTC' });
  const whole = { endpoint: openTrade, form, command: 'buy', what: 'to buy 5 EUR/USD', makesOrder: true, ...request };
  const outcome = await placeOrder(whole, { session, confirmed: CONFIRMED, journal, explain, now: () => 0 }).catch(
    (error: unknown) => error,
  );
  expect(order).toEqual(['journal', 'POST']);
  return { noted, outcome };
}

describe('answers', () => {
  test('accepted: ids are texts', async () => {
    expect(await judge('accepted')).toEqual({
      noted: [{ outcome: 'accepted', orderIds: ['81712802'] }],
      outcome: { orderIds: ['81712802'], journalId: 'j1', sentAt: 0 },
    });
    expect((await judge('two-accepted')).outcome).toMatchObject({ orderIds: ['390285837', '390285838'] });
  });

  test('a change names no order, and need not', async () => {
    const request = { endpoint: deleteOrder, form: { order_id: '81712802' }, makesOrder: false };
    expect((await judge('changed', request)).noted).toEqual([{ outcome: 'accepted', orderIds: [] }]);
    expect((await judge('changed')).outcome).toMatchObject({ code: 'outcome_unknown' });
  });

  it.each([
    ['code-3', 3, 'refused', /divisible by 10 \(code 3\)\. .*here it is the amount.*/],
    ['code-18', 3, 'refused', /The Stop distance must be < 0 \(code 18\)/],
    ['not-in-pool', 3, 'refused', /Account is not in pool\. .*\(code 20001\)\. .*here it is the first/],
    ['used-up', 6, 'limited', /ORA-20301/],
    ['unauthorized', 4, 'unauthorized', /Unauthorized/],
    ['refused-without-reason', 3, 'refused', /gave no reason/],
  ])('%s is refused', async (name, exit, code, message) => {
    const { noted, outcome } = await judge(name);
    expect(noted).toEqual([{ outcome: 'refused' }]);
    expect(outcome).toBeInstanceOf(SvcError);
    expect(outcome).toMatchObject({ exit, code, message: expect.stringMatching(message) });
  });

  it.each([
    ['no-order', 'outcome_unknown', [], /as executed, and named no order/],
    ['id-too-large', 'outcome_unknown', [], /named no order/],
    ['says-nothing', 'outcome_unknown', [], /does not say whether it was done/],
    [
      'executed-with-error',
      'not_as_asked',
      ['81712802'],
      /as executed with the error: The specified trade does not exist \(code 1\), and named order 81712802/,
    ],
    [
      'not-executed-with-order',
      'not_as_asked',
      ['81712802'],
      /as not executed with the error: later, and named order 81712802/,
    ],
  ])('%s is not trusted', async (name, code, orderIds, message) => {
    const { noted, outcome } = await judge(name);
    expect(noted).toEqual([{ outcome: 'unknown', orderIds }]);
    expect(outcome).toMatchObject({ exit: 8, code, message: expect.stringMatching(message) });
  });
});

describe('failures', () => {
  it.each([
    ['connect_failed', {}, 'not_sent', 7],
    ['timeout', {}, 'not_sent', 7],
    ['interrupted', {}, 'not_sent', 130],
    ['interrupted', { sent: 'maybe' }, 'unknown', 130],
    ['outcome_unknown', {}, 'unknown', 8],
    ['outcome_unknown', { httpStatus: 503 }, 'unknown', 8],
    ['redirected', { httpStatus: 302 }, 'unknown', 8],
    ['bad_answer', { httpStatus: 304 }, 'unknown', 8],
    ['forbidden', { httpStatus: 403 }, 'refused', 4],
    ['limited', { httpStatus: 429 }, 'refused', 6],
  ] as const)('%s %j is %s', async (code, details, journaled, exit) => {
    const { noted, outcome } = await judge(new SvcError(code, 'why', details));
    expect(noted.map(({ outcome }) => outcome)).toEqual([journaled]);
    expect(outcome).toMatchObject({ exit, message: expect.stringContaining('why') });
    const { message } = outcome as SvcError;
    expect(message.includes('nothing was sent to buy 5 EUR/USD')).toBe(journaled === 'not_sent');
    expect((outcome as SvcError).retryable).toBe(exit === 7 || exit === 6);
  });
});

const ORDER: AwaitedOrder = {
  orderId: '390285837',
  accountId: '654061',
  symbol: 'EUR/USD',
  side: 'buy',
  amountK: 5,
};

function ledgerOf(name: string, awaited: Awaited = ORDER) {
  const ledger = new OrderLedger();
  for (const line of sample(`pushes/${name}.ndjson`).split('\n')) {
    const [table, record] = JSON.parse(line);
    const push = readPush(table, JSON.stringify(record));
    if (push?.kind === 'row') ledger.take(push);
  }
  return ledger.state(awaited);
}

describe('pushes', () => {
  const trade = { tradeId: '170162801', amountK: 5, rate: 1.21818, time: '2018-04-25T12:07:16.000Z' };

  test("an order's life: filled by its position, whatever its status says", () => {
    expect(ledgerOf('market-order')).toEqual({
      trades: [trade],
      closedTrades: [],
      filled: true,
      touched: true,
      over: true,
      seen: true,
      status: 6,
    });
  });

  test('a trade id that was only reserved is no fill', () => {
    expect(ledgerOf('killed')).toEqual({
      trades: [],
      closedTrades: [],
      filled: false,
      touched: false,
      over: true,
      seen: true,
      status: 3,
    });
  });

  test('executed at its end, and no position told', () => {
    expect(ledgerOf('executed-without-position')).toMatchObject({ filled: true, trades: [{ ...trade, time: null }] });
  });

  test('one that closes a trade', () => {
    const closed = { tradeId: '170162801', amountK: 5, rate: 1.2184, time: '2018-04-25T13:00:00.000Z' };
    const closing = { orderIds: ['390285900'], accountId: '654061', symbol: 'EUR/USD', sentAt: 0 };
    expect(ledgerOf('close', { ...closing, tradeIds: ['170162801'], amountK: 5 })).toMatchObject({
      filled: true,
      trades: [],
      closedTrades: [closed],
    });
  });

  test('of another order nothing is taken', () => {
    expect(ledgerOf('market-order', { ...ORDER, orderId: '1' })).toEqual({
      trades: [],
      closedTrades: [],
      filled: false,
      touched: false,
      over: false,
      seen: false,
    });
  });
});
