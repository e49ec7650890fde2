/** `svc webhooks replay`: recordings go out again, byte for byte or signed again. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { recorded, request } from '../vectors.ts';
import { handmade, KEY, type Receiver, receiver, sign, statuses, type Taken } from './handmade-receiver.ts';
import { listen } from './listening.ts';

const NOW = Date.UTC(2026, 0, 1);
const THEN_S = NOW / 1000 - 60;
const env = { SVC_WEBHOOK_SECRET: KEY };

interface Line {
  readonly id?: string;
  readonly body?: Buffer;
  readonly timestamp?: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly more?: Record<string, unknown>;
}

/** As `listen --record` writes it, written by hand. */
function line({ id = 'evt_1', body, timestamp = THEN_S, headers, more }: Line = {}): string {
  const bytes = body ?? Buffer.from(`{"id":"${id}","type":"webhook.ping", "data":{}}`);
  const given = [
    ['Host', 'hooks.example'],
    ['x-service-TIMESTAMP', String(timestamp)],
    ['content-type', 'application/json; charset=utf-8'],
    ['Authorization', 'Bearer of-the-tunnel'],
    ['X-Service-Signature', sign(String(timestamp), bytes)],
    ['X-Service-Event', 'webhook.ping'],
    ['X-Service-Delivery', `dlv_${id}`],
  ];
  return recorded(bytes, { headers: headers ?? given, status: 'valid', event_id: id, ...more });
}

const replay = (
  text: string,
  to: string | Receiver,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<Run> =>
  svc(['webhooks', 'replay', '-', '--to', typeof to === 'string' ? to : to.url, ...args], {
    env,
    stdin: text,
    now: () => NOW,
    ...options,
  });

const ids = (taken: readonly Taken[]): string[] =>
  taken.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id);

describe('svc webhooks replay without --resign', () => {
  it('sends the same bytes with only the documented headers, in order and case', async () => {
    const peer = await statuses(200);
    const body = Buffer.from([...Buffer.from('\ufeff{"id": "evt_1"}\r\n'), 0xff, 0]);
    const run = await replay(line({ body }), peer);
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' });
    const [taken] = peer.taken as [Taken];
    expect(taken.body.equals(body)).toBe(true);
    expect(taken.headers.slice(taken.headers.indexOf('User-Agent') + 2)).toEqual([
      'x-service-TIMESTAMP',
      String(THEN_S),
      'content-type',
      'application/json; charset=utf-8',
      'X-Service-Signature',
      sign(String(THEN_S), body),
      'X-Service-Event',
      'webhook.ping',
      'X-Service-Delivery',
      'dlv_evt_1',
      'content-length',
      String(body.length),
    ]);
    expect(taken.headers.join()).not.toMatch(/tunnel|hooks\.example/);
  });

  it('warns once about timestamps that are more than 300 s old', async () => {
    for (const [age, warning] of [
      [300, ''],
      [301, 'older than 300 s (the first by 301 s)'],
    ] as const) {
      const { stderr } = await replay(line({ timestamp: NOW / 1000 - age }).repeat(2), await statuses(200));
      expect(stderr.match(/^warning/gm) ?? []).toHaveLength(warning === '' ? 0 : 1);
      expect(stderr).toContain(warning);
    }
  });
});

