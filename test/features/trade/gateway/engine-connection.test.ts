/** The states of one connection, at a real socket.io server. */
import { beforeEach, expect, test } from 'vitest';
import { EngineConnection } from '../../../../src/features/trade/gateway/engine-connection.ts';
import { Secret } from '../../../../src/http/redact.ts';
import { CookieJar } from '../../../../src/http/sender.ts';
import { targetFor } from '../../../support/targets.ts';
import { gateway, TOKEN, until } from '../gateway.ts';

let lost: unknown[];
beforeEach(() => {
  lost = [];
});

async function connection() {
  const server = await gateway();
  const engine = new EngineConnection({
    target: targetFor(server.url, { service: 'trade' }),
    token: new Secret(TOKEN),
    cookies: new CookieJar(),
    ready: () => undefined,
    onPush: () => {},
    onLost: (_engine, error) => lost.push(error.code),
  });
  const end = async (): Promise<void> => {
    await engine.leave();
    await server.stop();
  };
  return { server, engine, [Symbol.asyncDispose]: end };
}

test('goes from the handshake to the confirmation, and leaves the gateway', async () => {
  await using opened = await connection();
  const { server, engine } = opened;
  const { sid } = await engine.handshake();
  expect(engine.isConfirmed).toBe(false);
  await engine.confirm();
  expect(engine.isConfirmed).toBe(true);
  expect(engine.authorization).toBe(`Bearer ${sid}${TOKEN}`);
  await Promise.all([engine.leave(), engine.leave()]);
  expect([engine.isConfirmed, server.live, lost]).toEqual([false, [], []]);
});

test('refuses a step before its time, and twice', async () => {
  await using opened = await connection();
  const { server, engine } = opened;
  const early = { code: 'internal' };
  await expect(engine.confirm()).rejects.toMatchObject(early);
  await engine.handshake();
  await engine.confirm();
  await expect(engine.handshake()).rejects.toMatchObject(early);
  expect(server.requests.filter(({ url }) => !url.includes('sid='))).toHaveLength(1);
  expect(engine.isConfirmed).toBe(true);
});

test('refuses each step once it is left', async () => {
  await using opened = await connection();
  const { engine } = opened;
  await engine.leave();
  const left = { code: 'connection_lost', message: 'the session is closed' };
  await expect(engine.handshake()).rejects.toMatchObject(left);
  await expect(engine.confirm()).rejects.toMatchObject(left);
  expect(() => engine.authorization).toThrow('the session is closed');
});

test('reports once that it was lost', async () => {
  await using opened = await connection();
  const { server, engine } = opened;
  await engine.handshake();
  await engine.confirm();
  server.live[0]?.disconnect(true);
  await until(() => lost.length > 0);
  await engine.leave();
  expect(lost).toEqual(['connection_lost']);
});
