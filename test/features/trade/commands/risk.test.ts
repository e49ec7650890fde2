/** `--risk`, and the margin of an order. */
import { describe, expect, it } from 'vitest';
import { fileTrader } from './trader.ts';

const client = await fileTrader({ emptied: true });

const BY_RISK = ['--risk', '1%', '--stop', '40pips'];

describe('--risk', () => {
  it.each([
    ['buy', ['buy', 'EUR/USD', ...BY_RISK], { amount: '125', stop: '-40' }],
    ['sell', ['sell', 'EUR/USD', '--risk', '100', '--stop', '1.165'], { amount: '20', stop: '1.165' }],
    [
      'entry buy',
      ['entry', 'buy', 'EUR/USD', '--rate', '1.15', '--risk', '99.99', '--stop', '1.146'],
      { amount: '24' },
    ],
    ['contracts', ['buy', 'XAU/USD', '--risk', '100', '--stop', '50pips'], { amount: '20' }],
  ])('sets the amount and shows the arithmetic: %s', async (_name, argv, form) => {
    const { code, stderr } = await client.run([...argv, '--yes']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/amount: \d+\.\d\d .*= \d+, rounded down/),
    });
    expect(client.orders()).toMatchObject([form]);
  });

  it('shows the arithmetic and the loss at the stop in a preview', async () => {
    const preview = ['buy', 'EUR/USD', ...BY_RISK, '--preview'];
    const { code, stdout } = await client.run([...preview, '-o', 'json']);
    expect({ code, value: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      value: {
        amount: 125,
        pip_value: 12.5,
        margin_needed: expect.any(Number),
        sizing: { risk: 500, risk_percent: 1, equity: 50_000, stop_pips: 40, pip_value_of_one: 0.1, loss: 500 },
      },
    });
    const table = (await client.run(preview)).stdout;
    expect(table).toMatch(/^ORDER +Buy 125 EUR\/USD \(125,000 EUR\) at market, /m);
    expect(table).toMatch(
      /^AMOUNT +500\.00 \(1% of equity 50000\.00\) \/ \(40 pips x 0\.1 for 1,000 EUR\) = 125, rounded down$/m,
    );
    expect(table).toMatch(/^COSTS +margin \d+\.\d\d of \d+\.\d\d usable, a pip is worth 12\.50, spread 1\.3 pips$/m);
    const sell = await client.run(['sell', 'EUR/USD', '--risk', '100', '--stop', '1.17', '--preview', '-o', 'json']);
    expect(JSON.parse(sell.stdout)).toMatchObject({ amount: 10, sizing: { stop_pips: 100, loss: 100 } });
    expect(client.orders()).toEqual([]);
  });

  it.each([
    ['no stop', ['--risk', '1%'], '--risk needs a stop'],
    ['an amount, too', ['5', ...BY_RISK], '--risk sets the amount'],
    ['neither', ['--stop', '40pips'], '<amount> is required'],
  ])('exits 2 and sends nothing: %s', async (_name, argv, why) => {
    const { code, stderr } = await client.run(['buy', 'EUR/USD', ...argv, '--yes']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(why) });
    expect(client.orders()).toEqual([]);
  });
});

describe('the margin of an order', () => {
  it('warns if the margin may not suffice, and leaves the order to the gateway', async () => {
    const why = /the order may need a margin of 115\d{3}\.\d\d, and account 654061 has only \d+\.\d\d/;
    const { stdout } = await client.run(['buy', 'EUR/USD', '3000', '--preview', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ refusal: null, warnings: [expect.stringMatching(why)] });
    const { code, stderr } = await client.run(['buy', 'EUR/USD', '3000', '--yes']);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringMatching(why) });
    expect(stderr).toContain('the gateway');
    expect(client.orders()).toHaveLength(1);
  });
});
