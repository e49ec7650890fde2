/** Mutated responses, frames and files, given to whole commands: each ends in order, whatever it read. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mutated } from '../hard/mutations.ts';
import { credentialsText, signingSecretsText } from '../support/credentials.ts';
import { login } from '../support/rotating-server.ts';
import { answer, type Fault, type FaultServer, faultServer } from '../support/servers.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../support/svc.ts';
import { IS_HARD } from '../support/turns.ts';
import { recorded, request, SECRET } from './webhooks/vectors.ts';

/** Each is a run of a command: a tenth of them in npm test. */
const RUNS = { numRuns: IS_HARD ? 100 : 10 };
const EXITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11];

let behavior: Fault = () => {};
let server: FaultServer;
beforeAll(async () => {
  server = await faultServer((...request) => behavior(...request));
});
afterAll(() => server.close());

async function inOrder(argv: readonly string[], options: RunOptions = {}): Promise<Run> {
  const run = await svc(argv, options);
  const about = `${argv.join(' ')}: ${run.stderr}`;
  expect(EXITS, about).toContain(run.code);
  expect(run.stderr, about).not.toMatch(/\n +at |a bug in svc/);
  return run;
}

const json = { 'content-type': 'application/json' };
const environment = (): Record<string, string> => ({
  SVC_ALERTS_URL: server.url,
  SVC_WEBHOOKS_URL: server.url,
  SVC_CATALOG_URL: server.url,
  SVC_TRADE_URL: server.url,
  SVC_WEBHOOKS_TOKEN: 'pat-0123456789',
  SVC_TRADE_TOKEN: 'token-0123456789abcdef',
  SVC_WEBHOOK_SECRET: SECRET,
});

describe('a mutated response', () => {
  const ALERT = {
    labels: { alertname: 'a' },
    annotations: {},
    startsAt: '2026-01-01T00:00:00Z',
    status: { state: 'active' },
  };
  const BODIES: readonly (object | string)[] = [
    [ALERT],
    { items: [{ id: 'ep_1', url: 'https://a', events: ['webhook.ping'] }], total: 1 },
    { error: { code: 'x', message: 'y' } },
    { issuer: 'http://a', token_endpoint: 'http://a/t' },
    '"a text"',
  ];
  const whole = BODIES.map((body) => answer(200, typeof body === 'string' ? body : JSON.stringify(body), json));
  const COMMANDS = [
    ['alerts', 'list'],
    ['alerts', 'status', '-o', 'json'],
    ['silences', 'create', 'a=b', '-d', '1h', '-c', 'x', '--author', 'me'],
    ['catalog', 'products', 'list', '-o', 'csv'],
    ['webhooks', 'list', '-o', 'yaml'],
    ['oauth', 'discovery'],
    ['api', 'alerts', 'GET', '/alerts'],
  ];

  it('ends every command with an error or a result', async () => {
    await fc.assert(
      fc.asyncProperty(mutated(...whole), fc.constantFrom(...COMMANDS), async (bytes, argv) => {
        behavior = (socket) => socket.end(bytes);
        await inOrder([...argv, '--timeout', '1s'], { env: environment() });
      }),
      RUNS,
    );
  });
});

describe('mutated packets of the gateway', () => {
  const OPENING = `0${JSON.stringify({ sid: 's1', upgrades: ['websocket'], pingInterval: 25_000, pingTimeout: 5_000 })}`;
  const payload = (...packets: string[]): string => packets.map((one) => `${one.length}:${one}`).join('');
  const EVENT = '42["Order","{\\"t\\":3,\\"orderId\\":\\"1\\"}"]';
  const STREAM = ['trade', 'stream', 'Order', '--no-reconnect', '--until', '200ms', '-o', 'ndjson'];
  const poll = (body: string | Buffer): string => answer(200, body.toString(), { 'content-type': 'text/plain' });

  /** A stream from a gateway that answers what the transport asks for so. */
  async function streamFrom(transport: Fault): Promise<void> {
    behavior = (...asked) => {
      const [socket, { method, path }] = asked;
      if (!path.startsWith('/socket.io/')) socket.write(answer(200, '{"response":{"executed":true}}'));
      else if (method === 'POST') socket.write(answer(200, 'ok'));
      else transport(...asked);
    };
    await inOrder([...STREAM, '--timeout', '1s'], { env: environment() });
  }

  it('on polls', async () => {
    await fc.assert(
      fc.asyncProperty(mutated(payload(OPENING, '40')), mutated(payload(EVENT, '3', '6')), async (first, next) => {
        let polls = 0;
        await streamFrom((socket) => socket.end(poll(polls++ === 0 ? first : next)));
      }),
      RUNS,
    );
  });
});

describe('a mutated file', () => {
  it('of deliveries', async () => {
    const path = join(temporaryHome(), 'deliveries');
    const COMMANDS = [
      ['webhooks', 'verify', path],
      ['webhooks', 'show', path],
      ['webhooks', 'replay', path, '--to', 'http://127.0.0.1:9/', '--dry-run'],
      ['webhooks', 'send', '--to', 'http://127.0.0.1:9/', '--body', path, '--dry-run=curl'],
    ];
    await fc.assert(
      fc.asyncProperty(
        mutated(recorded(), request().toString('latin1')),
        fc.constantFrom(...COMMANDS),
        async (bytes, argv) => {
          writeFileSync(path, bytes);
          await inOrder(argv, { env: { SVC_WEBHOOK_SECRET: SECRET } });
        },
      ),
      RUNS,
    );
  });

  it('of settings, credentials or secrets', async () => {
    const secret = { base_url: null, endpoint_id: 'ep_1', secret: SECRET, stored_at: '2026-01-01T00:00:00.000Z' };
    const FILES = {
      'settings.json': mutated({
        profile: 'p',
        profiles: { default: { timeout: '20s' }, p: { 'alerts.url': 'https://a' } },
      }),
      'credentials.json': mutated(JSON.parse(credentialsText(login('http://127.0.0.1:9', 3600)))),
      'webhook-secrets.json': mutated(JSON.parse(signingSecretsText([secret]))),
    };
    const COMMANDS = [
      ['config', 'list'],
      ['oauth', 'status', '--base-url', 'http://127.0.0.1:9'],
      ['webhooks', 'secrets', 'list'],
      ['doctor'],
    ];
    await fc.assert(
      fc.asyncProperty(fc.record(FILES), fc.constantFrom(...COMMANDS), async (files, argv) => {
        const home = temporaryHome();
        mkdirSync(join(home, 'config'), { mode: 0o700 });
        for (const [name, bytes] of Object.entries(files)) {
          writeFileSync(join(home, 'config', name), bytes, { mode: 0o600 });
        }
        await inOrder(argv, { home });
      }),
      RUNS,
    );
  });
});
