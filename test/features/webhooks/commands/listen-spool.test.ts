/** `svc webhooks listen --spool`: events are taken while their target is away, and forwarded in order once it is back. test/e2e/webhooks-spool.test.ts kills it. */
import { createHmac } from 'node:crypto';
import { existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Run, svc, temporaryHome } from '../../../support/svc.ts';
import { deliver, event, KEY } from '../receiver-client.ts';
import { listen, rows, SECRET, type Taken, target } from './listening.ts';

const newSpool = (): string => join(temporaryHome(), 'spool.ndjson');
const idOf = ({ body }: Pick<Taken, 'body'>): string => (JSON.parse(body.toString()) as { id: string }).id;
const ofType = (run: Run, type: string): Record<string, unknown>[] => rows(run).filter((row) => row['type'] === type);

/** An application that is down until it is started. */
async function application(status = 200) {
  let answer = (response: ServerResponse): void => void response.socket?.destroy();
  const { url, taken } = await target((response) => answer(response));
  const accepted: string[] = [];
  const arrive = (): void => {
    answer = (response) => {
      accepted.push(idOf(taken.at(-1) as Taken));
      response.writeHead(status).end();
    };
  };
  return { url, taken, accepted, arrive };
}

describe('while the target is down', () => {
  it('responds, and forwards in order after it is back', async () => {
    const spool = newSpool();
    const { url, taken, accepted, arrive } = await application();
    const patient = ['--forward-timeout', '30s', '-o', 'ndjson'];
    const { port, stop } = await listen(['--forward-to', url, '--spool', spool, ...patient]);
    for (const id of ['evt_1', 'evt_2', 'evt_3']) expect((await deliver(port, event(id))).status).toBe(204);
    expect(statSync(spool).mode & 0o777).toBe(0o600);
    await expect.poll(() => taken.length).toBeGreaterThan(0);
    arrive();
    await expect.poll(() => accepted).toEqual(['evt_1', 'evt_2', 'evt_3']);
    expect((await deliver(port, event('evt_2'))).status).toBe(204);
    const run = await stop();
    expect(run.stderr).not.toContain('the service waits 5 s');
    expect(ofType(run, 'unreachable')).toMatchObject([{ target: url, waiting: expect.any(Number) }]);
    expect(ofType(run, 'recovered')).toMatchObject([{ target: url }]);
    expect(ofType(run, 'forwarded')).toMatchObject([
      { event_id: 'evt_1', status: 200, accepted: true, repeated: true },
      { event_id: 'evt_2', accepted: true, repeated: false },
      { event_id: 'evt_3', accepted: true, repeated: false },
    ]);
    expect(ofType(run, 'end')).toMatchObject([{ duplicates: 1, spool: { delivered: 3, refused: 0, waiting: 0 } }]);
    expect(accepted).toHaveLength(3);
    expect(readFileSync(spool, 'utf8')).not.toContain('body_b64');
    expect(existsSync(`${spool}.lock`)).toBe(false);
  });

  it('keeps events for the next run, which also recognizes forwarded ones', async () => {
    const spool = newSpool();
    const first = await application();
    first.arrive();
    const before = await listen(['--forward-to', first.url, '--spool', spool]);
    await deliver(before.port, event('evt_0'));
    await expect.poll(() => first.accepted).toEqual(['evt_0']);
    await before.stop();
    const away = await application();
    const between = await listen(['--forward-to', away.url, '--spool', spool]);
    for (const id of ['evt_1', 'evt_2']) await deliver(between.port, event(id));
    const { stderr } = await between.stop();
    expect(stderr).toContain(`spool: ${spool} (0 waiting)`);
    expect(stderr).toContain('spool: 0 forwarded, 0 refused, 2 waiting for the next run\n');
    const after = await listen(['--forward-to', first.url, '--spool', spool, '-o', 'ndjson']);
    await expect.poll(() => first.accepted).toEqual(['evt_0', 'evt_1', 'evt_2']);
    for (const id of ['evt_0', 'evt_1']) expect((await deliver(after.port, event(id))).status).toBe(204);
    const run = await after.stop();
    expect(ofType(run, 'ready')).toMatchObject([{ spool: { file: spool, waiting: 2 } }]);
    expect(ofType(run, 'end')).toMatchObject([{ duplicates: 2, spool: { delivered: 2, waiting: 0 } }]);
    expect(first.accepted).toHaveLength(3);
  });

  it('does not let one target wait for another', async () => {
    const there = await application();
    there.arrive();
    const away = await application();
    const routes = ['--forward', `webhook.ping=${there.url}`, '--forward', `summary.completed=${away.url}`];
    const { port, stop } = await listen([...routes, '--spool', newSpool(), '-o', 'ndjson']);
    await deliver(port, event('evt_1', 'summary.completed'));
    await deliver(port, event('evt_2', 'webhook.ping'));
    await expect.poll(() => there.accepted).toEqual(['evt_2']);
    expect(ofType(await stop(), 'end')).toMatchObject([{ spool: { delivered: 1, waiting: 1 } }]);
  });

  it('signs events again that are too old for receivers', async () => {
    const spool = newSpool();
    const { url, taken, accepted, arrive } = await application();
    const sentS = Math.floor(Date.now() / 1000);
    const first = await listen(['--forward-to', url, '--spool', spool]);
    await deliver(first.port, event('evt_1'), { timestamp: sentS, headers: ['X-Service-Delivery: dlv_1'] });
    await first.stop();
    arrive();
    const later = sentS + 3600;
    const { stop } = await listen(['--forward-to', url, '--spool', spool], { now: () => later * 1000 });
    await expect.poll(() => accepted).toEqual(['evt_1']);
    await stop();
    const { headers = [], body = Buffer.alloc(0) } = taken.at(-1) ?? {};
    const value = (name: string): string | undefined => headers[headers.indexOf(name) + 1];
    const signature = createHmac('sha256', KEY).update(`${later}.`).update(body).digest('hex');
    expect([value('X-Service-Timestamp'), value('X-Service-Signature')]).toEqual([`${later}`, `sha256=${signature}`]);
    expect(value('X-Service-Delivery')).toBe('dlv_1');
  });
});

