/** `--headers-file` reads what programs print of the headers, and names what is missing. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type Run, svc, temporaryHome } from '../../../support/svc.ts';
import { NOW_S, PING, SECRET, SIGNATURE, T } from '../vectors.ts';

const HEADERS = { host: 'hooks.example', 'x-service-timestamp': T, 'x-service-signature': SIGNATURE };
const CGI = { HTTP_HOST: 'hooks.example', HTTP_X_SERVICE_TIMESTAMP: T, HTTP_X_SERVICE_SIGNATURE: SIGNATURE };
const pairs = Object.entries(HEADERS);
const linesOf = (headers: object, line: (name: string, value: string) => string): string =>
  Object.entries(headers)
    .map(([name, value]) => `${line(name, value)}\n`)
    .join('');

function verify(content: string, stdin: string | Uint8Array = PING): Promise<Run> {
  const file = join(temporaryHome(), 'h');
  writeFileSync(file, content);
  const env = { SVC_WEBHOOK_SECRET: SECRET };
  return svc(['webhooks', 'verify', '-', '--headers-file', file], { stdin, env, now: () => NOW_S * 1000 });
}

const READ: readonly (readonly [what: string, content: string])[] = [
  ['lines', linesOf(HEADERS, (name, value) => `${name}: ${value}\r`)],
  ['a request without its body', `POST /hook HTTP/1.1\n${linesOf(HEADERS, (name, value) => `${name}: ${value}`)}`],
  ['JSON', JSON.stringify(HEADERS)],
  ['JSON of lists', JSON.stringify(Object.fromEntries(pairs.map(([name, value]) => [name, [value]])))],
  ['JSON of pairs', JSON.stringify(pairs)],
  ['rawHeaders', JSON.stringify(pairs.flat())],
  ['names and values', JSON.stringify(pairs.map(([name, value]) => ({ name, value })))],
  ['JSON around them', JSON.stringify({ method: 'POST', request: { headers: HEADERS } }, null, 2)],
  ['console.log(req.headers)', `${inspect(HEADERS)}\n`],
  ['console.log(req.rawHeaders)', `${inspect(pairs.flat())}\n`],
  ["console.log('headers:', req.headers)", `headers: ${inspect(HEADERS, { compact: false })}\n`],
  ['console.log of fetch Headers', `Headers ${inspect(HEADERS)}\n`],
  ['a Python dict', `{'host': 'x', 'x-service-timestamp': '${T}', 'x-service-signature': '${SIGNATURE}'}\n`],
  ['a Python log', `INFO:root:{'X-Service-Timestamp': '${T}', 'X-Service-Signature': '${SIGNATURE}'}\n`],
  [
    'Flask',
    `EnvironHeaders([('Host', 'x'), ('X-Service-Timestamp', '${T}'), ('X-Service-Signature', '${SIGNATURE}')])`,
  ],
  ['ASGI', `[(b'x-service-timestamp', b'${T}'), (b'x-service-signature', b'${SIGNATURE}')]`],
  ['JSON of CGI names', JSON.stringify(CGI)],
  ['a Ruby hash', JSON.stringify(CGI).replaceAll('":"', '"=>"')],
  ['env', linesOf(CGI, (name, value) => `${name}=${value}`)],
  ['print_r', `Array\n(\n${linesOf(CGI, (name, value) => `    [${name}] => ${value}`)})\n`],
  ['a Go http.Header', `map[Host:[x] X-Service-Signature:[${SIGNATURE}] X-Service-Timestamp:[${T}]]\n`],
  ['a Java map', `{host=x, x-service-signature=${SIGNATURE}, x-service-timestamp=${T}}\n`],
  ['Spring HttpHeaders', `[host:"x", x-service-signature:"${SIGNATURE}", x-service-timestamp:"${T}"]\n`],
];

describe('svc webhooks verify --headers-file', () => {
  it('reads what programs print of the headers', async () => {
    for (const [what, content] of READ) {
      expect(await verify(content), what).toMatchObject({ code: 0, stderr: '' });
      expect(await verify(content, 'other'), what).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/^INVALID/),
      });
    }
  });

  it('exits 2 without a signature in the file', async () => {
    for (const content of ['Content-Type: a/b\n', '{"content-type":"a/b"}', '{ host: "x" }', '']) {
      const run = await verify(content);
      expect(run, content).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toMatch(/^svc: \S+\/h: no X-Service-Signature in it\nhint: .*\n$/);
    }
  });

  it('is named where headers are given in place of the delivery', async () => {
    for (const stdin of [inspect(HEADERS), `x-service-signature: ${SIGNATURE}\n`, JSON.stringify(CGI)]) {
      const run = await svc(['webhooks', 'verify'], { stdin, env: { SVC_WEBHOOK_SECRET: SECRET } });
      expect(run).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/^svc: stdin: contains no delivery, only .*\nhint: .*--headers-file/),
      });
    }
  });
});
