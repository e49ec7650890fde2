/** What is taken out of the answers of the gateway's tables. */
import { expect, test } from 'vitest';
import { openTrading } from '../../../src/features/trade/client.ts';
import { MODELS, type ModelName } from '../../../src/features/trade/models.ts';

function tradingWith(answer: object) {
  return openTrading({
    async call(endpoint) {
      const outcome = (await endpoint.answer?.())?.safeParse({ response: { executed: true }, ...answer });
      if (outcome?.success !== true) throw new Error('an answer of another shape');
      return outcome.data;
    },
  });
}

test.each<readonly [ModelName, object]>([
  ['Account', { accountId: 654061 }],
  ['OpenPosition', { tradeId: '7' }],
  ['ClosedPosition', { tradeId: '7' }],
  ['Order', { orderId: '39' }],
  ['Summary', { offerId: 1 }],
])('the total of %s is not a row, marked or without a key', async (name, row) => {
  const { rows, key = '' } = MODELS[name];
  const totals = [
    { isTotal: true, grossPL: 1 },
    { [key]: '', grossPL: 1 },
    { isTotal: true, ...row },
  ];
  const found = await tradingWith({ [rows]: [row, ...totals] }).model(name);
  expect(found.map((one) => String((one as Record<string, unknown>)[key]))).toEqual([
    String((row as Record<string, unknown>)[key]),
  ]);
});

test('accepts any row of a table without keys', async () => {
  const properties = [{ name: '' }, { name: 'BASE_CRNCY', value: 'USD' }];
  expect(await tradingWith({ properties }).model('Properties')).toEqual(properties);
});

test('names a missing table', async () => {
  await expect(tradingWith({}).model('Order')).rejects.toMatchObject({
    code: 'wrong_shape',
    message: 'the gateway\'s response has no list "orders"',
  });
});
