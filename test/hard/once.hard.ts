/**
 * `svc trade entry … --once k`, killed at random and with answers lost at random, repeated until it succeeds; after exit 8 the test does
 * what a user does: it checks the gateway and says with `journal settle --as` what it found. In the end the gateway has one order for
 * each key.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startTradingEmulator, type TradingEmulator } from '../../src/sandbox/trade/server.ts';
import { type Ended, startSvc } from '../e2e/binary.ts';
import { AMBIGUOUS, type Fault, forwarder } from '../features/trade/commands/lost-answers.ts';
import { environmentIn, ORDER_PATHS } from '../features/trade/commands/trader.ts';
import { temporaryHome } from '../support/homes.ts';
import { journalIn } from '../support/journal.ts';
import { counted, scaled } from './scale.ts';
import { generator } from './xorshift.ts';

const SEED = Number(process.env['SVC_SEED'] ?? randomInt(1, 2 ** 31));
const RUNS = scaled(600);
const WORKERS = 12;
/** What may end a try: a kill, a refused token, a rate limit, an unreachable gateway, an unknown outcome. */
const ENDS: readonly unknown[] = [null, 4, 6, 7, 8];

/** Answers that leave the outcome open, but for the one that takes as long as a request may. */
const LOSSES = Object.entries(AMBIGUOUS).flatMap(([name, answer]) => (name === 'the answer never comes' ? [] : answer));
const REFUSALS = [429, 401];

function faultOf(random: () => number): Fault | undefined {
  const chance = random();
  if (chance < 0.5) return undefined;
  if (chance < 0.55) {
    const status = REFUSALS[Math.floor(random() * REFUSALS.length)] ?? 429;
    return { applied: false, answer: (response) => void response.writeHead(status).end('{"message":"no"}') };
  }
  const answer = LOSSES[Math.floor(random() * LOSSES.length)];
  return answer && { applied: random() < 0.5, answer };
}

interface Trial {
  readonly gateway: TradingEmulator;
  readonly env: Readonly<Record<string, string>>;
  readonly random: () => number;
  readonly tries: { all: number; killed: number; unknown: number; absent: number };
  /** Milliseconds that a successful run takes: a kill comes within it. */
  lifetime: number;
}

it('a command that is repeated with its key until it succeeds sends one order', async ({ task }) => {
  const next = generator(SEED);
  const random = (): number => next() / 2 ** 32;
  const gateway = await startTradingEmulator({ now: Date.now, random: () => 0.5, fast: 20, tickMs: 0, caps: false });
  onTestFinished(() => gateway.close());
  gateway.setPrice('EUR/USD', 1.16);
  await using way = await forwarder(gateway.url);
  way.before = async (url) => {
    if (ORDER_PATHS.test(url)) way.fault = faultOf(random);
  };
  const home = temporaryHome();
  const env = { ...environmentIn(home, gateway), SVC_TRADE_URL: way.url };
  const trial: Trial = { gateway, env, random, tries: { all: 0, killed: 0, unknown: 0, absent: 0 }, lifetime: 1_000 };
  let index = 0;
  const work = async (): Promise<void> => {
    for (let at = index++; at < RUNS; at = index++) {
      const amount = 10 + at;
      const terms = ['sell', 'EUR/USD', String(amount), '--rate', '1.2'];
      const argv = ['trade', 'entry', ...terms, '--once', `key-${at}`, '--yes', '-o', 'json'];
      // Some loops run twice at the same time.
      const loops = await Promise.all(
        Array.from({ length: at % 10 === 1 ? 2 : 1 }, () => repeatUntilSent(trial, argv, amount)),
      );
      const orders = executed(trial, amount);
      expect(orders, `key-${at}, seed ${SEED}`).toHaveLength(1);
      for (const stdout of loops) expect([orders[0]?.orderId, null]).toContain(JSON.parse(stdout).order_id);
      counted(task, 1);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  const keys = new Set(journalIn({ config: home, state: `${home}/svc` }).map((entry) => entry.once));
  expect(keys.size).toBe(RUNS);
  expect(gateway.book.orders.size).toBeGreaterThanOrEqual(RUNS);
  const { all, killed, unknown, absent } = trial.tries;
  task.meta.figures = `seed ${SEED}: ${all} tries, ${killed} killed, ${unknown} of unknown outcome, ${absent} settled as absent, 0 doubled`;
}, 3_000_000);

function executed({ gateway }: Trial, amount: number) {
  return [...gateway.book.orders.values()].filter(({ amountK }) => amountK === amount);
}

async function repeatUntilSent(trial: Trial, argv: readonly string[], amount: number): Promise<string> {
  const { env, random, tries } = trial;
  let last: Ended | undefined;
  for (let attempt = 0; attempt < 100; attempt++) {
    tries.all += 1;
    const began = performance.now();
    const { child, ended } = startSvc(argv, { env });
    const kill = random() < 0.4 ? setTimeout(() => child.kill('SIGKILL'), random() * trial.lifetime) : undefined;
    last = await ended;
    const { code, stdout, stderr } = last;
    clearTimeout(kill);
    if (code === 0) trial.lifetime += (performance.now() - began - trial.lifetime) / 20;
    if (code === 0) return stdout;
    expect(ENDS, stderr).toContain(code);
    if (code === null) tries.killed += 1;
    if (code !== 8) continue;
    tries.unknown += 1;
    const [, id = ''] = /svc trade journal settle (\S+?)["\s]/.exec(`${stderr} `) ?? [];
    expect(id, stderr).not.toBe('');
    await settle(trial, id, amount);
  }
  throw new Error(`never ended: ${argv.join(' ')}: ${last?.stderr}`);
}

/** As a user who has looked at the gateway. An order may be on its way for a while: until then svc does not take `absent`. */
async function settle(trial: Trial, id: string, amount: number): Promise<void> {
  for (;;) {
    const as = executed(trial, amount).length > 0 ? 'open' : 'absent';
    const { code } = await startSvc(['trade', 'journal', 'settle', id, '--as', as], { env: trial.env }).ended;
    if (code === 0 && as === 'absent') trial.tries.absent += 1;
    // Another loop with the same key may have settled it.
    if (code !== 3) return;
    await sleep(1_000);
  }
}
