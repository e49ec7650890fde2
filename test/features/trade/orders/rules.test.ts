import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { entryForm, marketForm } from '../../../../src/features/trade/orders/forms.ts';
import {
  checkExitPrices,
  chooseTimeInForce,
  expirationText,
  type OrderType,
  parseAmount,
  parseDistance,
  parseExits,
  parsePips,
  parseRate,
  parseTrail,
  TIMES_IN_FORCE,
  type TimeInForce,
  withoutExponent,
} from '../../../../src/features/trade/orders/rules.ts';
import { bodyText } from '../../../../src/http/endpoint.ts';

/** As people write numbers: never an exponent. */
const decimal = fc
  .tuple(fc.nat(999_999), fc.option(fc.stringMatching(/^\d{1,8}$/), { nil: undefined }))
  .map(([whole, fraction]) => (fraction === undefined ? String(whole) : `${whole}.${fraction}`))
  .filter((text) => Number(text) > 0);
const FLAGS = ['--stop', '--limit'] as const;
const exit2 = (code: string) => expect.objectContaining({ code, exit: 2 });
const thrown = (run: () => unknown): unknown => {
  try {
    return { returned: run() };
  } catch (error) {
    return error;
  }
};

describe('stop and limit', () => {
  test('are a number of pips or a price, as typed', () => {
    fc.assert(
      fc.property(
        decimal,
        fc.constantFrom('pips', 'pip', ' pips', ''),
        fc.constantFrom(...FLAGS),
        (text, unit, flag) => {
          const distance = parseDistance(text + unit, flag);
          expect(distance).toEqual({ unit: unit === '' ? 'price' : 'pips', text, value: Number(text) });
        },
      ),
    );
  });

  test('are refused with a sign, and the right spelling is named', () => {
    fc.assert(
      fc.property(decimal, fc.constantFrom('-', '+'), fc.constantFrom('pips', ''), (text, sign, unit) => {
        expect(thrown(() => parseDistance(sign + text + unit, '--stop'))).toMatchObject({
          code: 'invalid_value',
          hint: expect.stringMatching(new RegExp(`^write ${text.replace('.', '\\.')}pips`)),
        });
      }),
    );
  });

  test('that are invalid name the reason', () => {
    const why = (text: string) => (thrown(() => parseDistance(text, '--stop')) as Error).message;
    expect(['0', '0.0pips'].map(why)).toEqual(Array(2).fill('--stop: 0 is not a distance or a price'));
    for (const text of ['', 'wide', '+0', '-x']) expect(why(text)).toContain('is neither pips nor a price');
  });

  test('are never read as 0', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.constantFrom('0', '0.0', '0pips', 'NaN', '1e3', '1e-7', 'Infinity', '١', '1_0', '1,5', '.5', '5.', '00.5'),
        ),
        (text) => {
          const outcome = thrown(() => parseDistance(text, '--stop'));
          if (/^(0|[1-9]\d*)(\.\d+)?(\s*pips?)?$/.test(text) && Number.parseFloat(text) > 0) return;
          expect(outcome).toEqual(exit2('invalid_value'));
        },
      ),
    );
  });

  test('must be on the right side of the rate if they are prices', () => {
    fc.assert(
      fc.property(fc.constantFrom('buy', 'sell'), decimal, decimal, (side, price, rate) => {
        // A whole number may be a distance without its unit.
        const [at, from] = [parseDistance(price.includes('.') ? price : `${price}.0`, '--stop'), Number(rate)];
        const loses = side === 'buy' ? at.value < from : at.value > from;
        const wins = side === 'buy' ? at.value > from : at.value < from;
        expect(thrown(() => checkExitPrices({ side, stop: at }, from))).toEqual(
          loses ? { returned: undefined } : exit2('invalid_value'),
        );
        expect(thrown(() => checkExitPrices({ side, limit: at }, from, 'guarded'))).toEqual(
          wins ? { returned: undefined } : expect.objectContaining({ exit: 3 }),
        );
        checkExitPrices({ side, stop: { ...at, unit: 'pips' }, limit: { ...at, unit: 'pips' } }, from);
      }),
    );
  });
});

test('a trail is dynamic, or at least 10', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.integer({ min: -5, max: 100 }).map(String),
        fc.constantFrom('0.1', 'dynamic', 'Dynamic', '10.0', '1e1', '010'),
      ),
      (text) => {
        const outcome = thrown(() => parseTrail(text));
        const steps = text === 'dynamic' ? '1' : text;
        const isValid = /^(?:1|[1-9]\d{1,8})$/.test(steps);
        expect(outcome).toEqual(isValid ? { returned: Number(steps) } : exit2('invalid_value'));
      },
    ),
  );
  expect(thrown(() => parseExits({ trail: '1' }))).toEqual(exit2('missing_value'));
  expect(parseExits({ trail: '1', stop: '40pips' })).toMatchObject({ trail: 1 });
});

test('amounts are whole numbers above 0', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.integer().map(String),
        fc.double().map(String),
        fc.constantFrom('5K', '1e3', '0x5', '9007199254740993', '05', '5.0'),
      ),
      (text) => {
        const whole = /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text));
        expect(thrown(() => parseAmount(text))).toEqual(whole ? { returned: Number(text) } : exit2('invalid_value'));
      },
    ),
  );
});

