/**
 * Forms, answers and pushes of orders, written by hand from document 3 and as seen on the public implementation: the sandbox may be
 * wrong in the same way as the client, these files are not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { SvcError } from '../../src/errors.ts';
import { createEntryOrder, openTrade } from '../../src/features/trade/client.ts';
import { readPush } from '../../src/features/trade/gateway/push.ts';
import { checkForm, entryForm, marketForm, type OrderForm } from '../../src/features/trade/orders/forms.ts';
import { judge } from '../../src/features/trade/orders/placing.ts';
import { parseDistance, parsePips, parseRate } from '../../src/features/trade/orders/rules.ts';
import { type Awaited, type AwaitedOrder, orderState } from '../../src/features/trade/orders/state.ts';
import { envelope } from '../../src/features/trade/schema.ts';
import { SeenTables } from '../../src/features/trade/tables/seen-tables.ts';
import { bodyText } from '../../src/http/endpoint.ts';

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
    range: parsePips('3', '--range'),
    expires: '2026-11-20 12:00',
  }),
};

describe('forms', () => {
  it('are complete', () => {
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
    ['/trading/simple_oco', 'is_buy2'],
  ])('%s without %s is a bug in svc, and is not sent', (path, field) => {
    const whole = { ...FORMS['market-buy'], is_buy2: 'false' };
    expect(() => checkForm(path, whole)).not.toThrow();
    for (const broken of [undefined, '', '1', 'True']) {
      expect(() => checkForm(path, { ...whole, [field]: broken })).toThrow(`without ${field}; nothing was sent`);
    }
  });
});

const BUY = { what: 'to buy 5 EUR/USD', makesOrder: true };
const answer = (name: string, request = BUY) =>
  judge(request, envelope.parse(JSON.parse(sample(`answers/${name}.json`))));

describe('answers', () => {
  test('accepted: ids are strings', () => {
    expect(answer('accepted')).toEqual({ outcome: 'accepted', orderIds: ['81712802'] });
    expect(answer('two-accepted')).toEqual({ outcome: 'accepted', orderIds: ['390285837', '390285838'] });
  });

  test('a change need not name an order', () => {
    expect(answer('changed', { ...BUY, makesOrder: false })).toEqual({ outcome: 'accepted', orderIds: [] });
    expect(answer('changed')).toMatchObject({ outcome: 'unknown' });
  });

  it.each([
    ['code-3', 3, 'refused', /divisible by 10 \(code 3\)$/],
    ['code-18', 3, 'refused', /The Stop distance must be < 0 \(code 18\)/],
    ['not-in-pool', 3, 'refused', /Account is not in pool\..* \(code 20001\)$/],
    ['used-up', 6, 'limited', /ORA-20301/],
    ['unauthorized', 4, 'unauthorized', /Unauthorized/],
    ['refused-without-reason', 3, 'refused', /gave no reason/],
  ])('%s is refused', (name, exit, code, message) => {
    expect(answer(name)).toMatchObject({
      outcome: 'refused',
      error: { exit, code, message: expect.stringMatching(message) },
    });
  });

  it.each([
    ['code-3', /does not fit the step of the symbol, or an account's name was sent/],
    ['not-in-pool', /may not trade with the account now, or an account's name was sent/],
  ])('%s has a hint with both causes', (name, hint) => {
    expect(answer(name)).toMatchObject({ error: { exit: 3, hint: expect.stringMatching(hint) } });
  });

  it.each([
    ['no-order', [], /responded executed, and named no order/],
    ['id-too-large', [], /named no order/],
    ['says-nothing', [], /does not say whether it was executed/],
    [
      'executed-with-error',
      ['81712802'],
      /responded executed with the error: The specified trade does not exist \(code 1\), and named order 81712802/,
    ],
    ['not-executed-with-order', ['81712802'], /responded not executed with the error: later, and named order 81712802/],
  ])('%s is not trusted', (name, orderIds, why) => {
    expect(answer(name)).toMatchObject({ outcome: 'unknown', orderIds, why: expect.stringMatching(why) });
  });
});

describe('failures', () => {
  it.each([
    ['connect_failed', {}, 'not_sent', 7],
    ['timeout', {}, 'not_sent', 7],
    ['interrupted', {}, 'not_sent', 130],
    ['forbidden', { httpStatus: 403 }, 'refused', 4],
    ['limited', { httpStatus: 429 }, 'refused', 6],
  ] as const)('%s %j is %s', (code, details, outcome, exit) => {
    const verdict = judge(BUY, new SvcError(code, 'why', details));
    const message = outcome === 'not_sent' ? 'why; nothing was sent to buy 5 EUR/USD' : 'why';
    expect(verdict).toMatchObject({ outcome, error: { code, exit, message } });
  });

  it.each([
    ['interrupted', { sent: 'maybe' }, 'interrupted'],
    ['outcome_unknown', {}, undefined],
    ['outcome_unknown', { httpStatus: 503 }, undefined],
    ['redirected', { httpStatus: 302 }, undefined],
    ['bad_answer', { httpStatus: 304 }, undefined],
  ] as const)('%s %j leaves it unknown', (code, details, interruption) => {
    const verdict = judge(BUY, new SvcError(code, 'why', details));
    expect(verdict).toMatchObject({ outcome: 'unknown', orderIds: [], why: 'why' });
    expect('interruption' in verdict ? verdict.interruption : undefined).toBe(interruption);
  });
});

const ORDER: AwaitedOrder = {
  orderId: '390285837',
  accountId: '654061',
  symbol: 'EUR/USD',
  side: 'buy',
  amountK: 5,
};

/** After all pushes of a file, or after its first `lines`. */
function ledgerOf(name: string, awaited: Awaited = ORDER, lines?: number) {
  const tables = new SeenTables();
  for (const line of sample(`pushes/${name}.ndjson`).split('\n').slice(0, lines)) {
    const [table, record] = JSON.parse(line);
    const push = readPush(table, JSON.stringify(record));
    if (push?.kind === 'row') tables.take(push);
  }
  return orderState(awaited, tables);
}

