/** Traps of the sandbox's gateway that have no test elsewhere. */
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { TradeTrap } from '../../../src/sandbox/traps.ts';
import { HOSTILE } from '../../../src/sandbox/traps.ts';
import {
  errorOf,
  type Fields,
  type Json,
  listen,
  marketOrder,
  orderIdOf,
  type Peer,
  startGateway,
  type TestGateway,
} from './service.ts';

interface Trapped extends AsyncDisposable {
  readonly gateway: TestGateway;
  readonly peer: Peer;
}

async function trapped(...traps: readonly TradeTrap[]): Promise<Trapped> {
  const gateway = await startGateway({ seed: 'empty' });
  const peer = await gateway.peer();
  for (const trap of traps) gateway.traps.add(trap);
  return { gateway, peer, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

const opens = ({ requests }: TestGateway): number =>
  requests.filter(({ path }) => path === '/trading/open_trade').length;

/** As an order or already as its trade. */
const known = ({ book }: TestGateway): number => book.orders.size + book.trades.size;

describe('orders', () => {
  /** The rows of its trades, once the order is over. */
  const filled = async ({ gateway, peer }: Trapped, fields: Fields) => {
    const pushes = await listen(gateway, peer, ['Order', 'OpenPosition']);
    const orderId = orderIdOf(await gateway.call(peer.id, 'POST', '/trading/open_trade', fields));
    const last = await pushes.until('Order', (row) => row['orderId'] === orderId && row['action'] === 'D');
    const amounts = pushes.seen.flatMap(([name, { action, amountK }]) =>
      name !== 'Order' && action === 'I' ? [amountK] : [],
    );
    return { orderId, status: last['status'], amounts, seen: pushes.seen };
  };

  test('are filled in three parts, each recorded by the order', async () => {
    await using service = await trapped('partial-fills');
    const { amounts, seen, orderId } = await filled(service, marketOrder({ amount: 7 }));
    expect(amounts).toEqual([2, 2, 3]);
    const of = (name: string, fits: (row: Json) => boolean) =>
      new Set(seen.filter(([one, row]) => one === name && fits(row)).map(([, { tradeId }]) => tradeId));
    const opened = of('Order', (row) => row['orderId'] === orderId && row['tradeId'] !== undefined);
    expect(opened.size).toBe(3);
    expect(of('OpenPosition', ({ action }) => action === 'I')).toEqual(opened);
  });

  test.each([
    [['fok-killed'], 'FOK', [], 3],
    [['fok-killed'], 'GTC', [6], 6],
    [['fok-killed', 'partial-fills'], 'FOK', [], 3],
    [['fok-killed', 'partial-fills'], 'IOC', [2, 2], 3],
  ] as const)('with %j and %s are filled as: %j', async (traps, time_in_force, parts, last) => {
    await using service = await trapped(...traps);
    const { amounts, status } = await filled(service, marketOrder({ amount: 6, time_in_force }));
    expect([amounts, status]).toEqual([parts, last]);
  });

  test('are pushed before the response', async () => {
    await using service = await trapped('push-before-answer');
    const { gateway, peer } = service;
    const pushes = await listen(gateway, peer, ['Order']);
    await gateway.call(peer.id, 'POST', '/trading/open_trade', marketOrder());
    expect(pushes.seen.map(([, { action }]) => action)).toEqual(['I', 'U', 'U', 'D']);
  });

  test.each([
    ['lost-order-answer', 1],
    ['order-500', 0],
    ['order-500-applied', 1],
  ] as const)('with %s are executed %d times', async (trap, times) => {
    await using service = await trapped(trap);
    const { gateway, peer } = service;
    const sent = gateway.send(peer.id, 'POST', '/trading/open_trade', marketOrder());
    if (trap === 'lost-order-answer') await expect(sent).rejects.toMatchObject({ code: 'ECONNRESET' });
    else expect((await sent).status).toBe(500);
    expect(known(gateway)).toBe(times);
    expect(opens(gateway)).toBe(1);
    expect(gateway.sessions).toEqual([peer.id]);
  });

  test('are executed with an error', async () => {
    await using service = await trapped('executed-with-error');
    const answer = await service.gateway.call(service.peer.id, 'POST', '/trading/open_trade', marketOrder());
    expect(answer).toEqual({ response: { executed: true, error: expect.stringContaining('"code":99') }, data: null });
    expect(known(service.gateway)).toBe(1);
  });

  test('wait while the market is closed', async () => {
    await using service = await trapped('market-closed');
    const { gateway, peer } = service;
    const pushes = await listen(gateway, peer, ['Order', 'OpenPosition', 'EUR/USD']);
    await gateway.call(peer.id, 'POST', '/trading/open_trade', marketOrder());
    gateway.tick();
    const { offers } = await gateway.call(peer.id, 'GET', '/trading/get_model', { models: 'Offer' });
    expect((offers as Json[])[0]).toMatchObject({ buyTradable: false, sellTradable: false });
    await pushes.until('Order');
    expect(pushes.seen).toHaveLength(1);
    gateway.traps.delete('market-closed');
    // whichever comes first, its time or the tick
    gateway.tick();
    await pushes.until('OpenPosition', ({ action }) => action === 'I');
  });
});

describe('reads', () => {
  test.each([
    ['GET', '/trading/get_model', { models: 'OpenPosition' }, 44],
    ['GET', '/trading/get_model', { models: ['Offer', 'Order'] }, 46],
    ['GET', '/trading/get_model/Accounts', {}, 79],
    ['GET', '/trading/get_model', { models: 'ClosedPosition' }, 118],
    ['POST', '/trading/update_subscriptions', { symbol: 'EUR/USD', visible: true }, 24],
    ['GET', '/trading/get_model', { models: 'Offer' }, undefined],
  ] as const)('%s %s %j exceeds its limit: Cmd=%s', async (method, path, fields, cmd) => {
    await using service = await trapped('ora-20301');
    const answer = await service.gateway.call(service.peer.id, method, path, fields);
    if (cmd === undefined) expect(answer['response']).toEqual({ executed: true });
    else {
      const message = expect.stringMatching(new RegExp(`^ORA-20301: .*Cmd=${cmd}$`));
      expect(errorOf(answer)).toEqual({ code: 20301, message, parameters: [String(cmd)] });
    }
  });

  test('accounts are not at the documented path', async () => {
    await using service = await trapped('accounts-path-404');
    const { gateway, peer } = service;
    expect((await gateway.send(peer.id, 'GET', '/trading/get_model/Accounts')).status).toBe(404);
    const { accounts } = await gateway.call(peer.id, 'GET', '/trading/get_model', { models: 'Account' });
    expect(accounts).toHaveLength(3);
  });

  test('return hostile text, which is accepted when it is sent back', async () => {
    await using service = await trapped('hostile-gateway');
    const { gateway, peer } = service;
    const { offers } = await gateway.call(peer.id, 'GET', '/trading/get_model', { models: 'Offer' });
    const symbol = String((offers as Json[])[0]?.['currency']);
    expect(symbol).toBe(`EUR/USD${HOSTILE}`);
    const pushed = once(peer as unknown as NodeJS.EventEmitter, symbol);
    await gateway.call(peer.id, 'POST', '/subscribe', { pairs: symbol });
    gateway.tick();
    expect(JSON.parse((await pushed)[0] as string)).toMatchObject({ Symbol: symbol });
    const wrong = await gateway.call(peer.id, 'POST', '/trading/open_trade', marketOrder({ symbol, amount: 0 }));
    expect(errorOf(wrong)).toMatchObject({ code: 3, message: `Amount should be divisible by 1${HOSTILE}` });
    expect(errorOf(await gateway.call('', 'GET', '/trading/get_model', {}))).toBe(`Unauthorized${HOSTILE}`);
  });
});

describe('pushes', () => {
  test('are missing, not JSON, or a flood', async () => {
    await using service = await trapped('no-push');
    const { gateway, peer } = service;
    const got: string[] = [];
    await gateway.call(peer.id, 'POST', '/subscribe', { pairs: 'EUR/USD' });
    peer.on('EUR/USD', (payload) => got.push(payload));
    gateway.tick();
    gateway.traps.delete('no-push');
    gateway.traps.add('non-json-push').add('flood');
    gateway.tick();
    while (got.length < 1001) await once(peer as unknown as NodeJS.EventEmitter, 'EUR/USD');
    expect(got).toHaveLength(1001);
    expect(got[0]).toBe('this is no JSON');
  });

  test('are refused for every token', async () => {
    await using gateway = await startGateway();
    gateway.traps.add('bad-token');
    await expect(gateway.peer()).rejects.toBe('Not authorized');
  });
});
