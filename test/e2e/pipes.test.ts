import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAlertmanagerEmulator } from '../../src/sandbox/alerts/server.ts';
import { getJson } from '../support/alertmanager.ts';
import type { FaultServer } from '../support/servers.ts';
import { IS_HARD } from '../support/turns.ts';
import { staticServer, wireAlert } from './alerts.ts';
import { shell, startSvc } from './binary.ts';

const COUNT = IS_HARD ? 10_000 : 1_500;
const BODY = JSON.stringify(Array.from({ length: COUNT }, (_, index) => wireAlert(index)));
const FORMATS = ['table', 'json', 'csv'];

let big: FaultServer;
let small: { readonly url: string; close(): Promise<void> };
const env = (): Record<string, string> => ({ SVC_ALERTS_URL: big.url });
const smallEnv = (): Record<string, string> => ({ SVC_ALERTS_URL: small.url });

beforeAll(async () => {
  big = await staticServer(BODY);
  small = await startAlertmanagerEmulator({ now: Date.now, seed: 'demo' });
});
afterAll(async () => {
  await big.close();
  await small.close();
});

/** What a reader gets that takes its time between any two chunks. */
async function readSlowly(argv: readonly string[]): Promise<{ text: string; code: number | null; stderr: string }> {
  const { child, ended } = startSvc(argv, { env: env(), unread: true });
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout ?? []) {
    chunks.push(chunk as Buffer);
    await sleep(1);
  }
  const { code, stderr } = await ended;
  return { text: Buffer.concat(chunks).toString(), code, stderr };
}

describe('megabytes of output to a slow reader', () => {
  it('arrive completely as JSON of the service', async () => {
    expect(BODY.length).toBeGreaterThan(500 * COUNT);
    const { text, code, stderr } = await readSlowly(['alerts', 'list', '-o', 'json']);
    expect({ code, stderr, whole: text === `${BODY}\n` }).toEqual({ code: 0, stderr: '', whole: true });
  });

  it.each(['csv', 'table'])('arrive completely as %s', async (format) => {
    const { text, code, stderr } = await readSlowly(['alerts', 'list', '-o', format, '--no-headers']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = text.split('\n');
    expect([lines.length, lines.at(-2)?.includes(`Alert${COUNT - 1}`)]).toEqual([COUNT + 1, true]);
  });
});

describe('a reader that closes the pipe', () => {
  it.each(FORMATS)('ends %s quietly', async (format) => {
    const { code, stdout, stderr } = await shell(`svc alerts list -o ${format} | head -c 100; exit \${PIPESTATUS[0]}`, {
      env: env(),
    });
    expect([code, stdout.length, stderr]).toEqual([0, 100, '']);
  });

  it.each(['alerts list --help', '--version'])('ends svc %s quietly', async (line) => {
    const { code, stderr } = await shell(`svc ${line} | true; exit \${PIPESTATUS[0]}`);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('may be the reader of stderr', async () => {
    const { code, stdout, stderr } = await shell('{ svc alerts list -o id --debug 2>&3 | cat; } 3> >(exec 0<&-)', {
      env: smallEnv(),
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.trim().split('\n')).toHaveLength(6);
  });
});

describe('a stream that is closed', () => {
  it('is not an error if it is stdout', async () => {
    expect(await shell('svc alerts list >&-', { env: smallEnv() })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await shell('svc --version >&-')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('loses only messages if it is stderr', async () => {
    const { code, stdout } = await shell('svc alerts list -o id -v 2>&-', { env: smallEnv() });
    expect([code, stdout.trim().split('\n').length]).toEqual([0, 6]);
    expect(await shell('svc alerts nope 2>&-')).toMatchObject({ code: 2, stdout: '' });
  });

  it('counts as empty if it is stdin', async () => {
    expect(await shell('svc alerts list -o id <&-', { env: smallEnv() })).toMatchObject({ code: 0, stderr: '' });
    const { code, stderr } = await shell('svc alerts create -f - <&-', { env: smallEnv() });
    expect([code, stderr]).toEqual([2, 'svc: -: is empty\n']);
  });
});

describe.skipIf(!existsSync('/dev/full'))('a full disk', () => {
  const FULL = 'cannot write to standard output: no space left on device';

  it.each(FORMATS)('is reported in one message for %s', async (format) => {
    const { code, stderr } = await shell(`svc alerts list -o ${format} >/dev/full`, { env: smallEnv() });
    expect(code).toBe(2);
    if (format.endsWith('json')) {
      expect(JSON.parse(stderr)).toEqual({ error: expect.objectContaining({ code: 'file_unusable', message: FULL }) });
    } else {
      expect(stderr).toBe(`svc: ${FULL}\n`);
    }
  });

  it.each(['--version', 'help silences create', 'config path'])(
    'is reported in one message for svc %s',
    async (line) => {
      expect(await shell(`svc ${line} >/dev/full`)).toMatchObject({ code: 2, stderr: `svc: ${FULL}\n` });
    },
  );

  it('does not hide that a write succeeded', async () => {
    const run = await shell('svc silences create alertname=FullDisk -c full -q >/dev/full', { env: smallEnv() });
    expect(run.code).toBe(8);
    expect(run.stderr).toContain(FULL);
    expect(run.stderr).toContain('was sent');
    const silences = await getJson<{ comment: string }[]>(small.url, '/api/v2/silences?filter=alertname%3DFullDisk');
    expect(silences.map(({ comment }) => comment)).toEqual(['full']);
  });
});
