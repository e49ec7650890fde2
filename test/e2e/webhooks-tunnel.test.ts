/** `svc webhooks listen --tunnel` as a process: killed, interrupted, and through a real `ssh -R`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isAlive, tunnelScript } from '../features/webhooks/commands/tunneling.ts';
import { startService, type TestService } from '../sandbox/webhooks/service.ts';
import { freePorts } from '../support/ports.ts';
import { HOME, start, startSvc, type Variables } from './binary.ts';
import { named } from './terminal.ts';

const script = tunnelScript();
let service: TestService;
let env: Variables;
beforeAll(async () => {
  service = await startService({ fast: 1000, receiverCa: script.ca });
  env = { SVC_WEBHOOKS_URL: service.url, SVC_WEBHOOKS_TOKEN: service.token, NODE_EXTRA_CA_CERTS: script.caFile };
});
afterAll(() => service.close());
beforeEach(() => service.account.subscriptions.clear());

const LISTEN = ['webhooks', 'listen', '--port', '0', '--tunnel'];
const FIRST_EVENT = 'webhook.ping  valid';
const expectGone = async (pid: number): Promise<void> => {
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 20_000);
  expect(service.account.subscriptions.size).toBe(0);
};

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 143],
] as const)('leaves nothing behind after %s', async (signal, code) => {
  const listener = startSvc([...LISTEN, script.command], { env });
  await listener.printed(FIRST_EVENT);
  listener.child.kill(signal);
  expect(await listener.ended).toMatchObject({ code, stderr: expect.stringMatching(/deleted ep_\w+\n/) });
  await expectGone(Number(readFileSync(script.pidFile, 'utf8')));
});

const SSHD = '/usr/sbin/sshd';
// sshd as root changes its groups, which a user namespace forbids.
const isConfined = existsSync('/proc/self/setgroups') && readFileSync('/proc/self/setgroups', 'utf8') === 'deny\n';
const noSsh = isConfined || !existsSync(SSHD) || spawnSync('ssh', ['-V']).status !== 0;

describe.skipIf(noSsh)(named('a real ssh -R', noSsh), () => {
  it('reaches the first verified event', async () => {
    const folder = mkdtempSync(join(HOME, 'ssh-'));
    const [host, user] = [join(folder, 'host'), join(folder, 'user')];
    for (const key of [host, user]) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
    // It refuses to start as root without this folder.
    if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
    const sshPort = await freePorts();
    const publicPort = sshPort + 1;
    const options = `Port=${sshPort} ListenAddress=127.0.0.1 HostKey=${host} AuthorizedKeysFile=${user}.pub StrictModes=no UsePAM=no PidFile=none`;
    const server = start(SSHD, ['-D', '-e', '-f', '/dev/null', ...options.split(' ').flatMap((one) => ['-o', one])]);
    onTestFinished(() => void server.child.kill());
    await server.printed('Server listening');
    const ssh = `ssh -N -i ${user} -p ${sshPort} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ExitOnForwardFailure=yes`;
    const command = `${ssh} -R 127.0.0.1:${publicPort}:127.0.0.1:{port} ${userInfo().username}@127.0.0.1`;
    const address = `http://127.0.0.1:${publicPort}/`;
    const run = await startSvc([...LISTEN, command, '--tunnel-url', address, '--count', '1'], { env }).ended;
    expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining(FIRST_EVENT) });
    expect(run.stderr).not.toContain('warning');
    expect(service.account.subscriptions.size).toBe(0);
  });
});
