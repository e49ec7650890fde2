/** `svc trade positions update`, `orders update` and `orders cancel`: what they send, and what they report if only a part succeeds. */
import { describe, expect, it } from 'vitest';
import { holdOrder, holdTrade } from './holdings.ts';
import { forwarder } from './lost-answers.ts';
import { fileTrader, NETTING } from './trader.ts';

const client = await fileTrader({ emptied: true });

const split = (text: string): string[] => text.split(' ');

describe('svc trade positions update', () => {
  it.each([
    ['--stop 40pips', [{ is_stop: 'true', rate: '-40', is_in_pips: 'true', trailing_step: '0' }]],
    ['--stop 40pips --trail dynamic', [{ is_stop: 'true', rate: '-40', is_in_pips: 'true', trailing_step: '1' }]],
    ['--limit none', [{ is_stop: 'false', rate: '0', is_in_pips: 'false', trailing_step: '0' }]],
    [
      '--stop none --limit 80pips',
      [
        { is_stop: 'true', rate: '0', is_in_pips: 'false', trailing_step: '0' },
        { is_stop: 'false', rate: '80', is_in_pips: 'true', trailing_step: '0' },
      ],
    ],
  ])('sends %s', async (argv, forms) => {
    const trade_id = holdTrade(client.gateway);
    const { code, stderr } = await client.run(['positions', 'update', trade_id, ...split(argv), '--yes']);
    expect(code, stderr).toBe(0);
    expect(client.orders()).toEqual(forms.map((form) => ({ trade_id, ...form })));
  });

  it('says that a trailing stop no longer trails', async () => {
    const id = holdTrade(client.gateway);
    const set = (argv: string) =>
      client.run(['positions', 'update', id, ...split(argv)], { terminal: 200, answer: true });
    expect((await set('--stop 40pips --trail dynamic')).asked[0]).toMatch(/40 pips away, trailing of trade/);
    expect((await set('--stop 30pips')).asked[0]).toMatch(/30 pips away, no longer trailing of trade/);
    expect((await set('--stop 20pips')).asked[0]).toMatch(/20 pips away of trade/);
  });

  it('prints the id of the trade with -q, as the gateway names no order', async () => {
    const id = holdTrade(client.gateway);
    const run = await client.run(['positions', 'update', id, '--stop', '40pips', '--yes', '-q']);
    expect(run).toMatchObject({ code: 0, stdout: `${id}\n` });
  });

  it('refuses a trade that is not open', async () => {
    holdTrade(client.gateway);
    const run = await client.run(['positions', 'update', '1', '--stop', '40pips', '--yes']);
    expect(run).toMatchObject({ code: 5, stderr: expect.stringContaining('there is no open trade 1') });
    expect(client.orders()).toEqual([]);
  });

  it.each([
    ['--stop 1.17', 3, /--stop: 1.17 must be below the rate 1.16 for a buy/],
    ['--stop -40pips', 2, /must have no sign/],
    ['--stop none --trail dynamic', 2, /--trail needs a stop/],
    ['--limit wide', 2, /--limit: "wide" is neither/],
    [`--stop 40pips --account ${NETTING}`, 3, /is in account 654061, not in 654062/],
    ['', 2, /nothing to change/],
  ])('refuses %j', async (argv, code, why) => {
    const id = holdTrade(client.gateway);
    const run = await client.run(['positions', 'update', id, ...split(argv).filter(Boolean), '--yes']);
    expect(run.stderr).toMatch(why);
    expect({ code: run.code, orders: client.orders() }).toEqual({ code, orders: [] });
  });
});

