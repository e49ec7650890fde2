/** The secret of a subscription survives Ctrl-C and a full disk: the built `svc webhooks create` and `rotate` as processes. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, type Fault, faultServer } from '../support/servers.ts';
import { environment, HOME, type Running, start, startSvc } from './binary.ts';
import { named } from './terminal.ts';

const OLD = { id: 'ep_1', url: 'https://192.0.2.7/', events: ['webhook.ping'], status: 1 };
const MADE = { ...OLD, endpoint_id: 'ep_9', secret: 'whsec_survives', url: 'https://192.0.2.9/' };
const NEW = ['webhooks', 'create', MADE.url, '--event', 'webhook.ping'];
const CREATE = [...NEW, '--secret-file', 'key'];
const ROTATE = ['webhooks', 'rotate', 'ep_1', '--yes', '--secret-file', 'key'];

const folderOf = (): string => mkdtempSync(join(HOME, 'create-'));
const reply = (body: unknown): string => answer(200, JSON.stringify(body));

/** A service where `create` meets the fault, and everything else goes well. */
async function service(create: Fault) {
  return faultServer((socket, request, index) => {
    if (request.method === 'POST' && request.path === '/v1/webhooks') create(socket, request, index);
    else socket.write(reply({ items: [OLD], queued: true, event_id: 'evt_1', ok: true }));
  });
}

describe('a signal during the request', () => {
  it.each([
    [
      'create',
      'SIGINT',
      130,
      CREATE,
      {
        stdout: /^ID +ep_9$/m,
        stderr: /^server: 127\.0\.0\.1:\d+ \(SVC_WEBHOOKS_URL\)\nUndo: svc webhooks delete ep_9\n$/,
      },
    ],
    ['rotate', 'SIGTERM', 143, ROTATE, { stdout: /^$/, stderr: /ep_9 was created .*ep_1 was not deleted/ }],
  ] as const)('loses no secret of %s (%s)', async (_name, signal, status, argv, printed) => {
    const cwd = folderOf();
    let run: Running | undefined;
    await using server = await service((socket) => {
      run?.child.kill(signal);
      setTimeout(() => socket.write(reply(MADE)), 500); // the signal is there by then, or it changes nothing
    });
    run = startSvc(argv, { cwd, env: { SVC_WEBHOOKS_URL: server.url, SVC_WEBHOOKS_TOKEN: 'pat' } });
    const { code, stdout, stderr } = await run.ended;
    expect({ code, stdout, stderr }).toEqual({
      code: status,
      stdout: expect.stringMatching(printed.stdout),
      stderr: expect.stringMatching(printed.stderr),
    });
    expect(readFileSync(join(cwd, 'key'), 'utf8')).toBe('whsec_survives\n');
    expect(server.requests.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });
});

it('a second Ctrl-C does not wait for a silent service', async () => {
  const cwd = folderOf();
  let run: Running | undefined;
  await using server = await service(() => {
    run?.child.kill('SIGINT');
    setTimeout(() => run?.child.kill('SIGINT'), 50); // signals of one kind that come together are one
  });
  run = startSvc(CREATE, { cwd, env: { SVC_WEBHOOKS_URL: server.url, SVC_WEBHOOKS_TOKEN: 'pat' } });
  const { code, stderr } = await run.ended;
  expect([code, stderr]).toEqual([130, expect.stringContaining('may have been applied')]);
  expect(stderr).not.toMatch(/ at .*:\d+/);
});

const noMount =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { env: environment() }).status !== 0;

describe.skipIf(noMount)(named('a disk that is full', noMount), () => {
  it('is detected before anything is created', async () => {
    await using server = await service((socket) => socket.write(reply(MADE)));
    // Room for a lock, and for no more.
    const script =
      'mkdir small && mount -t tmpfs -o size=20k,mode=700 none small && head -c 16384 /dev/zero > small/full; "$@"';
    const env = { SVC_WEBHOOKS_URL: server.url, SVC_WEBHOOKS_TOKEN: 'pat', SVC_CONFIG_DIR: 'small' };
    const command = ['bash', '-c', script, '-', 'svc', ...NEW, '--store'];
    const run = start('unshare', ['-rm', ...command], { cwd: folderOf(), env });
    const { code, stderr } = await run.ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining('no space left on device')]);
    expect(server.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});
