/** The built `svc webhooks listen` as a process: killed, interrupted, with a full disk or a slow reader. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deliver, delivery, event, KEY, Sender } from '../features/webhooks/receiver-client.ts';
import { environment, HOME, type Running, type StartOptions, shell, start, startSvc, svc } from './binary.ts';
import { named, noTmux, ShellTerminal } from './terminal.ts';

const ENV = { SVC_WEBHOOK_SECRET: KEY };

interface Listener extends Running {
  readonly folder: string;
  readonly port: number;
}

async function ready(folder: string, launch: (args: readonly string[]) => Running): Promise<Listener> {
  const file = join(folder, 'ready.json');
  const watcher = watch(folder);
  const run = launch(['webhooks', 'listen', '--port', '0', '--ready-file', file]);
  const gone = run.ended.then((ended) => {
    throw new Error(`it ended: ${JSON.stringify(ended)}`);
  });
  gone.catch(() => {});
  while (!existsSync(file)) await Promise.race([once(watcher, 'change'), gone]);
  watcher.close();
  const { port } = JSON.parse(readFileSync(file, 'utf8')) as { port: number };
  return { ...run, folder, port };
}

const folderOf = (): string => mkdtempSync(join(HOME, 'listen-'));

async function listen(args: readonly string[], options: StartOptions = {}): Promise<Listener> {
  const folder = folderOf();
  return await ready(folder, (argv) => startSvc([...argv, ...args], { env: ENV, cwd: folder, ...options }));
}

/** Delivers event after event on a few connections, as long as they are answered 204; gives how many were. */
async function deliverMany(port: number, size: number, enough: (answered: number) => void): Promise<number> {
  let index = 0;
  let answered = 0;
  const one = async (): Promise<void> => {
    const sender = new Sender(port);
    try {
      for (;;) {
        const body = event(`evt_${index++}`, 'summary.completed', { text: 'x'.repeat(size) });
        const { status } = await sender.send(delivery(body)).answer();
        if (status !== 204) return;
        enough(++answered);
      }
    } catch {
      // It was killed.
    } finally {
      sender.close();
    }
  };
  await Promise.all(Array.from({ length: 8 }, one));
  return answered;
}

interface Checked {
  readonly status: string;
  readonly event_id: string;
}

async function verified(folder: string): Promise<readonly Checked[]> {
  const { stdout } = await svc(['webhooks', 'verify', join(folder, 'rec.ndjson'), '-o', 'ndjson'], { env: ENV });
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Checked);
}

describe('a recorder killed with -9', () => {
  it('leaves every delivery that it acknowledged, in readable lines', async () => {
    const { child, ended, port, folder } = await listen(['--record', 'rec.ndjson']);
    const answered = await deliverMany(port, 20_000, (count) => {
      if (count === 150) child.kill('SIGKILL');
    });
    expect((await ended).signal).toBe('SIGKILL');
    const text = readFileSync(join(folder, 'rec.ndjson'), 'latin1');
    const whole = text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .slice(0, -1);
    const ids = new Set(whole.map((line) => (JSON.parse(line) as Checked).event_id));
    expect(ids.size).toBeGreaterThanOrEqual(answered);
    // As it may be found where the machine's power failed, too.
    writeFileSync(join(folder, 'rec.ndjson'), text.slice(0, -7));
    const rest = await verified(folder);
    expect(rest.filter(({ status }) => status === 'valid').length).toBeGreaterThanOrEqual(whole.length - 1);
    const again = startSvc(['webhooks', 'listen', '--port', '0', '--record', 'rec.ndjson', '--wait', '1ms'], {
      env: ENV,
      cwd: folder,
    });
    expect(await again.ended).toMatchObject({ code: 9, stderr: expect.stringContaining('in the middle of a line') });
    expect((await verified(folder)).every(({ status }) => status === 'valid')).toBe(true);
  });
});

const noMount =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { env: environment() }).status !== 0;

