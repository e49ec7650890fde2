/** The counts of connections and calls delay or refuse reads. They never delay a close, a cancel or an order. */
import { beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../../../src/store/lock.ts';
import { lockContext } from '../../../support/folder.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';
import { callCountsIn, useUpCalls } from '../counts.ts';
import { ACCOUNT, fileGateway, reply } from './document-gateway.ts';

const gateway = await fileGateway();
beforeEach(() => {
  const row = { accountId: ACCOUNT, currency: 'EUR/USD', isBuy: true, amountK: 9 };
  gateway.feed.tables['OpenPosition'] = [{ ...row, tradeId: '7', open: 1.16, close: 1.16 }];
  gateway.feed.tables['Order'] = [{ ...row, orderId: '39', isEntryOrder: true, type: 'LE', buy: 1.1, sell: 0 }];
  gateway.feed.onOrder = (response) =>
    reply(response, 200, '{"response":{"executed":true},"data":{"type":0,"orderId":390285837}}');
});

const NOW = Date.UTC(2026, 0, 14, 12);

/** One connect a minute, which the first command takes: on this machine, too, as the pace is set. */
async function pacedHome(): Promise<string> {
  const home = temporaryHome();
  await svc(['config', 'set', 'trade.connectsPerMinute', '1'], { home });
  await gateway.run(['offers', '-q'], { home, now: () => NOW });
  return home;
}

function countedGateway() {
  const { SVC_TRADE_URL: url = '', SVC_TRADE_TOKEN: token = '' } = gateway.feed.env;
  return { url, token };
}

async function run(argv: readonly string[], home: string) {
  const waits: string[] = [];
  const { code, stderr } = await gateway.run([...argv, '--account', ACCOUNT, '--yes', '-o', 'json'], {
    home,
    now: () => NOW,
    onStderr(text) {
      if (/^waiting|: waiting until/.test(text)) waits.push(text);
    },
  });
  return { code, stderr, waits, posts: gateway.feed.orders.splice(0).length };
}

const ORDERS = [
  'buy EUR/USD 1',
  'entry buy EUR/USD 1 --rate 1.1',
  'close 7',
  'close --symbol EUR/USD',
  'orders cancel 39',
  'positions update 7 --stop 40pips',
  'orders update 39 --rate 1.09',
  'buy EUR/USD 1 --wait 1s',
].map((line) => line.split(' '));

describe('a request that trades', () => {
  it.each(ORDERS.map((argv) => [argv.join(' '), argv] as const))('is sent at once: %s', async (_line, argv) => {
    const paced = await run(argv, await pacedHome());
    const isWaitedFor = argv.includes('--wait');
    expect(paced, paced.stderr).toMatchObject({ code: isWaitedFor ? 9 : 0, waits: [], posts: 1 });

    const home = temporaryHome();
    await useUpCalls(home, countedGateway(), () => NOW);
    const limited = await run(argv, home);
    expect(limited, limited.stderr).toMatchObject({ waits: [], posts: 1 });

    // A wait for the lock of the counts would be one of the waits.
    const other = temporaryHome();
    const { path } = callCountsIn(other, countedGateway(), () => NOW);
    const locked = await withLock(`${path}.lock`, lockContext, () => run(argv, other));
    expect(locked, locked.stderr).toMatchObject({ waits: [], posts: 1 });
  });
});

it('a raw order is sent at once, too', async () => {
  const form = ['account_id=1027808', 'symbol=EUR/USD', 'is_buy=true', 'amount=1'].flatMap((field) => ['-f', field]);
  const home = await pacedHome();
  const env = { ...gateway.feed.env, SVC_TRADE_ACCOUNT: ACCOUNT };
  const { code, stderr } = await svc(['api', 'trade', 'POST', '/trading/open_trade', ...form, '--yes'], {
    home,
    env,
    now: () => NOW,
  });
  expect({ code, posts: gateway.feed.orders.length, stderr }).toEqual({ code: 0, posts: 1, stderr: '' });
});

it.each(['table', 'json'])('a read that waits says so at once, with -o %s', async (format) => {
  const home = await pacedHome();
  let now = NOW;
  let asked = 0;
  const before = gateway.feed.calls.length;
  const done = await gateway.run(['positions', '-o', format], {
    home,
    now: () => now,
    onStderr(text) {
      if (!text.startsWith('waiting 60 s to connect: at most 1 connections a minute')) return;
      asked = gateway.feed.calls.length;
      // Time passes with the notice.
      now += 60_000;
    },
  });
  expect({ code: done.code, asked }).toEqual({ code: 0, asked: before });
  expect(done.stderr).toContain('waiting 60 s to connect');
});
