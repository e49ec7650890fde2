/** `svc webhooks listen --tunnel`: from nothing to the first event, and nothing left behind. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SvcError } from '../../../../src/errors.ts';
import { type RunOptions, temporaryHome } from '../../../support/svc.ts';
import { deliveries, rows, target } from './listening.ts';
import { type Subscribed, subscribed } from './subscribed.ts';
import { isAlive, tunnelScript } from './tunneling.ts';

const script = tunnelScript();
let service: Subscribed;
beforeAll(async () => {
  service = await subscribed([], { receiverCa: script.ca });
});
afterAll(() => service.close());
beforeEach(() => {
  service.account.subscriptions.clear();
  service.traps.clear();
});

const LISTEN = ['listen', '--port', '0', '--cacert', script.caFile, '--tunnel'];
const run = (args: readonly string[], options: RunOptions = {}) =>
  service.run([...LISTEN, ...args], { sleeps: true, ...options });
const events = (): readonly (readonly string[])[] =>
  [...service.account.subscriptions.values()].map((one) => one.events);
/** What a program has written is read in the next turns of the event loop. */
const readPipes = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn++) await new Promise((done) => setImmediate(done));
};
/** What gets SIGKILL ends a moment later. */
const tunnelIsGone = (): Promise<boolean> =>
  vi.waitUntil(() => !isAlive(Number(readFileSync(script.pidFile, 'utf8'))), { timeout: 30_000 });

describe('svc webhooks listen --tunnel', () => {
  it('receives a verified event, forwards it, and cleans up', async () => {
    const app = await target((response) => response.writeHead(200).end());
    const ended = await run([script.command, '--forward-to', app.url, '--count', '1', '-o', 'ndjson']);
    expect(ended.stdout + ended.stderr).not.toContain('whsec_');
    expect(ended).toMatchObject({ code: 0, server: expect.stringContaining('server: 127.0.0.1') });
    const [ready] = rows(ended);
    expect(ready).toMatchObject({
      type: 'ready',
      tunnel: {
        url: expect.stringMatching(/^https:\/\/localhost:\d+\/?$/),
        endpoint_id: expect.stringMatching(/^ep_/),
      },
    });
    expect(deliveries(ended)).toMatchObject([{ valid: true, event_type: 'webhook.ping', forward: { status: 200 } }]);
    expect(app.taken).toHaveLength(1);
    expect([events(), await tunnelIsGone()]).toEqual([[], true]);
  });

  it('subscribes to the types of --event, and sends no test event of another', async () => {
    const sentBefore = service.account.log.length;
    const interrupted = new AbortController();
    let seen: readonly (readonly string[])[] = [];
    const ended = await run([script.command, '--event', 'summary.completed', '-o', 'ndjson'], {
      signal: interrupted.signal,
      onStdout: async (text) => {
        if (!text.includes('"ready"')) return;
        seen = events();
        interrupted.abort(new SvcError('interrupted', 'interrupted', { isInterruption: true }));
      },
    });
    expect([ended.code, seen, events(), await tunnelIsGone()]).toEqual([130, [['summary.completed']], [], true]);
    expect(service.account.log).toHaveLength(sentBefore);
  });

  it('reports what it created, and deletes it after --wait', async () => {
    const ended = await run([script.command, '--event', 'summary.completed', '--wait', '1ms']);
    expect(ended.stderr).toMatch(
      /tunnel: https:\/\/localhost:\d+ {2}subscription: (ep_\w+), deleted when svc ends\n[\s\S]*deleted \1\n/,
    );
    expect([ended.code, events(), await tunnelIsGone()]).toEqual([9, [], true]);
  });

  it('warns once about a name that cannot be resolved here, and subscribes it', async () => {
    const sleepsUntil = (ms: number) => (ms === 500 ? Promise.resolve() : undefined);
    const args = [script.command, '--tunnel-url', 'https://svc-tunnel.invalid/', '--event', 'summary.completed'];
    const ended = await run([...args, '--wait', '1ms'], { sleepsUntil });
    expect(ended).toMatchObject({
      code: 9,
      stderr: expect.stringMatching(
        /^warning: svc-tunnel\.invalid does not lead to this listener as seen from here \(.+\): svc subscribes it anyway\ntunnel: https:\/\/svc-tunnel\.invalid\//,
      ),
    });
    expect(events()).toEqual([]);
  });

  it('subscribes no printed address where another service responds', async () => {
    const sleepsUntil = (ms: number) => (ms === 500 ? Promise.resolve() : undefined);
    const ended = await run([`${script.command} docs`], { sleepsUntil });
    expect(ended).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('another service responds at the address that the tunnel program printed'),
    });
    expect([events(), await tunnelIsGone()]).toEqual([[], true]);
  });

  it('ends at once if the service does not respond', async () => {
    const interrupted = new AbortController();
    const silent = await target(() =>
      interrupted.abort(new SvcError('interrupted', 'interrupted', { isInterruption: true })),
    );
    const ended = await run([script.command], {
      env: { SVC_WEBHOOKS_URL: new URL(silent.url).origin },
      signal: interrupted.signal,
    });
    expect([ended.code, silent.taken.length, await tunnelIsGone()]).toEqual([130, 1, true]);
  });

  it('deletes a subscription whose creation was not confirmed', async () => {
    service.traps.add('lost-create');
    const ended = await run([script.command]);
    expect(ended).toMatchObject({ code: 8, stderr: expect.stringContaining('its secret was lost in transit') });
    expect([events(), await tunnelIsGone()]).toEqual([[], true]);
  });

  it('refuses an address that is already subscribed', async () => {
    const id = service.subscribe('https://localhost:1/hook');
    const sleepsUntil = (ms: number) => (ms === 500 ? Promise.resolve() : undefined);
    const ended = await run([script.command, '--tunnel-url', 'https://localhost:1/hook'], { sleepsUntil });
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining('svc webhooks delete <id>') });
    expect([...service.account.subscriptions.keys()]).toEqual([id]);
  });

  it('says why the subscription may remain', async () => {
    service.traps.add('delete-not-ok');
    const ended = await run([script.command, '--count', '1']);
    expect(ended).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/may remain: server answered ok:false: svc webhooks delete ep_/),
    });
    expect([events().length, await tunnelIsGone()]).toEqual([1, true]);
  });
});

