/** Changes are sent once under every fault that leaves the outcome open, and are reported as unknown. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { journalIn } from '../../../support/journal.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';
import { inTurn } from '../../../support/turns.ts';
import { holdOrder, holdTrade } from './holdings.ts';
import { AMBIGUOUS, type Forwarder, forwarder } from './lost-answers.ts';
import { HEDGING, NOW, type Trader, trader } from './trader.ts';

/** An answer without an order is all that some of these get. */
const FAULTS = Object.entries(AMBIGUOUS).filter(([name]) => !/no order named|status 504/.test(name));

interface Case {
  readonly name: string;
  /** Its command line and standard input, once what it needs is there. */
  prepare(client: Trader): { readonly argv: readonly string[]; readonly seen?: RegExp };
  /** More than one where one fault does not keep the others from being sent. */
  readonly posts?: number;
}

const CASES: readonly Case[] = [
  {
    name: 'close',
    prepare: ({ gateway }) => ({
      argv: ['close', holdTrade(gateway)],
      seen: /alike at the gateway: (open|closed) position \d+ \(buy 10K EUR\/USD/,
    }),
  },
  {
    name: 'close of two',
    prepare: ({ gateway }) => ({ argv: ['close', holdTrade(gateway), holdTrade(gateway)] }),
    posts: 2,
  },
  {
    name: 'close --symbol',
    prepare({ gateway }) {
      // Nobody else has any here.
      holdTrade(gateway, { symbol: 'GBP/USD' });
      return {
        argv: ['close', '--symbol', 'GBP/USD'],
        seen: /alike at the gateway: (open|closed) position \d+ \(buy 10K GBP\/USD/,
      };
    },
  },
  {
    name: 'positions update',
    prepare: ({ gateway }) => ({
      argv: ['positions', 'update', holdTrade(gateway), '--stop', '40pips', '--limit', '80pips'],
      seen: /alike at the gateway: open position \d+ \(buy 10K EUR\/USD/,
    }),
  },
  {
    name: 'orders update',
    prepare: ({ gateway }) => ({
      argv: ['orders', 'update', holdOrder(gateway), '--rate', '1.14', '--stop', '40pips'],
      seen: /alike at the gateway: order \d+ \(buy 10K EUR\/USD at 1.1[45],/,
    }),
  },
  {
    name: 'orders cancel',
    prepare: ({ gateway }) => ({
      argv: ['orders', 'cancel', holdOrder(gateway)],
      seen: /alike at the gateway: order \d+|nothing alike/,
    }),
  },
];

let client: Trader;
const before: Forwarder[] = [];
beforeAll(async () => {
  client = await trader();
  for (const _ of CASES) before.push(await forwarder(client.gateway.url));
});
afterAll(async () => {
  for (const one of before) await one[Symbol.asyncDispose]();
  await client[Symbol.asyncDispose]();
});

const environmentThrough = ({ url }: Forwarder) => ({
  SVC_TRADE_URL: url,
  SVC_TRADE_TOKEN: client.gateway.token,
  SVC_TRADE_ACCOUNT: HEDGING,
});

/** One change, and one of several requests: every other command meets silence in test/registry/failures.test.ts. */
const MEET_SILENCE: readonly string[] = ['orders update', 'close of two'];

/** Each fault meets a third of the commands: each command is carried out under some, and not under others. */
const SHARE = Math.ceil(CASES.length / 3);

describe.each(FAULTS.map(([fault, answer], turn) => ({ fault, answer, turn })))('$fault', ({ fault, answer, turn }) => {
  const isSilence = fault === 'the answer never comes';
  const all = CASES.map((one, at) => ({ ...one, at }));
  const cases = isSilence ? all.filter(({ name }) => MEET_SILENCE.includes(name)) : inTurn(all, turn, SHARE);
  it('meets commands', () => {
    expect(cases.length).toBeGreaterThanOrEqual(isSilence ? MEET_SILENCE.length : SHARE);
  });

  it.concurrent.each(cases)('$name', async ({ at, prepare, posts = 1 }) => {
    const { argv, seen } = prepare(client);
    const way = before[at] as Forwarder;
    way.orders.length = 0;
    // What is carried out under one fault is not under the next.
    way.fault = { applied: (turn + at) % 2 === 0, answer };
    const home = temporaryHome();
    const patience = isSilence ? ['--timeout', '3s'] : [];
    const run = await svc(['trade', ...argv, '--yes', '-o', 'json', ...patience], {
      home,
      now: () => NOW,
      env: environmentThrough(way),
    });
    expect({ code: run.code, posts: way.orders.length }, run.stderr).toEqual({ code: 8, posts });
    const entries = journalIn({ config: '', state: `${home}/state` });
    expect(entries.map(({ outcome }) => outcome)).toEqual(new Array(posts).fill('unknown'));
    if (seen === undefined) {
      const rows = JSON.parse(run.stdout) as { outcome: string }[];
      expect(rows.map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown']);
    } else {
      expect(run.stdout).toBe('');
      const { error } = JSON.parse(run.stderr.trimEnd().split('\n').at(-1) ?? '');
      expect(error).toMatchObject({ code: 'outcome_unknown', retryable: false, journal_id: entries[0]?.id });
      expect(error.message).toMatch(seen);
    }
  });
});

it.each([
  ['accepted', 10],
  ['refused', 10.5],
])('beside one that is %s a lost response is still reported as unknown', async (outcome, amountK) => {
  const way = before[0] as Forwarder;
  way.orders.length = 0;
  way.fault = {
    applied: false,
    answer(response) {
      way.fault = undefined;
      response.socket?.destroy();
    },
  };
  const ids = [holdTrade(client.gateway), holdTrade(client.gateway, { amountK })];
  const argv = ['trade', 'close', ...ids, '--yes', '-o', 'json'];
  const { code, stdout } = await svc(argv, {
    home: temporaryHome(),
    now: () => NOW,
    env: environmentThrough(way),
  });
  expect({ code, posts: way.orders.length }).toEqual({ code: 8, posts: 2 });
  expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'unknown' }, { outcome }]);
});