describe('pushes', () => {
  const trade = { trade_id: '170162801', amount_k: 5, rate: 1.21818, time: '2018-04-25T12:07:16.000Z' };

  test('an order is filled by its position, whatever its status says', () => {
    expect(ledgerOf('market-order')).toEqual({
      trades: [trade],
      closed_trades: [],
      filled: true,
      touched: true,
      over: true,
      seen: true,
      unlinked: false,
      status: 6,
    });
  });

  test('a reserved trade id is not a fill', () => {
    expect(ledgerOf('killed')).toEqual({
      trades: [],
      closed_trades: [],
      filled: false,
      touched: false,
      over: true,
      seen: true,
      unlinked: false,
      status: 3,
    });
  });

  test('executed without a position', () => {
    expect(ledgerOf('executed-without-position')).toMatchObject({ filled: true, trades: [{ ...trade, time: null }] });
  });

  const seven = { ...ORDER, amountK: 7 };
  const parts = ['170162801', '170162802', '170162803'];

  it.each(['three-fills', 'remaining-amounts'])('the amount that was sent decides, not that of a row: %s', (name) => {
    const { trades, filled } = ledgerOf(name, seven);
    expect(filled).toBe(true);
    expect(trades.map(({ trade_id, amount_k }) => [trade_id, amount_k])).toEqual([
      [parts[0], 2],
      [parts[1], 2],
      [parts[2], 3],
    ]);
    for (const lines of [1, 2, 3, 4, 5]) expect(ledgerOf(name, seven, lines).filled).toBe(false);
  });

  it.each<[string, number, object]>([
    ['rest-canceled', 10, { trades: [{ trade_id: parts[0], amount_k: 5 }], status: 3 }],
    ['no-amounts', 5, { trades: [{ trade_id: parts[0], amount_k: null }], status: 6 }],
    ['executed-in-parts', 7, { trades: [{ trade_id: parts[0] }, { trade_id: parts[1] }], status: 9 }],
  ])('a part is a part: %s', (name, amountK, expected) => {
    const state = ledgerOf(name, { ...ORDER, amountK });
    expect(state).toMatchObject({ filled: false, touched: true, over: true, ...expected });
  });

  test('one that closes a trade', () => {
    const closed = { trade_id: '170162801', amount_k: 5, rate: 1.2184, time: '2018-04-25T13:00:00.000Z' };
    const closing = { orderIds: ['390285900'], accountId: '654061', symbol: 'EUR/USD', sentAt: 0 };
    expect(ledgerOf('close', { ...closing, tradeIds: ['170162801'], amountK: 5 })).toMatchObject({
      filled: true,
      trades: [],
      closed_trades: [closed],
    });
  });

  test('ignores pushes of another order', () => {
    expect(ledgerOf('market-order', { ...ORDER, orderId: '1' })).toEqual({
      trades: [],
      closed_trades: [],
      filled: false,
      touched: false,
      over: false,
      seen: false,
      unlinked: false,
    });
  });
});
