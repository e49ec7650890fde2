import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPush } from '../../../../src/features/trade/gateway/push.ts';
import { parseTableTime, shownTime } from '../../../../src/features/trade/tables/table-time.ts';

describe('a push', () => {
  it('of a price has its rates and its time, which may be in seconds', () => {
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
    const never = JSON.stringify({ Updated: 1e300, Rates: [1, 2] });
    expect(readPush('EUR/USD', never)).toMatchObject({ at: undefined, bid: 1 });
    const old = JSON.stringify({ Updated: 1524658036, Rates: [1, 2] });
    expect(readPush('EUR/USD', old)).toMatchObject({ at: 1524658036000, high: undefined, symbol: 'EUR/USD' });
  });

  it('of a table has its model, its action and its key', () => {
    const read = (name: string, payload: string) => expect(readPush(name, payload));
    const keyed = { kind: 'row', model: 'Order', key: '390285837' };
    read('Order', '{"t":3,"orderId":"390285837","action":"I"}').toMatchObject({ ...keyed, action: 'I' });
    read('Order', '{"t":3,"orderId":390285837}').toMatchObject({ ...keyed, action: 'U' });
    read('x', '{"t":1,"tradeId":"7","action":"D"}').toMatchObject({ model: 'OpenPosition', action: 'D', key: '7' });
    read('Properties', '{"a":1}').toMatchObject({ kind: 'row', model: 'Properties', action: 'U', key: undefined });
  });

  it('of anything else has its record, and none if it is not JSON', () => {
    expect(readPush('news', '{"text":"a"}')).toEqual({ kind: 'other', record: { text: 'a' } });
    for (const record of [[1], null, 7, 'text'])
      expect(readPush('Order', JSON.stringify(record))).toEqual({ kind: 'other', record });
    for (const payload of ['', 'hello']) expect(readPush('Order', payload)).toBeUndefined();
  });

  it('is read, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), fc.oneof(fc.string(), fc.json()), (name, payload) => void readPush(name, payload)),
    );
  });
});

it('the time of a row is shown in UTC, or unchanged if it is none', () => {
  const TIMES: Readonly<Record<string, string>> = {
    '04252018120716391': '2018-04-25T12:07:16.391Z',
    '09152017143932': '2017-09-15T14:39:32.000Z',
    '09152017': '2017-09-15T00:00:00.000Z',
    '2017-09-13T15:26:49.000Z': '2017-09-13T15:26:49.000Z',
    soon: 'soon',
  };
  expect(Object.fromEntries(Object.keys(TIMES).map((text) => [text, shownTime(text)]))).toEqual(TIMES);
  expect(shownTime(undefined)).toBeUndefined();
  const others = ['', '13252018120716', '00152017', '0915201', 'yesterday', '02302018'];
  expect(others.filter((text) => parseTableTime(text) !== undefined)).toEqual([]);
});
