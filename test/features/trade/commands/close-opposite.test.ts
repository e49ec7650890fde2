/** `svc trade close --via-opposite`: an opposite order that closes never opens a position. */
import { expect, it } from 'vitest';
import { temporaryHome } from '../../../support/svc.ts';
import { holdTrade } from './holdings.ts';
import { forwarder } from './lost-answers.ts';
import { fileTrader, NETTING } from './trader.ts';

const client = await fileTrader({ emptied: true });

const lines = (...commands: readonly object[]): string => commands.map((one) => `${JSON.stringify(one)}\n`).join('');
const hold = (amountK = 30) => holdTrade(client.gateway, { account: NETTING, amountK });
const close = (trade: string, more: object = {}) => ({ command: 'close', trade, 'via-opposite': true, ...more });
const net = () =>
  [...client.gateway.book.trades.values()].reduce((sum, { isBuy, amountK }) => sum + (isBuy ? amountK : -amountK), 0);
const YES = ['--account', NETTING, '--yes'];
const run = (argv: readonly string[], stdin?: string, home?: string) =>
  client.run([...argv, ...YES], { sleeps: true, ...(stdin !== undefined && { stdin }), ...(home && { home }) });

it.each<[string, (trade: string) => readonly object[]]>([
  ['the same close', (trade) => [close(trade), close(trade)]],
  ['two parts that are more than there is', (trade) => [close(trade, { amount: 20 }), close(trade, { amount: 20 })]],
  ['a close of the symbol', (trade) => [{ command: 'close', symbol: 'EUR/USD' }, close(trade)]],
  ['an order that closes it', (trade) => [{ command: 'sell', symbol: 'EUR/USD', amount: 30 }, close(trade)]],
])('in a batch, not after %s', async (_name, of) => {
  const trade = hold();
  const { code, stdout, stderr } = await run(['batch', '-', '-o', 'json', '--keep-going'], lines(...of(trade)));
  expect(code, stderr).toBe(10);
  expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'accepted' }, { outcome: 'not_sent' }]);
  expect(net()).toBeGreaterThanOrEqual(0);
  expect(client.orders()).toHaveLength(1);
});

it('not while one that would close the same waits for the market', async () => {
  const trade = hold();
  client.gateway.traps.add('market-closed');
  const home = temporaryHome();
  expect((await run(['close', trade, '--via-opposite'], undefined, home)).code).toBe(0);
  const again = await run(['close', trade, '--via-opposite'], undefined, home);
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

it('of commands that a session has in flight together, only what is there is closed', async () => {
  const [trade, other] = [hold(), hold()];
  const sent = lines({ id: 'a', ...close(trade) }, { id: 'b', ...close(trade) }, { id: 'c', ...close(other) });
  const { stdout } = await run(['session', '-o', 'ndjson'], sent);
  expect(stdout.match(/"event":"accepted"/g)).toHaveLength(2);
  expect(stdout.match(/"event":"refused"/g)).toHaveLength(1);
  expect(net()).toBe(0);
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
    [1, 2, 3].map(async () => (await run(['close', trade, '--via-opposite'], undefined, home)).code),
  );
  expect(codes.filter((code) => code === 0)).toHaveLength(1);
  expect(net()).toBe(0);
});
