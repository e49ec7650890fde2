import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { httpRequest } from '../../../../src/features/webhooks/commands/sign.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';
import { PING, SECRET, SIGNATURE, T } from '../vectors.ts';

const env = { SVC_WEBHOOK_SECRET: SECRET };

const sign = (args: readonly string[], stdin: string | Uint8Array = PING) =>
  svc(['webhooks', 'sign', '--timestamp', T, ...args], { env, stdin, random: () => 0 });

function file(name: string, content: string | Uint8Array): string {
  const path = join(temporaryHome(), name);
  writeFileSync(path, content);
  return path;
}

describe('svc webhooks sign', () => {
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

  it('signs with the given time, or with the current one', async () => {
    const now = () => Date.UTC(2026, 0, 1, 0, 0, 0, 999);
    for (const time of [
      [],
      ...[T, '2026-01-01T00:00:00Z', '2026-01-01T01:00:00.999+01:00'].map((one) => ['--timestamp', one]),
    ]) {
      const run = await svc(['webhooks', 'sign', '--as', 'signature', ...time], { env, stdin: PING, now });
      expect(run.stdout, time.join(' ')).toBe(`${SIGNATURE}\n`);
    }
    for (const time of ['-1', '1969-12-31T23:59:59Z', '1767225600000']) {
      const run = await svc(['webhooks', 'sign', `--timestamp=${time}`], { env, stdin: PING });
      expect(run, time).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('--timestamp') });
    }
  });

  it('agrees with openssl on any bytes', async () => {
    const path = file('body', Buffer.from([0, 0xff, 0xfe, 0x0d, 0x0a, 0x80]));
    const { stdout } = await sign([path, '--as', 'signature']);
    const signed = Buffer.concat([Buffer.from(`${T}.`), Buffer.from([0, 0xff, 0xfe, 0x0d, 0x0a, 0x80])]);
    const openssl = execFileSync('openssl', ['dgst', '-sha256', '-hmac', SECRET], { input: signed }).toString();
    expect(stdout).toBe(`sha256=${openssl.trim().split(' ').at(-1)}\n`);
  });

  it('prints one object in data formats without --as', async () => {
    for (const args of [['--json'], ['-o', 'ndjson']]) {
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
    expect(JSON.parse((await sign(['--as', 'signature', '-o', 'json'])).stdout)).toBe(SIGNATURE);
  });

  it('leaves out a missing type, or one that would forge a header', async () => {
    for (const body of ['no JSON', '{"type":"a\\r\\nX-Evil: 1"}', '{"type":"é"}', '{"type":""}']) {
      expect((await sign([], body)).stdout).not.toMatch(/X-Service-Event|Evil/);
    }
  });

  it('refuses wrong options, and shows no secret', async () => {
    for (const [args, why] of [
      [['--to', 'http://h/'], '--to needs'],
      [['--as', 'http', '--to', 'ftp://h/'], '--to'],
      [['--as', 'http', '--to', '/hook'], '--to'],
      [['--secret', SECRET], 'from the command line'],
      [['--secret-env', 'A', '--secret-env', 'B'], 'one secret'],
      [['nowhere.json'], 'nowhere.json'],
    ] as const) {
      const run = await svc(['webhooks', 'sign', ...args], {
        env: { ...env, A: 'whsec_a', B: 'whsec_b' },
        stdin: PING,
      });
      expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(why) });
      expect(run.stderr).not.toContain(SECRET);
    }
    expect(await svc(['webhooks', 'sign'], { stdin: PING })).toMatchObject({ code: 2, stdout: '' });
  });

  it('prints a request byte for byte with --as http', async () => {
    expect((await sign(['--as', 'http'])).stdout).toContain('POST / HTTP/1.1\r\nHost: localhost\r\n');
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
});

describe('what svc webhooks sign prints', () => {
  const now = () => Number(T) * 1000 + 1000;
  const verify = (args: readonly string[], stdin: string | Uint8Array) =>
    svc(['webhooks', 'verify', '-o', 'json', ...args], { env, now, stdin });

  async function expectValid(args: readonly string[], stdin: string | Uint8Array): Promise<void> {
    const run = await verify(args, stdin);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toMatchObject({ status: 'valid', valid: true, timestamp: Number(T), age_s: 1 });
  }

  it('is valid for svc webhooks verify, for any bytes and in every form', async () => {
    const request = 'POST / HTTP/1.1\r\nX-Service-Signature: sha256=00\r\n\r\n';
    const examples: [Uint8Array][] = ['{"id":"evt_1"}\r\n\n', '', request].map((text) => [Buffer.from(text)]);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (body) => {
        await expectValid(['-', '--headers-file', file('h', (await sign([], body)).stdout)], body);
        const { headers, signature } = JSON.parse((await sign(['-o', 'json'], body)).stdout);
        await expectValid(['-', '--headers-file', file('h.json', JSON.stringify(headers))], body);
        await expectValid(['-', '--timestamp', T, '--signature', signature], body);
        // What the harness collects of stdout is text.
        await expectValid(['-'], httpRequest(new URL('http://h/'), Object.entries<string>(headers), body));
      }),
      { numRuns: 20, examples },
    );
  });
});