describe('svc trade orders update', () => {
  it.each([
    ['--amount 5', [{ rate: '1.15', range: '0', amount: '5' }]],
    ['--stop 40pips', [{ stop: '-40', is_stop_in_pips: 'true' }]],
    ['--rate 1.14 --amount 5 --range 5', [{ rate: '1.14', range: '5', amount: '5' }]],
    [
      '--limit 1.1800 --stop 40pips --trail 10',
      [{ limit: '1.1800', is_limit_in_pips: 'false', stop: '-40', is_stop_in_pips: 'true', trailing_step: '10' }],
    ],
    [
      '--rate 1.1400 --limit 80pips',
      [
        { rate: '1.1400', range: '0', amount: '10' },
        { limit: '80', is_limit_in_pips: 'true' },
      ],
    ],
  ])('sends %s', async (argv, forms) => {
    const order_id = holdOrder(client.gateway);
    const { code, stdout, stderr } = await client.run([
      'order',
      'update',
      order_id,
      ...split(argv),
      '--yes',
      '-o',
      'json',
    ]);
    expect(code, stderr).toBe(0);
    expect(client.orders()).toEqual(forms.map((form) => ({ order_id, ...form })));
    expect(JSON.parse(stdout)).toMatchObject(forms.map(() => ({ order_id, outcome: 'accepted', order_ids: [] })));
  });

  it('asks with the new stop, and how it trails', async () => {
    const order_id = holdOrder(client.gateway);
    const asked = async (...more: string[]) => {
      const argv = ['orders', 'update', order_id, '--stop', '40pips', ...more];
      return (await client.run(argv, { terminal: 200, answer: false })).asked.join();
    };
    expect(await asked()).toMatch(/^Set the stop 40 pips away of order /);
    expect(await asked('--trail', '10')).toMatch(/^Set the stop 40 pips away, trailing in steps of 10 of order /);
  });

  it('sends an unchanged rate in plain notation, however small', async () => {
    const order_id = holdOrder(client.gateway, { rate: 8.5e-7 });
    await client.run(['orders', 'update', order_id, '--amount', '5', '--yes']);
    expect(client.orders()).toEqual([{ order_id, rate: '0.00000085', range: '0', amount: '5' }]);
  });

  it('keeps what is not named, also for a symbol in contracts', async () => {
    const order_id = holdOrder(client.gateway, { symbol: 'US30', amountK: 0.002, rate: 45_000 });
    await client.run(['orders', 'update', order_id, '--rate', '44000', '--yes']);
    expect(client.orders()).toEqual([{ order_id, rate: '44000', range: '0', amount: '2' }]);
  });

  it.each([
    ['--stop none', 2, /the interface has no known way/],
    ['--stop 1.16', 3, /must be below the rate 1.15 for a buy/],
    ['--rate 1.14 --stop 1.145', 3, /must be below the rate 1.14/],
    ['', 2, /nothing to change/],
  ])('refuses %j', async (argv, code, why) => {
    const id = holdOrder(client.gateway);
    const run = await client.run(['orders', 'update', id, ...split(argv).filter(Boolean), '--yes']);
    expect(run.stderr).toMatch(why);
    expect({ code: run.code, orders: client.orders() }).toEqual({ code, orders: [] });
  });
});

