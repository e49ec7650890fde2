/** A write of the recording service goes out once, whatever happens to its answer. */
import { describe, expect, test } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { answer, type Fault, faultOnWrite, faultServer, isWrite } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';

const ACTIVE = { id: 'ep_1', url: 'https://192.0.2.7/', events: ['summary.completed', 'webhook.ping'], status: 1 };
const LIST = JSON.stringify({ items: [ACTIVE, { ...ACTIVE, id: 'ep_2', url: 'https://192.0.2.8/', status: 2 }] });
const NEW = 'https://192.0.2.9/';

const WRITES = {
  create: ['create', NEW, '--event', 'summary.completed', '--show-secret'],
  'update --url': ['update', 'ep_1', '--url', NEW],
  'update --clear-events': ['update', 'ep_1', '--clear-events', '--yes'],
  'update --url of a disabled one': ['update', 'ep_2', '--url', NEW],
  delete: ['delete', 'ep_1', '--yes'],
  rotate: ['rotate', 'ep_1', '--store', '--yes'],
  test: ['test', 'ep_1'],
  'test --wait': ['test', 'ep_1', '--wait', '1s'],
} as const;
const NAMES = Object.keys(WRITES) as (keyof typeof WRITES)[];

const reading = (fault: Fault): Fault => faultOnWrite(fault, () => LIST);

const FAULTS: Readonly<Record<string, Fault>> = {
  'is cut without a response': (socket) => socket.destroy(),
  'is reset': (socket) => socket.resetAndDestroy(),
  'is cut within the head': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
  'is cut within the body': (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{"ok":tr'),
  'is answered with garbage': (socket) => socket.end('\x16\x03\x01 no HTTP\r\n\r\n'),
  'is answered with 500 of somebody': (socket) => socket.write(answer(500, '"boom"')),
  'is answered with 502 of a proxy': (socket) => socket.write(answer(502, '<html>', { 'content-type': 'text/html' })),
  'is answered with 503 and asked to come back': (socket) =>
    socket.write(answer(503, 'busy', { 'retry-after': '0', 'content-type': 'text/plain' })),
  'is answered with a page': (socket) => socket.write(answer(200, '<!doctype html>', { 'content-type': 'text/html' })),
  'is answered with another JSON': (socket) => socket.write(answer(200, '[7]')),
};

async function run(name: keyof typeof WRITES, url: string, more: readonly string[] = [], signal?: AbortSignal) {
  return svc(['webhooks', ...WRITES[name], ...more, '--base-url', url, '-o', 'json'], {
    env: { SVC_WEBHOOKS_TOKEN: 'pat_marker' },
    ...(signal === undefined ? {} : { signal }),
  });
}

describe.each(NAMES)('%s', (name) => {
  test.each(Object.keys(FAULTS))('that %s: exit 8, received once, with the command to check', async (fault) => {
    await using server = await faultServer(reading(FAULTS[fault] ?? (() => {})));
    const done = await run(name, server.url);
    expect([done.code, done.stdout]).toEqual([8, '']);
    expect(failure(done)).toMatchObject({
      code: 'outcome_unknown',
      hint: expect.stringContaining('svc webhooks'),
    });
    expect(done.stderr).not.toContain('pat_marker');
    expect(server.requests.filter(isWrite)).toHaveLength(1);
  });

  test('without a response in time: exit 8, received once', async () => {
    await using server = await faultServer(reading(() => {}));
    const done = await run(name, server.url, ['--timeout', '150ms']);
    expect([done.code, failure(done).code]).toEqual([8, 'outcome_unknown']);
    expect(server.requests.filter(isWrite)).toHaveLength(1);
  });

  test('refused by the service is settled by the list, and not repeated', async () => {
    const body = JSON.stringify({ error: { code: 'unavailable', message: 'later' } });
    await using server = await faultServer(
      reading((socket) => socket.write(answer(503, body, { 'retry-after': '0' }))),
    );
    const done = await run(name, server.url);
    // A test leaves no trace in the list.
    expect(done.code).toBe(name.startsWith('test') ? 8 : 7);
    expect(failure(done)).toMatchObject({ message: expect.stringContaining('unavailable: later'), http_status: 503 });
    expect(server.requests.filter(isWrite)).toHaveLength(1);
  });

  test('interrupted while it waits: exit 130, and says that it may have been applied', async () => {
    const stop = new AbortController();
    await using server = await faultServer(reading(() => stop.abort(new SvcError('interrupted', 'interrupted'))));
    const done = await run(name, server.url, [], stop.signal);
    expect(done.code).toBe(130);
    expect(failure(done).message).toContain('may have been applied');
    expect(server.requests.filter(isWrite)).toHaveLength(1);
  });

  test('to a host that redirects: not followed, and its outcome is unknown', async () => {
    await using other = await faultServer((socket) => socket.write(answer(200, '{}')));
    await using server = await faultServer(
      reading((socket) => socket.write(answer(307, '', { location: `${other.url}/v1/webhooks` }))),
    );
    const done = await run(name, server.url);
    expect(done.code).toBe(8);
    expect(other.requests).toEqual([]);
    expect(server.requests.filter(isWrite)).toHaveLength(1);
  });
});
