import { afterAll, beforeEach } from 'vitest';
import { answer, type FaultServer, faultServer } from '../../support/servers.ts';

/** A list of each service that `listServer` serves. */
export const LISTS = {
  alerts: ['silences', 'list'],
  webhooks: ['webhooks', 'list'],
  catalog: ['catalog', 'products', 'list'],
};

/** A server for the tests of a file, whose lists are empty. It forgets its requests before each test. */
export async function listServer(): Promise<FaultServer> {
  const server = await faultServer((socket, { path }) => {
    socket.write(answer(200, path.startsWith('/api/v2') ? '[]' : '{"items":[],"total":0}'));
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
  });
  return server;
}
