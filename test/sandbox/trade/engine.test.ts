/** Engine.IO 3 at the wire, by requests written by hand. */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { decodePayload, encodePayload } from '../../../src/sandbox/trade/engine-session.ts';
import { wire } from '../../support/alertmanager.ts';
import { marketOrder, startGateway, type TestGateway } from './service.ts';

const QUERY = 'EIO=3&transport=polling&b64=1';

function path({ token }: TestGateway, sid?: string): string {
  return `/socket.io/?access_token=${token}&${QUERY}&t=abc${sid === undefined ? '' : `&sid=${sid}`}`;
}

async function open(gateway: TestGateway): Promise<string> {
  const { body } = await wire(gateway.url, path(gateway));
  const sid = /"sid":"([^"]+)"/.exec(body)?.[1];
  if (sid === undefined) throw new Error(body);
  return sid;
}

/** Also confirmed. */
async function connect(gateway: TestGateway): Promise<string> {
  const sid = await open(gateway);
  expect((await wire(gateway.url, path(gateway, sid))).body).toBe('2:40');
  return sid;
}

const post = (gateway: TestGateway, sid: string, body: string) =>
  wire(gateway.url, path(gateway, sid), { method: 'POST', body, headers: { 'content-type': 'text/plain' } });

const failure = (code: number, message: string) => [400, `{"code":${code},"message":"${message}"}`];

/** Of one, two, three and four bytes, and what frames are made of. */
const LETTERS = fc.constantFrom('a', '0', '4', ':', '"', '\0', 'π', '€', '𝟙');

describe('a connection by polling', () => {
  test('opens with a packet and is confirmed by the next poll', async () => {
    await using gateway = await startGateway();
    const opened = await wire(gateway.url, path(gateway));
    const sid = /"sid":"([\w-]{20})"/.exec(opened.body)?.[1];
    expect(opened.status).toBe(200);
    expect(opened.body).toBe(
      `86:0{"sid":"${sid}","upgrades":[],"pingInterval":25000,"pingTimeout":20000}`.replace(
        /^86/,
        String(opened.body.length - opened.body.indexOf(':') - 1),
      ),
    );
    expect(opened.headers['content-type']).toBe('text/plain; charset=UTF-8');
    expect(opened.headers['set-cookie']).toEqual([`io=${sid}; Path=/; HttpOnly; SameSite=Strict`]);
    expect((await wire(gateway.url, path(gateway, sid))).body).toBe('2:40');
  });

  test('answers the heartbeat, and returns everything since the last poll', async () => {
    await using gateway = await startGateway();
    const sid = await connect(gateway);
    expect(await post(gateway, sid, '1:2')).toMatchObject({ status: 200, body: 'ok' });
    await gateway.call(sid, 'POST', '/subscribe', { pairs: ['EUR/USD', 'USD/JPY'] });
    gateway.tick();
    const { body } = await wire(gateway.url, path(gateway, sid));
    expect(body.startsWith('1:3')).toBe(true);
    const packets = decodePayload(body) ?? [];
    expect(packets).toHaveLength(3);
    expect(packets[1]).toMatch(
      /^42\["EUR\/USD","\{\\"Updated\\":1780495200000,\\"Rates\\":\[[\d.,]+\],\\"Symbol\\":\\"EUR\/USD\\"\}"\]$/,
    );
  });

  test('ends a connection that polls twice at a time', async () => {
    await using gateway = await startGateway();
    const sid = await connect(gateway);
    const statuses = await Promise.all([1, 2].map(async () => (await wire(gateway.url, path(gateway, sid))).status));
    expect(statuses.sort()).toEqual([200, 500]);
    expect(gateway.sessions).toEqual([]);
  });

  test('refuses what the protocol does not know', async () => {
    await using gateway = await startGateway();
    const sid = await connect(gateway);
    const asked = async (query: string, method = 'GET') => {
      const { status, body } = await wire(gateway.url, `/socket.io/?${query}`, { method });
      return [status, body];
    };
    expect(await asked('EIO=3')).toEqual(failure(0, 'Transport unknown'));
    expect(await asked(`${QUERY}&sid=nobody`)).toEqual(failure(1, 'Session ID unknown'));
    expect(await asked(QUERY, 'POST')).toEqual(failure(2, 'Bad handshake method'));
    expect(await asked(`${QUERY}&sid=${sid}`, 'DELETE')).toEqual(failure(3, 'Bad request'));
    expect(await asked('EIO=3&transport=websocket')).toEqual(failure(0, 'Transport unknown'));
  });

  test('counts packets in UTF-16 units', () => {
    const text = '42["π €𝟙","{}"]';
    expect(encodePayload([text, '3'])).toBe(`${text.length}:${text}1:3`);
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, unit: LETTERS })), (packets) => {
        expect(decodePayload(encodePayload(packets))).toEqual(packets);
      }),
    );
    for (const wrong of ['x', '5:abc', '-1:a', '3', '99999999999:a']) expect(decodePayload(wrong)).toBeUndefined();
  });

  test('reports an invalid token after the connection was opened', async () => {
    await using gateway = await startGateway();
    const wrong = `/socket.io/?access_token=${'0'.repeat(40)}&${QUERY}`;
    const { body } = await wire(gateway.url, wrong);
    const sid = /"sid":"([^"]+)"/.exec(body)?.[1] ?? '';
    expect((await wire(gateway.url, `${wrong}&sid=${sid}`)).body).toBe('18:44"Not authorized"');
    expect(await gateway.call(sid, 'GET', '/trading/get_model')).toMatchObject({ response: { error: 'Unauthorized' } });
  });

  test('ends after silence', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await using gateway = await startGateway();
    const sid = await connect(gateway);
    const poll = wire(gateway.url, path(gateway, sid));
    vi.advanceTimersByTime(44_999);
    await post(gateway, sid, '1:2');
    expect((await poll).body).toBe('1:3');
    vi.advanceTimersByTime(44_999);
    expect(gateway.sessions).toEqual([sid]);
    vi.advanceTimersByTime(1);
    expect(gateway.sessions).toEqual([]);
    expect((await wire(gateway.url, path(gateway, sid))).status).toBe(400);
  });
});

