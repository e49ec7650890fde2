/** The states of one connection, at a real socket.io server. */
import { beforeEach, expect, test } from 'vitest';
import { EngineConnection } from '../../../../src/features/trade/gateway/engine-connection.ts';
import { Secret } from '../../../../src/http/redact.ts';
import { CookieJar } from '../../../../src/http/sender.ts';
import { targetFor } from '../../../support/targets.ts';
import { gateway, TOKEN } from '../gateway.ts';

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
