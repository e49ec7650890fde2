/** `svc webhooks check-receiver` stops at the one cause for which a receiver gives every delivery the same wrong response. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { PROBE_NAMES } from '../../../../src/features/webhooks/probes/probes.ts';
import type { ProbeResult } from '../../../../src/features/webhooks/probes/receiver-check.ts';
import { svc } from '../../../support/svc.ts';
import { KEY, type Receiver, receiver } from './handmade-receiver.ts';
import { probe } from './probing.ts';

type Reply = readonly [status: number, body?: string, headers?: Record<string, string>];
type Handler = (request: IncomingMessage, body: Buffer) => Reply;

const serve = (handle: Handler): Promise<Receiver> =>
  receiver((request, response, body) => {
    const [status, text = '', headers = {}] = handle(request, body);
    response.writeHead(status, headers).end(text);
  });

/** Document 2 §6. */
function isSigned({ headers }: IncomingMessage, body: Uint8Array, key: string | Buffer = KEY): boolean {
  const timestamp = String(headers['x-service-timestamp']);
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return false;
  const digest = createHmac('sha256', key).update(`${timestamp}.`).update(body).digest('hex');
  const [given, expected] = [String(headers['x-service-signature']), `sha256=${digest}`].map((text) =>
    Buffer.from(text),
  );
  return given?.length === expected?.length && timingSafeEqual(given as Buffer, expected as Buffer);
}

const verifying =
  (key: string | Buffer, headers = {}): Handler =>
  (request, body) =>
    isSigned(request, body, key) ? [204, '', headers] : [401, '', headers];

/** Parses the body, and verifies what it writes again. */
const parsing =
  (write: (event: unknown) => string, refusal: Reply = [401]): Handler =>
  (request, body) => {
    try {
      return isSigned(request, Buffer.from(write(JSON.parse(body.toString())))) ? [204] : refusal;
    } catch {
      return refusal;
    }
  };

async function check({ url }: Receiver, ...args: string[]) {
  return svc(['webhooks', 'check-receiver', url, ...args], { env: { SVC_WEBHOOK_SECRET: KEY } });
}

const EVERY = 'to every delivery, correctly signed or forged';
const SECRET_OR_PATH =
  'check its secret and path, and that no login, CSRF check or body parser comes before the verification';

describe('every delivery gets', () => {
  it.each<readonly [what: string, handler: Handler, line: string]>([
    ['401: another secret', verifying('whsec_other'), `valid-ping  401 ${EVERY}  → ${SECRET_OR_PATH}`],
    ['403', () => [403], `valid-ping  403 ${EVERY}  → ${SECRET_OR_PATH}`],
    [
      '404',
      () => [404, 'Not\nFound'],
      `valid-ping  404 ${EVERY}: "Not Found"  → nothing is at this path: check the path of the URL`,
    ],
    [
      '405',
      () => [405],
      `valid-ping  405 ${EVERY}  → this path takes no POST: check the path, and the methods of its route`,
    ],
    ['415', () => [415], `valid-ping  415 ${EVERY}  → ${SECRET_OR_PATH}`],
    ['400', () => [400, 'bad signature'], `valid-ping  400 ${EVERY}: "bad signature"  → ${SECRET_OR_PATH}`],
    ['500', () => [500, 'boom'], `valid-ping  500 ${EVERY}: "boom"  → see its log: it fails whatever the signature is`],
    ['502', () => [502], `valid-ping  502 ${EVERY}  → start the application: the proxy before it does not reach it`],
    [
      '500 after it verified',
      (request, body) => (isSigned(request, body) ? [500] : [401]),
      'valid-ping  500 to every correctly signed delivery  → the signature is right (a forged one gets 401), then the application fails: see its log',
    ],
    [
      '2xx',
      () => [200, 'ok'],
      'bad-signature  200 to a forged delivery  → it does not verify: refuse a delivery with 401 unless its signature is right',
    ],
  ])('%s', async (_, handler, line) => {
    const one = await serve(handler);
    const { code, stdout, stderr } = await check(one);
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: `fail  ${line}\n`,
      stderr: `0 of ${PROBE_NAMES.length} probes passed, ${PROBE_NAMES.length - 1} not sent\n`,
    });
    expect(stdout.length).toBeLessThan(400);
    expect(one.taken.length).toBeLessThanOrEqual(3);
  });

  it.each([
    ['/hook/', 'subscribe /hook/'],
    ['https://hooks.example/in', 'subscribe https://hooks.example/in'],
    ['', 'subscribe another URL'],
  ])('a redirect to "%s"', async (location, advice) => {
    const one = await serve(() => [308, '', { location }]);
    const { code, stdout } = await check(one);
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: `fail  valid-ping  308 ${EVERY}  → the service follows no redirect: ${advice}\n`,
    });
  });

  it('no response in time', { timeout: 40_000 }, async () => {
    const silent = await receiver(() => {});
    expect(
      (await probe(silent.url, ['valid-ping', 'unknown-type'])).map(({ status, got, fix }) => [status, got, fix]),
    ).toEqual([
      ['fail', 'no response within 5 s', 'respond first, and process the event afterwards'],
      ['skipped', 'not sent: valid-ping failed', null],
    ]);
  });
});

