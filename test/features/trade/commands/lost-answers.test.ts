/** A request with a lost response is sent once, reported as unknown with its candidates, and open in the journal. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { failure, temporaryHome } from '../../../support/svc.ts';
import { inTurn } from '../../../support/turns.ts';
import { holdOrder, holdTrade } from './holdings.ts';
import { AMBIGUOUS, forwarder } from './lost-answers.ts';
import { fileTrader, NETTING } from './trader.ts';

const client = await fileTrader({ emptied: true });
const before = await forwarder(client.gateway.url);
afterAll(() => before[Symbol.asyncDispose]());
beforeEach(() => {
  before.orders.length = 0;
  before.fault = undefined;
  before.before = undefined;
});

const BUY = ['buy', 'EUR/USD', '5', '--yes', '-o', 'json'];
const ENTRY = ['entry', 'sell', 'EUR/USD', '7', '--rate', '1.2', '--yes', '-o', 'json'];
const through = (more = {}) => ({ env: { SVC_TRADE_URL: before.url }, ...more });

interface Command {
  readonly name: string;
  /** The command line, once what it needs is there. */
  prepare(): readonly string[];
  /** What the message says is alike, if the gateway has carried the request out. */
  readonly alike: RegExp;
  /** What it says otherwise. */
  readonly otherwise?: RegExp;
}

