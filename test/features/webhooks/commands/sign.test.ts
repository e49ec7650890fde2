import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../../../src/features/webhooks/commands/sign.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const PING = '{"id":"evt_1","type":"webhook.ping","created_at":"2026-01-01T00:00:00Z","data":{}}';
const SIGNATURE = 'sha256=517d6d2854975414ca1b72a4f643716edd50e32f9ac238f680ce148f5690bbec';
const T = '1767225600';
const env = { SVC_WEBHOOK_SECRET: SECRET };

const sign = (args: readonly string[], stdin: string | Uint8Array = PING) =>
  svc(['webhooks', 'sign', '--timestamp', T, ...args], { env, stdin, random: () => 0 });

function file(name: string, content: string | Uint8Array): string {
  const path = join(temporaryHome(), name);
  writeFileSync(path, content);
  return path;
}

describe('webhooks sign', () => {
  it('prints the five headers of the document', async () => {
    const { code, stdout, stderr } = await sign([]);
    expect(stdout).toBe(
      `Content-Type: application/json\nX-Service-Event: webhook.ping\nX-Service-Delivery: dlv_aaaaaaaaaaaa\nX-Service-Timestamp: ${T}\nX-Service-Signature: ${SIGNATURE}\n`,
    );
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: '82 bytes signed at 2026-01-01T00:00:00Z with secret 5036e143\n',
    });
  });

  it.each([T, '2026-01-01T00:00:00Z', '2026-01-01T01:00:00.999+01:00'])('accepts the time %s', async (time) => {
    const run = await svc(['webhooks', 'sign', '--timestamp', time, '--as', 'signature'], { env, stdin: PING });
    expect(run.stdout).toBe(`${SIGNATURE}\n`);
  });

  it('signs with the current time by default', async () => {
    const now = () => Date.UTC(2026, 0, 1, 0, 0, 0, 999);
    const run = await svc(['webhooks', 'sign', '--as', 'signature'], { env, stdin: PING, now });
    expect(run.stdout).toBe(`${SIGNATURE}\n`);
  });

  it.each(['-1', '1969-12-31T23:59:59Z', '1767225600000'])('refuses the time %s', async (time) => {
    const run = await svc(['webhooks', 'sign', `--timestamp=${time}`], { env, stdin: PING });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('--timestamp');
  });

  it('agrees with openssl on any bytes', async () => {
    const path = file('body', Buffer.from([0, 0xff, 0xfe, 0x0d, 0x0a, 0x80]));
    const { stdout } = await sign([path, '--as', 'signature']);
    const signed = Buffer.concat([Buffer.from(`${T}.`), Buffer.from([0, 0xff, 0xfe, 0x0d, 0x0a, 0x80])]);
    const openssl = execFileSync('openssl', ['dgst', '-sha256', '-hmac', SECRET], { input: signed }).toString();
    expect(stdout).toBe(`sha256=${openssl.trim().split(' ').at(-1)}\n`);
  });

  it('signs an empty body', async () => {
    expect((await sign(['--as', 'signature'], '')).stdout).toBe(
      'sha256=fb20d84158565e5e2c287de79fb2b30bc90c2472a829707260a2c086b9c3a035\n',
    );
  });

  it('prints one object in data formats without --as', async () => {
    for (const args of [['-o', 'json'], ['--json'], ['-o', 'ndjson']]) {
      const { stdout } = await sign(args);
      expect(JSON.parse(stdout)).toEqual({
        headers: {
          'Content-Type': 'application/json',
          'X-Service-Event': 'webhook.ping',
          'X-Service-Delivery': 'dlv_aaaaaaaaaaaa',
          'X-Service-Timestamp': T,
          'X-Service-Signature': SIGNATURE,
        },
        timestamp: 1767225600,
        signature: SIGNATURE,
        body_bytes: 82,
        body_sha256: '51a42ece7470952abc5be27668dcba56bb8d7dbb154b2e52c10026a8d983f363',
      });
    }
    expect((await sign(['--columns', 'body-bytes', '-o', 'csv'])).stdout).toBe('body-bytes\n82\n');
    expect((await sign(['--columns', 'body-bytes', '-o', 'csv'])).stdout).toBe('body-bytes\n82\n');
    expect((await sign(['-o', 'json', '--query', 'signature'])).stdout).toBe(`${JSON.stringify(SIGNATURE)}\n`);
    expect((await sign(['--as', 'headers', '--columns', 'body-bytes'])).code).toBe(2);
    expect(JSON.parse((await sign(['--as', 'signature', '-o', 'json'])).stdout)).toBe(SIGNATURE);
  });

  it('leaves out a missing type, or one that would forge a header', async () => {
    for (const body of ['no JSON', '{"type":"a\\r\\nX-Evil: 1"}', '{"type":"é"}', '{"type":""}']) {
      expect((await sign([], body)).stdout).not.toMatch(/X-Service-Event|Evil/);
    }
  });

  it.each([
    [['--to', 'http://h/'], '--to needs'],
    [['--as', 'http', '--to', 'ftp://h/'], '--to'],
    [['--as', 'http', '--to', '/hook'], '--to'],
    [['--secret', SECRET], 'from the command line'],
    [['--secret-env', 'A', '--secret-env', 'B'], 'one secret'],
    [['nowhere.json'], 'nowhere.json'],
  ])('refuses %j', async (args, why) => {
    const run = await svc(['webhooks', 'sign', ...args], { env: { ...env, A: 'whsec_a', B: 'whsec_b' }, stdin: PING });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(why);
    expect(run.stderr).not.toContain(SECRET);
  });

  it('requires a secret', async () => {
    expect(await svc(['webhooks', 'sign'], { stdin: PING })).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('--as http', () => {
  it('is the request byte for byte', async () => {
    const { stdout } = await sign(['--as', 'http', '--to', 'https://h.example:8443/hook?a=1']);
    expect(stdout).toBe(
      [
        'POST /hook?a=1 HTTP/1.1',
        'Host: h.example:8443',
        'Content-Type: application/json',
        'X-Service-Event: webhook.ping',
        'X-Service-Delivery: dlv_aaaaaaaaaaaa',
        `X-Service-Timestamp: ${T}`,
        `X-Service-Signature: ${SIGNATURE}`,
        'Content-Length: 82',
        '',
        PING,
      ].join('\r\n'),
    );
  });

  it('keeps every byte of the body', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (body) => {
        const request = Buffer.from(httpRequest(new URL('http://h/'), [['A', 'b']], body));
        const head = request.indexOf('\r\n\r\n') + 4;
        expect(Buffer.compare(request.subarray(head), body)).toBe(0);
        expect(request.subarray(0, head).toString()).toBe(
          `POST / HTTP/1.1\r\nHost: h\r\nA: b\r\nContent-Length: ${body.length}\r\n\r\n`,
        );
      }),
    );
  });
});
