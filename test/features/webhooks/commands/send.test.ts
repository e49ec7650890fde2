/** `svc webhooks send`: the request, and the handling of the response. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import type { SentDelivery } from '../../../../src/features/webhooks/sending/sending.ts';
import { failure, type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { KEY, moveClock, type Receiver, receiver, sign, statuses, type Taken } from './handmade-receiver.ts';

const NOW = Date.UTC(2026, 0, 1);
const env = { SVC_WEBHOOK_SECRET: KEY };

const send = (to: string | Receiver, args: readonly string[] = [], options: RunOptions = {}): Promise<Run> =>
  svc(['webhooks', 'send', '--to', typeof to === 'string' ? to : to.url, ...args], { env, ...options });

/** Sends to a receiver that accepts everything, and returns what it received. */
async function sent(args: readonly string[] = [], options: RunOptions = {}): Promise<readonly Taken[]> {
  const peer = await statuses(200);
  const { code, stderr } = await send(peer, ['-q', ...args], { now: () => NOW, ...options });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return peer.taken;
}

function header({ headers }: Taken, name: string): string | undefined {
  return headers[headers.indexOf(name) + 1];
}

function json({ body }: Taken | { readonly body: Buffer }): {
  id: string;
  type: string;
  data: Record<string, unknown>;
} {
  return JSON.parse(body.toString());
}

afterEach(() => void vi.useRealTimers());

describe('the request of svc webhooks send', () => {
  it('may have an unknown type, with a suggestion', async () => {
    const { code, stderr } = await send(await statuses(200), ['sumary.completed']);
    expect([code, stderr]).toEqual([0, expect.stringContaining('did you mean summary.completed?')]);
  });

  it('is a signed ping with the headers of the document', async () => {
    const [taken] = (await sent()) as [Taken];
    expect({ method: taken.method, path: taken.path }).toEqual({ method: 'POST', path: '/hook' });
    const { headers, body } = taken;
    const at = headers.indexOf('User-Agent');
    expect(headers.slice(at)).toEqual([
      'User-Agent',
      expect.stringMatching(/^svc\//),
      'Content-Type',
      'application/json',
      'X-Service-Event',
      'webhook.ping',
      'X-Service-Delivery',
      expect.stringMatching(/^dlv_\w+$/),
      'X-Service-Timestamp',
      '1767225600',
      'X-Service-Signature',
      sign('1767225600', body),
      'content-length',
      String(body.length),
    ]);
    expect(json(taken)).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'webhook.ping',
      created_at: '2026-01-01T00:00:00Z',
      data: {},
    });
  });

  it('is the file, signed byte for byte', async () => {
    const body = Buffer.from([...Buffer.from('\ufeff{"id":"evt_f", "type":"a.b"}\r\n\n'), 0xff, 0]);
    const file = join(temporaryHome(), 'body');
    writeFileSync(file, body);
    for (const [args, options] of [
      [['--body', file], {}],
      [['--body', '-'], { stdin: body }],
    ] as const) {
      const [taken] = (await sent(args, options)) as [Taken];
      expect(taken.body.equals(body)).toBe(true);
      expect(header(taken, 'X-Service-Signature')).toBe(sign('1767225600', body));
      expect(taken.headers).not.toContain('X-Service-Event');
    }
  });

  it('has the type of the file in its header by default', async () => {
    const stdin = '{"id":"evt_f","type":"a.b"}';
    const [taken] = (await sent(['--body', '-'], { stdin })) as [Taken];
    expect(header(taken, 'X-Service-Event')).toBe('a.b');
    const [other] = (await sent(['--body', '-', 'c.d'], { stdin })) as [Taken];
    expect(header(other, 'X-Service-Event')).toBe('c.d');
  });

  it('repeats the same event with --repeat', async () => {
    const again = await sent(['--repeat', '3', '--id', 'evt_mine']);
    expect(again.map((taken) => json(taken).id)).toEqual(['evt_mine', 'evt_mine', 'evt_mine']);
    expect(new Set(again.map(({ body }) => body.toString())).size).toBe(1);
  });

  it('is not sent with wrong arguments', async () => {
    for (const [args, message] of [
      [['--body', '-', '--id', 'evt_1'], '--body is the complete event'],
      [['webhook.ping', 'x.y'], 'unexpected argument "x.y"'],
      [['webhook.ping,x.y'], 'is not an event type'],
      [['http://127.0.0.1:3000/hook'], 'is not an event type\nhint: name the receiver with --to <url>, and a file'],
      [['body.json'], '"body.json" is not an event type'],
      [['--secret', 'whsec_x'], 'svc takes no secret from'],
      [['--repeat', '0'], 'less than 1'],
    ] as const) {
      const peer = await statuses(200);
      const { code, stderr } = await send(peer, args);
      expect({ args, code, taken: peer.taken }).toEqual({ args, code: 2, taken: [] });
      expect(stderr).toContain(message);
    }
  });
});

