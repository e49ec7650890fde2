/** The tasks of a trader, each as the lines that the reference gives, against the sandbox. */
import { mkdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { type Run, type RunOptions, temporaryHome } from '../../../support/svc.ts';
import { holdOrder, holdTrade } from './holdings.ts';
import { fileTrader, HEDGING, NETTING } from './trader.ts';

const client = await fileTrader({ emptied: true });
let home: string;
beforeAll(async () => {
  home = temporaryHome();
  mkdirSync(home, { recursive: true });
});
beforeEach(() => {
  for (const account of client.gateway.book.accounts) account.balance = account.dayBalance;
  commands = 0;
});

let commands = 0;

/** A line of the shell. */
function run(line: string, options: RunOptions = {}): Promise<Run> {
  commands++;
  const argv = line.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [];
  return client.run(argv, { home, ...options });
}

async function good(line: string, options?: RunOptions): Promise<string> {
  const { code, stdout, stderr } = await run(line, options);
  expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' });
  return stdout;
}

const json = async <T>(line: string, options?: RunOptions): Promise<T> =>
  JSON.parse(await good(`${line} -o json`, options)) as T;

const ndjson = <T>(text: string): T[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

/** Until this was printed, a command runs while prices move. `then` is for whatever was printed before. */
async function followed(line: string, text: RegExp, then: (all: string) => void = () => {}, more: RunOptions = {}) {
  const stop = new AbortController();
  const moving = setInterval(() => client.gateway.tick(), 5);
  let all = '';
  const ended = await run(line, {
    ...more,
    sleeps: true,
    signal: stop.signal,
    onStdout(printed) {
      all += printed;
      if (text.test(all)) stop.abort(new SvcError('interrupted', 'interrupted', { isInterruption: true }));
      else then(all);
      return undefined;
    },
  });
  clearInterval(moving);
  return ended;
}

/** Cuts all connections once. */
function cutter(): () => void {
  let isCut = false;
  return () => {
    if (!isCut) client.gateway.cut();
    isCut = true;
  };
}

interface Row {
  readonly currency: string;
  readonly amountK: number;
}

/** What the account has now, without a command of the task. */
const trades = () => [...client.gateway.book.trades.values()];
const orders = () => [...client.gateway.book.orders.values()];
const TASKS: Readonly<Record<string, readonly [commands: number, work: () => Promise<void>]>> = {
  'watch positions with profit on a terminal': [
    1,
    async () => {
      holdTrade(client.gateway, { open: 1.15 });
      const { stdout } = await followed('watch positions', / 100\.00 /, undefined, {
        terminal: 120,
        env: { NO_COLOR: '1' },
      });
      expect(stdout).toMatch(/EUR\/USD +buy +10 .* 100\.00/);
    },
  ],
  'the same for a program, through an outage': [
    1,
    async () => {
      holdTrade(client.gateway);
      const { stdout } = await followed('watch positions -o ndjson', /"recovered"/, cutter());
      const events = ndjson<{ event: string }>(stdout).map(({ event }) => event);
      expect(events.filter((event) => event !== 'changed')).toEqual(['added', 'unreachable', 'recovered']);
    },
  ],
  'buy with a stop and a limit': [
    1,
    async () => {
      const report = await json<{ status: string }>('buy EUR/USD 5 --stop 40pips --limit 80pips --wait 5s --yes');
      expect(report.status).toBe('filled');
      expect(trades()).toMatchObject([{ amountK: 5, stop: { rate: 1.15613 }, limit: { rate: 1.16813 } }]);
    },
  ],
  'an entry with stop, limit, trailing and expiry': [
    1,
    async () => {
      await good('entry buy EUR/USD 5 --rate 1.15 --stop 40pips --limit 80pips --trail 10 --expires 2h --yes');
      expect(orders()).toMatchObject([
        { rate: 1.15, stop: { rate: 1.146, trail: 10 }, limit: { rate: 1.158 }, timeInForce: 'GTD' },
      ]);
    },
  ],
  'a stop and a limit of an open position': [
    1,
    async () => {
      const trade = holdTrade(client.gateway);
      await good(`positions update ${trade} --stop 1.15 --limit 1.18 --yes`);
      expect(trades()).toMatchObject([{ stop: { rate: 1.15 }, limit: { rate: 1.18 } }]);
    },
  ],
  'a trailing stop': [
    1,
    async () => {
      const trade = holdTrade(client.gateway);
      await good(`positions update ${trade} --stop 40pips --trail dynamic --yes`);
      expect(trades()).toMatchObject([{ stop: { trail: 1 } }]);
    },
  ],
  'close all of a symbol': [
    1,
    async () => {
      for (const symbol of ['EUR/USD', 'EUR/USD', 'USD/JPY']) holdTrade(client.gateway, { symbol });
      const [row] = await json<{ closed_trades: { rate: number }[] }[]>('close --symbol EUR/USD --wait 5s --yes');
      expect(row?.closed_trades).toHaveLength(2);
      for (const { rate } of row?.closed_trades ?? []) expect(rate).toBe(1.16);
      expect(trades().map(({ instrument }) => instrument.symbol)).toEqual(['USD/JPY']);
    },
  ],
  'leave the market: no order and no position is left': [
    2,
    async () => {
      for (const symbol of ['EUR/USD', 'USD/JPY']) holdTrade(client.gateway, { symbol });
      for (const ocoBulkId of [0, 7, 7]) holdOrder(client.gateway, { ocoBulkId });
      holdTrade(client.gateway, { account: NETTING });
      await good(`orders cancel --all --account ${HEDGING} --yes`);
      await good(`close --everything --account ${HEDGING} --wait 5s --yes`);
      expect(orders()).toEqual([]);
      expect(trades().map(({ account }) => account.id)).toEqual([NETTING]);
    },
  ],
  'close everything': [
    2,
    async () => {
      for (const symbol of ['EUR/USD', 'USD/JPY']) holdTrade(client.gateway, { symbol });
      expect((await run('close --everything --yes', { env: { SVC_TRADE_ACCOUNT: undefined } })).code).toBe(2);
      await good(`close --everything --account ${HEDGING} --yes`);
      expect(trades()).toEqual([]);
    },
  ],
  'close a part': [
    1,
    async () => {
      const trade = holdTrade(client.gateway);
      await good(`close ${trade} --amount 4 --wait 5s --yes`);
      expect(trades()).toMatchObject([{ amountK: 6 }]);
    },
  ],
  'close more than there is': [
    1,
    async () => {
      const trade = holdTrade(client.gateway);
      expect((await run(`close ${trade} --amount 11 --yes`)).code).toBe(3);
      expect(client.orders()).toEqual([]);
    },
  ],
  'the net position of each symbol, of all accounts': [
    1,
    async () => {
      holdTrade(client.gateway);
      holdTrade(client.gateway, { isBuy: false, amountK: 4 });
      holdTrade(client.gateway, { account: NETTING, symbol: 'USD/JPY' });
      client.gateway.tick();
      const all = await json<Row[]>('model Summary');
      expect(all.map(({ currency, amountK }) => [currency, amountK])).toEqual([
        ['EUR/USD', 6],
        ['USD/JPY', 10],
      ]);
    },
  ],
  'cancel all orders of a symbol, with their OCO groups': [
    1,
    async () => {
      for (const ocoBulkId of [0, 7, 7]) holdOrder(client.gateway, { ocoBulkId });
      holdOrder(client.gateway, { symbol: 'USD/JPY', rate: 140 });
      await good('orders cancel --all --symbol EUR/USD --yes');
      expect(orders().map(({ instrument }) => instrument.symbol)).toEqual(['USD/JPY']);
    },
  ],
  'change the rate and the stop of a pending order': [
    1,
    async () => {
      const order = holdOrder(client.gateway);
      await good(`orders update ${order} --rate 1.14 --stop 30pips --yes`);
      expect(orders()).toMatchObject([{ rate: 1.14, stop: { rate: 1.137 } }]);
    },
  ],
  'close in a netting account': [
    2,
    async () => {
      const trade = holdTrade(client.gateway, { account: NETTING });
      const refused = await run(`close ${trade} --account ${NETTING} --wait 5s --yes`);
      expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('close --symbol EUR/USD') });
      await good(`close --symbol EUR/USD --account ${NETTING} --wait 5s --yes`);
      expect(trades()).toEqual([]);
    },
  ],
  'follow prices while the gateway is restarted': [
    1,
    async () => {
      const { stdout } = await followed('stream EUR/USD -o ndjson', /"gap".*"price"/s, cutter());
      const gap = ndjson<{ kind?: string; data: { from: string; to: string } }>(stdout).find(
        ({ kind }) => kind === 'gap',
      );
      expect(Date.parse(gap?.data.to ?? '')).toBeGreaterThanOrEqual(Date.parse(gap?.data.from ?? ''));
    },
  ],
  'a history that takes several requests': [
    1,
    async () => {
      await good(`candles EUR/USD m1 --since -7d --out ${join(home, 'minutes.csv')}`);
      expect(client.calls().filter((call) => call.includes('/candles/')).length).toBeGreaterThan(1);
      const times = readFileSync(join(home, 'minutes.csv'), 'utf8').trimEnd().split('\n').slice(1);
      expect(times.length).toBeGreaterThan(7000);
      expect(times).toEqual([...new Set(times)].sort());
    },
  ],
  'the same while the gateway is busy': [
    1,
    async () => {
      let refusals = 0;
      const { http } = client.gateway;
      const [respond] = http.listeners('request') as ((request: IncomingMessage, response: ServerResponse) => void)[];
      http.removeAllListeners('request').on('request', (request, response) => {
        if (!request.url?.startsWith('/candles/') || refusals > 0) return respond?.(request, response);
        refusals++;
        response.writeHead(429, { 'retry-after': '0' }).end();
      });
      const line = 'candles EUR/USD m5 --since 2026-01-13T00:00:00Z --until 2026-01-14T00:00:00Z -o csv';
      const busy = await good(line);
      if (respond !== undefined) http.removeAllListeners('request').on('request', respond);
      expect(refusals).toBe(1);
      expect((await client.run(line.split(' '))).stdout).toBe(busy);
      expect(busy.trimEnd().split('\n')).toHaveLength(1 + 24 * 12);
    },
  ],
  'a CSV for pandas': [
    1,
    async () => {
      const [head, ...rows] = (await good('candles EUR/USD H1 --last 48 -o csv')).trimEnd().split('\n');
      expect(head).toBe('time,bid-open,bid-high,bid-low,bid-close,ask-open,ask-high,ask-low,ask-close,tick-qty');
      const times = rows.map((row) => /^\d{4}-\d\d-\d\dT\d\d:00:00Z(?=(?:,[\d.]+){9}$)/.exec(row)?.[0] ?? row);
      expect(times).toEqual([...new Set(times)].sort());
      expect(times).toHaveLength(48);
    },
  ],
  'record ticks': [
    1,
    async () => {
      const { stdout } = await followed('stream EUR/USD --until 3 -o ndjson', /never/);
      const ticks = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(ticks).toHaveLength(3);
      for (const { kind, key, data } of ticks) {
        expect([kind, key, ...data.Rates.slice(0, 2)]).toEqual(['price', 'EUR/USD', 1.16, 1.16013]);
      }
    },
  ],
  'how many lots risk 1 % with a stop at 40 pips': [
    2,
    async () => {
      // 1 % of 50,000; 40 pips cost 4 a lot of 1,000.
      expect(await good('buy EUR/USD --risk 1% --stop 40pips --preview -o json --query amount')).toBe('125\n');
      await good('buy EUR/USD --risk 1% --stop 40pips --wait 5s --yes');
      expect(trades()).toMatchObject([{ amountK: 125, stop: { rate: 1.15613 } }]);
    },
  ],
  'the margin that an order needs, before it is sent': [
    1,
    async () => {
      const account = (await client.run(['accounts', '-o', 'json', '--query', '[0].usableMargin'])).stdout;
      const preview = await json<{ margin_needed: number; margin_left: number }>('buy EUR/USD 5 --preview');
      expect(preview.margin_needed).toBeGreaterThan(0);
      expect(preview.margin_left).toBe(Math.round((Number(account) - preview.margin_needed) * 1e5) / 1e5);
      expect(trades()).toEqual([]);
    },
  ],
  'ids for a script, and errors as JSON': [
    2,
    async () => {
      const ids = [holdTrade(client.gateway), holdTrade(client.gateway)];
      expect(await good('positions -q')).toBe(`${ids.join('\n')}\n`);
      const { code, stderr } = await run('buy EUR/USD 5 --account 999 --yes -o json');
      expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'not_found', exit: 5, retryable: false } });
      expect(code).toBe(5);
    },
  ],
  'keep paper and live apart': [
    2,
    async () => {
      const live = { home: join(home, 'live') };
      await client.runAny(['config', 'set', 'trade.live', 'true'], live);
      expect((await run('buy EUR/USD 5 --yes', live)).code).toBe(2);
      expect(client.orders()).toEqual([]);
      await good(`buy EUR/USD 5 --account ${HEDGING} --yes`, live);
      expect(client.orders()).toHaveLength(1);
    },
  ],
  'confirm an order, see it before, or see only its request': [
    4,
    async () => {
      expect((await run('buy EUR/USD 5', { terminal: 80, answer: false })).code).toBe(2);
      expect((await run('buy EUR/USD 5')).code).toBe(2);
      expect(await good('buy EUR/USD 5 --stop 40pips --preview')).toMatch(
        /^ORDER +Buy 5 EUR\/USD .*, stop 1\.15613 \(40 pips, about 20\.00 /m,
      );
      expect(await good('buy EUR/USD 5 --dry-run')).toContain('/trading/open_trade');
      expect(client.gateway.book.orders.size + trades().length).toBe(0);
    },
  ],
};

describe('a task of a trader', () => {
  test.each(Object.entries(TASKS))('%s', async (_, [count, work]) => {
    await work();
    expect(commands).toBe(count);
  });
});
