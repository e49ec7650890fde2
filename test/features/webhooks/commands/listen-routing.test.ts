/** `svc webhooks listen`: which target gets which event, and which secret verifies it. */
import { describe, expect, it } from 'vitest';
import { svc, temporaryHome } from '../../../support/svc.ts';
import { deliver, event } from '../receiver-client.ts';
import { deliveries, lines, listen, rows, SECRET, type Target, target } from './listening.ts';

const PING = 'webhook.ping';
const SUMMARY = 'summary.completed';
const idsOf = ({ taken }: Target): readonly string[] =>
  taken.map(({ body }) => (JSON.parse(`${body}`) as { id: string }).id);

describe('--forward', () => {
  it('gives a type its own target, and --forward-to the rest', async () => {
    const [own, rest] = [
      await target((response) => response.writeHead(201).end()),
      await target((response) => response.end()),
    ];
    const { port, stop } = await listen([
      '--forward',
      `${SUMMARY}=${own.url}`,
      '--forward-to',
      rest.url,
      '-o',
      'ndjson',
    ]);
    expect((await deliver(port, event('evt_1'))).status).toBe(201);
    expect((await deliver(port, event('evt_2', PING))).status).toBe(200);
    expect((await deliver(port, event('evt_3', 'a.b'))).status).toBe(200);
    const run = await stop();
    expect([idsOf(own), idsOf(rest)]).toEqual([['evt_1'], ['evt_2', 'evt_3']]);
    expect(rows(run)[0]).toMatchObject({ forward: rest.url, routes: { [SUMMARY]: own.url } });
    expect(deliveries(run).map(({ forward }) => forward?.target)).toEqual([own.url, rest.url, rest.url]);
  });

  it('only responds to events without a target', async () => {
    const own = await target((response) => response.end());
    const { port, stop } = await listen(['--forward', `${SUMMARY},${PING}=${own.url}`, '-o', 'ndjson']);
    expect((await deliver(port, event('evt_1', 'a.b'))).status).toBe(204);
    expect((await deliver(port, event('evt_2', PING))).status).toBe(200);
    expect(deliveries(await stop()).map(({ forward }) => forward?.target)).toEqual([undefined, own.url]);
    const single = await listen(['--forward-to', own.url, '-o', 'ndjson']);
    await deliver(single.port, event('evt_1'));
    expect(deliveries(await single.stop())[0]?.forward).toEqual({ status: 200, ms: expect.any(Number) });
  });

  it('reports each target separately: outcome, repeats and totals', async () => {
    let status = 500;
    const broken = await target((response) => response.writeHead(status).end());
    const good = await target((response) => response.end());
    const { port, stop } = await listen(['--forward', `${PING}=${broken.url}`, '--forward-to', good.url]);
    for (const id of ['evt_1', 'evt_2']) expect((await deliver(port, event(id, PING))).status).toBe(500);
    for (const id of ['evt_3', 'evt_4']) expect((await deliver(port, event(id))).status).toBe(200);
    status = 200;
    expect((await deliver(port, event('evt_1', PING))).status).toBe(200);
    const run = await stop();
    expect(lines(run.stdout)[0]).toMatch(
      new RegExp(`evt_1  ${PING}  valid  age [01] s  -> 500 ${broken.url.replace('?', '\\?')} \\d+ ms`),
    );
    expect(lines(run.stderr).slice(1)).toEqual([
      `warning: ${broken.url} did not accept evt_1 (500): the service sends it again, about 1, 5, 15, 15, 15 minutes after each failed attempt`,
      '5 deliveries: 5 valid, 0 invalid',
      `${good.url}: 2 accepted, 0 failed`,
      `${broken.url}: 1 accepted, 2 failed`,
    ]);
  });

  it.each([
    [['--forward', 'http://localhost:3000/'], 'is not <type>=<url>'],
    [['--forward', 'webhook.pin=http://localhost:3000/'], 'did you mean webhook.ping?'],
    [
      ['--forward', 'webhook.ping=http://localhost:1/', '--forward', 'webhook.ping=http://localhost:2/'],
      'has two targets',
    ],
    [['--forward', 'webhook.ping=http://example.com/'], 'example.com is not this machine'],
    [['--event', SUMMARY, '--forward', 'webhook.ping=http://localhost:1/'], '--forward webhook.ping will never arrive'],
  ])('refuses %j', async (args, message) => {
    const run = await svc(['webhooks', 'listen', '--port', '0', ...args], { env: SECRET });
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });
});