describe('svc trade orders cancel', () => {
  it('cancels one order after the other', async () => {
    const ids = [holdOrder(client.gateway), holdOrder(client.gateway)];
    const { code, stdout } = await client.run(['orders', 'cancel', ...ids, '--yes', '-q']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${ids.join('\n')}\n` });
    expect(client.orders()).toEqual(ids.map((order_id) => ({ order_id })));
  });

  it('names the OCO group that ends with an order, and sends no request for the others', async () => {
    const [one = '', two = '', three = ''] = [1, 2, 3].map(() => holdOrder(client.gateway, { ocoBulkId: 7 }));
    const { asked, stdout } = await client.run(['orders', 'cancel', one, three, '-o', 'json'], {
      terminal: 200,
      answer: true,
    });
    expect(asked).toEqual([
      expect.stringMatching(/^Cancel order \d+ \(buy 10K EUR\/USD, limit entry at 1.15\); its OCO group ends with it/),
    ]);
    for (const id of [two, three]) expect(asked[0]).toContain(`order ${id} (`);
    expect(client.orders()).toEqual([{ order_id: one }]);
    expect(JSON.parse(stdout)).toMatchObject([{ order_id: one, outcome: 'accepted', along: [two, three] }]);
  });

  it('cancels all of a symbol in the account, and an OCO group by one of its orders', async () => {
    const [first = ''] = [7, 7].map((ocoBulkId) => holdOrder(client.gateway, { ocoBulkId }));
    const alone = holdOrder(client.gateway);
    holdOrder(client.gateway, { symbol: 'GBP/USD', rate: 1.3 });
    holdOrder(client.gateway, { account: NETTING });
    const { code } = await client.run(['orders', 'cancel', '--all', '--symbol', 'eurusd', '--yes']);
    expect(code).toBe(0);
    expect(client.orders()).toEqual([{ order_id: first }, { order_id: alone }]);
    holdOrder(client.gateway, { symbol: 'USD/CHF', rate: 0.8 });
    expect((await client.run(['orders', 'cancel', '--all', '--symbol', 'usdchf', '--yes'])).code).toBe(0);
    expect(client.orders()).toHaveLength(1);
    expect((await client.run(['orders', 'cancel', '--all', '--symbol', 'usdchx', '--yes'])).code).toBe(5);
    const none = await client.run(['orders', 'cancel', '--all', '--symbol', 'eurusd', '--yes', '-o', 'json']);
    expect({ code: none.code, stdout: none.stdout }).toEqual({ code: 0, stdout: '[]\n' });
  });

  it.each([
    [[], 2, /pass order ids, or --all/],
    [['1', '--all'], 2, /pass order ids/],
    [['1x'], 2, /is not an order id/],
    [['1'], 5, /there is no order 1; nothing was sent/],
  ])('refuses %j', async (argv, code, why) => {
    const run = await client.run(['orders', 'cancel', ...argv, '--yes']);
    expect(run.stderr).toMatch(why);
    expect({ code: run.code, orders: client.orders() }).toEqual({ code, orders: [] });
  });
});

describe('a command of two requests', () => {
  const EXECUTED = '{"response":{"executed":true},"data":null}';
  const REFUSED =
    '{"response":{"executed":false,"error":"{\\"code\\":18,\\"message\\":\\"The Stop distance must be \\",\\"parameters\\":[\\"<\\",0]}"},"data":null}';

  /** Answers in turn; nothing is a connection that is cut. */
  async function answering(argv: readonly string[], ...answers: readonly string[]) {
    await using before = await forwarder(client.gateway.url);
    let turn = 0;
    before.fault = {
      applied: false,
      answer(response) {
        const text = answers[turn++];
        if (text === undefined) response.socket?.destroy();
        else response.end(text);
      },
    };
    const run = await client.run([...argv, '--yes', '-o', 'json'], { env: { SVC_TRADE_URL: before.url } });
    return { ...run, posts: before.orders.length, journal: client.journal().map(({ outcome }) => outcome) };
  }
  const UPDATE = () => ['orders', 'update', holdOrder(client.gateway), '--rate', '1.14', '--stop', '40pips'];
  const EXITS = () => ['positions', 'update', holdTrade(client.gateway), '--stop', '40pips', '--limit', '80pips'];

  it.each([
    ['orders update', UPDATE],
    ['positions update', EXITS],
  ])('reports both if the second is refused: %s', async (_name, argv) => {
    const { code, stdout, posts, journal } = await answering(argv(), EXECUTED, REFUSED);
    expect({ code, posts, journal }).toEqual({ code: 10, posts: 2, journal: ['accepted', 'refused'] });
    expect(JSON.parse(stdout)).toMatchObject([
      { outcome: 'accepted', message: null },
      { outcome: 'refused', message: expect.stringMatching(/The Stop distance must be < 0 \(code 18\)/) },
    ]);
  });

  it('reports both if the response to the second is lost', async () => {
    const { code, stdout, posts, journal } = await answering(UPDATE(), EXECUTED);
    expect({ code, posts, journal }).toEqual({ code: 8, posts: 2, journal: ['accepted', 'unknown'] });
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'accepted' }, { outcome: 'unknown' }]);
  });

  it.each([
    ['orders update', UPDATE],
    ['positions update', EXITS],
  ])('does not send the second if the first is refused: %s', async (_name, argv) => {
    const { code, stdout, posts } = await answering(argv(), REFUSED);
    expect({ code, stdout, posts }).toEqual({ code: 3, stdout: '', posts: 1 });
  });
});