describe('a request', () => {
  test('needs a confirmed connection', async () => {
    await using gateway = await startGateway();
    const refused = { response: { executed: false, error: 'Unauthorized' } };
    expect(await gateway.call('x'.repeat(20), 'GET', '/trading/get_model', { models: 'Order' })).toEqual(refused);
    expect(await gateway.call('', 'POST', '/subscribe', { pairs: 'EUR/USD' })).toEqual(refused);
    expect(await gateway.call('', 'GET', '/candles/1/m1', { num: 1 })).toEqual(refused);
    const sid = await connect(gateway);
    expect(await gateway.call(sid, 'GET', '/trading/get_model', { models: 'Order' })).toMatchObject({
      response: { executed: true },
    });
    gateway.cut();
    expect(await gateway.call(sid, 'POST', '/trading/open_trade', marketOrder())).toEqual(refused);
    expect(gateway.book.trades.size).toBe(4);
  });

  test.each([
    ['content-type', 'application/json'],
    ['accept', 'text/html'],
    ['user-agent', ''],
  ])('needs its header %s', async (name, value) => {
    await using gateway = await startGateway();
    const sid = await connect(gateway);
    const answer = await gateway.send(sid, 'GET', '/trading/get_model', { models: 'Order' }, { [name]: value });
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      400,
      { Code: 400, Message: expect.stringContaining('is required') },
    ]);
  });
});

describe('the balancer', () => {
  test('sends a request without its cookie to the wrong node, as the trap says', async () => {
    await using gateway = await startGateway();
    gateway.traps.add('sticky-nodes');
    for (let count = 0; count < 4; count++) {
      const opened = await wire(gateway.url, path(gateway));
      const sid = /"sid":"([^"]+)"/.exec(opened.body)?.[1] ?? '';
      const cookie = (opened.headers['set-cookie'] ?? []).map((text) => text.split(';')[0]).join('; ');
      expect((await wire(gateway.url, path(gateway, sid))).status).toBe(400);
      expect((await wire(gateway.url, path(gateway, sid), { headers: { cookie } })).body).toBe('2:40');
      const without = await gateway.send(sid, 'GET', '/trading/get_model', { models: 'Order' });
      expect(without.body).toContain('Unauthorized');
      const withIt = await gateway.send(sid, 'GET', '/trading/get_model', { models: 'Order' }, { cookie });
      expect(withIt.body).toContain('"executed":true');
    }
  });
});

test('the gateway closes during polls', async () => {
  const gateway = await startGateway();
  const sid = await connect(gateway);
  const poll = wire(gateway.url, path(gateway, sid));
  const failed = expect(poll).rejects.toMatchObject({ code: 'ECONNRESET' });
  await post(gateway, sid, '1:6');
  await gateway.close();
  await failed;
  await expect(wire(gateway.url, '/')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
