import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordSandbox } from '../../../../src/features/sandbox/records.ts';
import { type Sandbox, startSandbox } from '../../../../src/sandbox/sandbox.ts';
import { svc, temporaryHome } from '../../../support/svc.ts';

const NOW = Date.UTC(2026, 5, 1, 12);
const NONE = 'no sandbox is running: svc sandbox start starts one\n';

interface Facts {
  readonly at: number;
  readonly by: 'start' | 'run';
  readonly traps: readonly string[];
  readonly identity: string;
}

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
    status: (...args: readonly string[]) => svc(['sandbox', 'status', ...args], { home, now: () => NOW + 60_000 }),
  };
}

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
    expect(await status('--env')).toMatchObject({ code: 1, stdout: '', stderr: NONE });
    expect(await status('-o', 'json')).toMatchObject({ code: 1, stdout: '[]\n' });
  });

  test('lists the addresses and the traps of each service', async () => {
    const { record, status } = startedSandbox();
    record(other, { traps: ['database-down', 'bad-token', 'hostile-text'] });
    const { code, stdout, stderr } = await status('-o', 'json');
    expect([code, stderr]).toEqual([0, '']);
    const started_at = '2026-06-01T12:00:00.000Z';
    expect(JSON.parse(stdout)).toEqual([
      { service: 'alerts', address: other.env['SVC_ALERTS_URL'], traps: [], started_at },
      { service: 'webhooks', address: other.env['SVC_WEBHOOKS_URL'], traps: ['hostile-text'], started_at },
      { service: 'catalog', address: other.env['SVC_CATALOG_URL'], traps: ['database-down'], started_at },
      { service: 'trade', address: other.env['SVC_TRADE_URL'], traps: ['bad-token'], started_at },
    ]);
    expect((await status('-q')).stdout.split('\n')).toHaveLength(5);
  });

  test('prints the environment of the newest sandbox that stays', async () => {
    const { record, status } = startedSandbox();
    record(one, { at: NOW });
    expect(await status('--env')).toMatchObject({ code: 0, stdout: linesOf(one), stderr: '' });
    record(other, { at: NOW + 1, by: 'run' });
    expect((await status('--env')).stdout).toBe(linesOf(one));
    record(other, { at: NOW + 1 });
    expect((await status('--env')).stdout).toBe(linesOf(other));
  });

  test('deletes the record of a killed sandbox', async () => {
    const { record, records, status } = startedSandbox();
    const killed = await startSandbox(options);
    record(killed);
    record(killed, { identity: 'tester@container' });
    await killed.close();
    expect(await status()).toMatchObject({ code: 1, stdout: '', stderr: NONE });
    // That of a container, or of another machine with this home, stays.
    expect(records()).toBe(1);
  });

  test('does not list another program at its address, and does not delete the record', async () => {
    const { record, records, status } = startedSandbox();
    const stranger = await impostor(one, (_, response) => void response.writeHead(401).end('who?'));
    record(stranger);
    expect(await status()).toMatchObject({ code: 1, stdout: '', stderr: NONE });
    expect(records()).toBe(1);
    await stranger.close();
  });
});
