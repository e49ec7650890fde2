/** There and back: whatever `sign` prints, `verify` finds valid,. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { httpRequest } from '../../../../src/features/webhooks/commands/sign.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';

const env = { SVC_WEBHOOK_SECRET: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' };
const T = '1767225600';
const now = () => Number(T) * 1000 + 1000;

const BODIES: readonly (readonly [name: string, body: Uint8Array])[] = [
  ['an event', Buffer.from('{"id":"evt_1","type":"webhook.ping","created_at":"2026-01-01T00:00:00Z","data":{}}')],
  ['an event and a line end', Buffer.from('{"id":"evt_1","type":"webhook.ping"}\r\n\n')],
  ['nothing', Buffer.alloc(0)],
  ['no UTF-8', Buffer.from([0xff, 0x00, 0x0d, 0x0a, 0x0d, 0x0a, 0x80])],
  ['a text like a request', Buffer.from('POST / HTTP/1.1\r\nX-Service-Signature: sha256=00\r\n\r\n')],
];

let body = '';
let other = '';
beforeAll(() => {
  const home = temporaryHome();
  body = join(home, 'body');
  other = join(home, 'other');
});

const sign = async (args: readonly string[]): Promise<string> => {
  const run = await svc(['webhooks', 'sign', body, '--timestamp', T, ...args], { env, now });
  expect(run.code).toBe(0);
  return run.stdout;
};
const verify = (args: readonly string[], stdin?: string | Uint8Array) =>
  svc(['webhooks', 'verify', '-o', 'json', ...args], { env, now, ...(stdin === undefined ? {} : { stdin }) });

async function expectValid(args: readonly string[], stdin?: string | Uint8Array): Promise<void> {
  const run = await verify(args, stdin);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(run.stdout)).toMatchObject({ status: 'valid', valid: true, timestamp: Number(T), age_s: 1 });
}

describe.each(BODIES)('of %s', (_, bytes) => {
  beforeAll(() => writeFileSync(body, bytes));

  it('headers', async () => {
    writeFileSync(other, await sign([]));
    await expectValid([body, '--headers-file', other]);
  });

  it('a signature', async () => {
    await expectValid([body, '--timestamp', T, '--signature', (await sign(['--as', 'signature'])).trim()]);
  });

  it('JSON', async () => {
    const { headers } = JSON.parse(await sign(['-o', 'json']));
    writeFileSync(other, JSON.stringify(headers));
    await expectValid([body, '--headers-file', other]);
  });
});

it('a whole request, of any bytes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      writeFileSync(body, bytes);
      const { headers } = JSON.parse(await sign(['-o', 'json']));
      // What the harness keeps of stdout is text.
      await expectValid(['-'], httpRequest(new URL('http://h/'), Object.entries<string>(headers), bytes));
    }),
    { numRuns: 40 },
  );
  writeFileSync(body, '{"id":"evt_1"}\n');
  await expectValid(['-'], await sign(['--as', 'http', '--to', 'https://h/hook?a=1']));
});

it('no other body, time or secret', async () => {
  writeFileSync(body, 'x');
  const request = await sign(['--as', 'http']);
  for (const [from, to] of [
    ['x', 'y'],
    [T, '1767225601'],
  ] as const) {
    const run = await verify(['-'], request.replace(new RegExp(`${from}(?!.*${from})`), to));
    expect({ code: run.code, status: JSON.parse(run.stdout).status }).toEqual({
      code: 1,
      status: 'signature_mismatch',
    });
  }
  const run = await svc(['webhooks', 'verify', '-'], { env: { SVC_WEBHOOK_SECRET: 'whsec_b' }, now, stdin: request });
  expect(run.code).toBe(1);
});
