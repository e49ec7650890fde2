/** The real socket.io-client 2.5 against the sandbox's gateway. */
import { describe, expect, test } from 'vitest';
import { listen, marketOrder, orderIdOf, startGateway } from './service.ts';

describe.each([
  ['as it is configured by default', ['polling', 'websocket']],
  ['by polling only', ['polling']],
])('the real client %s', (_, transports) => {
  test('connects, receives pushes, and disconnects', async () => {
    await using gateway = await startGateway();
    const peer = await gateway.peer(transports);
    expect(peer.id).toMatch(/^[\w-]{20}$/);
    expect(gateway.sessions).toEqual([peer.id]);
    expect(peer.io.engine.transport.name).toBe('polling');
    const pushes = await listen(gateway, peer, ['EUR/USD', 'Order', 'OpenPosition']);
    gateway.tick();
    expect(await pushes.until('EUR/USD')).toEqual({
      Updated: expect.any(Number),
      Rates: [expect.any(Number), expect.any(Number), expect.any(Number), expect.any(Number)],
      Symbol: 'EUR/USD',
    });
    const orderId = orderIdOf(await gateway.call(peer.id, 'POST', '/trading/open_trade', marketOrder()));
    await pushes.until('Order', ({ action }) => action === 'D');
    const life = pushes.seen.filter(([name, { action }]) => name !== 'EUR/USD' && action !== undefined);
    expect(life.map(([name, { action, status }]) => [name, action, status])).toEqual([
      ['Order', 'I', 2],
      ['Order', 'U', 6],
      ['Order', 'U', 6],
      ['OpenPosition', 'I', undefined],
      ['Order', 'D', 6],
    ]);
    expect(life[0]?.[1]).toMatchObject({ orderId, type: 'OM', time: '06032026140000000' });
    expect(life[0]?.[1]['tradeId']).toBe(life[3]?.[1]['tradeId']);
    peer.close();
    while (gateway.sessions.length > 0) await new Promise(setImmediate);
    const after = await gateway.call(peer.id, 'GET', '/trading/get_model', { models: 'Order' });
    expect(after).toEqual({ response: { executed: false, error: 'Unauthorized' } });
  });

  test('is refused with an invalid token', async () => {
    await using gateway = await startGateway();
    await expect(gateway.peer(transports, 'f'.repeat(40))).rejects.toBe('Not authorized');
    expect(gateway.sessions).toEqual([]);
  });
});
