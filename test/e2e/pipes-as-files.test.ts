import { execFileSync, spawn } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { answer, faultServer } from '../support/servers.ts';
import { HOME, type Running, shell, start, startShell, startSvc, svc } from './binary.ts';

const PIPE = join(HOME, 'pipe');
const CONFIG = join(HOME, '.config/svc');
const STATE = join(HOME, '.local/state/svc');
const BODY = join(HOME, 'body.json');
const SECRET = join(HOME, 'secret.txt');
writeFileSync(BODY, '{}');
writeFileSync(SECRET, `whsec_${Buffer.alloc(24, 7).toString('base64')}\n`, { mode: 0o600 });

const NOWHERE = ['--base-url', 'http://127.0.0.1:9'];
const SIGNED = ['--timestamp', '1', '--signature', 'sha256=00'];

/** An option or an argument of each kind that names a file which is read. */
const READERS: readonly (readonly [name: string, argv: readonly string[]])[] = [
  ['--secret-file', ['webhooks', 'verify', BODY, ...SIGNED, '--secret-file', PIPE]],
  ['--cacert', ['alerts', 'list', ...NOWHERE, '--cacert', PIPE]],
  ['verify FILE', ['webhooks', 'verify', PIPE, ...SIGNED, '--secret-file', SECRET]],
  ['silences import FILE', ['silences', 'import', PIPE, ...NOWHERE]],
];

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;

function makePipe(path: string): void {
  rmSync(path, { force: true });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  execFileSync('sh', ['-c', 'mkfifo -m 600 "$0"', path]);
}

beforeEach(() => makePipe(PIPE));

/** Waits until one of the process's threads does nothing but wait for the other end of a pipe. */
async function blocked({ child }: Running, where: string): Promise<void> {
  const tasks = `/proc/${child.pid}/task`;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('it ended before it waited');
    const waits = readdirSync(tasks).map((task) => waitOf(`${tasks}/${task}/wchan`));
    if (waits.some((wait) => wait.includes(where))) return;
    await setTimeout(5);
  }
}

/** Empty for a thread that is gone. */
function waitOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Waits until the process has read this many bytes. */
async function hasRead({ child }: Running, bytes: number): Promise<void> {
  while (child.exitCode === null) {
    const [, count] = /^rchar: (\d+)/.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8')) ?? [];
    if (Number(count) > bytes) return;
    await setTimeout(5);
  }
  throw new Error('it ended before it had read so much');
}

async function endsBy(run: Running, signal: 'SIGINT' | 'SIGTERM', status: number): Promise<void> {
  const { code, signal: by, stdout, stderr } = await run.kill(signal);
  // A signal that ends the process at once has no status of its own; the shell makes the same of it.
  expect({ code: by === signal ? status : code, stdout, stderr }).toEqual({ code: status, stdout: '', stderr: '' });
}

const hasWaits = existsSync('/proc/self/wchan') && readFileSync('/proc/self/wchan', 'utf8') !== '';

describe.skipIf(!hasWaits)('a pipe without a writer', () => {
  // Both signals end a read in the same way: each reader gets one.
  it.each(READERS.map(([name, argv], at) => [name, argv, ...(SIGNALS[at % 2] ?? SIGNALS[0])] as const))(
    'as %s does not delay a signal',
    async (_name, argv, signal, status) => {
      const run = startSvc(argv);
      await blocked(run, 'wait_for_partner');
      await endsBy(run, signal, status);
    },
  );

  it('or with a silent one at a descriptor does not delay a signal', async () => {
    const writer = spawn('sh', ['-c', 'exec 3>"$0"; exec sleep 1000', PIPE], { stdio: 'ignore' });
    const argv = ['webhooks', 'verify', BODY, ...SIGNED, '--secret-file', '/dev/fd/3'];
    const run = start('sh', ['-c', 'exec svc "$@" 3<"$0"', PIPE, ...argv]);
    await blocked(run, 'pipe_read');
    await endsBy(run, 'SIGTERM', 143);
    writer.kill();
  });
});

describe('input that never ends', () => {
  it('is refused as a file that is read whole', async () => {
    const { code, stderr } = await svc(['webhooks', 'verify', BODY, ...SIGNED, '--secret-file', '/dev/zero']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('larger than 1048576 bytes') });
  });

  it('is interrupted as an argument and as standard input', async () => {
    for (const input of ['/dev/zero', '- </dev/zero']) {
      const run = startShell(`exec svc webhooks verify ${input} ${SIGNED.join(' ')} --secret-file "${SECRET}"`);
      await hasRead(run, 64 << 20);
      await endsBy(run, 'SIGINT', 130);
    }
  });
});

describe('process substitution', () => {
  it('provides a secret by a descriptor', async () => {
    const secret = `--secret-file /dev/fd/3 3< <(cat "${SECRET}")`;
    const run = await shell(`svc webhooks sign "${BODY}" --as http ${secret} | svc webhooks verify - ${secret}`);
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^valid/) });
  });

  it('receives a new secret by a descriptor', async () => {
    const made = {
      endpoint_id: 'ep_9',
      secret: 'whsec_new',
      url: 'https://192.0.2.9/',
      events: ['webhook.ping'],
      status: 1,
    };
    await using service = await faultServer((socket, { method }) =>
      socket.write(answer(200, JSON.stringify(method === 'POST' ? made : { items: [] }))),
    );
    const create = `svc webhooks create ${made.url} --event webhook.ping --secret-file`;
    for (const destination of ['/dev/fd/3 3> >(cat >taken.txt)', '>(cat >taken.txt)']) {
      const line = `${create} ${destination}; until [ -s taken.txt ]; do sleep 0.02; done; cat taken.txt; rm taken.txt`;
      const run = await shell(line, { env: { SVC_WEBHOOKS_URL: service.url, SVC_WEBHOOKS_TOKEN: 'pat' } });
      expect(run).toMatchObject({ stdout: expect.stringMatching(/written to descriptor \d+[\s\S]*\nwhsec_new\n$/) });
    }
  });
});

describe("a pipe in place of one of svc's own files is refused and not replaced", () => {
  it.each([
    ['settings.json', `${CONFIG}/settings.json`, ['config', 'list']],
    ['the lock of the settings', `${CONFIG}/settings.json.lock`, ['config', 'set', 'color', 'never']],
    ['credentials.json', `${CONFIG}/credentials.json`, ['oauth', 'status', ...NOWHERE]],
    ['the journal of orders', `${STATE}/trade/orders.ndjson`, ['trade', 'journal', ...NOWHERE]],
    ['--record', PIPE, ['webhooks', 'listen', '--port', '0', '--secret-file', SECRET, '--record', PIPE]],
    [
      '--out',
      join(HOME, 'pipe.csv'),
      ['trade', 'candles', 'EUR/USD', 'D1', '--since', '2d', '--out', join(HOME, 'pipe.csv'), '--force', ...NOWHERE],
    ],
  ])('%s', async (_name, path, argv) => {
    makePipe(path);
    const { code, stderr } = await svc(argv);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/not a regular file|is not a file|is not a list/),
    });
    expect(lstatSync(path).isFIFO()).toBe(true);
    rmSync(path);
  });
});