describe('the response to svc webhooks send', () => {
  it('decides on the exit status', async () => {
    for (const [status, code] of [
      [200, 0],
      [204, 0],
      [302, 1],
      [401, 1],
      [500, 1],
    ] as const) {
      const run = await send(await statuses(status));
      expect(run.code).toBe(code);
      expect(run.stdout).toMatch(new RegExp(`^evt_\\w+  ${status}  \\d+ ms\\n$`));
    }
    expect((await send(await statuses(404, 500), ['--repeat', '2'])).code).toBe(1);
  });

  it('is not followed if it redirects, but names the target', async () => {
    const other = await statuses(200);
    const peer = await receiver((_request, response) => response.writeHead(308, { location: other.url }).end('moved'));
    const { code, stdout, stderr } = await send(peer);
    expect({ code, followed: other.taken }).toEqual({ code: 1, followed: [] });
    expect(stdout).toContain(`308  `);
    expect(stdout).toContain(`to ${other.url} moved`);
    expect(stderr).toBe('');
  });

  it('is searched for the secret before it is cut', async () => {
    const peer = await receiver((_request, response) => response.writeHead(500).end('x'.repeat(4_076) + KEY));
    const { answer } = JSON.parse((await send(peer, ['-o', 'json'])).stdout) as SentDelivery;
    expect(answer.replace(/^x+/, '')).toBe('***');
  });

  it('is one object in JSON, or an array for several', async () => {
    const one = JSON.parse((await send(await statuses(503), ['-o', 'json'])).stdout);
    expect(one).toEqual({
      n: 1,
      event_id: expect.stringMatching(/^evt_/),
      event_type: 'webhook.ping',
      status: 503,
      ms: expect.any(Number),
      delivered: false,
      answer: '',
      location: null,
      error: null,
    });
    const run = await send(await statuses(200, 500), ['-o', 'json', '--repeat', '2']);
    const rows = JSON.parse(run.stdout) as SentDelivery[];
    expect([run.code, rows.map(({ status, delivered }) => [status, delivered])]).toEqual([
      10,
      [
        [200, true],
        [500, false],
      ],
    ]);
  });

  it('is shown by its beginning on one line, escaped', async () => {
    const peer = await receiver((_request, response) =>
      response.writeHead(500).end(`oh\n\u001b[31mno ${'x'.repeat(99)}`),
    );
    const { stdout } = await send(peer);
    expect(stdout).toMatch(/^evt_\w+ {2}500 {2}\d+ ms {2}oh \\x1b\[31mno x{60,80}…\n$/);
  });

  it('is an error for scripts where there is none', async () => {
    for (const [url, message] of [
      ['http://127.0.0.1:1/', 'nothing listens at 127.0.0.1:1'],
      ['http://nowhere.invalid/', 'nowhere.invalid'],
    ] as const) {
      const run = await send(url, ['-o', 'json']);
      expect([run.code, run.stdout, failure(run).message]).toEqual([7, '', expect.stringContaining(message)]);
    }
    const several = await send('http://127.0.0.1:1/', ['--repeat', '2', '-o', 'json']);
    expect(several.code).toBe(7);
    expect((JSON.parse(several.stdout) as SentDelivery[]).map(({ status }) => status)).toEqual([null, null]);
  });

  it('is awaited for 5 s', async () => {
    const silent = await receiver(() => void moveClock(5_000));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    expect(await send(silent)).toMatchObject({ code: 7, stderr: expect.stringContaining('no response within 5 s') });
  });

  it('is not awaited after an interruption', async () => {
    const stopped = new AbortController();
    const peer = await receiver(() => stopped.abort(new SvcError('interrupted', 'interrupted')));
    const { code } = await send(peer, ['--repeat', '5'], { signal: stopped.signal });
    expect(code).toBe(130);
  });
});

describe('svc webhooks send --dry-run', () => {
  it('prints the exact requests, and does not connect', async () => {
    const peer = await statuses(200);
    const args = ['--repeat', '2', '--id', 'evt_1', '--dry-run', '-o', 'json'];
    const { code, stdout, stderr } = await send(peer, args, { now: () => NOW });
    expect({ code, stderr, taken: peer.taken }).toEqual({ code: 0, stderr: '', taken: [] });
    const requests = JSON.parse(stdout) as { headers: Record<string, string>; body: string }[];
    expect(requests).toHaveLength(2);
    const [request] = requests;
    const body = '{"id":"evt_1","type":"webhook.ping","created_at":"2026-01-01T00:00:00Z","data":{}}';
    expect(request?.body).toBe(body);
    expect(request?.headers['X-Service-Signature']).toBe(sign('1767225600', Buffer.from(body)));
  });
});

describe('svc webhooks send', () => {
  it('shows no secret, not even one that the response has', async () => {
    const { url } = await receiver((_request, response) => response.writeHead(401).end(`expected ${KEY}`));
    for (const args of [['--dry-run'], ['--dry-run=curl'], ['-o', 'json'], ['--debug'], []]) {
      const { stdout, stderr } = await send(url, args);
      expect(stdout).toContain(args.join().startsWith('--dry-run') ? 'X-Service-Signature' : 'expected ***');
      expect(stdout + stderr).not.toContain(KEY.slice(6, 20));
    }
  });

  it('warns about plain http to another machine, and about a certificate that is not checked', async () => {
    for (const [url, warning] of [
      ['http://nowhere.invalid/hook', 'warning: plain http to'],
      ['https://127.0.0.1:1/hook', 'warning: the certificate of 127.0.0.1:1 is not checked'],
    ] as const) {
      expect((await send(url, ['--insecure'])).stderr).toContain(warning);
    }
  });
});
