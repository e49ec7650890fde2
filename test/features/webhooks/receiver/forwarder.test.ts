import { describe, expect, it } from 'vitest';
import type { RawHeader } from '../../../../src/features/webhooks/delivery.ts';
import { forwardedHeaders, statusOf } from '../../../../src/features/webhooks/receiver/forwarder.ts';
import { type Run, svc } from '../../../support/svc.ts';
import { rows, SECRET } from '../commands/listening.ts';

const HEADERS: readonly RawHeader[] = [
  ['Host', 'example.com'],
  ['connection', 'Keep-Alive, X-Hop'],
  ['X-Hop', '1'],
  ['Transfer-Encoding', 'chunked'],
  ['content-TYPE', 'application/json'],
  ['User-Agent', 'service/1'],
  ['X-Service-Signature', 'sha256=00'],
  ['X-Service-Timestamp', '1'],
  ['X-Service-Event', 'webhook.ping'],
  ['X-Service-Delivery', 'dlv_1'],
  ['X-Service-Other', 'a'],
  ['X-Service-Other', 'b'],
  ['Proxy-Authorization', 'Basic eA=='],
];

describe('forwarded headers', () => {
  it('are the five of the document, in their order and case', () => {
    expect(forwardedHeaders(HEADERS)).toEqual([
      ['content-TYPE', 'application/json'],
      ['X-Service-Signature', 'sha256=00'],
      ['X-Service-Timestamp', '1'],
      ['X-Service-Event', 'webhook.ping'],
      ['X-Service-Delivery', 'dlv_1'],
    ]);
  });
});

const listen = (to: string, ...args: readonly string[]): Promise<Run> => {
  const argv = ['webhooks', 'listen', '--port', '0', '--wait', '1ms', '-o', 'ndjson', '--forward-to', to, ...args];
  return svc(argv, { env: SECRET });
};

async function addressOf(text: string, ...args: readonly string[]): Promise<unknown> {
  const run = await listen(text, ...args);
  expect(run.code).toBe(9);
  return rows(run)[0]?.['forward'];
}

describe('the target', () => {
  it.each(['http://localhost:3000/a?b=c&d=%20', 'https://127.0.0.1/', 'http://127.3.4.5:1/', 'http://[::1]:3000/'])(
    'may be %s, unchanged',
    async (text) => {
      expect(await addressOf(text)).toBe(text);
    },
  );

  it.each([
    ['3000', 'http://localhost:3000/'],
    ['localhost:3000/hook', 'http://localhost:3000/hook'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3000/'],
    ['[::1]:3000/a?b=c', 'http://[::1]:3000/a?b=c'],
    ['shop.localhost/hook', 'http://shop.localhost/hook'],
    ['http://shop.localhost:3000/', 'http://shop.localhost:3000/'],
  ])('may be %s on this machine', async (text, address) => {
    expect(await addressOf(text)).toBe(address);
  });

  it.each(['http://example.com/', 'http://127.0.0.1.example.com/', 'http://localhost.example.com/', 'http://[::2]/'])(
    'is not another machine without an option: %s',
    async (text) => {
      expect(await listen(text)).toMatchObject({ code: 2, stderr: expect.stringContaining('is not this machine') });
      expect(await addressOf(text, '--forward-external')).toBe(text);
    },
  );

  it.each([
    'example.com:3000',
    '123456',
    'ftp://localhost/',
    '/hook',
    '',
    'http://u:p@localhost/',
    'localhost.example',
  ])('is not %j', async (text) => {
    expect(await listen(text, '--forward-external')).toMatchObject({ code: 2, stdout: '' });
  });
});

it.each([
  [{ status: 201, ms: 1 }, 201],
  [{ status: 308, ms: 1 }, 308],
  [{ status: 500, ms: 1 }, 500],
  [{ status: null, ms: 1, error: 'timeout' }, 504],
  [{ status: null, ms: 1, error: 'connect_failed' }, 502],
  [{ status: null, ms: 1, error: 'interrupted' }, 503],
])('responds to the sender as the target did, or as a gateway: %j', (forwarded, status) => {
  expect(statusOf(forwarded)).toBe(status);
});