describe('svc webhooks replay --resign', () => {
  it('replaces timestamp and signature in place', async () => {
    const peer = await handmade([], () => NOW);
    const twice = [
      ['X-Service-Signature', 'sha256=1'],
      ['X-service-signature', 'sha256=2'],
    ] as const;
    const text = line({ timestamp: 1 }) + line({ id: 'evt_2', headers: twice });
    const run = await replay(text, peer, ['--resign']);
    expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '2 sent: 2 accepted\n' });
    const [one, two] = peer.taken as [Taken, Taken];
    const at = one.headers.indexOf('x-service-TIMESTAMP');
    expect(one.headers.slice(at, at + 6)).toEqual([
      'x-service-TIMESTAMP',
      String(NOW / 1000),
      'content-type',
      'application/json; charset=utf-8',
      'X-Service-Signature',
      sign(String(NOW / 1000), one.body),
    ]);
    expect(two.headers.filter((name) => /^x-service-(signature|timestamp)$/i.test(name))).toEqual([
      'X-Service-Signature',
      'X-Service-Timestamp',
    ]);
  });

  it('signs no forgery, by the status of a recording', async () => {
    const forged = [['X-Service-Signature', `sha256=${'0'.repeat(64)}`]] as const;
    const body = Buffer.from('{"id":"evt_6","type":"webhook.ping"}');
    const genuine = [
      ['X-Service-Timestamp', '1'],
      ['X-Service-Signature', sign('1', body)],
    ] as const;
    const text = [
      line({ id: 'evt_1', headers: [], more: { status: 'missing_signature', response: 401 } }),
      line({ id: 'evt_2', headers: forged, more: { status: 'signature_mismatch', response: 401 } }),
      line({ id: 'evt_3', headers: forged, more: { status: 'unchecked' } }),
      line({ id: 'evt_4', headers: [], more: { status: undefined } }),
      line({ id: 'evt_5', timestamp: 1, more: { status: 'stale', response: 401 } }),
      line({ id: 'evt_6', body, headers: genuine, more: { status: 'unchecked' } }),
    ].join('');
    const peer = await handmade([], () => NOW);
    const run = await replay(text, peer, ['--resign']);
    expect({ code: run.code, sent: ids(peer.taken) }).toEqual({ code: 0, sent: ['evt_5', 'evt_6'] });
    expect(run.stderr).toContain('4 skipped: nothing proves that the service signed them');
  });

  it('never shows the secret; ignores it without --resign', async () => {
    const peer = await statuses(200);
    const without = await replay(line(), peer, ['--resign'], { env: {} });
    expect({ code: without.code, taken: peer.taken }).toEqual({ code: 2, taken: [] });
    expect((await replay(line(), peer, [], { env: { SVC_WEBHOOK_SECRET: '' } })).code).toBe(0);
    for (const args of [['-o', 'json'], ['--dry-run'], ['--dry-run=curl'], ['--debug']]) {
      const { stdout, stderr } = await replay(line(), peer, ['--resign', ...args]);
      expect(stdout + stderr).not.toContain(KEY.slice(6));
    }
  });
});

describe('the selection of svc webhooks replay', () => {
  const text = [
    line({ id: 'evt_1' }),
    line({ id: 'evt_2', more: { response: 401, event_id: null, event_type: null } }),
    line({
      id: 'evt_3',
      body: Buffer.from('{"id":"evt_3","type":"summary.completed","data":{}}'),
      more: { forward: { status: 500, ms: 3 }, response: 500 },
    }),
    line({ id: 'evt_4', more: { forward: { status: null, ms: 3, error: 'timeout' }, response: 202 } }),
    line({ id: 'evt_5', more: { forward: { status: 200, ms: 3 } } }),
    line({ id: 'evt_6', more: { response: undefined, forward: undefined } }),
  ].join('');

  it('is by status and type', async () => {
    for (const [args, chosen] of [
      [[], [1, 2, 3, 4, 5, 6]],
      [
        ['--status', 'failed'],
        [2, 3, 4],
      ],
      [['--event', 'summary.completed'], [3]],
      [
        ['--event', 'webhook.ping', '--status', 'failed'],
        [2, 4],
      ],
    ] as const) {
      const peer = await statuses(200);
      const { code, stdout } = await replay(text, peer, ['-o', 'json', ...args]);
      expect([code, ids(peer.taken)], args.join(' ')).toEqual([0, chosen.map((id) => `evt_${id}`)]);
      expect((JSON.parse(stdout) as unknown[]).length).toBe(chosen.length);
    }
  });

  it('is by time, and leaves out what has no time', async () => {
    const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();
    const three = [3, 2, 1].map((age) => line({ id: `evt_${age}`, more: { received_at: ago(age) } })).join('');
    for (const [args, chosen, notice] of [
      ['--since 2m', ['evt_2', 'evt_1'], '1 skipped by the filters\n'],
      ['--until 2m', ['evt_3', 'evt_2'], '1 skipped by the filters\n'],
      ['--since 2m --until 2m', ['evt_2'], '2 skipped by the filters\n'],
      [`--since ${ago(3)}`, ['evt_3', 'evt_2', 'evt_1'], ''],
    ] as const) {
      const peer = await statuses(204);
      const { code, stderr } = await replay(three, peer, ['-o', 'ndjson', ...args.split(' ')]);
      expect({ args, code, stderr, sent: ids(peer.taken) }).toEqual({ args, code: 0, stderr: notice, sent: chosen });
    }
    expect(await replay(request().toString(), await statuses(204), ['--since', '2h'])).toMatchObject({
      code: 0,
      stderr: '1 skipped by the filters\nnothing was sent\n',
    });
  });
});