describe.skipIf(noMount)(named('a disk that is full', noMount), () => {
  it('responds 500, is reported, and leaves complete lines', async () => {
    const folder = folderOf();
    mkdirSync(join(folder, 'small'));
    const copy = join(folder, 'copy.ndjson');
    const script =
      'mount -t tmpfs -o size=256k none small; "$@"; status=$?; cp small/rec.ndjson copy.ndjson; exit $status';
    const { port, child, printed, ended } = await ready(folder, (argv) => {
      const command = ['svc', ...argv, '--record', 'small/rec.ndjson'];
      return start('unshare', ['-rm', 'bash', '-c', `trap '' INT; ${script}`, '-', ...command], {
        env: ENV,
        cwd: folder,
      });
    });
    const answered = await deliverMany(port, 10_000, () => {});
    expect(answered).toBeGreaterThan(5);
    await printed('no space left on device: svc responds 500 to deliveries');
    // A small one finds room, or not; either way it is answered.
    expect([204, 500]).toContain((await deliver(port, event('evt_small'))).status);
    const { pid } = JSON.parse(readFileSync(join(folder, 'ready.json'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGTERM');
    const { code } = await ended;
    expect(code).toBe(2);
    expect(child.exitCode).toBe(2);
    const lines = readFileSync(copy, 'utf8').split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.length).toBeGreaterThanOrEqual(answered);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ v: 1, status: 'valid' });
  });
});

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1);

describe('the history', () => {
  it('of a listener killed with -9 is complete, and the next listener goes on with it', async () => {
    const state = folderOf();
    const file = join(state, 'svc', 'deliveries.ndjson');
    const env = { ...ENV, XDG_STATE_HOME: state };
    const { child, ended, port } = await listen([], { env });
    await deliverMany(port, 20_000, () => {
      if (existsSync(file)) child.kill('SIGKILL');
    });
    expect((await ended).signal).toBe('SIGKILL');
    expect(linesOf(file).length).toBeGreaterThan(0);
    for (const line of linesOf(file)) expect(JSON.parse(line)).toMatchObject({ v: 1, status: 'valid' });
    const next = await listen([], { env });
    await deliver(next.port, event('evt_next'));
    expect((await next.kill('SIGINT')).stderr).not.toContain('warning');
    const again = await listen([], { env });
    const to = `http://127.0.0.1:${again.port}/`;
    expect(await svc(['webhooks', 'replay', 'evt_next', '--to', to], { env })).toMatchObject({ code: 0 });
    await again.kill('SIGINT');
  });
});

describe('a reader of its output', () => {
  it('that reads nothing does not fill the memory: deliveries that cannot be shown are refused', async () => {
    const listener = await listen(['-o', 'ndjson', '--show-body'], { unread: true });
    let refused = 0;
    const sender = new Sender(listener.port);
    for (let index = 0; refused === 0 && index < 30_000; index += 100) {
      const bodies = Array.from({ length: 100 }, (_, at) => delivery(event(`evt_${index + at}`)));
      sender.send(Buffer.concat(bodies));
      for (let at = 0; at < 100; at++) if ((await sender.answer()).status === 503) refused++;
    }
    sender.close();
    expect(refused).toBeGreaterThan(0);
    listener.child.kill('SIGKILL');
    await listener.ended;
  });
});

describe.skipIf(noTmux)(named('a terminal', noTmux), () => {
  it('shows how to sign with a secret that svc makes: the line works when it is pasted', async () => {
    const folder = folderOf();
    const terminal = new ShellTerminal(250, 24, { XDG_STATE_HOME: join(folder, 'with a space'), CI: undefined });
    try {
      terminal.begin(`cd "${folder}"; svc webhooks listen --port 0 --count 1`);
      const shown = await terminal.showsLines((lines) => lines.some((line) => line.startsWith('  svc webhooks send ')));
      const pasted = shown.find((line) => line.startsWith('  svc webhooks send ')) ?? '';
      expect(await shell(pasted)).toMatchObject({ code: 0 });
      const { status, lines } = await terminal.finish();
      expect(status).toBe(0);
      expect(lines.at(-1)).toBe('1 delivery: 1 valid, 0 invalid');
    } finally {
      terminal.close();
    }
  });
});
