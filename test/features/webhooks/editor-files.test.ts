/** `.http` files of VS Code and JetBrains. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { signatureOf } from '../../../src/features/webhooks/signature.ts';
import { type Run, svc, temporaryHome } from '../../support/svc.ts';
import { NOW_S, PING, request, SECRET, SIGNATURE, T } from './vectors.ts';

const HEAD = `Content-Type: application/json\nX-Service-Timestamp: ${T}\nX-Service-Signature: ${SIGNATURE}\n`;
const env = { SVC_WEBHOOK_SECRET: SECRET };
const options = { env, now: () => NOW_S * 1000 };
const verify = (stdin: string | Uint8Array, ...args: readonly string[]): Promise<Run> =>
  svc(['webhooks', 'verify', ...args], { ...options, stdin });

it.each<readonly [what: string, text: string]>([
  ['with a separator', `POST http://localhost:3000/hook HTTP/1.1\n${HEAD}\n${PING}\n\n###\n\nGET http://x/ HTTP/1.1\n`],
  ['with CRLF', `POST http://x/hook HTTP/1.1\n${HEAD}\n${PING}\n\n###\nGET http://x/\n`.replaceAll('\n', '\r\n')],
  ['without a version', `POST http://localhost:3000/hook\n${HEAD}\n${PING}\n`],
  ['with a path only', `POST /hook\n${HEAD}\n${PING}\n`],
  ['with a relative address and a separator', `POST /hook HTTP/1.1\n${HEAD}\n${PING}\n\n### next\n`],
  ['with comments', `# a\n// b\n\nPOST http://x/hook\n# c\n${HEAD}\n${PING}\n`],
  ['with a name', `### one\n# @name one\nPOST http://x/hook\n${HEAD}\n${PING}\n`],
  ['with variables', `@t = ${T}\n@host=http://x\n\nPOST {{host}}/hook\n${HEAD.replace(T, '{{t}}')}\n${PING}\n`],
  ['with a query in lines', `POST http://x/hook\n    ?a=1\n    &b=2\n${HEAD}\n${PING}\n`],
  ['with scripts', `< {%\n  x();\n%}\nPOST http://x/hook\n${HEAD}\n${PING}\n\n> {%\n client.log(1);\n%}\n`],
  ['with a saved response', `POST http://x/hook\n${HEAD}\n${PING}\n\n<> 2026-01-01.200.json\n\n###\n`],
  ['after others', `GET http://x/\n\n###\nPOST http://x/hook\n${HEAD}\n${PING}\n\n###\nPOST http://x/\n\n{}\n`],
  ['with a length', `POST http://x/hook\n${HEAD}Content-Length: ${PING.length}\n\n${PING}\n\n###\n`],
])('reads a file %s', async (_, text) => {
  expect(await verify(text)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^valid {2}evt_1 /) });
  const changed = text.replace('"evt_1"', '"evt_2"');
  expect(await verify(changed)).toMatchObject({ code: 1, stdout: expect.stringMatching(/^INVALID/) });
});

it('reads every signed request', async () => {
  const one = `POST http://x/hook\n${HEAD}\n${PING}\n\n`;
  const run = await verify(
    `${one}###\nGET http://x/\n\n###\n${one}### last\n${one.replace('evt_1', 'evt_2')}`,
    '-o',
    'ndjson',
  );
  const rows = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { source: string; valid: boolean });
  expect(rows.map(({ source, valid }) => [source, valid])).toEqual([
    ['stdin#1', true],
    ['stdin#2', true],
    ['stdin#3', false],
  ]);
});

it('reads a body from the file beside it', async () => {
  const folder = join(temporaryHome(), 'a b');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'body.json'), PING);
  const file = join(folder, 'r.http');
  for (const mark of ['< ./body.json', '<@ body.json', '<@utf8 body.json']) {
    writeFileSync(file, `POST http://x/hook\n${HEAD}\n${mark}\n\n###\n`);
    expect(await verify('', file)).toMatchObject({ code: 0 });
  }
  writeFileSync(file, `POST http://x/hook\n${HEAD}\n< ./none.json\n`);
  expect(await verify('', file)).toMatchObject({ code: 2, stderr: expect.stringContaining('none.json') });
  for (const name of ['a\0b', 'x'.repeat(5000)]) {
    writeFileSync(file, `POST http://x/hook\n${HEAD}\n< ./${name}\n`);
    expect(await verify('', file)).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') });
  }
  writeFileSync(file, `POST http://x/hook\n${HEAD}\n< /dev/zero\n`);
  expect(await verify('', file)).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a file') });
});

it('refuses a signature that only the editor knows', async () => {
  const text = `POST http://x/hook\n${HEAD.replace(SIGNATURE, '{{signature}}')}\n${PING}\n`;
  const run = await verify(text);
  expect(run).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('only the editor knows the value of {{signature}}'),
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

  it('of HTTP/2, which has no length, is not cut either', async () => {
    const run = await verify(`POST /hook HTTP/2\n${HEAD}\n${PING}\n\n###\nmore`);
    expect(run).toMatchObject({ code: 1, stdout: expect.stringMatching(/^INVALID/) });
  });

  it('may follow blank lines', async () => {
    expect(await verify(`\n  \r\n${request()}`)).toMatchObject({ code: 0 });
    expect(await verify(`\n${request()}\n\n${request('\n')}`, '-o', 'ndjson')).toMatchObject({ code: 0 });
  });
});
