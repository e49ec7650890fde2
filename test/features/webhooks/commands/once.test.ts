/** A write of the recording service goes out once, whatever happens to its answer. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { answer, type Fault, faultOnWrite, faultServer, isWrite } from '../../../support/servers.ts';
import { failure, svc } from '../../../support/svc.ts';
import { moveClock } from './handmade-receiver.ts';

const ACTIVE = { id: 'ep_1', url: 'https://192.0.2.7/', events: ['summary.completed', 'webhook.ping'], status: 1 };
const LIST = JSON.stringify({ items: [ACTIVE, { ...ACTIVE, id: 'ep_2', url: 'https://192.0.2.8/', status: 2 }] });
const NEW = 'https://192.0.2.9/';

const WRITES = {
  create: ['create', NEW, '--event', 'summary.completed', '--show-secret'],
  'update --url': ['update', 'ep_1', '--url', NEW],
  'update --clear-events': ['update', 'ep_1', '--clear-events', '--yes'],
  delete: ['delete', 'ep_1', '--yes'],
  rotate: ['rotate', 'ep_1', '--store', '--yes'],
  test: ['test', 'ep_1'],
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

afterEach(() => void vi.useRealTimers());

describe.each(NAMES)('svc webhooks %s', (name) => {
  it('is sent once and exits 8 with the command to check, however the response is lost', async () => {
    const outcomes = Object.entries(FAULTS).map(async ([fault, meddle]) => {
      await using server = await faultServer(reading(meddle));
      const done = await run(name, server.url);
      const { code, hint } = failure(done);
      const isSafe = !done.stderr.includes('pat_marker') && hint?.includes('svc webhooks');
      return [fault, [done.code, done.stdout, code, isSafe, server.requests.filter(isWrite).length]];
    });
    expect(Object.fromEntries(await Promise.all(outcomes))).toEqual(
      Object.fromEntries(Object.keys(FAULTS).map((fault) => [fault, [8, '', 'outcome_unknown', true, 1]])),
    );
  });

  it('is sent once where no response comes in time', async () => {
    await using server = await faultServer(reading(() => void moveClock(30_000)));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const done = await run(name, server.url, ['--timeout', '30s']);
    expect([done.code, failure(done).code]).toEqual([8, 'outcome_unknown']);
    expect(server.requests.filter(isWrite)).toHaveLength(1);
  });

  it('is settled by the list where the service refuses it, and not repeated', async () => {
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

  it('exits 130 where it is interrupted, and says that it may have been applied', async () => {
    const stop = new AbortController();
    await using server = await faultServer(reading(() => stop.abort(new SvcError('interrupted', 'interrupted'))));
    const done = await run(name, server.url, [], stop.signal);
    expect(done.code).toBe(130);
    expect(failure(done).message).toContain('may have been applied');
    expect(server.requests.filter(isWrite)).toHaveLength(1);
  });
});

it('follows no redirect to another host', async () => {
  await using other = await faultServer((socket) => socket.write(answer(200, '{}')));
  const location = `${other.url}/v1/webhooks`;
  await using server = await faultServer(reading((socket) => socket.write(answer(307, '', { location }))));
  expect((await run('create', server.url)).code).toBe(8);
  expect(other.requests).toEqual([]);
  expect(server.requests.filter(isWrite)).toHaveLength(1);
});
