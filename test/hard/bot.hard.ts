/**
 * A bot on `svc trade session` against a gateway of its own (test/hard/bot/gateway.ts), which fails every few seconds, and an auditor
 * that compares what the gateway did, what svc reported and what its journal says.
 */

import { describe, expect, it } from 'vitest';
import { output } from '../e2e/binary.ts';
import { temporaryHome } from '../support/homes.ts';
import { audit } from './bot/auditor.ts';
import type { Row } from './bot/book.ts';
import { type Report, trade } from './bot/bot.ts';
import { disturb, type Faults, NO_FAULTS, type RequestFault, randomFaults } from './bot/faults.ts';
import { figures } from './bot/figures.ts';
import { Gateway } from './bot/gateway.ts';
import { seeded } from './bot/random.ts';
import { counted, scaled } from './scale.ts';

const SEED = Number(process.env['SVC_SEED'] ?? 20260124);

interface Filled {
  readonly orderId: string;
  readonly status: string;
  readonly trades: readonly { readonly tradeId: string }[];
  readonly closedTrades: readonly { readonly tradeId: string }[];
}

/** With a profile of its own: the tests read more tables than the documented number an hour. */
async function variables(gateway: Gateway): Promise<Record<string, string>> {
  const env = {
    SVC_TRADE_URL: gateway.url,
    SVC_TRADE_TOKEN: gateway.token,
    SVC_TRADE_ACCOUNT: '731001',
    SVC_CONFIG_DIR: temporaryHome(),
  };
  await output(['config', 'set', 'trade.commandNumbers', 'OpenPosition=0,ClosedPosition=0,Order=0,Account=0'], { env });
  return env;
}

it('single commands trade at this gateway', async ({ task }) => {
  const gateway = await Gateway.start(seeded(SEED));
  const env = await variables(gateway);
  const json = async <T>(...argv: string[]): Promise<T> =>
    JSON.parse(await output(['trade', ...argv, '-o', 'json'], { env })) as T;
  try {
    for (let round = 0; round < scaled(20); round++) {
      const bought = await json<Filled>('buy', 'EUR/USD', '5', '--wait', '5s', '--yes');
      const trades = [...gateway.book.positions.keys()];
      expect(bought).toMatchObject({ orderId: gateway.received.at(-1)?.orderIds[0], status: 'filled' });
      expect(bought.trades.map(({ tradeId }) => tradeId)).toEqual(trades);
      expect((await json<Row[]>('positions')).map((row) => row['tradeId'])).toEqual(trades);

      const closed = await json<Filled[]>('close', ...trades, '--wait', '5s', '--yes');
      expect(closed.flatMap(({ closedTrades }) => closedTrades.map(({ tradeId }) => tradeId))).toEqual(trades);
      expect([...gateway.book.positions]).toEqual([]);

      const { orderId } = await json<Filled>('entry', 'sell', 'EUR/USD', '7', '--rate', '1.3', '--yes');
      expect((await json<Row[]>('orders')).map((order) => order['orderId'])).toEqual([orderId]);
      await json('orders', 'cancel', orderId, '--yes');
      expect([...gateway.book.orders]).toEqual([]);
    }
    const prices = await output(['trade', 'stream', 'EUR/USD', 'Offer', '--until', '4', '-o', 'ndjson'], { env });
    expect(prices.trim().split('\n')).toHaveLength(4);
    expect(gateway.violations).toEqual([]);
    counted(task, gateway.received.length);
  } finally {
    await gateway.close();
  }
});

/** Trades for so long, and lets `disturb` do what it does to the gateway. */
async function run(
  ms: number,
  disturb: (gateway: Gateway, random: () => number, signal: AbortSignal) => void,
): Promise<Report> {
  const random = seeded(SEED);
  const gateway = await Gateway.start(random);
  const env = await variables(gateway);
  try {
    const whenReady = (signal: AbortSignal): void => disturb(gateway, random, signal);
    return await trade({ gateway, random, env, ms, commandsPerSecond: 8, whenReady });
  } finally {
    await gateway.close();
  }
}

describe('the auditor', () => {
  const rules = ({ run }: Report): string[] => [...new Set(audit(run).map(({ rule }) => rule))];
  const once = (kind: RequestFault['kind']): Faults => {
    let isDone = false;
    return {
      ...NO_FAULTS,
      request: (path) => {
        if (isDone || path !== '/trading/open_trade') return { kind: 'none' };
        isDone = true;
        return { kind } as RequestFault;
      },
    };
  };

  it('finds nothing where nothing fails', async ({ task }) => {
    const report = await run(10_000, () => {});
    expect(audit(report.run)).toEqual([]);
    expect(report).toMatchObject({ code: 0, violations: [] });
    counted(task, report.run.commands.length);
  });

  it.each([
    ['executes an order twice', 'duplicated', 'execute_twice'],
    ['loses an order that it accepted', 'misreported', 'lose'],
  ] as const)('finds a gateway that %s', async (_, rule, kind) => {
    const report = await run(8_000, (gateway) => {
      gateway.faults = once(kind);
    });
    expect(rules(report)).toContain(rule);
  });

  it('finds an outage that nobody reports', async () => {
    const report = await run(8_000, (gateway) => {
      gateway.outages.push({ from: performance.now() + 1_000, to: performance.now() + 2_000, kind: 'restart' });
    });
    expect(rules(report)).toContain('outage');
  });
});

it('a bot trades on one session through faults', async ({ task }) => {
  const report = await run(scaled(600_000), (gateway, random, signal) => {
    gateway.faults = randomFaults(random);
    void disturb(gateway, random, signal);
  });
  counted(task, report.run.commands.length);
  const { order, close, outage } = figures(report.run);
  const outages = report.run.outages.length;
  task.meta.figures = [
    `order +${order.p50} ms (p99 ${order.p99})`,
    `close +${close.p50} ms (p99 ${close.p99})`,
    `${outages} outages, reported in ${outage.p50} ms`,
    `${Math.round(report.mibAtFifth)} MiB after a fifth, then at most ${Math.round(report.mib)}`,
  ].join(', ');
  expect(audit(report.run)).toEqual([]);
  expect(report.violations).toEqual([]);
});
