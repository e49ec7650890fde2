/** A gateway that repeats the token where Engine.IO and socket.io have room for it: no form of it comes back on standard error. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { base64, formsOf, lowerHex, percent, units } from '../../support/secret-forms.ts';
import { svc } from '../../support/svc.ts';
import { feedGateway, lines, ORDER } from './commands/feed.ts';
import { gateway, TOKEN } from './gateway.ts';

const FORMS = formsOf(TOKEN);
const EVERY_FORM = [
  ...[TOKEN, encodeURIComponent(TOKEN), percent(TOKEN), lowerHex(percent(TOKEN)), units(TOKEN)],
  ...[base64(TOKEN), base64(`ann:${TOKEN}`), Buffer.from(TOKEN).toString('base64url')],
  ...[Buffer.from(TOKEN).toString('hex'), Buffer.from(TOKEN).toString('hex').toUpperCase()],
].join(' ');

function expectClean(text: string): void {
  for (const form of FORMS) expect(text).not.toContain(form);
}

const STREAM = ['stream', 'Order', '--until', '1', '--no-reconnect', '-o', 'ndjson', '--debug'];

describe('no output has the token if the gateway repeats it in', () => {
  it('a push', async () => {
    await using feed = await feedGateway();
    const run = feed.run(STREAM);
    await feed.subscribed('Order');
    feed.push('Order', { ...ORDER, note: TOKEN }, { ...ORDER, note: EVERY_FORM });
    const { code, stdout, stderr } = await run;
    expect(code, stderr).toBe(0);
    expect(lines(stdout)).toMatchObject([{ data: { orderId: ORDER.orderId } }]);
    expect(stdout).not.toContain(TOKEN);
    // The trace shows the packet.
    expect(stderr).toContain('42["Order"');
    expectClean(stderr);
  });

  it('an unexpected acknowledgement, and an error of socket.io', async () => {
    await using feed = await feedGateway();
    const run = feed.run(STREAM);
    await feed.subscribed('Order');
    const [client] = feed.gateway.live as unknown as { readonly conn: { write(packet: string): void } }[];
    client?.conn.write(`430${JSON.stringify([EVERY_FORM])}`);
    client?.conn.write(`44${JSON.stringify(EVERY_FORM)}`);
    feed.push('Order', ORDER);
    const { stderr } = await run;
    expect(stderr).toContain('430["');
    expectClean(stderr);
  });

  const opening = JSON.stringify({ sid: 's1', upgrades: [], pingInterval: 25_000, pingTimeout: 5_000 });
  const packets = (...all: string[]): string => all.map((one) => `${one.length}:${one}`).join('');
  it.each<[string, number, Readonly<Record<string, string>>, string]>([
    ['an error of the handshake', 200, {}, packets(`0${opening}`, `44${JSON.stringify(EVERY_FORM)}`)],
    ['an object as the error', 200, {}, packets(`0${opening}`, `44${JSON.stringify({ message: EVERY_FORM })}`)],
    ['an error of Engine.IO', 400, {}, JSON.stringify({ code: 3, message: EVERY_FORM })],
    ['a text', 502, { 'content-type': 'text/plain' }, EVERY_FORM],
    ['a page', 403, { 'content-type': 'text/html' }, `<title>${EVERY_FORM}</title>`],
    ['a redirect', 302, { location: `http://127.0.0.1:9/?a=${encodeURIComponent(EVERY_FORM)}` }, ''],
    ['headers', 401, { 'x-echo': EVERY_FORM, 'set-cookie': `a=${EVERY_FORM}` }, ''],
    ['no packet at all', 200, {}, EVERY_FORM],
  ])('%s', async (_name, status, headers, body) => {
    let reached = 0;
    const before = (_request: unknown, response: ServerResponse): boolean => {
      reached++;
      response.writeHead(status, headers).end(body);
      return true;
    };
    await using server = await gateway({ before });
    const env = { SVC_TRADE_URL: server.url, SVC_TRADE_TOKEN: TOKEN };
    for (const options of [['--debug'], ['-o', 'json'], ['-v']]) {
      const { code, stdout, stderr } = await svc(['trade', 'accounts', ...options], { env });
      expect(code, stderr).not.toBe(0);
      expect(code, stderr).not.toBe(70);
      expectClean(stdout + stderr);
    }
    expect(reached).toBeGreaterThan(2);
  });

  it("a table's error", async () => {
    await using feed = await feedGateway();
    feed.onModel = (_model, response) => {
      response.end(JSON.stringify({ response: { executed: false, error: EVERY_FORM } }));
      return true;
    };
    for (const options of [['--debug'], ['-o', 'json']]) {
      const { code, stdout, stderr } = await feed.run(['accounts', ...options]);
      expect(code, stderr).toBe(3);
      expectClean(stdout + stderr);
    }
  });
});
