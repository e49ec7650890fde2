/** The first try of `svc webhooks listen`: a port as the target, any path, and a secret that svc makes. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Run, svc, temporaryHome } from '../../../support/svc.ts';
import { deliver, event } from '../receiver-client.ts';
import { deliveries, lines, listen, recordedIn, rows, SECRET, target } from './listening.ts';

const listenTo = (to: string, ...args: readonly string[]): Promise<Run> => {
  const argv = ['webhooks', 'listen', '--port', '0', '--wait', '1ms', '-o', 'ndjson', '--forward-to', to, ...args];
  return svc(argv, { env: SECRET });
};

describe('the target of --forward-to', () => {
  it('is a port, an address without http://, or a URL', async () => {
    const app = await target((response) => response.end());
    const { port: appPort } = new URL(app.url);
    for (const [text, path] of [
      [`:${appPort}`, '/'],
      [`shop.localhost:${appPort}/shop`, '/shop'],
      [app.url, '/hook?a=b&c=d'],
    ] as const) {
      const { port, stop } = await listen(['--forward-to', text, '-o', 'ndjson']);
      expect((await deliver(port, event('evt_1'))).status).toBe(200);
      expect(app.taken.at(-1)?.path).toBe(path);
      expect(deliveries(await stop())[0]?.forward).toEqual({ status: 200, ms: expect.any(Number) });
    }
  });

  it('may be any address of this machine', async () => {
    for (const text of ['https://127.0.0.1/', 'http://127.3.4.5:1/', 'http://[::1]:3000/a?b=c'])
      expect(rows(await listenTo(text))[0]?.['forward']).toBe(text);
  });

  it('is another machine with --forward-external only', async () => {
    for (const text of ['http://203.0.113.7/', 'http://127.0.0.1.example.com/', 'http://[::2]/']) {
      expect(await listenTo(text)).toMatchObject({ code: 2, stderr: expect.stringContaining('is not this machine') });
      expect(rows(await listenTo(text, '--forward-external'))[0]?.['forward']).toBe(text);
    }
    const unknown = 'svc-app.invalid is not this machine: its name cannot be resolved';
    expect((await listenTo('http://svc-app.invalid/')).stderr).toContain(unknown);
  });
});

describe('the response of the application', () => {
  const LONG = Array.from({ length: 9 }, (_, index) => `line ${index + 1}`).join('\n');

  it('is shown below the row if it is not a 2xx', async () => {
    for (const [body, shown] of [
      ['TypeError: x is null\n\tat app.js:12\n', ['TypeError: x is null', '  at app.js:12']],
      [LONG, ['line 1', 'line 2', 'line 3', 'line 4', 'line 5', '…']],
      ['\x1b]0;x\x07\u202e\x9b31m', ['\\x1b]0;x\\x07\\u202e\\x9b31m']],
      [`expected ${SECRET.SVC_WEBHOOK_SECRET}`, ['expected ***']],
    ] as const) {
      const app = await target((response) => response.writeHead(500).end(body));
      const { port, stop } = await listen(['--forward-to', app.url], { terminal: 80 });
      await deliver(port, event('evt_1'));
      const [row, ...below] = lines((await stop()).stdout).map((line) => line.replaceAll(/\x1b\[\d+m/g, ''));
      expect(row).toMatch(/-> 500 \d+ ms$/);
      expect(below).toEqual(shown.map((line) => `  ${line}`));
    }
  });

  it('is in ndjson and in the recording, up to 1 KiB', async () => {
    const record = join(temporaryHome(), 'rec.ndjson');
    let answer = { status: 422, body: `no audio_id\n${'x'.repeat(5_000)}` };
    const app = await target((response) => response.writeHead(answer.status).end(answer.body));
    const { port, stop } = await listen(['--forward-to', app.url, '--record', record, '-o', 'ndjson']);
    await deliver(port, event('evt_1'));
    answer = { status: 200, body: 'thank you' };
    await deliver(port, event('evt_2'));
    const forward = [
      { status: 422, ms: expect.any(Number), body: `no audio_id\n${'x'.repeat(1_012)}` },
      { status: 200, ms: expect.any(Number) },
    ];
    expect(deliveries(await stop()).map((row) => row.forward)).toEqual(forward);
    expect(recordedIn(record).map((one) => one['forward'])).toEqual(forward);
  });
});

describe('svc webhooks listen without a secret', () => {
  const secretOf = (home: string): string => join(home, 'state', 'listen-secret');

  it('makes one at a terminal, and prints the line that signs with it', async () => {
    const home = temporaryHome();
    const { port, ended } = await listen(['--count', '1'], { home, env: {}, terminal: 100 });
    expect(statSync(secretOf(home)).mode & 0o777).toBe(0o600);
    const sending = ['webhooks', 'send', '--to', `http://127.0.0.1:${port}/`, '--secret-file', secretOf(home)];
    expect(await svc(sending, { env: {} })).toMatchObject({ code: 0 });
    const { code, stderr, stdout } = await ended;
    expect(code).toBe(0);
    expect(stderr).toContain(`\n  svc ${sending.join(' ')}\n`);
    expect(stdout + stderr).not.toContain(readFileSync(secretOf(home), 'utf8').trim());
  });

  it('has the same one at the next run', async () => {
    const home = temporaryHome();
    const first = await listen([], { home, env: {}, terminal: 100 });
    const secret = readFileSync(secretOf(home), 'utf8');
    expect(secret).toMatch(/^whsec_[\w+/]{43}=\n$/);
    const second = await listen(['-o', 'ndjson'], { home, env: {}, terminal: 100 });
    for (const { port } of [first, second]) {
      expect((await deliver(port, event('evt_1'), { key: secret.trim() })).status).toBe(204);
    }
    await first.stop();
    const run = await second.stop();
    expect(rows(run)[0]).toMatchObject({ type: 'ready' });
    expect(run.stderr).toContain(`--secret-file ${secretOf(home)}`);
  });

  it('says what to do where it cannot make one', async () => {
    const home = temporaryHome();
    writeFileSync(join(home, 'state'), '');
    const run = await svc(['webhooks', 'listen', '--port', '0'], { home, env: {}, terminal: 100 });
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(
      /no signing secret, and svc cannot make one: cannot lock [\s\S]*pass --secret-file <file>/,
    );
  });

  it('exits 2 in a script, and names the options', async () => {
    for (const [args, options] of [
      [[], {}],
      [['--no-input'], { terminal: 100 }],
      [[], { terminal: 100, env: { CI: 'true' } }],
    ] as const) {
      const home = temporaryHome();
      const run = await svc(['webhooks', 'listen', '--port', '0', ...args], { home, env: {}, ...options });
      expect(run.code).toBe(2);
      expect(run.stderr).toMatch(
        /no signing secret[\s\S]*--secret-file <file>, --secret-env <name> or --endpoint <id>/,
      );
      expect(existsSync(secretOf(home))).toBe(false);
    }
  });
});
