/**
 * Forms, answers and pushes of orders, written by hand from document 3 and as seen on the public implementation: the sandbox may be
 * wrong in the same way as the client, these files are not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { type ErrorCode, SvcError } from '../../src/errors.ts';
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

describe('the form of an order', () => {
  it('is that of the sample', () => {
    const files = readdirSync(new URL('forms/', FOLDER)).map((file) => file.replace('.txt', ''));
    expect(files.sort()).toEqual(Object.keys(FORMS).sort());
    for (const [name, form] of Object.entries(FORMS)) {
      expect(bodyText({ body: form, encoding: 'form' }), name).toBe(sample(`forms/${name}.txt`));
    }
  });

  it('is not sent without its side, which would be a bug of svc', () => {
    const whole = { ...FORMS['market-buy'], is_buy2: 'false' };
    for (const [path, field] of [
      [openTrade.path, 'is_buy'],
      [createEntryOrder.path, 'is_buy'],
      ['/trading/simple_oco', 'is_buy2'],
    ] as const) {
      expect(() => checkForm(path, whole)).not.toThrow();
      for (const broken of [undefined, '', '1', 'True']) {
        expect(() => checkForm(path, { ...whole, [field]: broken })).toThrow(`without ${field}; nothing was sent`);
      }
    }
  });
});

const BUY = { what: 'to buy 5 EUR/USD', makesOrder: true };
const answer = (name: string, request = BUY) =>
  judge(request, envelope.parse(JSON.parse(sample(`answers/${name}.json`))));

describe('the response to an order', () => {
  test('has its ids as texts', () => {
    expect(answer('accepted')).toEqual({ outcome: 'accepted', orderIds: ['81712802'] });
    expect(answer('two-accepted')).toEqual({ outcome: 'accepted', orderIds: ['390285837', '390285838'] });
  });

  test('need not name an order after a change', () => {
    expect(answer('changed', { ...BUY, makesOrder: false })).toEqual({ outcome: 'accepted', orderIds: [] });
    expect(answer('changed')).toMatchObject({ outcome: 'unknown' });
  });

  it('is a refusal with its reason', () => {
    const refused = (name: string, exit: number, code: string, message: RegExp) =>
      expect(answer(name), name).toMatchObject({
        outcome: 'refused',
        error: { exit, code, message: expect.stringMatching(message) },
      });
    refused('code-3', 3, 'refused', /divisible by 10 \(code 3\)$/);
    refused('code-18', 3, 'refused', /The Stop distance must be < 0 \(code 18\)/);
    refused('not-in-pool', 3, 'refused', /Account is not in pool\..* \(code 20001\)$/);
    refused('used-up', 6, 'limited', /ORA-20301/);
    refused('unauthorized', 4, 'unauthorized', /Unauthorized/);
    refused('refused-without-reason', 3, 'refused', /gave no reason/);
    const hinted = (name: string, hint: RegExp) =>
      expect(answer(name)).toMatchObject({ error: { hint: expect.stringMatching(hint) } });
    hinted('code-3', /does not fit the step of the symbol, or an account's name was sent/);
    hinted('not-in-pool', /may not trade with the account now, or an account's name was sent/);
  });

  it('is unknown if it contradicts itself or says too little', () => {
    const unknown = (name: string, orderIds: readonly string[], why: RegExp) =>
      expect(answer(name), name).toMatchObject({ outcome: 'unknown', orderIds, why: expect.stringMatching(why) });
    unknown('no-order', [], /responded executed, and named no order/);
    unknown('id-too-large', [], /named no order/);
    unknown('says-nothing', [], /does not say whether it was executed/);
    const error = 'The specified trade does not exist \\(code 1\\)';
    const executed = `responded executed with the error: ${error}, and named order 81712802`;
    unknown('executed-with-error', ['81712802'], new RegExp(executed));
    const later = /responded not executed with the error: later, and named order 81712802/;
    unknown('not-executed-with-order', ['81712802'], later);
  });
});

describe('a request that failed', () => {
  const judged = (code: ErrorCode, details: ConstructorParameters<typeof SvcError>[2] = {}) =>
    expect(judge(BUY, new SvcError(code, 'why', details)), code);

  it('was not sent, or was refused', () => {
    const message = 'why; nothing was sent to buy 5 EUR/USD';
    judged('connect_failed').toMatchObject({ outcome: 'not_sent', error: { exit: 7, message } });
    judged('timeout').toMatchObject({ outcome: 'not_sent', error: { exit: 7, message } });
    judged('interrupted').toMatchObject({ outcome: 'not_sent', error: { exit: 130, message } });
    judged('forbidden', { httpStatus: 403 }).toMatchObject({ outcome: 'refused', error: { exit: 4, message: 'why' } });
    judged('limited', { httpStatus: 429 }).toMatchObject({ outcome: 'refused', error: { exit: 6, message: 'why' } });
  });

  it('is unknown if it may have been sent', () => {
    const unknown = { outcome: 'unknown', orderIds: [], why: 'why' };
    judged('interrupted', { sent: 'maybe' }).toMatchObject({ ...unknown, interruption: 'interrupted' });
    judged('outcome_unknown').toMatchObject(unknown);
    judged('outcome_unknown').not.toHaveProperty('interruption');
    judged('outcome_unknown', { httpStatus: 503 }).toMatchObject(unknown);
    judged('redirected', { httpStatus: 302 }).toMatchObject(unknown);
    judged('bad_answer', { httpStatus: 304 }).toMatchObject(unknown);
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

describe('the pushes of an order', () => {
  const trade = { trade_id: '170162801', amount_k: 5, rate: 1.21818, time: '2018-04-25T12:07:16.000Z' };

  test('fill it by its position, whatever its status says', () => {
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

  test('do not fill it by a reserved trade id', () => {
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

  test('fill it without a position if it was executed', () => {
    expect(ledgerOf('executed-without-position')).toMatchObject({ filled: true, trades: [{ ...trade, time: null }] });
  });

  const seven = { ...ORDER, amountK: 7 };
  const parts = ['170162801', '170162802', '170162803'];

  it.each(['three-fills', 'remaining-amounts'])(
    'fill it by the amount that was sent, not by that of a row: %s',
    (name) => {
      const { trades, filled } = ledgerOf(name, seven);
      expect(filled).toBe(true);
      expect(trades.map(({ trade_id, amount_k }) => [trade_id, amount_k])).toEqual([
        [parts[0], 2],
        [parts[1], 2],
        [parts[2], 3],
      ]);
      for (const lines of [1, 2, 3, 4, 5]) expect(ledgerOf(name, seven, lines).filled).toBe(false);
    },
  );

  it.each<[string, number, object]>([
    ['rest-canceled', 10, { trades: [{ trade_id: parts[0], amount_k: 5 }], status: 3 }],
    ['no-amounts', 5, { trades: [{ trade_id: parts[0], amount_k: null }], status: 6 }],
    ['executed-in-parts', 7, { trades: [{ trade_id: parts[0] }, { trade_id: parts[1] }], status: 9 }],
  ])('do not fill it in part: %s', (name, amountK, expected) => {
    const state = ledgerOf(name, { ...ORDER, amountK });
    expect(state).toMatchObject({ filled: false, touched: true, over: true, ...expected });
  });

  test('close the trade that it closes', () => {
    const closed = { trade_id: '170162801', amount_k: 5, rate: 1.2184, time: '2018-04-25T13:00:00.000Z' };
    const closing = { orderIds: ['390285900'], accountId: '654061', symbol: 'EUR/USD', sentAt: 0 };
    expect(ledgerOf('close', { ...closing, tradeIds: ['170162801'], amountK: 5 })).toMatchObject({
      filled: true,
      trades: [],
      closed_trades: [closed],
    });
  });
});
