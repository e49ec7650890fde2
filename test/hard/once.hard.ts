/**
 * `until svc trade buy … --once k; do …; done`, killed at random and with answers lost at random: in the end the gateway of
 * test/hard/bot has executed one order for each key, and svc has said which.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type Ended, output, startSvc } from '../e2e/binary.ts';
import { temporaryHome } from '../support/homes.ts';
import { journalIn } from '../support/journal.ts';
import { type Faults, NO_FAULTS, type RequestFault } from './bot/faults.ts';
import { Gateway } from './bot/gateway.ts';
import { seeded } from './bot/random.ts';
import { counted, scaled } from './scale.ts';

const SEED = Number(process.env['SVC_SEED'] ?? 20260124);
const RUNS = scaled(1000);
/** Each repeats its command until it succeeds, and goes on with the next key. The rows of this gateway tie no position to an order, so each has its own. */
const KINDS = ['EUR/USD', 'USD/JPY', 'GBP/USD'].flatMap((symbol) => ['buy', 'sell'].map((side) => [side, symbol]));
/** The amount of the first worker, whose orders are all equal. */
const EQUAL = 7;
/** Times of the tables are compared with this slack. */
const BETWEEN_EQUALS_MS = 2_500;

/** What may end a try: a kill, a refused token, a rate limit, an unreachable gateway, an unknown outcome. */
const ENDS: readonly unknown[] = [null, 4, 6, 7, 8];

function lossy(random: () => number): Faults {
  const kinds: readonly [below: number, fault: RequestFault][] = [
    [0.12, { kind: 'cut_before' }],
    [0.26, { kind: 'cut_after' }],
    [0.36, { kind: 'cut_during' }],
    [0.41, { kind: 'late', ms: 1_000 }],
    [0.43, { kind: 'http_429' }],
    [0.45, { kind: 'http_401' }],
  ];
  return {
    ...NO_FAULTS,
    request(_path, isOrder) {
      const chance = random() * (isOrder ? 1 : 20);
      return kinds.find(([below]) => chance < below)?.[1] ?? { kind: 'none' };
    },
  };
}

it('a command that is repeated with its key until it succeeds sends one order', async ({ task }) => {
  const random = seeded(SEED);
  const gateway = await Gateway.start(random);
  const home = temporaryHome();
  const env = {
    SVC_TRADE_URL: gateway.url,
    SVC_TRADE_TOKEN: gateway.token,
    SVC_TRADE_ACCOUNT: '731001',
    SVC_CONFIG_DIR: home,
    XDG_STATE_HOME: home,
  };
  // So many settlements take more reads than the documented number an hour.
  await output(['config', 'set', 'trade.commandNumbers', 'OpenPosition=0,ClosedPosition=0,Order=0,Account=0'], { env });
  gateway.faults = lossy(random);
  const executed = (amount: number) =>
    gateway.received.filter(({ form, executedAt }) => form['amount'] === String(amount) && executedAt !== undefined);
  const tries = { all: 0, killed: 0, unknown: 0 };
  let next = 0;
  let equal = 0;

  let left = 0;

  /** Undefined if svc cannot tell this order from the parts of others: it says so with exit 8, and never sends again. */
  const once = async (argv: readonly string[]): Promise<string | undefined> => {
    let last: Ended | undefined;
    for (let attempt = 0; attempt < 100; attempt++) {
      tries.all += 1;
      const { child, ended } = startSvc(argv, { env });
      const kill = random() < 0.4 ? setTimeout(() => child.kill('SIGKILL'), 100 + random() * 1_200) : undefined;
      last = await ended;
      const { code, stdout, stderr } = last;
      clearTimeout(kill);
      if (code === 0) return stdout;
      expect(ENDS, stderr).toContain(code);
      if (code === null) tries.killed += 1;
      if (code === 8) tries.unknown += 1;
      await sleep(50);
    }
    if (last?.stderr.includes('outcome_unknown')) return undefined;
    throw new Error(`never ended: ${argv.join(' ')}: ${last?.stderr}`);
  };

  const work = async (worker: number): Promise<void> => {
    for (let index = next++; index < RUNS; index = next++) {
      const isEqual = worker === 0;
      const amount = isEqual ? EQUAL : 10 + index;
      const argv = ['trade', ...(KINDS[worker] ?? []), String(amount), '--once', `key-${index}`, '--yes', '-o', 'json'];
      // Some loops run twice at the same time.
      const loops = await Promise.all(index % 10 === 1 ? [once(argv), once(argv)] : [once(argv)]);
      if (isEqual) {
        equal += 1;
        await sleep(BETWEEN_EQUALS_MS);
      }
      const orders = executed(amount);
      const most = isEqual ? equal : 1;
      if (loops.includes(undefined)) {
        left += 1;
        expect(orders.length, `key-${index}`).toBeLessThanOrEqual(most);
        if (isEqual) equal = orders.length;
      } else expect(orders, `key-${index}`).toHaveLength(most);
      for (const stdout of loops) {
        if (stdout === undefined) continue;
        const { orderId, trades } = JSON.parse(stdout);
        const ids = orders.flatMap(({ orderIds }) => orderIds);
        const own = gateway.book.fills.filter((fill) => ids.includes(fill.orderId)).map(({ tradeId }) => tradeId);
        if (orderId !== '') expect(ids).toContain(orderId);
        else expect(own).toEqual(expect.arrayContaining(trades.map((trade: { tradeId: string }) => trade.tradeId)));
      }
      counted(task, 1);
    }
  };

  try {
    await Promise.all(KINDS.map((_, worker) => work(worker)));
    const keys = new Set(journalIn({ config: home, state: `${home}/svc`, cache: home }).map((entry) => entry.once));
    expect(keys.size).toBe(RUNS);
    const all = gateway.received.filter(({ executedAt }) => executedAt !== undefined).length;
    expect(all).toBeLessThanOrEqual(RUNS);
    expect(all).toBeGreaterThanOrEqual(RUNS - left);
    task.meta.figures = `${tries.all} tries, ${tries.killed} killed, ${tries.unknown} of unknown outcome, ${left} keys never settled, ${gateway.received.length} requests`;
  } finally {
    await gateway.close();
  }
});