test('rates and ranges have no unit or sign', () => {
  fc.assert(
    fc.property(decimal, (text) => {
      expect([parseRate(text).text, parsePips(`${text}pips`, '--range').text]).toEqual([text, text]);
    }),
  );
  for (const text of ['0', '-1', '1.1605pips', '', ' 1', '1e-5'])
    expect(thrown(() => parseRate(text))).toEqual(exit2('invalid_value'));
});

describe('time in force', () => {
  it('is one that the type of the order allows', () => {
    const ALLOWED: Readonly<Record<OrderType, readonly TimeInForce[]>> = {
      AtMarket: ['GTC', 'DAY', 'IOC', 'FOK'],
      MarketRange: ['IOC', 'FOK'],
      Entry: ['GTC', 'DAY', 'GTD', 'IOC', 'FOK'],
      RangeEntry: ['GTC', 'DAY', 'GTD', 'IOC', 'FOK'],
    };
    for (const [type, allowed] of Object.entries(ALLOWED) as [OrderType, readonly TimeInForce[]][]) {
      for (const tif of TIMES_IN_FORCE) {
        const chosen = thrown(() => chooseTimeInForce(type, tif, tif === 'GTD'));
        expect(chosen, `${type} ${tif}`).toEqual(allowed.includes(tif) ? { returned: tif } : exit2('invalid_value'));
      }
    }
    const types = ['AtMarket', 'MarketRange', 'Entry'] as const;
    expect(types.map((type) => chooseTimeInForce(type, undefined))).toEqual(['GTC', 'IOC', 'GTC']);
  });

  test('is GTD with an end, and GTD needs one', () => {
    expect(chooseTimeInForce('Entry', undefined, true)).toBe('GTD');
    expect(thrown(() => chooseTimeInForce('Entry', 'GTC', true))).toEqual(exit2('usage'));
    expect(thrown(() => chooseTimeInForce('Entry', 'GTD'))).toEqual(exit2('missing_value'));
    expect(thrown(() => chooseTimeInForce('AtMarket', undefined, true))).toEqual(exit2('invalid_value'));
  });

  test('ends at a minute of UTC, in the future', () => {
    const now = Date.UTC(2026, 10, 20, 11, 59, 30);
    expect(expirationText(Date.UTC(2026, 10, 20, 23, 5, 59, 999), now)).toBe('2026-11-20 23:05');
    expect(thrown(() => expirationText(now + 29_000, now))).toEqual(exit2('invalid_value'));
    expect(expirationText(now + 30_000, now)).toBe('2026-11-20 12:00');
  });
});

test('no form lacks its side, has an exponent, or has 0 for a missing value', () => {
  const pips = decimal.map((text) => parseDistance(`${text}pips`, '--stop'));
  const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
  const order = fc.record({
    accountId: fc.stringMatching(/^\d{1,9}$/),
    symbol: fc.constantFrom('EUR/USD', 'US30', 'XAU/USD'),
    side: fc.constantFrom('buy' as const, 'sell' as const),
    amount: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    tif: fc.constantFrom<TimeInForce>('GTC', 'DAY'),
    stop: maybe(pips),
    limit: maybe(pips),
    trail: maybe(fc.constantFrom(1, 10, 250)),
    range: maybe(decimal.map((text) => parseRate(text))),
    rate: decimal.map((text) => parseRate(text)),
  });
  fc.assert(
    fc.property(order, (values) => {
      for (const form of [marketForm(values), entryForm(values)]) {
        const sent = new URLSearchParams(bodyText({ body: form, encoding: 'form' }));
        expect(sent.getAll('is_buy')).toEqual([String(values.side === 'buy')]);
        expect(sent.get('amount')).toBe(String(BigInt(values.amount)));
        expect(sent.get('stop')).toBe(values.stop === undefined ? null : `-${values.stop.text}`);
        expect(sent.get('limit')).toBe(values.limit === undefined ? null : values.limit.text);
        for (const [name, value] of sent) {
          expect(value, name).not.toBe('undefined');
          if (!['account_id', 'symbol'].includes(name)) expect(value, name).not.toMatch(/\de[+-]/i);
        }
      }
      expect(new Set(Object.keys(marketForm(values)).slice(0, 7))).toEqual(
        new Set(['account_id', 'symbol', 'is_buy', 'rate', 'amount', 'order_type', 'time_in_force']),
      );
    }),
  );
});

it('small numbers are written in plain notation, with all digits', () => {
  expect([8.5e-7, 1e-7, 1.15, 46_500, 0].map(withoutExponent)).toEqual([
    '0.00000085',
    '0.0000001',
    '1.15',
    '46500',
    '0',
  ]);
  fc.assert(
    fc.property(fc.double({ min: 1e-20, max: 1e9, noNaN: true }), (value) => {
      expect(withoutExponent(value)).toMatch(/^\d+(\.\d+)?$/);
      expect(Number(withoutExponent(value))).toBe(value);
    }),
  );
});
