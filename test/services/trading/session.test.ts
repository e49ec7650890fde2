import { describe, expect, test } from 'vitest';
import { endpoint } from '../../../src/http/endpoint.ts';
import { gateway, reader, sessionWith, TOKEN, until } from './gateway.ts';

const anything = async () => ({ safeParse: (data: unknown) => ({ success: true as const, data }) });
const getModel = endpoint({ method: 'GET', path: '/trading/get_model', effect: 'read', answer: anything });
const subscribe = endpoint({
  method: 'POST',
  path: '/trading/subscribe',
  effect: 'read',
  encoding: 'form',
  answer: anything,
});

describe('with the real socket.io 2.5', () => {
  test('connects by polling, is served with its id, and leaves in order', async () => {
    await using server = await gateway();
    const { session } = sessionWith(server.url);
    expect(await session.call(getModel, { query: { models: 'Order' } })).toMatchObject({
      response: { executed: true },
    });
    expect(session.transport).toBe('polling');
    const [first] = server.requests;
    expect(first?.url).toMatch(
      new RegExp(`^/socket\\.io/\\?access_token=${TOKEN}&EIO=3&transport=polling&t=[\\w.]+&b64=1$`),
    );
    for (const { headers } of server.requests) {
      expect(headers).toMatchObject({
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        'user-agent': 'svc/test',
      });
    }
    expect(server.upgrades).toEqual([]);
    await session.close();
    expect(server.ended).toEqual(['client namespace disconnect']);
    expect(server.live).toEqual([]);
    await expect(session.call(getModel)).rejects.toMatchObject({ code: 'connection_lost' });
  });

  test.each(['auto', 'polling'] as const)('hands on pushes in order by %s', async (transport) => {
    await using server = await gateway();
    await using opened = sessionWith(server.url, { transport });
    const { session } = opened;
    const next = reader(session);
    await session.call(subscribe, { body: { models: 'Order' } });
    expect(await next()).toEqual({
      kind: 'push',
      name: 'Order',
      payload: '{"form":"models=Order"}',
      at: expect.any(Number),
    });
    if (transport === 'auto') await until(() => server.live[0]?.conn.transport.name === 'websocket');
    for (let i = 0; i < 100; i++) server.live[0]?.emit('π €𝟙', `{"n":${i}}`);
    for (let i = 0; i < 100; i++) expect(await next()).toMatchObject({ name: 'π €𝟙', payload: `{"n":${i}}` });
    expect(session.transport).toBe(transport === 'auto' ? 'websocket' : 'polling');
    await session.close();
    expect(await next()).toBeUndefined();
    expect(server.ended).toEqual(['client namespace disconnect']);
  });
});
