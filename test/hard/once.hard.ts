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
/** Each repeats its command until it succeeds, then takes the next key. The rows of this gateway link no position to an order, so each worker has its own account, symbol and side. */
const KINDS = ['731001', '731002'].flatMap((account) =>
  ['EUR/USD', 'USD/JPY', 'GBP/USD'].flatMap((symbol) =>
    ['buy', 'sell'].map((side) => ({ account, kind: [side, symbol] })),
  ),
);
/** The amount of the first worker, whose orders are all equal. */
const EQUAL = 7;
/** Times of the tables are compared with this slack. */
const BETWEEN_EQUALS_MS = 2_500;

/** So many times svc may say of one order that repeating the command will not settle it, before the test does what its hint says. */
const MOST_FINAL = 3;

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
    SVC_CONFIG_DIR: home,
    XDG_STATE_HOME: home,
  };
  // So many settlements take more reads than the documented number an hour.
  await output(['config', 'set', 'trade.commandNumbers', 'OpenPosition=0,ClosedPosition=0,Order=0,Account=0'], { env });
  gateway.faults = lossy(random);
  const executed = (amount: number) =>
    gateway.received.filter(({ form, executedAt }) => form['amount'] === String(amount) && executedAt !== undefined);
  const tries = { all: 0, killed: 0, unknown: 0, declared: 0 };
  let next = 0;
  let equal = 0;
  /** In milliseconds, of a try that succeeds. */
  let lifetime = 1_000;

  /** Ends with what svc printed. `tradesOf` knows what svc may not find out: whether these are parts of this order or of others. */
  const once = async (argv: readonly string[], tradesOf: () => readonly string[] | undefined): Promise<string> => {
    let last: Ended | undefined;
    for (let attempt = 0, finals = 0; attempt < 100; attempt++) {
      tries.all += 1;
      const began = performance.now();
      const { child, ended } = startSvc(argv, { env });
      // At any moment of its life, which is longer where the machine does other things.
      const kill = random() < 0.4 ? setTimeout(() => child.kill('SIGKILL'), random() * lifetime) : undefined;
      last = await ended;
      const { code, stdout, stderr } = last;
      clearTimeout(kill);
      if (code === 0) lifetime += (performance.now() - began - lifetime) / 20;
      if (code === 0) return stdout;
      expect(ENDS, stderr).toContain(code);
      if (code === null) tries.killed += 1;
      if (code === 8) tries.unknown += 1;
      const [, id = ''] = /svc trade journal settle (\S+) --as absent/.exec(stderr) ?? [];
      if (id !== '' && ++finals >= MOST_FINAL) {
        const trades = tradesOf();
        const as = trades === undefined ? ['absent'] : ['filled', ...trades.flatMap((trade) => ['--trade', trade])];
        const declared = await startSvc(['trade', 'journal', 'settle', id, '--as', ...as], { env }).ended;
        if (declared.code === 0) tries.declared += 1;
      }
      await sleep(50);
    }
    throw new Error(`never ended: ${argv.join(' ')}: ${last?.stderr}`);
  };

  const work = async (worker: number): Promise<void> => {
    for (let index = next++; index < RUNS; index = next++) {
      const isEqual = worker === 0;
      const amount = isEqual ? EQUAL : 10 + index;
      const { account, kind = [] } = KINDS[worker] ?? {};
      const terms = [...kind, String(amount), '--account', String(account)];
      const argv = ['trade', ...terms, '--once', `key-${index}`, '--yes', '-o', 'json'];
      const before = isEqual ? equal : 0;
      const tradesOf = (): readonly string[] | undefined => {
        const order = executed(amount)[before];
        return (
          order && gateway.book.fills.flatMap((fill) => (order.orderIds.includes(fill.orderId) ? fill.tradeId : []))
        );
      };
      // Some loops run twice at the same time.
      const loops = await Promise.all(Array.from({ length: index % 10 === 1 ? 2 : 1 }, () => once(argv, tradesOf)));
      if (isEqual) {
        equal += 1;
        await sleep(BETWEEN_EQUALS_MS);
      }
      const orders = executed(amount);
      expect(orders, `key-${index}`).toHaveLength(before + 1);
      for (const stdout of loops) {
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
    expect(gateway.received.filter(({ executedAt }) => executedAt !== undefined)).toHaveLength(RUNS);
    const { all, killed, unknown, declared } = tries;
    task.meta.figures = `${all} tries, ${killed} killed, ${unknown} of unknown outcome, ${gateway.received.length} requests, 0 doubled, ${declared} settled by hand`;
  } finally {
    await gateway.close();
  }
}, 3_000_000);
