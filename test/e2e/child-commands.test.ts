import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { IS_EMULATED } from '../support/executable.ts';
import { freePorts } from '../support/ports.ts';
import { svc as inProcess } from '../support/svc.ts';
import { output, type Running, startSvc, svc } from './binary.ts';

/** A sandbox that prints where it is. */
async function sandbox(args: readonly string[]): Promise<{ readonly run: Running; readonly url: string }> {
  const run = startSvc(['sandbox', 'start', ...args]);
  await run.printed('until Ctrl-C');
  return { run, url: /^export SVC_ALERTS_URL=(.*)$/m.exec(run.texts.stdout)?.[1] ?? '' };
}

describe('svc sandbox start', () => {
  it('runs until a signal, and leaves its port free', async () => {
    const port = await freePorts();
    for (const [signal, status] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const { run, url } = await sandbox(['--port', String(port)]);
      expect(url).toBe(`http://127.0.0.1:${port}`);
      expect(await output(['alerts', 'list', '-o', 'id'], { env: { SVC_ALERTS_URL: url } })).toMatch(/^[0-9a-f]{16}\n/);
      // A browser keeps its connection open and says nothing on it.
      const idle = connect(port, '127.0.0.1').on('error', () => {});
      await once(idle, 'connect');
      const { code } = await run.kill(signal);
      idle.destroy();
      expect(code).toBe(status);
    }
  });

  it('says that its port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const run = await svc(['sandbox', 'start', '--port', String(port)]);
    taken.close();
    expect(run).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `svc: --port: ${port} is in use\nhint: choose another, or 0 for a free one\n`,
    });
  });
});

describe('svc sandbox run', () => {
  const run = async (...command: string[]) => await svc(['sandbox', 'run', '--', ...command], { input: 'typed\n' });

  it('runs the same svc against the services', async () => {
    expect(await run('svc', 'alerts', 'list', 'DiskFull', '-o', 'json', '--query', 'length(@)')).toMatchObject({
      code: 0,
      stdout: '1\n',
    });
  });

  it('passes on its streams and its environment', async () => {
    expect(await run('sh', '-c', 'cat; echo "$SVC_ALERTS_URL"; echo said >&2')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^typed\nhttp:\/\/127\.0\.0\.1:\d+\n$/),
      stderr: 'said\n',
    });
  });

  it.each([
    ['its exit status', 'exit 7', 7],
    ['the signal that ended it', 'kill -KILL $$', 137],
  ])('passes on %s', async (_, script, status) => {
    expect(await run('sh', '-c', script)).toMatchObject({ code: status, stdout: '', stderr: '' });
  });

  /** Nothing is started, so this runs in process. */
  const refused = (...command: string[]) =>
    inProcess(['sandbox', 'run', '--', ...command], { env: { PATH: process.env['PATH'] } });

  it.skipIf(IS_EMULATED).each([
    ['no-such-command', 'not found'],
    ['/dev/null', 'permission denied'],
  ])('refuses %s: %s', async (command, why) => {
    expect(await refused(command)).toMatchObject({ code: 2, stderr: `svc: cannot run ${command}: ${why}\n` });
  });

  it('forwards a signal, and waits until the command ends', async () => {
    const script = `trap 'svc alerts list -o id | head -n 1; exit 3' TERM; echo ready; while :; do read -r -t 1 _; done`;
    const running = startSvc(['sandbox', 'run', '--', 'bash', '-c', script], { input: 'open' });
    await running.printed('ready');
    const { code, stdout, stderr } = await running.kill('SIGTERM');
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' });
    expect(stdout).toMatch(/^ready\n[0-9a-f]{16}\n$/);
  });
});

describe("svc's credentials in the environment of a command", () => {
  const SECRETS = {
    SVC_ALERTS_TOKEN: 'alerts-token-1',
    SVC_ALERTS_USER: undefined,
    SVC_TRADE_TOKEN: 'trade-token-1',
    SVC_CATALOG_PASSWORD: 'catalog-password-1',
    SVC_WEBHOOK_SECRET: 'whsec_0123456789',
    OTHER_TOKEN: 'other-token-1',
  };
  const names = (printed: string): string[] =>
    [...printed.matchAll(/^((?:SVC_\w+_(?:TOKEN|PASSWORD|SECRET)|OTHER_TOKEN))=/gm)]
      .map(([, name]) => name ?? '')
      .sort();

  it('are removed from silences run', async () => {
    const { run, url } = await sandbox(['--empty']);
    const env = { ...SECRETS, SVC_ALERTS_URL: url };
    const silenced = ['silences', 'run', 'a=b', '--yes'];
    expect(names(await output([...silenced, '--', 'env'], { env }))).toEqual(['OTHER_TOKEN']);
    await run.kill('SIGTERM');
  });

  it('are those of the sandbox in sandbox run', async () => {
    const printed = await output(['sandbox', 'run', '--', 'env'], { env: SECRETS });
    for (const secret of ['alerts-token-1', 'trade-token-1', 'catalog-password-1', 'whsec_0123456789']) {
      expect(printed).not.toContain(secret);
    }
    expect(names(printed)).toContain('SVC_TRADE_TOKEN');
  });
});
