import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordSandbox } from '../../../../src/features/sandbox/records.ts';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/sandbox.ts';
import { type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const YES = 'true\n'.repeat(4);
const NO = 'false\n'.repeat(4);
const NONE = 'no sandbox is running: svc sandbox start starts one\n';
const UNUSED = 'this shell does not use it: eval "$(svc sandbox status --env)"\n';

/** One user's files. */
function startedSandbox() {
  const home = temporaryHome();
  const paths = { config: join(home, 'config'), state: join(home, 'state') };
  return {
    record: (
      { env }: Pick<Sandbox, 'env'>,
      { at = NOW, by = 'start', traps = [], identity = 'tester@host' }: Partial<Facts> = {},
    ) =>
      recordSandbox(
        { paths, now: () => at, random: Math.random, identity: () => identity },
        { startedBy: by, traps, env },
      ),
    records: () => readdirSync(join(paths.state, 'sandboxes')).length,
    status: (args: readonly string[] = [], options: RunOptions = {}) =>
      svc(['sandbox', 'status', ...args], { home, now: () => NOW + 60_000, ...options }),
  };
}

interface Facts {
  readonly at: number;
  readonly by: 'start' | 'run';
  readonly traps: readonly string[];
  readonly identity: string;
}

const portOf = ({ env }: Pick<Sandbox, 'env'>): string => new URL(env['SVC_ALERTS_URL'] ?? '').port;
const linesOf = ({ env }: Pick<Sandbox, 'env'>): string =>
  `${Object.entries(env)
    .map(([name, value]) => `export ${name}=${value}`)
    .join('\n')}\n`;

/** A sandbox that is none: its recording service is this. */
async function impostor(real: Sandbox, listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: { ...real.env, SVC_WEBHOOKS_URL: url },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

describe('svc sandbox status', () => {
  let one: Sandbox;
  let other: Sandbox;
  const options = { now: () => NOW, random: Math.random };
  beforeAll(async () => {
    one = await startSandbox(options);
    other = await startSandbox({ ...options, seed: 'empty', traps: ['database-down', 'bad-token', 'hostile-text'] });
  });
  afterAll(() => Promise.all([one.close(), other.close()]));

  test('says that no sandbox runs', async () => {
    const { status } = startedSandbox();
    expect(await status()).toMatchObject({ code: 1, stdout: '', stderr: NONE });
    expect(await status(['--env'])).toMatchObject({ code: 1, stdout: '', stderr: NONE });
    expect(await status(['-o', 'json'])).toMatchObject({ code: 1, stdout: '[]\n', stderr: '' });
  });

  test('lists addresses and contents', async () => {
    const { record, status } = startedSandbox();
    record(one);
    const { code, stdout, stderr } = await status(['--columns', 'service,address,state,holds,started']);
    expect([code, stderr]).toEqual([0, UNUSED]);
    const started = '2026-06-01T12:00:00.000Z';
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['SERVICE', 'ADDRESS', 'STATE', 'HOLDS', 'STARTED'],
      ['alerts', one.env['SVC_ALERTS_URL'], 'up', '9 alerts, 4 silences', started],
      ['webhooks', one.env['SVC_WEBHOOKS_URL'], 'up', '3 subscriptions', started],
      ['catalog', one.env['SVC_CATALOG_URL'], 'up', '6 products', started],
      ['trade', one.env['SVC_TRADE_URL'], 'up', '2 accounts', started],
      [''],
    ]);
    expect((await status(['-q'])).stdout.split('\n')).toHaveLength(5);
  });

  test('names the traps of each service, which still counts as up', async () => {
    const { record, status } = startedSandbox();
    record(other, { traps: ['database-down', 'bad-token', 'hostile-text'] });
    const { code, stdout, stderr } = await status(['-o', 'json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject(
      [
        { service: 'alerts', up: true, version: '0.25.0', holds: { alerts: 0, silences: 0 }, traps: [], here: false },
        { service: 'webhooks', up: true, holds: { subscriptions: 0 }, failure: null, traps: ['hostile-text'] },
        { service: 'catalog', up: true, holds: null, failure: /catalog_unavailable/, traps: ['database-down'] },
        { service: 'trade', up: true, holds: null, failure: expect.stringContaining('refused'), traps: ['bad-token'] },
      ].map((row) => (row.failure instanceof RegExp ? { ...row, failure: expect.stringMatching(row.failure) } : row)),
    );
  });

  test('prints the environment of the newest sandbox, of the one at a port, or of that of this shell', async () => {
    const { record, status } = startedSandbox();
    record(one, { at: NOW + 1 });
    record(other, { at: NOW });
    const lines = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const { code, stdout, stderr } = await status(['--env', ...args], { env });
      return [code, stdout, stderr];
    };
    const several = `2 sandboxes are running; this is ${one.env['SVC_ALERTS_URL']}; choose another with --port\n`;
    expect(await lines([])).toEqual([0, linesOf(one), several]);
    expect(await lines(['--port', portOf(other)])).toEqual([0, linesOf(other), '']);
    expect(await lines(['--port', '1'])).toEqual([1, '', 'no sandbox has its alert manager on port 1\n']);
    const { SVC_TRADE_TOKEN: _, ...leading } = other.env;
    expect(await lines([], leading)).toEqual([0, linesOf(other), '']);
    record(one, { at: NOW + 2, by: 'run' });
    expect((await lines([]))[1]).toBe(linesOf(one));
  });

  test('prefers a sandbox that stays to one that ends with its command', async () => {
    const { record, status } = startedSandbox();
    record(one, { at: NOW });
    record(other, { at: NOW + 1, by: 'run' });
    expect((await status(['--env'])).stdout).toBe(linesOf(one));
  });

  test('says whether this shell uses it', async () => {
    const { record, status } = startedSandbox();
    record(one);
    const here = async (env: Readonly<Record<string, string>>) => {
      const { stdout, stderr } = await status(['--columns', 'here', '--no-headers'], { env });
      return [stdout, stderr];
    };
    const { SVC_WEBHOOKS_TOKEN: _, ...signedInOtherwise } = one.env;
    expect(await here(one.env)).toEqual([YES, '']);
    expect(await here(signedInOtherwise)).toEqual([YES, '']);
    expect(await here({ ...one.env, SVC_ALERTS_URL: `${one.env['SVC_ALERTS_URL']}/` })).toEqual([YES, '']);
    expect(await here({ ...one.env, SVC_TRADE_TOKEN: 'of-an-earlier-one' })).toEqual([NO, UNUSED]);
    expect(await here({ ...one.env, SVC_CATALOG_URL: 'http://192.0.2.7' })).toEqual([NO, UNUSED]);
  });

  test('finds an unrecorded sandbox that the environment names', async () => {
    const { status } = startedSandbox();
    const { code, stdout } = await status(['-o', 'json'], { env: one.env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)[0]).toMatchObject({ traps: null, startedAt: null, startedBy: null, here: true });
  });

  test('reports a killed sandbox once, and deletes its record', async () => {
    const { record, records, status } = startedSandbox();
    const killed = await startSandbox(options);
    record(killed);
    await killed.close();
    const gone = `the sandbox of 2026-06-01T12:00:00.000Z at ${killed.env['SVC_ALERTS_URL']} is gone: it was killed, or its terminal was closed\n`;
    expect(await status(['--port', portOf(one)])).toMatchObject({ code: 1 });
    expect(records()).toBe(0);
    record(killed);
    expect(await status()).toMatchObject({ code: 1, stdout: '', stderr: gone + NONE });
    expect(await status()).toMatchObject({ code: 1, stdout: '', stderr: NONE });
  });

  test('does not mistake another program for it, and keeps a record that it cannot check', async () => {
    const { record, records, status } = startedSandbox();
    const stranger = await impostor(one, (_, response) => void response.writeHead(401).end('who?'));
    record(stranger);
    expect((await status()).stderr).toContain('is gone: it was killed, or its terminal was closed\n');
    expect(records()).toBe(0);
    // A container's, or that of another machine with this home.
    record(stranger, { identity: 'tester@container' });
    expect(await status()).toMatchObject({ code: 1, stdout: '', stderr: NONE });
    expect(records()).toBe(1);
    await stranger.close();
  });

  test('keeps a sandbox whose responses break off, and reports it as down', async () => {
    const { record, records, status } = startedSandbox();
    const broken = await impostor(one, (request) => void request.socket.destroy());
    record(broken);
    const { code, stdout, stderr } = await status(['-o', 'json', '--query', "[?service=='webhooks'].[up, holds]"]);
    expect([code, JSON.parse(stdout), stderr]).toEqual([1, [[false, null]], '']);
    expect(await status(['--env'])).toMatchObject({ code: 1, stdout: '', stderr: NONE });
    expect(records()).toBe(1);
    await broken.close();
  });
});