const OF_TRADE = /; alike at the gateway: (open|closed) position \d+ \(buy 10K EUR\/USD/;
const NOTHING = /; nothing alike is at the gateway now$/;
const COMMANDS: readonly Command[] = [
  {
    name: 'buy',
    prepare: () => BUY,
    alike: /; alike at the gateway: (order|open position) \d+ \(buy 5K EUR\/USD at [\d.]+, 2026-/,
    otherwise: NOTHING,
  },
  {
    name: 'close',
    prepare: () => ['close', holdTrade(client.gateway), '--yes', '-o', 'json'],
    alike: OF_TRADE,
  },
  {
    name: 'entry sell',
    prepare: () => ENTRY,
    alike: /; alike at the gateway: order \d+ \(sell 7K EUR\/USD at 1\.2, 2026-/,
    otherwise: NOTHING,
  },
  {
    name: 'close --symbol',
    prepare() {
      holdTrade(client.gateway);
      return ['close', '--symbol', 'EUR/USD', '--yes', '-o', 'json'];
    },
    alike: OF_TRADE,
  },
  {
    name: 'positions update',
    prepare: () => ['positions', 'update', holdTrade(client.gateway), '--stop', '40pips', '--yes', '-o', 'json'],
    alike: OF_TRADE,
  },
  {
    name: 'orders update',
    prepare: () => ['orders', 'update', holdOrder(client.gateway), '--rate', '1.14', '--yes', '-o', 'json'],
    alike: /; alike at the gateway: order \d+ \(buy 10K EUR\/USD at 1\.14,/,
    otherwise: /; alike at the gateway: order \d+ \(buy 10K EUR\/USD at 1\.15,/,
  },
  {
    name: 'orders cancel',
    prepare: () => ['orders', 'cancel', holdOrder(client.gateway), '--yes', '-o', 'json'],
    alike: NOTHING,
    otherwise: /; alike at the gateway: order \d+ /,
  },
];

/** Two commands of all meet each fault, and each fault comes after and before the gateway carries something out. */
const CASES = Object.entries(AMBIGUOUS).flatMap(([fault, answer], turn) =>
  inTurn(COMMANDS, turn, fault === 'the answer never comes' ? 1 : 2).map((command, index) => ({
    ...command,
    fault,
    answer,
    applied: index % 2 === 0,
    moment: index % 2 === 0 ? 'after it was carried out' : 'before it is carried out',
  })),
);

describe('a request whose outcome is unknown', () => {
  // A change need not name an order.
  const isAmbiguous = ({ name, fault }: (typeof CASES)[number]): boolean =>
    fault !== 'the answer names no order' || /^(buy|entry sell|close)$/.test(name);

  it.each(CASES.filter(isAmbiguous))(
    'is sent once and open in the journal: svc trade $name, where $fault, $moment',
    async ({ prepare, fault, answer, applied, alike, otherwise = alike }) => {
      const argv = prepare();
      before.fault = { applied, answer };
      // Nothing else takes long here, but the machine may be busy.
      const patience = fault === 'the answer never comes' ? ['--timeout', '3s'] : [];
      const { code, stdout, stderr } = await client.run([...argv, ...patience, '--debug'], through());
      expect({ code, stdout, sent: before.orders.length }, stderr).toEqual({ code: 8, stdout: '', sent: 1 });
      expect(stderr).not.toContain(client.gateway.token);
      const error = failure({ stderr });
      expect(error).toMatchObject({ code: 'outcome_unknown', exit: 8, retryable: false });
      expect(error.hint).toContain(`svc trade journal settle ${error.journal_id}`);
      expect(error.message).toMatch(applied ? alike : otherwise);
      expect(client.journal()).toMatchObject([
        { id: error.journal_id, outcome: 'unknown', message: expect.any(String) },
      ]);
      const shown = await client.run(['journal', '--open', '-q'], through({ home: client.home }));
      expect(shown.stdout).toBe(`${error.journal_id}\n`);
    },
  );

  it('names the rows that are alike as candidates', async () => {
    before.fault = { applied: true, answer: (response) => response.socket?.destroy() };
    const { stderr } = await client.run(BUY, through());
    const { orders, trades } = client.gateway.book;
    expect(failure({ stderr }).candidates).toBe([...orders.keys(), ...trades.keys()].join(' '));
  });

  it('names ten of many rows', async () => {
    before.fault = { applied: false, answer: (response) => response.socket?.destroy() };
    for (let count = 0; count < 11; count++) holdTrade(client.gateway);
    const run = await client.run(['close', '--symbol', 'EUR/USD', '--yes', '-o', 'json'], through());
    expect(failure(run).message).toMatch(/; and 1 more$/);
    expect(failure(run).candidates.split(' ')).toHaveLength(11);
  });

  it.each([
    ['accepted', 10],
    ['refused', 10.5],
  ])('is reported beside another of the same command that is %s', async (outcome, amountK) => {
    before.fault = {
      applied: false,
      answer(response) {
        before.fault = undefined;
        response.socket?.destroy();
      },
    };
    const ids = [holdTrade(client.gateway), holdTrade(client.gateway, { amountK })];
    const { code, stdout } = await client.run(['close', ...ids, '--yes', '-o', 'json'], through());
    expect({ code, sent: before.orders.length }).toEqual({ code: 8, sent: 2 });
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'unknown' }, { outcome }]);
  });
});

it('names a trade of the other side that it may have closed in an account that does not hedge', async () => {
  before.fault = { applied: true, answer: (response) => response.socket?.destroy() };
  client.gateway.traps.add('push-before-answer');
  const id = holdTrade(client.gateway, { account: NETTING, isBuy: false, amountK: 10 });
  const argv = ['buy', 'EUR/USD', '10', '--account', NETTING, '--yes', '-o', 'json'];
  const { code, stderr } = await client.run(argv, through());
  expect({ code, sent: before.orders.length }).toEqual({ code: 8, sent: 1 });
  expect(failure({ stderr }).message).toMatch(
    new RegExp(`; alike at the gateway: closed position ${id} \\(sell 10K EUR/USD at [\\d.]+, closed .*Z\\)$`),
  );
});

it('reports an error beside an order that was executed', async () => {
  before.fault = {
    applied: true,
    answer: (response) =>
      response.end(
        '{"response":{"executed":true,"error":"{\\"code\\":99,\\"message\\":\\"no dealer\\"}"},"data":{"type":0,"orderId":390285837}}',
      ),
  };
  const { code, stderr } = await client.run(BUY, through());
  expect(code).toBe(8);
  expect(failure({ stderr })).toMatchObject({ code: 'not_as_asked', order_id: '390285837' });
  expect(failure({ stderr }).message).toContain(
    'responded executed with the error: no dealer (code 99), and named order 390285837',
  );
  expect(client.journal()).toMatchObject([{ outcome: 'unknown', order_ids: ['390285837'] }]);
  client.gateway.traps.add('executed-with-error');
  const other = await client.run(BUY);
  expect({ code: other.code, orders: client.orders().length }).toEqual({ code: 8, orders: 1 });
  expect(failure(other).message).toMatch(/with the error: The request was sent to the dealer.*alike at the gateway: /);
});

it.each(['lost-order-answer', 'order-500', 'order-500-applied'] as const)(
  'is sent once with the trap %s of the sandbox',
  async (trap) => {
    client.gateway.traps.add(trap);
    const { code } = await client.run([...BUY, '--wait', '5s'], { sleeps: 50 });
    expect({ code, sent: client.orders().length, journal: client.journal().map(({ outcome }) => outcome) }).toEqual({
      code: 8,
      sent: 1,
      journal: ['unknown'],
    });
  },
);

it('reads the rows in another session if the first one is lost', async () => {
  before.fault = {
    applied: true,
    answer(response) {
      client.gateway.cut();
      response.socket?.destroy();
    },
  };
  const { code, stderr } = await client.run(BUY, through());
  expect(code).toBe(8);
  expect(failure({ stderr }).message).toContain('alike at the gateway: ');
  expect(before.orders).toHaveLength(1);
});

it('names a table that cannot be read', async () => {
  before.fault = { applied: true, answer: (response) => response.socket?.destroy() };
  client.gateway.traps.add('ora-20301');
  const { code, stderr } = await client.run(BUY, { ...through(), env: { SVC_TRADE_URL: before.url } });
  // The account is unknown, as its table is used up: nothing was sent.
  expect({ code, sent: before.orders.length }).toEqual({ code: 6, sent: 0 });
  expect(failure({ stderr }).code).toBe('limited');
  client.gateway.traps.clear();
  before.tooOften = /models=Order/;
  const again = await client.run(BUY, through());
  before.tooOften = undefined;
  expect({ code: again.code, sent: before.orders.length }).toEqual({ code: 8, sent: 1 });
  expect(failure(again).message).toContain('the table Order could not be read');
});

it('reports the loss even if nothing can be read after it', async () => {
  before.fault = {
    applied: true,
    answer(response) {
      before.isGone = true;
      response.socket?.destroy();
    },
  };
  const { code, stderr } = await client.run(BUY, through());
  before.isGone = false;
  expect({ code, sent: before.orders.length }).toEqual({ code: 8, sent: 1 });
  const error = failure({ stderr });
  expect(error).toMatchObject({ code: 'outcome_unknown', journal_id: client.journal()[0]?.id });
  expect(error.message).toContain('; the rows at the gateway could not be read: ');
  expect(error.hint).toContain(`svc trade journal settle ${error.journal_id}`);
});

it('is unknown in the journal if svc was interrupted after it was sent', async () => {
  const stop = new AbortController();
  before.fault = { applied: true, answer: () => stop.abort(new SvcError('interrupted', 'interrupted')) };
  const { code, stderr } = await client.run(BUY, through({ signal: stop.signal }));
  expect(code).toBe(130);
  expect(failure({ stderr }).message).toContain('was sent and may have been applied');
  expect(failure({ stderr }).hint).toContain('svc trade journal settle');
  expect(before.orders).toHaveLength(1);
  expect(client.journal()).toMatchObject([
    { outcome: 'unknown', message: expect.stringContaining('may have been applied') },
  ]);
});

it('is in the journal before it reaches the gateway', async () => {
  const there: unknown[] = [];
  before.fault = {
    applied: true,
    answer(response) {
      there.push(...client.journal());
      response.end('{"response":{"executed":true},"data":{"type":0,"orderId":390285837}}');
    },
  };
  const { code } = await client.run(BUY, through());
  expect(code).toBe(0);
  expect(there).toMatchObject([{ command: 'buy', outcome: 'unknown', form: { is_buy: 'true', symbol: 'EUR/USD' } }]);
  expect(client.journal()).toMatchObject([{ outcome: 'accepted', order_ids: ['390285837'] }]);
});

it('is not sent if it cannot be journaled', async () => {
  const home = temporaryHome();
  mkdirSync(`${home}/state/trade/orders.ndjson`, { recursive: true });
  writeFileSync(`${home}/state/trade/orders.ndjson/x`, '');
  const { code, stderr } = await client.run(BUY, through({ home }));
  expect({ code, sent: before.orders.length }).toEqual({ code: 2, sent: 0 });
  expect(failure({ stderr }).code).toBe('file_unusable');
});

it('lists an accepted order that is alike, too, and belongs to its own gateway', async () => {
  const entry = [...ENTRY, '--account', '654061'];
  // Only its address differs; it numbers its orders in the same way.
  await client.run(entry);
  before.fault = { applied: true, answer: (response) => response.socket?.destroy() };
  const { stderr } = await client.run(entry, through({ home: client.home }));
  expect(failure({ stderr }).candidates.split(' ').sort()).toEqual([...client.gateway.book.orders.keys()].sort());
  expect(client.gateway.book.orders.size).toBe(2);
  const open = await client.run(['journal', '--open', '-o', 'json'], through({ home: client.home }));
  expect(JSON.parse(open.stdout)).toMatchObject([{ base_url: `${before.url}/` }]);
  const elsewhere = await client.run(['journal', 'settle'], { home: client.home });
  expect(elsewhere).toMatchObject({ code: 0, stderr: 'no unknown outcomes at this gateway\n' });
});
