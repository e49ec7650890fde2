/** Cuts the network at every byte of a write and of its response: it arrives at most once, and an unknown outcome is never reported as success. */

import { readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { journalPath, journalSent } from '../../src/store/order-journal.ts';
import { svc as built } from '../e2e/binary.ts';
import { type Forwarder, forwarder } from '../features/trade/commands/lost-answers.ts';
import { type Trader, trader } from '../features/trade/commands/trader.ts';
import { sentOrder } from '../store/sent-order.ts';
import { lockContext, testFolder } from '../support/folder.ts';
import { addToJournal, journalIn } from '../support/journal.ts';
import { keep, login, rotatingServer } from '../support/rotating-server.ts';
import { answer, faultServer, type Received } from '../support/servers.ts';
import { svc } from '../support/svc.ts';
import { freshFolder } from './file-steps.ts';
import { counted, scaled } from './scale.ts';

const SHARE = scaled(100) / 100;
/** From zero to all but one; with a scale below 1, every nth of them. */
const bytesOf = (length: number): number[] =>
  Array.from({ length }, (_, at) => at).filter((at) => at % Math.max(1, Math.round(1 / SHARE)) === 0);

const ENDS = {
  ended: (socket: Socket, text: string) => socket.end(text, 'latin1'),
  reset: (socket: Socket, text: string) => {
    // The reset must not overtake the bytes.
    socket.write(text, 'latin1', () => setTimeout(() => socket.resetAndDestroy(), 5));
  },
};

interface Write {
  readonly argv: readonly string[];
  readonly env?: Record<string, string>;
  /** What it reads before. */
  readonly reads: string;
  readonly answer: string;
  readonly prints: string;
}

const ENDPOINT = {
  endpoint_id: 'ep_1',
  url: 'https://192.0.2.9/',
  events: ['summary.completed'],
  status: 1,
  secret: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
};
const WRITES: Readonly<Record<string, Write>> = {
  'silences create': {
    argv: ['silences', 'create', 'a=b', '-c', 'x'],
    reads: '[]',
    answer: answer(200, '{"silenceID":"2f1a0000-0000-4000-8000-000000000000"}'),
    prints: '2f1a0000-0000-4000-8000-000000000000',
  },
  'webhooks create': {
    argv: ['webhooks', 'create', ENDPOINT.url, '--event', 'summary.completed', '--show-secret'],
    env: { SVC_WEBHOOKS_TOKEN: 'pat_marker' },
    reads: '{"items":[]}',
    answer: answer(200, JSON.stringify(ENDPOINT)),
    prints: 'ep_1',
  },
};

const isWrite = ({ method }: Received): boolean => method !== 'GET';
const run = ({ argv, env = {} }: Write, url: string) => svc([...argv, '--base-url', url, '-o', 'json'], { env });

describe.each(Object.keys(WRITES))('%s', (name) => {
  const write = WRITES[name] as Write;

  it('succeeds without a cut', async () => {
    await using server = await faultServer((socket, request) =>
      socket.write(isWrite(request) ? write.answer : answer(200, write.reads)),
    );
    const done = await run(write, server.url);
    expect(`${done.code}: ${done.code === 0 ? '' : done.stderr}`).toBe('0: ');
    expect(done.stdout).toContain(write.prints);
  });

  for (const [end, cut] of Object.entries(ENDS))
    it(`its response is ${end}`, async ({ task }) => {
      let at = 0;
      await using server = await faultServer((socket, request) => {
        if (isWrite(request)) cut(socket, write.answer.slice(0, at));
        else socket.write(answer(200, write.reads));
      });
      for (at of bytesOf(write.answer.length)) {
        const before = server.requests.length;
        const done = await run(write, server.url);
        expect({ at, code: done.code, stdout: done.stdout }).toEqual({ at, code: 8, stdout: '' });
        expect(server.requests.slice(before).filter(isWrite), `cut at ${at}`).toHaveLength(1);
        counted(task, 1);
      }
    });

  it('is cut itself', async ({ task }) => {
    let at = 0;
    let writes = 0;
    let whole: number | undefined;
    await using server = await faultServer((socket) => socket.write(answer(200, write.reads)), {
      onConnect(socket) {
        let came = '';
        socket.on('data', (chunk: Buffer) => {
          came += chunk.toString('latin1');
          const begin = came.indexOf('POST ');
          if (begin < 0) return;
          whole ??= came.length - begin;
          if (came.length - begin >= at) {
            writes += 1;
            socket.resetAndDestroy();
          }
        });
      },
    });
    await run(write, server.url);
    for (at of bytesOf(whole ?? 0)) {
      writes = 0;
      const done = await run(write, server.url);
      expect({ at, code: done.code, stdout: done.stdout }).toEqual({ at, code: 8, stdout: '' });
      expect({ at, writes }).toEqual({ at, writes: 1 });
      counted(task, 1);
    }
  });
});

describe('a read', () => {
  const answered = answer(200, JSON.stringify([{ id: '2f1a0000-0000-4000-8000-000000000000', comment: 'é' }]));

  for (const [end, cut] of Object.entries(ENDS))
    it(`its response is ${end}: a part is never treated as complete`, async ({ task }) => {
      let at = 0;
      await using server = await faultServer((socket) => cut(socket, answered.slice(0, at)));
      for (at of bytesOf(answered.length)) {
        const { code, stdout } = await svc(['silences', 'list', '--base-url', server.url, '-o', 'json']);
        expect({ at, code, stdout }).toEqual({ at, code: 7, stdout: '' });
        counted(task, 1);
      }
    });
});

describe('an order', () => {
  const ANSWER =
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 72\r\n\r\n{"response":{"executed":true,"error":""},"data":{"orderId":"390285837"}} ';
  const argv = ['entry', 'sell', 'EUR/USD', '7', '--rate', '1.2', '--yes', '-o', 'json'];
  let client: Trader;
  let way: Forwarder;
  beforeAll(async () => {
    client = await trader();
    way = await forwarder(client.gateway.url);
  });
  afterAll(async () => {
    await way[Symbol.asyncDispose]();
    await client[Symbol.asyncDispose]();
  });

  for (const applied of [true, false])
    for (const [end, cut] of Object.entries(ENDS))
      it(`its response is ${end}, executed: ${applied}`, async ({ task }) => {
        for (const at of bytesOf(ANSWER.length - 1)) {
          client.gateway.book.orders.clear();
          way.orders.length = 0;
          way.fault = {
            applied,
            answer: (response) => {
              if (response.socket !== null) cut(response.socket, ANSWER.slice(0, at));
            },
          };
          const { code, stdout } = await client.run(argv, {
            env: { SVC_TRADE_URL: way.url },
          });
          expect({ at, code, stdout, sent: way.orders.length }).toEqual({ at, code: 8, stdout: '', sent: 1 });
          expect(client.journal(), `cut at ${at}`).toMatchObject([{ outcome: 'unknown' }]);
          counted(task, 1);
        }
      });
});

describe('the handshake of Engine.IO 3 by polling', () => {
  const opening = '0{"sid":"s1","upgrades":[],"pingInterval":25000,"pingTimeout":20000}';
  const packets = (...all: readonly string[]): string => all.map((one) => `${one.length}:${one}`).join('');
  const TEXT = { 'content-type': 'text/plain; charset=UTF-8' };
  /** In one response, or in that of the first poll. */
  const HANDSHAKES: Readonly<Record<string, readonly [opening: string, poll: string]>> = {
    'with its message': [answer(200, packets(opening, '40'), TEXT), ''],
    'before its message': [answer(200, packets(opening), TEXT), answer(200, packets('40'), TEXT)],
  };
  const isPoll = ({ method, path }: Received): boolean => method === 'GET' && path.includes('sid=s1');
  const connects = (url: string) =>
    svc(['trade', 'accounts', '-o', 'json', '--timeout', '5s'], {
      env: { SVC_TRADE_URL: url, SVC_TRADE_TOKEN: 'token-0123456789' },
    });

  for (const [name, [first, poll]] of Object.entries(HANDSHAKES))
    for (const [end, cut] of Object.entries(ENDS))
      for (const [what, whole] of [['opening', first] as const, ...(poll === '' ? [] : [['poll', poll] as const])])
        it(`${name}: the ${what} is ${end}: requests no table, and does not count as connected`, async ({ task }) => {
          let at = 0;
          await using server = await faultServer((socket, request) => {
            if (what === 'poll' && !isPoll(request))
              socket.write(request.path.includes('sid=') ? answer(200, 'ok') : first);
            else cut(socket, whole.slice(0, at));
          });
          for (at of bytesOf(whole.length)) {
            const before = server.requests.length;
            const { code, stdout, stderr } = await connects(server.url);
            expect({ at, code, stdout, stderr: code === 7 ? '' : stderr }).toEqual({
              at,
              code: 7,
              stdout: '',
              stderr: '',
            });
            const tables = server.requests.slice(before).filter(({ path }) => path.startsWith('/trading/'));
            expect(tables, `cut at ${at}`).toEqual([]);
            counted(task, 1);
          }
        });
});

describe('the journal of orders', () => {
  const folder = testFolder();

  it('is cut at every byte: earlier lines are read, and later lines are complete', async ({ task }) => {
    const sent = (id: string) => {
      const { form, ...order } = sentOrder(id);
      return { ...order, form: { ...form, note: 'é\u2028' } };
    };
    const path = journalPath(folder.paths);
    for (const id of ['a', 'b']) addToJournal(folder.paths, sent(id));
    const whole = readFileSync(path);
    const first = whole.indexOf('\n') + 1;
    for (const at of bytesOf(whole.length)) {
      writeFileSync(path, whole.subarray(0, at));
      const { id: _, at: __, ...request } = sent('c');
      const last = await journalSent(folder.paths, lockContext, request);
      const ids = journalIn(folder.paths).map(({ id }) => id);
      // A line that lacks its end alone is whole.
      const before = [at >= first - 1 ? ['a'] : [], at >= whole.length - 1 ? ['b'] : []].flat();
      expect({ at, ids }).toEqual({ at, ids: [...before, last] });
      counted(task, 1);
    }
  });
});

describe('a refresh', () => {
  const TOKEN = answer(
    200,
    JSON.stringify({ access_token: 'at-1-abcdefghijkl', token_type: 'Bearer', expires_in: 3600, email: '' }),
  );

  for (const [end, cut] of Object.entries(ENDS))
    it.concurrent(`its response is ${end}: sent once, and keeps the login`, async ({ task }) => {
      for (const at of bytesOf(TOKEN.length)) {
        await using server = await rotatingServer();
        let calls = 0;
        server.meddle = ({ response }) => {
          calls += 1;
          if (response.socket !== null) cut(response.socket, TOKEN.slice(0, at));
        };
        const config = freshFolder();
        const path = keep(config, login(server.url, -10));
        const before = readFileSync(path, 'utf8');
        const done = await built(['oauth', 'token'], { env: { SVC_CONFIG_DIR: config, SVC_WEBHOOKS_URL: server.url } });
        expect({ at, code: done.code, stdout: done.stdout, calls }).toEqual({ at, code: 7, stdout: '', calls: 1 });
        expect(readFileSync(path, 'utf8')).toBe(before);
        counted(task, 1);
      }
    });
});
