/** `svc trade close --via-opposite`: an opposite order that closes never opens a position. */
import { expect, it } from 'vitest';
import { temporaryHome } from '../../../support/svc.ts';
import { holdTrade } from './holdings.ts';
import { forwarder } from './lost-answers.ts';
import { fileTrader, NETTING } from './trader.ts';

const client = await fileTrader({ emptied: true });

const hold = (amountK = 30) => holdTrade(client.gateway, { account: NETTING, amountK });
const net = () =>
  [...client.gateway.book.trades.values()].reduce((sum, { isBuy, amountK }) => sum + (isBuy ? amountK : -amountK), 0);
const closing = (trade: string, amount?: string) => [
  ...['close', trade, '--via-opposite'],
  ...(amount === undefined ? [] : ['--amount', amount]),
];
const YES = ['--account', NETTING, '--yes'];
const run = (argv: readonly string[], home = temporaryHome()) => client.run([...argv, ...YES], { sleeps: true, home });

it.each<[string, (trade: string) => readonly (readonly string[])[]]>([
  ['the same close', (trade) => [closing(trade), closing(trade)]],
  ['two parts that are more than there is', (trade) => [closing(trade, '20'), closing(trade, '20')]],
  ['a close of the symbol', (trade) => [['close', '--symbol', 'EUR/USD'], closing(trade)]],
  ['an order that closes it', (trade) => [['sell', 'EUR/USD', '30'], closing(trade)]],
])('not after %s', async (_name, of) => {
  const [first = [], second = []] = of(hold());
  const home = temporaryHome();
  expect((await run(first, home)).code).toBe(0);
  const again = await run(second, home);
  expect([3, 5], again.stderr).toContain(again.code);
  expect(client.orders()).toEqual([]);
  expect(net()).toBeGreaterThanOrEqual(0);
});

it('not while one that would close the same waits for the market', async () => {
  const trade = hold();
  client.gateway.traps.add('market-closed');
  const home = temporaryHome();
  expect((await run(['close', trade, '--via-opposite'], home)).code).toBe(0);
  const again = await run(['close', trade, '--via-opposite'], home);
  expect({ code: again.code, stderr: again.stderr }).toEqual({
    code: 3,
    stderr: expect.stringMatching(/could open a position: other orders may be closing it already; nothing was sent/),
  });
  expect(again.stderr).toContain('--symbol');
});

it('not a second time while the outcome of the first is unknown', async () => {
  const trade = hold();
  await using before = await forwarder(client.gateway.url);
  before.fault = { applied: false, answer: (response) => response.socket?.resetAndDestroy() };
  const home = temporaryHome();
  const argv = ['close', trade, '--via-opposite', ...YES];
  const first = await client.run(argv, { home, sleeps: 1, env: { SVC_TRADE_URL: before.url } });
  expect(first.code, first.stderr).toBe(8);
  before.fault = undefined;
  const again = await client.run(argv, { home, sleeps: 1, env: { SVC_TRADE_URL: before.url } });
  expect(again.code, again.stderr).toBe(3);
});

it('several trades are closed one after the other', async () => {
  const trades = [hold(), hold(20)];
  expect((await run(['close', ...trades, '--via-opposite', '--wait', '10s'])).code).toBe(0);
  expect(net()).toBe(0);
});

it('processes that close the same at the same time close it once', async () => {
  const trade = hold();
  const home = temporaryHome();
  const codes = await Promise.all(
    [1, 2, 3].map(async () => (await run(['close', trade, '--via-opposite'], home)).code),
  );
  expect(codes.filter((code) => code === 0)).toHaveLength(1);
  expect(net()).toBe(0);
});