describe('a tunnel program that ends or is silent', () => {
  it('is an error with its last lines, and nothing is created', async () => {
    const printed = join(temporaryHome(), 'printed');
    const sleepsUntil = (ms: number) =>
      ms === 30_000 ? vi.waitUntil(() => existsSync(printed), 100_000).then(readPipes) : undefined;
    for (const [command, code, message] of [
      [
        "echo 'no \u001b[31mlicense\u0007'; echo second >&2; exit 3",
        7,
        /the tunnel program ended with exit status 3: .*no license/,
      ],
      ['svc-no-such-tunnel {port}', 2, /the tunnel program could not be run: .*svc-no-such-tunnel.*not found/],
      [
        `echo 'see the manual'; touch ${printed}; exec sleep 60`,
        7,
        /printed no https address within 30 s: see the manual/,
      ],
    ] as const) {
      const ended = await run([command], { sleepsUntil });
      expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
      expect(ended.stderr).not.toMatch(/[\u001b\u0007]/);
      expect(events()).toEqual([]);
    }
  });

  it('while svc listens ends svc, which deletes the subscription', async () => {
    const ended = await run([script.command, '--event', 'summary.completed'], {
      onStderr: (text) => {
        if (text.startsWith('tunnel: ')) process.kill(Number(readFileSync(script.pidFile, 'utf8')), 'SIGTERM');
      },
    });
    expect(ended).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('the tunnel program ended with exit status 143'),
    });
    expect(events()).toEqual([]);
  });
});

describe('the options of svc webhooks listen --tunnel', () => {
  it('exclude a secret, and need a tunnel', async () => {
    const secret = await run([script.command, '--secret-env', 'SECRET']);
    expect(secret).toMatchObject({ code: 2, stderr: expect.stringContaining('leave out secret options') });
    for (const args of [['--tunnel-url', 'https://a.example/'], ['--dry-run']]) {
      const ended = await service.run(['listen', '--port', '0', ...args]);
      expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(`${args[0]} needs --tunnel`) });
    }
  });

  it('print the request with --dry-run, and run nothing', async () => {
    const args = '--port 4000 --tunnel cloudflared --tunnel-url https://a.example/hook --dry-run -o json';
    const ended = await service.run(['listen', ...args.split(' ')]);
    expect(ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('would run: cloudflared tunnel --no-autoupdate --url http://127.0.0.1:4000'),
    });
    expect(ended.stdout).toContain('https://a.example/hook');
    expect(events()).toEqual([]);
  });
});