it('sets aside an event that the target refuses six times, for svc webhooks replay', async () => {
  const spool = newSpool();
  const { url, taken } = await target((response) =>
    response.writeHead(idOf(taken.at(-1) as Taken) === 'evt_1' ? 422 : 200).end(),
  );
  const { port, stop } = await listen(['--forward-to', url, '--spool', spool, '-o', 'ndjson']);
  for (const id of ['evt_1', 'evt_2']) await deliver(port, event(id));
  await expect.poll(() => taken.map(idOf)).toEqual([...Array(6).fill('evt_1'), 'evt_2']);
  const run = await stop();
  expect(ofType(run, 'forwarded')).toMatchObject([
    { event_id: 'evt_1', status: 422, accepted: false, repeated: false },
    { event_id: 'evt_2', status: 200, accepted: true },
  ]);
  expect(ofType(run, 'unreachable')).toEqual([]);
  const again = await svc(['webhooks', 'replay', `${spool}.refused`, '--to', url, '--only-failed'], { env: SECRET });
  expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining('evt_1') });
  expect(statSync(`${spool}.refused`).mode & 0o777).toBe(0o600);
});

describe('the file', () => {
  it('has a limit, beyond which the service has to send again', async () => {
    const { url } = await application();
    const limit = ['--spool', newSpool(), '--spool-limit', '1300B'];
    const { port, stop } = await listen(['--forward-to', url, ...limit, '-o', 'ndjson']);
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await deliver(port, event(`evt_${n}`))).status);
    expect(statuses).toEqual([204, 204, 503, 503]);
    expect((await deliver(port, event('evt_0'))).status).toBe(204);
    const run = await stop();
    expect(ofType(run, 'warning')).toMatchObject([{ message: expect.stringContaining('the spool is full') }]);
    expect(ofType(run, 'end')).toMatchObject([{ accepted: 2, spool: { waiting: 2 } }]);
  });

  it('has one listener', async () => {
    const spool = newSpool();
    const { url } = await application();
    const { stop } = await listen(['--forward-to', url, '--spool', spool]);
    const other = await svc(['webhooks', 'listen', '--port', '0', '--forward-to', url, '--spool', spool], {
      env: SECRET,
    });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('--spool: another listener uses') });
    await stop();
  });

  it('loses only an incomplete line', async () => {
    const spool = newSpool();
    const { url, accepted, arrive } = await application();
    const first = await listen(['--forward-to', url, '--spool', spool]);
    for (const id of ['evt_1', 'evt_2']) await deliver(first.port, event(id));
    await first.stop();
    const whole = readFileSync(spool, 'utf8');
    truncateSync(spool, whole.indexOf('evt_2'));
    arrive();
    const { stop, port } = await listen(['--forward-to', url, '--spool', spool]);
    await expect.poll(() => accepted).toEqual(['evt_1']);
    expect((await deliver(port, event('evt_2'))).status).toBe(204);
    await expect.poll(() => accepted).toEqual(['evt_1', 'evt_2']);
    expect((await stop()).stderr).toContain('ended in the middle of a line; svc removed its ');
  });

  it.each([
    ['another file', 'a\nb\n', 'is not a spool\nhint: name another file'],
    ['a recording', '{"v":1,"received_at":"x"}\n', 'is not a spool'],
    ['a damaged line', '{"v":1,"spool":"svc webhooks listen"}\n{"event":1}\n{"sent":1}\n', ':2: the line is damaged'],
  ])('is not changed if it is %s', async (_, text, message) => {
    const spool = newSpool();
    writeFileSync(spool, text);
    const run = await svc(
      ['webhooks', 'listen', '--port', '0', '--forward-to', 'http://127.0.0.1:1/', '--spool', spool],
      {
        env: SECRET,
      },
    );
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
    expect(readFileSync(spool, 'utf8')).toBe(text);
    expect(existsSync(`${spool}.lock`)).toBe(false);
  });
});

it.each([
  [[], '--spool needs --forward-to or --forward'],
  [['--forward-to', 'http://127.0.0.1:1/', '--ack', 'early'], 'leave out --ack early'],
  [['--forward-to', 'http://127.0.0.1:1/', '--respond', '500'], 'choose another --respond'],
  [['--forward-to', 'http://127.0.0.1:1/', '--dedupe-file', 'seen'], 'leave out --dedupe-file'],
])('refuses %j', async (args, message) => {
  const spool = newSpool();
  const run = await svc(['webhooks', 'listen', '--port', '0', '--spool', spool, ...args], { env: SECRET });
  expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  expect(existsSync(spool)).toBe(false);
});