describe('--endpoint path=id', () => {
  const KEYS = { ep_1: 'whsec_first', ep_2: 'whsec_second' };
  /** A home where both secrets are stored. */
  const stored = async (): Promise<string> => {
    const home = temporaryHome();
    for (const [id, stdin] of Object.entries(KEYS)) {
      expect(await svc(['webhooks', 'secrets', 'import', id], { home, stdin })).toMatchObject({ code: 0 });
    }
    return home;
  };
  const BOTH = ['--endpoint', '/a=ep_1', '--endpoint', '/b=ep_2'];

  it('verifies each path with its own secret, and accepts an event once per endpoint', async () => {
    const app = await target((response) => response.end());
    const home = await stored();
    const { port, stop } = await listen([...BOTH, '--forward-to', app.url, '-o', 'ndjson'], { home, env: {} });
    const statuses: number[] = [];
    for (const [path, key] of [
      ['/a', KEYS.ep_1],
      ['/b?x=1', KEYS.ep_2],
      ['/b', KEYS.ep_2],
      ['/a', KEYS.ep_2],
      ['/', KEYS.ep_1],
    ] as const) {
      statuses.push((await deliver(port, event('evt_1'), { path, key })).status);
    }
    const run = await stop();
    expect(statuses).toEqual([200, 200, 204, 401, 404]);
    expect(app.taken).toHaveLength(2);
    expect(rows(run)[0]).toMatchObject({
      url: `http://127.0.0.1:${port}/a`,
      endpoints: { '/a': 'ep_1', '/b': 'ep_2' },
    });
    expect(deliveries(run).map((row) => [row.endpoint_id, row.valid, row.duplicate?.deliveries])).toEqual([
      ['ep_1', true, undefined],
      ['ep_2', true, undefined],
      ['ep_2', true, 2],
      ['ep_1', false, undefined],
    ]);
  });

  it('uses the other secrets for every other path', async () => {
    const { port, stop } = await listen(['--endpoint', '/a=ep_1', '--secret-env', 'OWN', '--no-history'], {
      home: await stored(),
      env: { OWN: 'whsec_own' },
    });
    expect((await deliver(port, event('evt_1'), { path: '/a', key: KEYS.ep_1 })).status).toBe(204);
    expect((await deliver(port, event('evt_2'), { path: '/any', key: 'whsec_own' })).status).toBe(204);
    expect((await deliver(port, event('evt_3'), { key: KEYS.ep_1 })).status).toBe(401);
    const run = await stop();
    expect(lines(run.stderr)[0]).toBe(`listening on http://127.0.0.1:${port}/  verify: on (2 secrets)  /a: ep_1`);
    expect(lines(run.stdout)[0]).toMatch(/evt_1 {2}summary\.completed {2}ep_1 {2}valid/);
  });

  it.each([
    [['--endpoint', '/a=ep_9'], 'no secret is stored for endpoint "ep_9"'],
    [['--endpoint', '/a=ep_1', '--endpoint', '/a=ep_2'], '/a has two endpoints'],
    [['--endpoint', '/b=ep_1', '--endpoint', 'ep_2', '--path', '/b'], '/b is the path of --path, too'],
    [['--endpoint', '/a?b=ep_1'], '"/a?b" is not a path'],
  ])('refuses %j', async (args, message) => {
    const run = await svc(['webhooks', 'listen', '--port', '0', ...args], { home: await stored() });
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  });
});
