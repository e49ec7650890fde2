/** The exact fields of what changes or ends something, written by hand after what was seen on the public implementation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { parseLeg, parseLegs } from '../../../../src/features/trade/commands/oco-create.ts';
import {
  changeOrderForm,
  checkForm,
  closeAllForm,
  closeForm,
  type OrderForm,
  ocoForm,
  orderExitsForm,
  tradeExitForm,
} from '../../../../src/features/trade/orders/forms.ts';
import { parseDistance, parsePips } from '../../../../src/features/trade/orders/rules.ts';

const pips = (text: string) => parseDistance(`${text}pips`, '--stop');
const price = (text: string) => parseDistance(text, '--stop');

/** As in the body. */
function body(form: OrderForm): string {
  return Object.entries(form)
    .flatMap(([name, value]) => (value === undefined ? [] : [value].flat().map((one) => `${name}=${one}`)))
    .join('&');
}

describe('the forms', () => {
  it.each<[string, OrderForm, string]>([
    [
      'close_trade',
      closeForm('170162801', 5, { tif: 'GTC', range: undefined }),
      'trade_id=170162801&rate=0&amount=5&order_type=AtMarket&time_in_force=GTC',
    ],
    [
      'close_trade within a range',
      closeForm('170162801', 5, { tif: 'FOK', range: parsePips('5pips', '--range') }),
      'trade_id=170162801&rate=0&amount=5&at_market=5&order_type=MarketRange&time_in_force=FOK',
    ],
    [
      'close_all_for_symbol of a symbol',
      closeAllForm('654061', 'EUR/USD', 'GTC'),
      'account_id=654061&forSymbol=true&symbol=EUR/USD&order_type=AtMarket&time_in_force=GTC',
    ],
    [
      'close_all_for_symbol of everything',
      closeAllForm('654061', undefined, 'GTC'),
      'account_id=654061&forSymbol=false&symbol=&order_type=AtMarket&time_in_force=GTC',
    ],
    [
      'change_order',
      changeOrderForm('390285837', { rate: '1.1500', range: '0', amount: 10 }),
      'order_id=390285837&rate=1.1500&range=0&amount=10',
    ],
    [
      'change_order of one that trails',
      changeOrderForm('390285837', { rate: '1.15', range: '5', amount: 10, trailEntry: 1 }),
      'order_id=390285837&rate=1.15&range=5&amount=10&trailing_step=1',
    ],
    [
      'change_order_stop_limit, each in its own unit',
      orderExitsForm('390285837', { stop: pips('40'), limit: price('1.20'), trail: 10 }),
      'order_id=390285837&limit=1.20&is_limit_in_pips=false&stop=-40&is_stop_in_pips=true&trailing_step=10',
    ],
    [
      'change_order_stop_limit leaves out the side that stays',
      orderExitsForm('390285837', { stop: undefined, limit: pips('80'), trail: undefined }),
      'order_id=390285837&limit=80&is_limit_in_pips=true',
    ],
    [
      'change_trade_stop_limit: a stop in pips is a loss',
      tradeExitForm('170162801', 'stop', pips('40'), 1),
      'trade_id=170162801&is_stop=true&rate=-40&is_in_pips=true&trailing_step=1',
    ],
    [
      'change_trade_stop_limit: a limit in pips is a gain',
      tradeExitForm('170162801', 'limit', pips('80'), undefined),
      'trade_id=170162801&is_stop=false&rate=80&is_in_pips=true&trailing_step=0',
    ],
    [
      'change_trade_stop_limit: 0 takes it away',
      tradeExitForm('170162801', 'stop', 'none', undefined),
      'trade_id=170162801&is_stop=true&rate=0&is_in_pips=false&trailing_step=0',
    ],
    [
      'simple_oco',
      ocoForm(
        { accountId: '654061', symbol: 'EUR/USD', amount: 5, tif: 'GTD', expires: '2026-11-21 12:00' },
        parseLegs(['buy@1.17,stop=40pips,limit=80pips,trail=dynamic', 'sell@1.15,stop=30pips,trail-entry=10']),
      ),
      'account_id=654061&symbol=EUR/USD&amount=5&is_in_pips=true&time_in_force=GTD&expiration=2026-11-21 12:00' +
        '&is_buy=true&rate=1.17&stop=-40&limit=80&trailing_stop_step=1' +
        '&is_buy2=false&rate2=1.15&stop2=-30&trailing_step2=10',
    ],
  ])('%s', (_name, form, text) => {
    expect(body(form)).toBe(text);
  });

  it('never sends a pair without one of its sides', () => {
    const legs = parseLegs(['buy@1.17', 'sell@1.15']);
    const form = ocoForm({ accountId: '1', symbol: 'EUR/USD', amount: 5, tif: 'GTC', expires: undefined }, legs);
    expect(() => checkForm('/trading/simple_oco', form)).not.toThrow();
    expect(() => checkForm('/trading/simple_oco', { ...form, is_buy2: undefined })).toThrow(/without is_buy2/);
  });
});

describe('a leg', () => {
  it('has a side, a price and its options', () => {
    expect(parseLeg('sell@1.1500, stop=1.16, limit=1.10')).toEqual({
      side: 'sell',
      rate: { text: '1.1500', value: 1.15 },
      stop: { unit: 'price', text: '1.16', value: 1.16 },
      limit: { unit: 'price', text: '1.10', value: 1.1 },
      trail: undefined,
      trailEntry: undefined,
    });
  });

  it.each([
    ['', /must begin with buy@<price> or sell@<price>/],
    ['1.17', /must begin/],
    ['BUY@1.17', /must begin/],
    ['buy@0', /is not a price above 0/],
    ['buy@1.17,stp=40pips', /expected stop, limit, trail, trail-entry/],
    ['buy@1.17,stop=40pips,stop=30pips', /has stop twice/],
    ['buy@1.17,stop=-40pips', /must have no sign/],
    ['buy@1.17,stop=1.18', /must be below the rate 1.17 for a buy/],
    ['buy@1.17,limit=1.16', /must be above the rate 1.17 for a buy/],
    ['buy@1.17,stop=40pips,limit=1.20', /must have the same unit/],
    ['buy@1.17,trail=dynamic', /--trail needs a stop/],
    ['buy@1.17,stop=40pips,trail=5', /invalid value "5": use "dynamic"/],
  ])('refuses %j', (text, why) => {
    expect(() => parseLeg(text)).toThrow(why);
  });

  it('accepts any text as a leg or refuses it as an invalid value', () => {
    const part = fc.constantFrom(
      'buy@',
      'sell@',
      '1.17',
      ',',
      'stop=',
      'limit=',
      'trail=',
      '40pips',
      'dynamic',
      '-',
      ' ',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(part).map((parts) => parts.join('')),
        ),
        (text) => {
          try {
            const { side, rate } = parseLeg(text);
            expect(['buy', 'sell']).toContain(side);
            expect(rate.value).toBeGreaterThan(0);
          } catch (error) {
            expect(error).toBeInstanceOf(SvcError);
            expect((error as SvcError).exit).toBe(2);
          }
        },
      ),
    );
  });

  it.each([
    [[], /not 0/],
    [['buy@1.17'], /not 1/],
    [['buy@1.17', 'sell@1.15', 'sell@1.14'], /not 3/],
    [['buy@1.17,stop=40pips', 'sell@1.15,stop=1.16'], /must have the same unit/],
  ])('a pair has two of one unit: %j', (legs, why) => {
    expect(() => parseLegs(legs)).toThrow(why);
  });
});