it('names the cause and the reason of skipped probes in JSON, also with --only', async () => {
  const one = await serve(() => [404]);
  const { code, stdout } = await check(one, '--only', 'bad-signature', '-o', 'json');
  expect(code).toBe(1);
  expect((JSON.parse(stdout) as ProbeResult[]).map(({ probe: name, status, got }) => [name, status, got])).toEqual([
    ['valid-ping', 'fail', '404'],
    ['bad-signature', 'skipped', 'not sent: valid-ping failed'],
  ]);
});

it.each([[], ['-o', 'json']])('does not print a secret that the response has: %j', async (...args) => {
  const one = await serve(() => [401, `expected ${KEY}`]);
  const { stdout } = await check(one, ...args);
  expect(stdout).toContain('expected ***');
  expect(stdout).not.toContain(KEY.slice(6, 20));
});

it('does not take a receiver for one that refuses everything because it does not take pings', async () => {
  const one = await serve((request, body) => {
    if (!isSigned(request, body)) return [401];
    return body.includes('"webhook.ping"') ? [422, 'unknown type'] : [204];
  });
  const { stdout, stderr } = await check(one, '--only', 'valid-ping', '--only', 'valid-summary');
  expect(stdout).toBe(
    'fail  valid-ping  422 to a correctly signed webhook.ping: "unknown type"  → accept webhook.ping like any event\n',
  );
  expect(stderr).toBe('1 of 2 probes passed\n');
});

it('names the parser of a body that is written again', async () => {
  const one = await serve(parsing(JSON.stringify, [401, 'no\n']));
  const { stdout } = await check(one, '--only', 'valid-summary', '--only', 'raw-body');
  expect(stdout).toMatch(
    /^fail {2}raw-body {2}401 to .* whose JSON has spaces, tabs and newlines inside: "no" {2}→ compute the HMAC over the raw bytes .*express\.raw/,
  );
});

it('counts a signature that is compared only as far as it goes', async () => {
  const one = await serve(({ headers }, body) => {
    const digest = createHmac('sha256', KEY).update(`${headers['x-service-timestamp']}.`).update(body).digest('hex');
    return `sha256=${digest}`.startsWith(String(headers['x-service-signature'])) ? [204] : [401];
  });
  const { code, stdout } = await check(one, '--only', 'signature-length', '--only', 'bad-signature');
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout:
      'fail  signature-length  204 to X-Service-Signature: sha256= and no digits  → compare the whole header, its length first, with "sha256=" and all 64 digits that you computed\n',
  });
});
