/** `.http` files of VS Code and JetBrains. */
import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../../src/features/webhooks/signature.ts';
import { type Run, svc } from '../../support/svc.ts';
import { NOW_S, PING, request, SECRET, SIGNATURE, T } from './vectors.ts';

const HEAD = `Content-Type: application/json\nX-Service-Timestamp: ${T}\nX-Service-Signature: ${SIGNATURE}\n`;
const env = { SVC_WEBHOOK_SECRET: SECRET };
const options = { env, now: () => NOW_S * 1000 };
const verify = (stdin: string | Uint8Array, ...args: readonly string[]): Promise<Run> =>
  svc(['webhooks', 'verify', ...args], { ...options, stdin });

const FILES: Readonly<Record<string, string>> = {
  'with a separator': `POST http://localhost:3000/hook HTTP/1.1\n${HEAD}\n${PING}\n\n###\n\nGET http://x/ HTTP/1.1\n`,
  'with CRLF': `POST http://x/hook HTTP/1.1\n${HEAD}\n${PING}\n\n###\nGET http://x/\n`.replaceAll('\n', '\r\n'),
  'without a version': `POST http://localhost:3000/hook\n${HEAD}\n${PING}\n`,
  'with a relative address': `POST /hook HTTP/1.1\n${HEAD}\n${PING}\n\n### next\n`,
  'with comments': `# a\n// b\n\nPOST http://x/hook\n# c\n${HEAD}\n${PING}\n`,
  'with a name': `### one\n# @name one\nPOST http://x/hook\n${HEAD}\n${PING}\n`,
  'after others': `GET http://x/\n\n###\nPOST http://x/hook\n${HEAD}\n${PING}\n\n###\nDELETE http://x/\n`,
  'with a length': `POST http://x/hook\n${HEAD}Content-Length: ${PING.length}\n\n${PING}\n\n###\n`,
};

describe('a .http file', () => {
  it('has a request in each notation of its editors', async () => {
    for (const [what, text] of Object.entries(FILES)) {
      expect(await verify(text), what).toMatchObject({ code: 0, stdout: expect.stringMatching(/^valid {2}evt_1 /) });
      const changed = await verify(text.replace('"evt_1"', '"evt_2"'));
      expect(changed, what).toMatchObject({ code: 1, stdout: expect.stringMatching(/^INVALID/) });
    }
  });

  it('may have several requests', async () => {
    const one = `POST http://x/hook\n${HEAD}\n${PING}\n\n`;
    const run = await verify(
      `${one}###\nGET http://x/\n\n###\n${one}### last\n${one.replace('evt_1', 'evt_2')}`,
      '-o',
      'ndjson',
    );
    const rows = run.stdout.match(/"source":"[^"]*"|"valid":\w+/g);
    const expected = [`"source":"stdin#1"`, '"valid":true', '"source":"stdin#3"', '"valid":true'];
    expect(rows).toEqual([...expected, '"source":"stdin#4"', '"valid":false']);
  });
});

describe('a request from the network', () => {
  it('is not cut at a separator', async () => {
    const body = Buffer.from(`${PING}\n\n###\nGET http://x/`);
    const signed = request('\r\n', body)
      .toString()
      .replace(SIGNATURE, signatureOf(SECRET, T, body))
      .replace('82', `${body.length}`);
    expect(await verify(signed)).toMatchObject({ code: 0, stdout: expect.stringContaining(`${body.length} B`) });
    const chunked =
      signed.replace(/Content-Length: \d+\r\n\r\n.*$/s, '') +
      `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    expect(await verify(chunked)).toMatchObject({ code: 0, stdout: expect.stringContaining(`${body.length} B`) });
  });

  it('of HTTP/2, which has no length, or without its request line is not cut either', async () => {
    for (const line of ['POST /hook HTTP/2\n', '']) {
      const run = await verify(`${line}${HEAD}\n${PING}\n\n###\nmore`);
      expect(run, line).toMatchObject({ code: 1, stdout: expect.stringMatching(/^INVALID/) });
    }
  });
});
