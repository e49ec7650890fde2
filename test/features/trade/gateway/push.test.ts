import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPush } from '../../../../src/features/trade/gateway/push.ts';
import { parseTableTime, shownTime } from '../../../../src/features/trade/tables/table-time.ts';

describe('readPush', () => {
  it('reads a price, also with its time in seconds', () => {
    const record = { Updated: 1524658036391, Rates: [1.21818, 1.2183, 1.22, 1.21], Symbol: 'EUR/USD' };
    expect(readPush('EUR/USD', JSON.stringify(record))).toEqual({
      kind: 'price',
      symbol: 'EUR/USD',
      at: 1524658036391,
      bid: 1.21818,
      ask: 1.2183,
      high: 1.22,
      low: 1.21,
      record,
    });
    const old = JSON.stringify({ Updated: 1524658036, Rates: [1, 2] });
    expect(readPush('EUR/USD', old)).toMatchObject({ at: 1524658036000, high: undefined, symbol: 'EUR/USD' });
  });

  it.each([
    ['Order', '{"t":3,"orderId":"390285837","action":"I"}', { model: 'Order', action: 'I', key: '390285837' }],
    ['Order', '{"t":3,"orderId":390285837}', { model: 'Order', action: 'U', key: '390285837' }],
    ['x', '{"t":1,"tradeId":"7","action":"D"}', { model: 'OpenPosition', action: 'D', key: '7' }],
    ['Properties', '{"a":1}', { model: 'Properties', action: 'U', key: undefined }],
  ])('reads %s %s', (name, payload, row) => {
    expect(readPush(name, payload)).toMatchObject({ kind: 'row', ...row });
  });

  it('shows unknown content, and skips what is not JSON', () => {
    expect(readPush('news', '{"text":"a"}')).toEqual({ kind: 'other', record: { text: 'a' } });
    for (const record of [[1], null, 7, 'text'])
      expect(readPush('Order', JSON.stringify(record))).toEqual({ kind: 'other', record });
    for (const payload of ['', 'hello']) expect(readPush('Order', payload)).toBeUndefined();
  });

  it('never fails', () => {
    fc.assert(
      fc.property(fc.string(), fc.oneof(fc.string(), fc.json()), (name, payload) => void readPush(name, payload)),
    );
  });
});

describe('tableTime', () => {
  it.each([
    ['04252018120716391', '2018-04-25T12:07:16.391Z'],
    ['09152017143932', '2017-09-15T14:39:32.000Z'],
    ['09152017', '2017-09-15T00:00:00.000Z'],
    ['2017-09-13T15:26:49.000Z', '2017-09-13T15:26:49.000Z'],
  ])('%s is %s', (text, time) => {
    expect(shownTime(text)).toBe(time);
  });

  it.each(['', '13252018120716', '00152017', '0915201', 'yesterday', '02302018'])('refuses %j', (text) => {
    expect(parseTableTime(text)).toBeUndefined();
  });

  it('leaves an unreadable value unchanged', () => {
    expect(shownTime('soon')).toBe('soon');
    expect(shownTime(undefined)).toBeUndefined();
  });
});
