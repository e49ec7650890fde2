/** `svc trade session` as a bot has it: a process on real pipes. */
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTradingEmulator, type TradingEmulator } from '../../src/sandbox/trade/server.ts';
import { holdOrder, holdTrade } from '../features/trade/commands/holdings.ts';
import { HEDGING, NOW } from '../features/trade/commands/trader.ts';
import { until } from '../features/trade/gateway.ts';
import { temporaryHome } from '../support/homes.ts';
import { type Running, startSvc } from './binary.ts';

let gateway: TradingEmulator;
beforeAll(async () => {
  const began = Date.now();
  const now = (): number => NOW + Date.now() - began;
  gateway = await startTradingEmulator({ now, random: () => 0.5, fast: 20, tickMs: 0, caps: false });
});
afterAll(() => gateway.close());

interface Event {
  readonly event: string;
  readonly id: string | null;
  readonly [field: string]: unknown;
}

function session(...args: string[]) {
  const running: Running = startSvc(['trade', 'session', '--yes', '-o', 'ndjson', ...args], {
    env: {
      SVC_TRADE_URL: gateway.url,
      SVC_TRADE_TOKEN: gateway.token,
      SVC_TRADE_ACCOUNT: HEDGING,
      SVC_CONFIG_DIR: temporaryHome(),
    },
    input: 'open',
    unread: true,
  });
  const since = gateway.requests.length;
  const events: Event[] = [];
  let rest = '';
  const take = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) events.push(JSON.parse(line));
  };
  return {
    ...running,
    send: (...commands: readonly object[]) =>
      running.child.stdin?.write(commands.map((one) => `${JSON.stringify(one)}\n`).join('')),
    /** Whether such a request reached the gateway. */
    arrived: (path: string, field: string) =>
      gateway.requests
        .slice(since)
        .some((one) => one.path === path && one.form.some((pair) => pair.join('=') === field)),
    read: () => void running.child.stdout?.setEncoding('utf8').on('data', take),
    events,
  };
}

const TICKS = 5_000;
/** So many closes in a row without their buys: those were refused. */
const OVERTAKEN = 10;

function push(ticks: number): void {
  for (let i = 1; i <= ticks; i++) {
    gateway.setPrice('EUR/USD', 1 + i / 1e5);
    gateway.tick();
  }
}

it('accepts only protective commands while its pipe is not read, and drops no event', async () => {
  const bot = session();
  bot.send({ id: 's', command: 'subscribe', what: 'EUR/USD' });
  await until(() => bot.arrived('/subscribe', 'pairs=EUR/USD'));
  push(TICKS);
  // Until it has noticed. On a busy machine a close may overtake a buy that is carried out; not so many in a row.
  const bought: number[] = [];
  let isRefused = false;
  for (let amount = 1; !isRefused && amount < 200; amount++) {
    const trade = holdTrade(gateway);
    bot.send(
      { id: `b${amount}`, command: 'buy', symbol: 'USD/JPY', amount },
      { id: `c${amount}`, command: 'close', trade },
    );
    await until(() => bot.arrived('/trading/close_trade', `trade_id=${trade}`));
    bought.push(amount);
    const last = bought.slice(-OVERTAKEN);
    isRefused = last.length === OVERTAKEN && !last.some((one) => bot.arrived('/trading/open_trade', `amount=${one}`));
  }
  expect(isRefused).toBe(true);
  const order = holdOrder(gateway);
  bot.send({ id: 'r', command: 'positions' }, { id: 'o', command: 'orders cancel', order });
  await until(() => bot.arrived('/trading/delete_order', `order_id=${order}`));
  holdTrade(gateway);
  bot.send({ id: 'f', command: 'flatten', account: HEDGING });
  await until(() => bot.arrived('/trading/close_all_for_symbol', 'forSymbol=false'));
  bot.read();
  await until(() => bot.events.filter(({ event }) => event === 'push').length === TICKS);
  bot.child.stdin?.end();
  expect(await bot.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining(gateway.token) });

  const { events } = bot;
  const of = (id: string) => events.filter((one) => one.id === id);
  const rates = of('s').flatMap(({ data }) => (data as { Rates?: number[] } | undefined)?.Rates?.[0] ?? []);
  expect(rates).toHaveLength(TICKS);
  expect(rates).toEqual([...rates].sort((a, b) => a - b));
  for (const amount of bought) {
    expect(of(`b${amount}`)[0]).toMatchObject(
      bot.arrived('/trading/open_trade', `amount=${amount}`)
        ? { event: 'accepted' }
        : { event: 'refused', code: 'output_unread', line: 2 * amount },
    );
    expect(of(`c${amount}`)[0]?.event).toBe('accepted');
  }
  expect(of('r')).toEqual([expect.objectContaining({ event: 'refused', code: 'output_unread' })]);
  expect([of('o')[0]?.event, of('f')[0]?.event, events.at(-1)?.event]).toEqual(['accepted', 'accepted', 'ended']);
});

it.each([
  ['SIGINT', 130, 'little was printed', 0],
  ['SIGTERM', 143, 'more was printed than a pipe holds', 1_000],
] as const)('%s: exit %i, with the open orders, after %s', async (signal, status, _name, ticks) => {
  const bot = session();
  bot.read();
  bot.send(
    { id: 's', command: 'subscribe', what: 'EUR/USD' },
    { id: 'e', command: 'entry buy', symbol: 'USD/JPY', amount: 7, rate: 90 },
  );
  await until(() => bot.events.some(({ event }) => event === 'open'));
  push(ticks);
  await until(() => bot.events.filter(({ event }) => event === 'push').length === ticks);
  const { code, stderr } = await bot.kill(signal);
  expect({ code, stderr }).toEqual({ code: status, stderr: expect.not.stringMatching(/error|bug/i) });
  expect(bot.events.at(-1)).toMatchObject({ event: 'ended', open: [{ id: 'e', order_ids: [expect.any(String)] }] });
});

it('a signal ends it even if its pipe is not read', async () => {
  const bot = session();
  bot.send({ id: 's', command: 'subscribe', what: 'EUR/USD' });
  await until(() => bot.arrived('/subscribe', 'pairs=EUR/USD'));
  push(TICKS);
  bot.child.kill('SIGTERM');
  expect(await once(bot.child, 'exit')).toEqual([143, null]);
});
