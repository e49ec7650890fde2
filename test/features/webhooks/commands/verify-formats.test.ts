/** Files of other tools: `svc webhooks verify`, `show` and `replay` read those that have the exact bytes, and name the others. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Run, svc, temporaryHome } from '../../../support/svc.ts';
import { NOW_S, PING, request, SECRET, SIGNATURE, T } from '../vectors.ts';
import { KEY } from './handmade-receiver.ts';

const verify = (stdin: string | Uint8Array, ...args: string[]): Promise<Run> =>
  svc(['webhooks', 'verify', '-', ...args], {
    stdin,
    now: () => NOW_S * 1000,
    env: { SVC_WEBHOOK_SECRET: SECRET },
  });

const HEADERS = {
  host: 'hooks.example',
  'content-type': 'application/json',
  'x-service-event': 'webhook.ping',
  'x-service-timestamp': T,
  'x-service-signature': SIGNATURE,
};
const LISTS = Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name, [value]]));
const body = PING.toString();
const b64 = PING.toString('base64');

const READ: Readonly<Record<string, unknown>> = {
  'API Gateway, payload version 1.0': {
    resource: '/hook',
    httpMethod: 'POST',
    headers: HEADERS,
    multiValueHeaders: LISTS,
    requestContext: { requestTimeEpoch: NOW_S * 1000 },
    body,
    isBase64Encoded: false,
  },
  'API Gateway, payload version 2.0': {
    version: '2.0',
    rawPath: '/hook',
    headers: HEADERS,
    requestContext: { http: { method: 'POST' }, timeEpoch: NOW_S * 1000 },
    body: b64,
    isBase64Encoded: true,
  },
  'an Application Load Balancer': {
    requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:x' } },
    httpMethod: 'POST',
    multiValueHeaders: LISTS,
    body,
    isBase64Encoded: false,
  },
  'webhook.site': { uuid: 'u', method: 'POST', headers: LISTS, content: body, created_at: '2026-01-01 00:00:10' },
  'a list of webhook.site': {
    data: [
      { uuid: 'u', headers: { host: ['x'] }, content: 'another request' },
      { uuid: 'v', headers: LISTS, content: body },
    ],
    total: 2,
  },
  'the inspector of ngrok': {
    uri: '/api/requests/http',
    requests: [
      {
        id: 'airt_1',
        start: '2026-01-01T00:00:10Z',
        request: { method: 'POST', uri: '/hook', headers: LISTS, raw: request().toString('base64') },
      },
    ],
  },
  'a log of {headers, body}': { time: 'x', headers: HEADERS, body },
  'a log that has both bodies': { headers: HEADERS, body: JSON.parse(body), rawBody: body },
  'a log of {request: {headers, body}}': { request: { method: 'POST', headers: HEADERS, body } },
  'a list of {headers, body}': [{ headers: HEADERS, body }],
};

describe('reads a file with the exact bytes', () => {
  it.each(Object.entries(READ))('%s', async (_, value) => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      const { code, stdout, stderr } = await verify(text, '-o', 'ndjson');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ valid: true, event_id: 'evt_1', body_bytes: PING.length });
    }
    const altered = JSON.stringify(value).replaceAll('evt_1', 'evt_2').replaceAll(b64, b64.replace('e', 'f'));
    if (!altered.includes('"raw":"')) {
      const { code, stdout } = await verify(altered);
      expect(code).toBe(1);
      // The text may have been changed by the program that exported it; base64 has the exact bytes.
      expect(stdout.includes('a mismatch proves nothing')).toBe(!altered.includes(b64.replace('e', 'f')));
    }
    const encodedAgain = JSON.stringify(value).replaceAll(
      JSON.stringify(body),
      JSON.stringify(`${body.slice(0, -1)} }`),
    );
    if (encodedAgain.includes(' }"')) {
      const { code, stdout } = await verify(encodedAgain);
      expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('the same JSON in another layout') });
    }
    const shown = await svc(['webhooks', 'show', '-'], { stdin: JSON.stringify(value) });
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('evt_1') });
  });

  it('a log of nginx with escape=json', async () => {
    const signature = 'sha256=d95c9de65ad00814b9f0cd6edc1b916579fb241fa7d7779e14df2aac89354a08';
    const headers = `"x-service-event":"","x-service-timestamp":"1795432735","x-service-signature":"${signature}"`;
    const logged = String.raw`"body":"{\"id\":\"evt_1\",\"type\":\"webhook.ping\",\"created_at\":\"2026-01-01T00:00:00Z\",\"data\":{\"text\":\"Café \\\"quoted\\\" \\u00e9 \t tab\"}}"`;
    const line = `{"time":"2026-11-23T11:18:55+00:00","headers":{${headers}},${logged}}\n`;
    const argv = ['webhooks', 'verify', '-', '--tolerance', 'none'];
    const env = { SVC_WEBHOOK_SECRET: 'whsec_test1234567890' };
    expect((await svc(argv, { stdin: line, env })).code).toBe(0);
    expect((await svc(argv, { stdin: line.replace('evt_1', 'evt_2'), env })).code).toBe(1);
  });

  it('line by line', async () => {
    const line = JSON.stringify({ headers: HEADERS, body });
    const forged = JSON.stringify({ headers: HEADERS, body: body.replace('evt_1', 'evt_2') });
    const { code, stdout } = await verify(`${line}\n${forged}\n\n${line}\n`, '-o', 'json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout).map(({ source, valid }: Record<string, unknown>) => [source, valid])).toEqual([
      ['stdin:1', true],
      ['stdin:2', false],
      ['stdin:4', true],
    ]);
    const log = `started\n${line}\n{"level":"info","msg":"done"}\nstopped\n`;
    expect(await verify(log)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('stdin:2'),
      stderr: 'stdin: 3 lines without a request skipped\n',
    });
    const shown = await svc(['webhooks', 'inspect'], { stdin: log });
    expect(shown).toMatchObject({ code: 0, stderr: 'stdin: 3 lines without a request skipped\n' });
    const others = JSON.stringify({ headers: { host: 'x' }, body: '{}' });
    expect(await verify(`${others}\n${others}\n`)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('none of its 2 requests has X-Service-Signature'),
    });
  });
});

describe('a file that is not a delivery exits 2, and is named', () => {
  const parsed = { ...(JSON.parse(body) as object), id: 'evt_2' };
  it.each<readonly [what: string, text: string | Uint8Array, message: string]>([
    ['a parsed body', JSON.stringify({ headers: HEADERS, body: parsed }), 'the signed bytes are lost'],
    ['Hookdeck', JSON.stringify({ id: 'evt', data: { headers: HEADERS, body: parsed } }), 'the signed bytes are lost'],
    ['smee.io', JSON.stringify({ ...HEADERS, body: parsed, timestamp: 1 }), 'the signed bytes are lost'],
    [
      'a parsed body in a Lambda event',
      JSON.stringify({ headers: HEADERS, body: parsed, isBase64Encoded: false }),
      'the signed bytes are lost',
    ],
    ['curl -v', '*   Trying 127.0.0.1:80...\n> POST /hook HTTP/1.1\n> Host: x\n', 'only text'],
    ['an access log', '127.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "POST /hook HTTP/1.1" 204 0\n', 'only text'],
    ['a compressed file', gzipSync(request()), 'only binary data'],
    ['a packet capture', Buffer.from('d4c3b2a102000400', 'hex'), 'only binary data'],
    ['a body', PING, 'contains no delivery, only JSON with "id", "type", "created_at"'],
    ['any text', 'hello\n', 'contains no delivery, only text'],
    ['any bytes', Buffer.from([0xff, 0, 1]), 'contains no delivery, only binary data'],
  ])('%s', async (_, text, message) => {
    const run = await verify(text);
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`svc: stdin: `) });
    expect(run.stderr).toContain(message);
    expect(run.stderr).toContain('\nhint: ');
    const replayed = await svc(['webhooks', 'replay', '-', '--to', 'http://127.0.0.1:1/'], { stdin: text });
    expect(replayed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    const signed = await verify(text, '--timestamp', T, '--signature', SIGNATURE, '-o', 'json');
    expect(JSON.parse(signed.stdout).status).toBe(text === PING ? 'valid' : 'signature_mismatch');
  });

  it('the other files are still checked', async () => {
    const folder = temporaryHome();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'a.log'), 'nothing');
    writeFileSync(join(folder, 'b.http'), request());
    const run = await svc(['webhooks', 'verify', folder], {
      now: () => NOW_S * 1000,
      env: { SVC_WEBHOOK_SECRET: SECRET },
    });
    expect(run).toMatchObject({ code: 2, stdout: expect.stringMatching(/^valid/) });
    expect(run.stderr).toContain('a.log: contains no delivery');
  });
});

describe('a hint', () => {
  it('does not blame a correctly signed body', async () => {
    const timestamp = `0${T}`;
    const signature = execFileSync('openssl', ['dgst', '-sha256', '-hmac', SECRET, '-r'], {
      input: `${timestamp}.${body}`,
      encoding: 'utf8',
    }).slice(0, 64);
    const run = await verify(PING, '--timestamp', timestamp, '--signature', `sha256=${signature}`);
    expect(run.code).toBe(1);
    expect(run.stdout).toContain('X-Service-Timestamp is not a whole number of Unix seconds');
  });

  it.each([
    [`SECRET=${SECRET}`, 'is a line from a .env file'],
    [`export KEY="${SECRET}"`, 'is a line from a .env file'],
    [`Bearer ${SECRET}`, 'begins with Bearer: that is an access token'],
    [`\ufeff${SECRET}`, 'contains white space, a line end or a byte order mark'],
    [`${SECRET}\n${SECRET}`, 'contains white space, a line end or a byte order mark'],
    [`${SECRET}\n\n`, 'contains white space, a line end or a byte order mark'],
    [` ${SECRET}`, 'contains white space, a line end or a byte order mark'],
    [`${SECRET} \n`, 'contains white space, a line end or a byte order mark'],
    [`${Buffer.from(SECRET).toString('base64').replace(/.{20}/g, '$&\n')}\n`, 'is in base64'],
    [`{ "secret": "${SECRET}" }`, 'is JSON'],
    [`{"secret":"${SECRET}"}`, 'is JSON'],
    [`'${SECRET}'`, 'is in quotes'],
    [`v1,${SECRET}`, 'has a version before it'],
    [Buffer.from(SECRET).toString('base64'), 'is in base64'],
  ])('names characters around a secret: %j', async (secret, message) => {
    const file = join(temporaryHome(), 'key');
    writeFileSync(file, secret, { mode: 0o600 });
    const run = await svc(['webhooks', 'verify', '-', '--secret-file', file], { stdin: request() });
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(run.stderr).not.toContain(SECRET.slice(6));
  });

  it.each(['\n', '\r\n', ''])('is not printed for a secret that ends in %j', async (end) => {
    const file = join(temporaryHome(), 'key');
    writeFileSync(file, SECRET + end, { mode: 0o600 });
    const run = await svc(['webhooks', 'verify', '-', '--secret-file', file], {
      stdin: request(),
      now: () => NOW_S * 1000,
    });
    expect(run).toMatchObject({ code: 0, stderr: '' });
  });

  it('names a Bearer prefix in the token', async () => {
    const env = { SVC_WEBHOOKS_URL: 'http://127.0.0.1:1', SVC_WEBHOOKS_TOKEN: `Bearer ${KEY}` };
    const run = await svc(['webhooks', 'list'], { env });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('SVC_WEBHOOKS_TOKEN begins with "Bearer", which svc adds itself');
    expect(run.stderr).not.toContain(KEY.slice(6));
  });
});
