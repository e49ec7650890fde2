/** A sender chooses headers and body. Neither may make the reader of a log or a file take other bytes than the ones that were received. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Run, svc, temporaryHome } from '../../support/svc.ts';
import { NOW_S, PING, request, SECRET, SIGNATURE, T } from './vectors.ts';

const verify = (stdin: string | Uint8Array, ...args: readonly string[]): Promise<Run> =>
  svc(['webhooks', 'verify', ...args], { stdin, now: () => NOW_S * 1000, env: { SVC_WEBHOOK_SECRET: SECRET } });

const json = JSON.stringify;
const GENUINE = { headers: { 'x-service-timestamp': T, 'x-service-signature': SIGNATURE }, body: `${PING}` };
const AT = '2026-01-01T00:00:01Z';
const FORGED = { ...GENUINE, headers: { ...GENUINE.headers, 'x-service-signature': `sha256=${'0'.repeat(64)}` } };

const WITHIN = `POST / HTTP/1.1\r\nX-Service-Signature: x\r\nX-Service-Timestamp: ${T}\r\nContent-Length: 500\r\n\r\n${request()}${' '.repeat(500)}`;

describe('a delivery that can be read in two ways', () => {
  it('is refused', async () => {
    const signatures = ['X-Service-Timestamp', T, 'X-Service-Signature', `sha256=${'0'.repeat(64)}`];
    for (const [value, message] of [
      [{ ...GENUINE, rawHeaders: signatures }, 'has two different values of X-Service-Signature'],
      [{ ...GENUINE, rawBody: '{"id":"evt_2"}' }, 'has two different bodies'],
      [{ ...GENUINE, body_base64: 'e30=' }, 'has two different bodies'],
    ] as const) {
      for (const text of [json(value), `x\n${json(value)}\n`]) {
        expect(await verify(text)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
      }
    }
  });

  it('in a log does not stop the check of other lines', async () => {
    const two = { ...GENUINE, rawBody: '{}' };
    const run = await verify(`${json(two)}\n${json(GENUINE)}\n`);
    expect(run).toMatchObject({ code: 2, stdout: expect.stringMatching(/^valid .* stdin:2 /) });
    expect(run.stderr).toContain('stdin:1: has two different bodies');
  });

  it('has no signature of its own where a log has its body alone', async () => {
    for (const body of [GENUINE, json(GENUINE), [GENUINE], { request: GENUINE }]) {
      const run = await verify(`${json({ level: 'info', msg: 'received', body })}\n`);
      expect(run).toMatchObject({ code: 2, stdout: '' });
    }
  });
});

/** Each has a genuine signature and a genuine body somewhere, but not of the same delivery. */
const MIXED: Readonly<Record<string, string | Uint8Array>> = {
  'a genuine request in the body of another': json({ ...FORGED, body: json(GENUINE) }),
  'a genuine request in a parsed body': json({ ...FORGED, body: GENUINE }),
  'a genuine request in the headers of another': json({
    ...FORGED,
    headers: { ...FORGED.headers, a: GENUINE },
  }),
  'a genuine request in a header named raw': json({
    ...FORGED.headers,
    raw: request().toString('base64'),
    body: '{"id":"evt_2"}',
  }),
  'the same without a body': json({ ...FORGED.headers, raw: request().toString('base64') }),
  'genuine headers with the genuine text within a body': json({ ...GENUINE, body: { text: GENUINE.body } }),
  'the same with "raw"': json({ ...GENUINE, body: { mode: 'raw', raw: GENUINE.body } }),
  'the same with "data" in base64': json({
    ...GENUINE,
    body: { data: PING.toString('base64'), encoding: 'base64' },
  }),
  'the same, with a list of headers': json({
    headers: Object.entries(GENUINE.headers).map(([name, value]) => ({ name, value })),
    body: { text: GENUINE.body },
  }),
  'a request that continues after a separator of editors': request(
    '\r\n',
    Buffer.concat([PING, Buffer.from('\n\n###\nmore')]),
  )
    .toString()
    .replace('Content-Length: 82', 'Content-Length: 93'),
  'a request within the length of another': WITHIN,
  'the same in a log': `started\n2026 ${WITHIN}`,
};

describe('svc webhooks verify', () => {
  it('never joins the signature of one delivery with the body of another', async () => {
    for (const [what, text] of Object.entries(MIXED)) {
      const run = await verify(text, '-o', 'ndjson');
      expect(run.stdout, what).not.toContain('"valid":true');
      expect([1, 2], what).toContain(run.code);
    }
  });

  it('takes no header for a body, for its encoding, or for the time of receipt', async () => {
    for (const [name, text] of [
      ['rawBody', `${PING}`],
      ['body_b64', PING.toString('base64')],
      ['content', `${PING}`],
    ] as const) {
      const value = { ...GENUINE.headers, [name]: text, body: { id: 'evt_2' }, timestamp: 1 };
      expect(await verify(json(value)), name).toMatchObject({ code: 2, stdout: '' });
    }
    const headers = { ...GENUINE.headers, encoding: 'base64', isBase64Encoded: 'base64' };
    expect(await verify(json({ ...headers, body: PING.toString('base64') }))).toMatchObject({ code: 1 });
    for (const value of [
      { ...GENUINE.headers, body: `${PING}`, received_at: AT },
      { ...GENUINE.headers, body: `${PING}`, startedDateTime: AT },
      { ...GENUINE, headers: { ...GENUINE.headers, startedDateTime: AT } },
    ]) {
      const options = { stdin: json(value), env: { SVC_WEBHOOK_SECRET: SECRET } };
      const run = await svc(['webhooks', 'verify'], { ...options, now: () => (NOW_S + 9999) * 1000 });
      expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining('stale') });
    }
  });

  it('takes its input for a body where --signature is given', async () => {
    for (const text of [json(GENUINE), request(), `${PING}\n###\n`]) {
      const run = await verify(text, '--timestamp', T, '--signature', SIGNATURE);
      expect(run).toMatchObject({ code: 1, stdout: expect.stringMatching(/^INVALID {2}signature_mismatch/) });
    }
  });

  it('takes no value in a file of headers for a header', async () => {
    const file = join(temporaryHome(), 'h');
    const other = json(GENUINE.headers);
    writeFileSync(file, `User-Agent: ${other}\nX-Service-Timestamp: ${T}\nX-Service-Signature: ${'0'.repeat(64)}\n`);
    expect(await verify(PING, '--headers-file', file)).toMatchObject({ code: 1 });
  });
});

it('svc webhooks verify marks a Buffer of another length than Content-Length', async () => {
  const headers = { ...GENUINE.headers, 'content-length': '300' };
  const run = await verify(json({ headers, body: PING }), '-o', 'json');
  expect(JSON.parse(run.stdout)).toMatchObject({ valid: true, notes: ['length_differs'] });
});
