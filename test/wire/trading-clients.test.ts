/**
 * Requests of the vendor's Node and Python samples and of fxcmpy, as each was seen to send them: the sandbox's gateway carries them out.
 * TRADE is an open trade, and ORDER the order that the last response names.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { startTradingEmulator } from '../../src/sandbox/trade/server.ts';
import { wire } from '../support/alertmanager.ts';

const FOLDER = new URL('trade/clients/', import.meta.url);
const HEADERS = {
  'user-agent': 'request',
  accept: 'application/json',
  'content-type': 'application/x-www-form-urlencoded',
};

test.each(readdirSync(FOLDER))('the sandbox carries out the requests of %s', async (file) => {
  const [handshake = '', ...lines] = readFileSync(new URL(file, FOLDER), 'utf8').trimEnd().split('\n');
  const now = Date.UTC(2026, 10, 23, 15);
  const gateway = await startTradingEmulator({ now: () => now, random: () => 0.5, seed: 'demo', tickMs: 0, fast: 100 });
  try {
    const path = handshake.replace('GET ', '').replace('TOKEN', gateway.token);
    const opened = await wire(gateway.url, path, { headers: { accept: '*/*' } });
    const sid = /"sid":"([\w-]{20})"/.exec(opened.body)?.[1] ?? '';
    expect((await wire(gateway.url, `${path}&sid=${sid}`)).body).toBe('2:40');
    const [trade = ''] = gateway.book.trades.keys();
    let order = '';
    for (const line of lines) {
      const [method = '', target = '', body] = line.replace('TRADE', trade).replace('ORDER', order).split(' ');
      const authorization = `Bearer ${sid}${gateway.token}`;
      const answer = await wire(gateway.url, target, {
        method,
        headers: { ...HEADERS, authorization },
        ...(method === 'POST' ? { body: body ?? '' } : {}),
      });
      expect(JSON.parse(answer.body), line).toMatchObject({ response: { executed: true } });
      order = /"orderId":(\d+)/.exec(answer.body)?.[1] ?? order;
    }
  } finally {
    await gateway.close();
  }
});
