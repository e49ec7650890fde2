/** The history of `svc webhooks listen`: what is in it, and `svc webhooks replay` with the id of an event. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Run, svc, temporaryHome } from '../../../support/svc.ts';
import { deliver, event } from '../receiver-client.ts';
import type { Receiver } from './handmade-receiver.ts';
import { listen, recordedIn, rows, SECRET, target } from './listening.ts';

const historyOf = (home: string): string => join(home, 'state', 'deliveries.ndjson');
const idsOf = (home: string): unknown[] => recordedIn(historyOf(home)).map((one) => one['event_id']);
const replay = (home: string, id: string, { url }: Receiver, ...more: readonly string[]): Promise<Run> =>
  svc(['webhooks', 'replay', id, '--to', url, ...more], { home, env: SECRET });

describe('svc webhooks replay with the id of an event', () => {
  it('finds it while listen runs, and after it ended', async () => {
    const home = temporaryHome();
    const app = await target((response) => response.end());
    const { port, stop } = await listen([], { home });
    await deliver(port, event('evt_1'));
    await expect.poll(() => existsSync(historyOf(home))).toBe(true);
    expect(await replay(home, 'evt_1', app)).toMatchObject({ code: 0, stdout: expect.stringMatching(/evt_1 {2}200/) });
    await deliver(port, event('evt_2'));
    await stop();
    expect(await replay(home, 'evt_2', app)).toMatchObject({ code: 0, stderr: '' });
    expect(app.taken.map(({ body }) => `${body}`)).toEqual([event('evt_1'), event('evt_2')]);
  });

  it('takes a unique beginning, and names the others', async () => {
    const home = temporaryHome();
    const app = await target((response) => response.end());
    const { port, stop } = await listen([], { home });
    for (const id of ['evt_aa', 'evt_ab', 'evt_aab']) await deliver(port, event(id));
    await stop();
    expect(await replay(home, 'evt_ab', app)).toMatchObject({ code: 0 });
    expect(await replay(home, 'evt_aa', app)).toMatchObject({ code: 0 });
    expect(app.taken.map(({ body }) => `${body}`)).toEqual([event('evt_ab'), event('evt_aa')]);
    expect(await replay(home, 'evt_a', app)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('3 events begin with evt_a: evt_aa, evt_ab, evt_aab'),
    });
  });

  it('exits 5 for an unknown id, and 2 for a file that is not there', async () => {
    const app = await target((response) => response.end());
    for (const [id, code, message] of [
      ['evt_9', 5, 'svc webhooks listen has no event evt_9 in its history'],
      ['./evt_9', 2, 'cannot read ./evt_9'],
    ] as const) {
      const run = await replay(temporaryHome(), id, app);
      expect(run).toMatchObject({ code, stderr: expect.stringContaining(message) });
    }
    expect(app.taken).toEqual([]);
  });
});

describe('the history of svc webhooks listen', () => {
  it('has valid deliveries only, the last of each event, and its outcome', async () => {
    const home = temporaryHome();
    let status = 500;
    const app = await target((response) => response.writeHead(status).end('no\n'));
    const { port, stop } = await listen(['--forward-to', app.url], { home });
    const ping = event('evt_1', 'webhook.ping');
    await deliver(port, ping);
    await deliver(port, event('evt_2', 'webhook.ping'));
    status = 200;
    await deliver(port, ping, { path: '/again' });
    await deliver(port, ping, { path: '/duplicate' });
    await deliver(port, event('evt_3', 'webhook.ping'), { key: 'whsec_other' });
    await stop();
    expect(recordedIn(historyOf(home))).toMatchObject([
      { v: 1, event_id: 'evt_2', status: 'valid', forward: { status: 500, body: 'no\n' }, response: 500 },
      { v: 1, event_id: 'evt_1', path: '/again', forward: { status: 200 }, response: 200 },
    ]);
    expect([statSync(historyOf(home)).mode & 0o777, statSync(join(home, 'state')).mode & 0o077]).toEqual([0o600, 0]);
  });

  it('has the last 100 of all listeners', async () => {
    const home = temporaryHome();
    const listeners = [await listen([], { home }), await listen([], { home })];
    for (let serial = 1; serial <= 120; serial++) {
      await deliver(listeners[serial % 2]?.port ?? 0, event(`evt_${serial}`));
    }
    for (const { stop } of listeners) await stop();
    const ids = idsOf(home);
    expect([ids.length, new Set(ids).size, ids.includes('evt_120'), ids.includes('evt_119')]).toEqual([
      100,
      100,
      true,
      true,
    ]);
  });

  it('has 16 MiB at most', async () => {
    const home = temporaryHome();
    const { port, stop } = await listen([], { home });
    for (const [id, mib] of Object.entries({ evt_1: 8, evt_2: 5, evt_3: 17 })) {
      const body = event(id, 'summary.completed', { text: 'x'.repeat(mib * 2 ** 20) });
      expect((await deliver(port, body)).status).toBe(204);
    }
    await stop();
    expect(idsOf(home)).toEqual(['evt_2']);
  });

  it('is not written with --no-history', async () => {
    const home = temporaryHome();
    const { port, stop } = await listen(['--no-history', '-o', 'ndjson'], { home });
    await deliver(port, event('evt_1'));
    const ready = rows(await stop())[0];
    expect([ready?.['history'], existsSync(historyOf(home))]).toEqual([null, false]);
  });

  it('that cannot be written is one warning, and listen goes on', async () => {
    const home = temporaryHome();
    writeFileSync(join(home, 'state'), '');
    const printed: string[] = [];
    const { port, stop } = await listen(['-o', 'ndjson'], { home, onStdout: (text) => void printed.push(text) });
    expect((await deliver(port, event('evt_1'))).status).toBe(204);
    await expect.poll(() => printed.join('')).toContain('"warning"');
    expect((await deliver(port, event('evt_2'))).status).toBe(204);
    const run = await stop();
    expect(run.code).toBe(130);
    expect(rows(run).filter(({ type }) => type === 'warning')).toEqual([
      {
        type: 'warning',
        message: expect.stringMatching(/^warning: deliveries are not kept for svc webhooks replay: cannot lock .+/),
      },
    ]);
  });

  it('leaves out what is not a complete line', async () => {
    const home = temporaryHome();
    for (const id of ['evt_1', 'evt_2']) {
      const { port, stop } = await listen([], { home });
      await deliver(port, event(id));
      await stop();
      writeFileSync(historyOf(home), `junk\n${readFileSync(historyOf(home), 'utf8')}{"v":1,"received_at":"20`);
    }
    const { port, stop } = await listen([], { home });
    await deliver(port, event('evt_3'));
    await stop();
    expect(idsOf(home)).toEqual(['evt_1', 'evt_2', 'evt_3']);
  });
});
