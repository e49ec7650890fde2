/** What `svc webhooks verify` reads of logs and tools without a file of its own in `captures`, and how it names what it cannot read. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Run, svc, temporaryHome } from '../../../support/svc.ts';
import { NOW_S, PING, request, SECRET, SIGNATURE, T } from '../vectors.ts';

const env = { SVC_WEBHOOK_SECRET: SECRET };
const now = (): number => NOW_S * 1000;
const verify = (stdin: string | Uint8Array, ...args: readonly string[]): Promise<Run> =>
  svc(['webhooks', 'verify', '-', ...args], { stdin, now, env });

const HEADERS = {
  host: 'hooks.example',
  'content-type': 'application/json',
  'x-service-event': 'webhook.ping',
  'x-service-timestamp': T,
  'x-service-signature': SIGNATURE,
};
const body = PING.toString();
const json = JSON.stringify;
const head = Object.entries(HEADERS)
  .map(([name, value]) => `${name}: ${value}\n`)
  .join('');
const plain = `POST /hook HTTP/1.1\n${head}content-length: ${PING.length}\n\n${body}`;

const READ: Readonly<Record<string, string>> = {
  'a log that also has the parsed body': json({ headers: HEADERS, body: JSON.parse(body), rawBody: body }),
  'Firebase functions': json({ severity: 'INFO', headers: HEADERS, body: JSON.parse(body), rawBody: PING }),
  'a log of {request: {headers, body}}': json({ request: { method: 'POST', headers: HEADERS, body } }, null, 2),
  'a list of logged requests': json([{ headers: HEADERS, body }]),
  'gcloud logging read': json([
    { jsonPayload: { message: 'x' } },
    { jsonPayload: { headers: HEADERS, rawBody: body } },
  ]),
  'pino, after other lines': `${json({ msg: 'started' })}\n${json({ req: { headers: HEADERS, body }, res: { statusCode: 204 } })}\n`,
  'nginx with one field per header': json({
    http_x_service_timestamp: T,
    http_x_service_signature: SIGNATURE,
    request_body: body,
  }),
  'Envoy with headers beside the body': json({ response_code: 204, ...HEADERS, request_body: body }),
  'PHP, which escapes slashes': json({ headers: { ...HEADERS, accept: '*/*' }, body }).replaceAll('/', '\\/'),
  'HTTPie, with the response': `${plain}\n\n\nHTTP/1.1 204 No Content\nServer: x\n\n`,
  'Wireshark, after a blank line': `\n\r\n${plain}`,
};

describe('svc webhooks verify', () => {
  it('reads a file with the exact bytes, whichever program wrote it', async () => {
    for (const [program, text] of Object.entries(READ)) {
      const { code, stdout } = await verify(text, '-o', 'ndjson');
      expect({ code, ...JSON.parse(stdout) }, program).toMatchObject({ code: 0, valid: true, event_id: 'evt_1' });
      const changed = await verify(
        text.replaceAll('evt_1', 'evt_2').replaceAll('101,118,116,95,49', '101,118,116,95,50'),
      );
      expect(changed, program).toMatchObject({ code: 1, stdout: expect.stringMatching(/^INVALID/) });
    }
  });

  it('checks each line of a log, and counts those without a request', async () => {
    const line = json({ headers: HEADERS, body });
    const forged = json({ headers: HEADERS, body: body.replace('evt_1', 'evt_2') });
    const { code, stdout } = await verify(`${line}\n${forged}\n\n${line}\n`, '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).map(({ source, valid }: Record<string, unknown>) => [source, valid])).toEqual([
      ['stdin:1', true],
      ['stdin:2', false],
      ['stdin:4', true],
    ]);
    const log = `started\n${line}\n{"level":"info","msg":"done"}\nstopped\n`;
    const skipped = 'stdin: 3 lines without a request skipped\n';
    expect(await verify(log)).toMatchObject({ code: 0, stdout: expect.stringContaining('stdin:2'), stderr: skipped });
    expect(await svc(['webhooks', 'inspect'], { stdin: log })).toMatchObject({ code: 0, stderr: skipped });
    const others = json({ headers: { host: 'x' }, body: '{}' });
    expect(await verify(`${others}\n${others}\n`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('none of its 2 requests has X-Service-Signature'),
    });
  });
});

const LOST = 'the signed bytes are lost';
const parsed = { ...(JSON.parse(body) as object), id: 'evt_2' };
const UNREADABLE: readonly (readonly [what: string, text: string | Uint8Array, message: string])[] = [
  ['a parsed body', json({ headers: HEADERS, body: parsed }), LOST],
  ['a parsed body in a Lambda event', json({ headers: HEADERS, body: parsed, isBase64Encoded: false }), LOST],
  ['console.log', inspect({ headers: HEADERS, body }), 'contains no delivery'],
  ['curl -v', '*   Trying 127.0.0.1:80...\n> POST /hook HTTP/1.1\n> Host: x\n', 'only text'],
  ['journalctl -o json', json({ _PID: '7', MESSAGE: json({ headers: HEADERS, body }) }), 'contains no delivery'],
  ['a log line without a request', '{"level":"info","msg":"started"}\n', 'only JSON with "level", "msg"'],
  ['a compressed file', gzipSync(request()), 'only binary data'],
  ['a body', PING, 'contains no delivery, only JSON with "id", "type", "created_at"'],
];

describe('a file that is not a delivery', () => {
  it('exits 2, and is named', async () => {
    for (const [what, text, message] of UNREADABLE) {
      const run = await verify(text);
      expect(run, what).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('svc: stdin') });
      expect(run.stderr, what).toContain(message);
      expect(run.stderr, what).toContain('\nhint: ');
      const replayed = await svc(['webhooks', 'replay', '-', '--to', 'http://127.0.0.1:1/'], { stdin: text });
      expect(replayed, what).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    }
  });
});

describe('the hint of svc webhooks verify', () => {
  const withSecret = (secret: string): Promise<Run> => {
    const file = join(temporaryHome(), 'key');
    writeFileSync(file, secret, { mode: 0o600 });
    return svc(['webhooks', 'verify', '-', '--secret-file', file], { stdin: request(), now });
  };

  it('names characters around a secret', async () => {
    const space = 'contains white space, a line end or a byte order mark';
    const base64 = Buffer.from(SECRET).toString('base64');
    for (const [secret, message] of [
      [`SECRET=${SECRET}`, 'is a line from a .env file'],
      [`export KEY="${SECRET}"`, 'is a line from a .env file'],
      [`Bearer ${SECRET}`, 'begins with Bearer: that is an access token'],
      [`\ufeff${SECRET}`, space],
      [`${SECRET}\n\n`, space],
      [` ${SECRET}`, space],
      [`${base64.replace(/.{20}/g, '$&\n')}\n`, 'is in base64'],
      [base64, 'is in base64'],
      [`{ "secret": "${SECRET}" }`, 'is JSON'],
      [`'${SECRET}'`, 'is in quotes'],
      [`v1,${SECRET}`, 'has a version before it'],
    ] as const) {
      const run = await withSecret(secret);
      expect(run, secret).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
      expect(run.stderr, secret).not.toContain(SECRET.slice(6));
    }
  });

  it('is not printed for a secret that ends in one line end', async () => {
    for (const end of ['\n', '\r\n', '']) {
      expect(await withSecret(SECRET + end), JSON.stringify(end)).toMatchObject({ code: 0, stderr: '' });
    }
  });
});