describe('lines that svc webhooks replay cannot read', () => {
  it('are left out if the last is incomplete', async () => {
    const peer = await statuses(200);
    const whole = line({ id: 'evt_2' });
    for (const cut of [1, 20, whole.length - 30, whole.length - 2]) {
      const { code, stderr } = await replay(line() + whole.slice(0, cut), peer);
      expect(code).toBe(0);
      expect(stderr).toContain('stdin:2: skipped: the last line was cut off while it was being written');
    }
    expect(peer.taken).toHaveLength(4);
    expect((await replay(line() + whole.trimEnd(), peer)).stderr).toBe('2 sent: 2 accepted\n');
  });

  it('are reported, and count as failed', async () => {
    for (const bad of [
      'garbage\n',
      '{"v":1,"headers":[],"body_b64":"e30"}\n',
      '{"v":1,"headers":[],"body_b64":7}\n',
      '{"v":1,"headers":7,"body_b64":"e30="}\n',
      '{"v":2,"headers":[],"body_b64":"e30="}\n',
    ]) {
      const peer = await statuses(200);
      const { code, stderr } = await replay(line() + bad + line({ id: 'evt_3' }), peer);
      expect([code, ids(peer.taken)], bad).toEqual([10, ['evt_1', 'evt_3']]);
      expect(stderr).toContain('stdin:2: not a recorded delivery; skipped');
    }
  });

  it('with a header that HTTP cannot carry fail alone', async () => {
    const peer = await statuses(200);
    const bad = line({ headers: [['X-Service-Event', 'a\r\nX-Evil: 1']] });
    const { code, stdout } = await replay(bad + line({ id: 'evt_2' }), peer, ['-o', 'json']);
    expect(code).toBe(10);
    expect((JSON.parse(stdout) as { error: { code: string } | null }[]).map(({ error }) => error?.code)).toEqual([
      'invalid_value',
      undefined,
    ]);
    expect(ids(peer.taken)).toEqual(['evt_2']);
  });
});

describe('the outcome of svc webhooks replay', () => {
  it('comes one by one, in the order of the recording', async () => {
    const one = await receiver((_request, response) => void setImmediate(() => response.end()));
    const all = ['evt_1', 'evt_2', 'evt_3', 'evt_4'];
    await replay(all.map((id) => line({ id })).join(''), one);
    expect([one.atOnce, ids(one.taken)]).toEqual([1, all]);
  });

  it('decides on the exit status', async () => {
    for (const [answers, code] of [
      [[200], 0],
      [[500], 1],
      [[200, 500], 10],
    ] as const) {
      const run = await replay(line() + line({ id: 'evt_2' }), await statuses(...answers));
      expect(run.code).toBe(code);
      expect(run.stdout).toMatch(/^ {2}1 {2}evt_1 {2}\d{3} {2}\d+ ms\n {2}2 {2}evt_2 /);
    }
    const none = await replay(line() + line(), 'http://127.0.0.1:1/');
    expect(none).toMatchObject({ code: 7, stdout: expect.stringContaining('connect_failed') });
  });
});

it('svc webhooks replay does not send the file that a file of an editor names', async () => {
  const peer = await statuses(204);
  const head = 'POST http://localhost/ HTTP/1.1\nX-Service-Timestamp: 1\nX-Service-Signature: sha256=1\n';
  await replay(`### one\n${head}\n< /etc/passwd\n`, peer);
  expect(peer.taken.map(({ body }) => body.toString())).toEqual(['< /etc/passwd\n']);
});

it('svc webhooks replay ends at the first end of a recording, even if its deliveries are recorded into it again', async () => {
  const file = join(temporaryHome(), 'rec.ndjson');
  const { port, stop } = await listen(['--record', file]);
  const to = ['--to', `http://127.0.0.1:${port}/`];
  await svc(['webhooks', 'send', ...to, '--repeat', '2'], { env });
  const run = await svc(['webhooks', 'replay', file, ...to], { env });
  await stop();
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '2 sent: 2 accepted\n' });
  expect(readFileSync(file, 'utf8').match(/\n/g)).toHaveLength(4);
});
