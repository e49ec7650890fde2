import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { asCurl } from '../../src/cli/dry-run.ts';
import { bodyText, buildRequest, type CallValues, type EndpointShape, endpoint } from '../../src/http/endpoint.ts';
import { answer, fileServer } from '../support/servers.ts';
import { targetFor } from '../support/targets.ts';

const run = promisify(execFile);
const server = await fileServer((socket) => socket.end(answer(200, '{}', { connection: 'close' })));

function request(shape: Partial<EndpointShape>, values: CallValues, headers: Record<string, string> = {}) {
  const declared = endpoint({ method: 'POST', path: '/a/{id}', effect: 'write', ...(shape as object) });
  return buildRequest(targetFor(server.url, { headers }), { basePath: '' }, declared, {
    params: { id: '1' },
    ...values,
  });
}

/** Runs the line in a real shell, and returns what the server received. */
async function executed(line: string, env: NodeJS.ProcessEnv = {}) {
  await run('bash', ['--norc', '-c', line], { env: { PATH: process.env['PATH'], LC_ALL: 'C', ...env } });
  const received = server.requests.at(-1);
  if (received === undefined) throw new Error('the server got nothing');
  return received;
}

const AWKWARD = [
  `it's "double" $HOME \`id\` $(id) \\ !! %s`,
  'line\nbreak\r\n\ttab',
  '@/etc/hosts',
  'Zoë \u202eevil\x1b[31m',
];

describe('curl sends the same bytes', () => {
  test('in the path, in a form and in a body that begins with @', async () => {
    for (const text of AWKWARD) {
      const path = request({}, { params: { id: text }, body: `@${text}` });
      const form = request({ encoding: 'form', method: 'PUT' }, { body: { a: text, b: '@x' } });
      for (const sent of [path, form]) {
        const received = await executed(asCurl(sent, new Set()));
        expect([received.method, server.url + received.path]).toEqual([sent.method, sent.url]);
        expect(received.body).toBe(bodyText(sent) ?? '');
        const { host: _host, 'content-length': _length, connection: _connection, ...headers } = received.headers;
        expect(headers).toEqual(sent.headers);
      }
    }
  });

  test('brackets in an address are not a curl range', async () => {
    const received = await executed(
      asCurl({ ...request({ method: 'GET', effect: 'read' }, {}), url: `${server.url}/[1-3]/{a,b}` }, new Set()),
    );
    expect(received.path).toBe('/[1-3]/{a,b}');
  });

  test('in a body of bytes, which has no type', async () => {
    const sent = { ...request({}, {}, {}), headers: {}, encoding: 'bytes', body: Buffer.from("\xff'\n") } as const;
    const received = await executed(asCurl(sent, new Set()));
    expect(received.headers['content-type']).toBeUndefined();
    expect(received.body).toBe(bodyText(sent));
  });
});

describe('a secret in the line for curl', () => {
  test('becomes a variable that the shell fills in', async () => {
    const sent = request(
      {},
      {},
      {
        authorization: 'Bearer hunter22',
        'x-tenant': 'hunter33',
        cookie: 'hunter44',
        '2fa': 'hunter55',
        "`id`'-token": 'hunter66',
      },
    );
    const line = asCurl(sent, new Set(['x-tenant', '2fa']));
    expect(line).not.toMatch(/hunter/);
    expect(line).toContain('"authorization: $AUTHORIZATION"');
    const received = await executed(line, {
      AUTHORIZATION: "Bearer a'b $c",
      X_TENANT: 't',
      COOKIE: 'c',
      _2FA: '2',
      _ID___TOKEN: 'i',
    });
    expect(received.headers).toMatchObject({
      authorization: "Bearer a'b $c",
      'x-tenant': 't',
      cookie: 'c',
      '2fa': '2',
      "`id`'-token": 'i',
    });
  });

  test('is *** in the address and the body', () => {
    const line = asCurl(
      request({ encoding: 'form' }, { query: { access_token: 'hunter22' }, body: { client_secret: 'hunter33' } }),
      new Set(),
    );
    expect(line).not.toMatch(/hunter/);
    expect(line).toContain('access_token=***');
  });

  test('is not searched for in a JSON body, which stays unchanged', () => {
    const comment = 'see https://u:p@wiki/?token=abcdef, code=1042';
    const line = asCurl(request({}, { body: { comment } }), new Set());
    expect(line).toContain(comment);
  });
});
