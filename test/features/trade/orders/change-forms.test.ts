/** The exact fields of what changes or ends something, written by hand after what was seen on the public implementation. */
import { describe, expect, it } from 'vitest';
import {
  changeOrderForm,
  closeAllForm,
  closeForm,
  type OrderForm,
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
      changeOrderForm('390285837', { rate: '1.15', range: '5', amount: 10 }),
      'order_id=390285837&rate=1.15&range=5&amount=10',
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
  ])('%s', (_name, form, text) => {
    expect(body(form)).toBe(text);
  });
});
