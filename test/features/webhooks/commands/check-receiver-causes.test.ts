/** `svc webhooks check-receiver` stops at the one cause for which a receiver gives every delivery the same wrong response. */
import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PROBE_NAMES } from '../../../../src/features/webhooks/probes/probes.ts';
import type { ProbeResult } from '../../../../src/features/webhooks/probes/receiver-check.ts';
import { type Run, svc } from '../../../support/svc.ts';
import { isGenuine, KEY, moveClock, type Receiver, receiver } from './handmade-receiver.ts';

type Reply = readonly [status: number, body?: string, headers?: Record<string, string>];
type Handler = (request: IncomingMessage, body: Buffer) => Reply;

const serve = (handle: Handler): Promise<Receiver> =>
  receiver((request, response, body) => {
    const [status, text = '', headers = {}] = handle(request, body);
    response.writeHead(status, headers).end(text);
  });

const check = ({ url }: Receiver, ...args: readonly string[]): Promise<Run> =>
  svc(['webhooks', 'check-receiver', url, ...args], { env: { SVC_WEBHOOK_SECRET: KEY } });

const EVERY = 'to every delivery, correctly signed or forged';
const SECRET_OR_PATH =
  'check its secret and path, and that no login, CSRF check or body parser comes before the verification';

const CAUSES: readonly (readonly [handler: Handler, line: string])[] = [
  [() => [400, 'bad signature'], `valid-ping  400 ${EVERY}: "bad signature"  → ${SECRET_OR_PATH}`],
  [
    () => [404, 'Not\nFound'],
    `valid-ping  404 ${EVERY}: "Not Found"  → nothing is at this path: check the path of the URL`,
  ],
  [() => [405], `valid-ping  405 ${EVERY}  → this path takes no POST: check the path, and the methods of its route`],
  [() => [500, 'boom'], `valid-ping  500 ${EVERY}: "boom"  → see its log: it fails whatever the signature is`],
  [() => [502], `valid-ping  502 ${EVERY}  → start the application: the proxy before it does not reach it`],
  [
    (request, body) => (isGenuine(request, body) ? [500] : [401]),
    'valid-ping  500 to every correctly signed delivery  → the signature is right (a forged one gets 401), then the application fails: see its log',
  ],
  [
    () => [200, 'ok'],
    'bad-signature  200 to a forged delivery  → it does not verify: refuse a delivery with 401 unless its signature is right',
  ],
  [
    () => [308, '', { location: '/hook/' }],
    `valid-ping  308 ${EVERY}  → the service follows no redirect: subscribe /hook/`,
  ],
  [
    () => [308, '', { location: '' }],
    `valid-ping  308 ${EVERY}  → the service follows no redirect: subscribe another URL`,
  ],
];

afterEach(() => void vi.useRealTimers());

describe('svc webhooks check-receiver', () => {
  it('names the one cause of the same response to every delivery, after three deliveries at most', async () => {
    for (const [handler, line] of CAUSES) {
      const one = await serve(handler);
      const { code, stdout, stderr } = await check(one);
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: `fail  ${line}\n`,
        stderr: `0 of ${PROBE_NAMES.length} probes passed, ${PROBE_NAMES.length - 1} not sent\n`,
      });
      expect(one.taken.length, line).toBeLessThanOrEqual(3);
    }
  });

  it('waits 5 s for a response, as the service does', async () => {
    const silent = await receiver(() => void moveClock(5_000));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { code, stdout } = await check(silent, '--only', 'valid-ping', '--only', 'unknown-type', '-o', 'json');
    const results = JSON.parse(stdout) as readonly ProbeResult[];
    expect([code, results.map(({ status, got, fix }) => [status, got, fix])]).toEqual([
      1,
      [
        ['fail', 'no response within 5 s', 'respond first, and process the event afterwards'],
        ['skipped', 'not sent: valid-ping failed', null],
      ],
    ]);
  });

  it('prints no secret that the response has', async () => {
    const one = await serve(() => [401, `expected ${KEY}`]);
    for (const args of [[], ['-o', 'json']]) {
      const { stdout } = await check(one, ...args);
      expect(stdout).toContain('expected ***');
      expect(stdout).not.toContain(KEY.slice(6, 20));
    }
  });

  it('does not blame the verification of a receiver that takes no pings', async () => {
    const one = await serve((request, body) => {
      if (!isGenuine(request, body)) return [401];
      return body.includes('"webhook.ping"') ? [422, 'unknown type'] : [204];
    });
    const { stdout, stderr } = await check(one, '--only', 'valid-ping', '--only', 'valid-summary');
    expect(stdout).toBe(
      'fail  valid-ping  422 to a correctly signed webhook.ping: "unknown type"  → accept webhook.ping like any event\n',
    );
    expect(stderr).toBe('1 of 2 probes passed\n');
  });

  it('names the parser of a body that is written again', async () => {
    const one = await serve((request, body) =>
      isGenuine(request, Buffer.from(JSON.stringify(JSON.parse(body.toString())))) ? [204] : [401, 'no\n'],
    );
    const { stdout } = await check(one, '--only', 'valid-summary', '--only', 'raw-body');
    expect(stdout).toMatch(
      /^fail {2}raw-body {2}401 to .* whose JSON has spaces, tabs and newlines inside: "no" {2}→ compute the HMAC over the raw bytes .*express\.raw/,
    );
  });
});
