/** Rate limits: at the limit no process of this machine sends, and an ORA-20301 fills the window. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CALL_LIMITS } from '../../../../src/features/trade/gateway/trading-session.ts';
import { failure } from '../../../support/svc.ts';
import { callCountsIn } from '../counts.ts';
import { NOW, reader } from './reader.ts';

const client = reader();
const POSITIONS = 44;
const HOUR_MS = 3_600_000;
const NEXT = new Date(NOW + HOUR_MS).toISOString();

interface Limit {
  readonly cmd: number;
  readonly used: number;
  readonly free_at: string | null;
}

async function limitOf(cmd: number, home: string): Promise<Limit | undefined> {
  const limits = (await client.json('limits', { home })) as readonly Limit[];
  return limits.find((limit) => limit.cmd === cmd);
}

/** As if as many calls had been made now. */
async function use(home: string, calls: number): Promise<void> {
  const limit = CALL_LIMITS.find(({ cmd }) => cmd === POSITIONS);
  const counts = callCountsIn(home, client.gateway, () => NOW);
  for (let i = 0; i < calls; i++) if (limit !== undefined) await counts.take(limit);
}

it('the fifty-first read of positions within an hour exits 6 with the next possible time, and is not sent', async () => {
  const home = client.temporaryHome();
  await use(home, 49);
  expect((await client.run('positions', { home })).code).toBe(0);
  expect(await limitOf(POSITIONS, home)).toMatchObject({ used: 50, free_at: NEXT });
  const run = await client.run('positions -o json', { home });
  expect(run).toMatchObject({ code: 6, stdout: '' });
  expect(failure(run)).toMatchObject({ code: 'limited', cmd: POSITIONS, retry_after: NEXT });
  expect(run.stderr).toContain('50 in 3600 s');
  expect(client.asked()).toEqual([]);
  // Other tables have their own limits, and nothing was sent to the gateway.
  expect((await client.run('positions --closed', { home })).code).toBe(0);
  expect((await client.run('positions', { home, now: () => NOW + HOUR_MS })).code).toBe(0);
});

it('two commands at once share the calls that are left', async () => {
  const home = client.temporaryHome();
  await use(home, 49);
  const runs = await Promise.all([client.run('positions', { home }), client.run('positions', { home })]);
  expect(runs.map(({ code }) => code).sort()).toEqual([0, 6]);
});

it('an ORA-20301 uses up the limit that it names', async () => {
  const home = client.temporaryHome();
  client.gateway.traps.add('ora-20301');
  const first = await client.run('orders -o json', { home });
  expect(first).toMatchObject({ code: 6, stdout: '' });
  expect(failure(first)).toMatchObject({ code: 'limited', cmd: 46, retry_after: NEXT });
  client.gateway.traps.clear();
  expect(await limitOf(46, home)).toMatchObject({ used: 1500, free_at: NEXT });
  expect((await client.run('orders', { home })).code).toBe(6);
  expect(client.asked()).toEqual([]);
});

describe('svc trade limits', () => {
  it('shows the window of each limit', async () => {
    const { stdout } = await client.run('limits --columns limit,max,window,what');
    for (const line of [
      /^command 8 +2 +600 s +get trader orders$/,
      /^command 24 +500 +3600 s +set instruments \(update_subscriptions\)$/,
      /^command 118 +10 +60 s +get custom closed trade \(ClosedPosition\)$/,
    ]) {
      expect(stdout).toMatch(new RegExp(line.source, 'm'));
    }
    expect(stdout.trimEnd().split('\n')).toHaveLength(1 + 7);
    expect(client.asked()).toEqual([]);
  });

  it.each([
    ['there is no token', { SVC_TRADE_TOKEN: undefined }, 'svc trade login'],
    ['no address is configured', { SVC_TRADE_TOKEN: undefined, SVC_TRADE_URL: undefined }, 'svc config set trade.url'],
  ])('shows the limits without their use if %s', async (why, env, hint) => {
    const { code, stdout, stderr } = await client.run('limits -o json', { env });
    const limits = JSON.parse(stdout);
    expect({ code, rows: limits.length, first: limits[0] }).toMatchObject({
      code: 0,
      rows: 7,
      first: { cmd: 8, max: 2, window_s: 600, used: null, free_at: null },
    });
    expect(stderr).toMatch(new RegExp(`use is not shown because ${why}: .*${hint}`));
    const table = await client.run('limits', { env });
    expect(table.stdout).toMatch(/^command 8 +2 +600 s/m);
  });

  it('counts by address and token, and does not store the token', async () => {
    const home = client.temporaryHome();
    await client.run('orders --account 654061', { home });
    expect(await limitOf(46, home)).toMatchObject({ used: 1 });
    const env = { SVC_TRADE_TOKEN: 'f'.repeat(40) };
    const { stdout } = await client.run('limits -o json', { home, env });
    expect(
      JSON.parse(stdout)
        .map(({ used }: Limit) => used)
        .filter(Boolean),
    ).toEqual([]);
    const folder = join(home, 'state/trade');
    for (const name of readdirSync(folder, { recursive: true }).map(String)) {
      if (!name.endsWith('.json')) continue;
      expect(name + readFileSync(join(folder, name), 'utf8')).not.toContain(client.gateway.token);
    }
  });
});

it('a count that cannot be stored is reported, and the request is sent', async () => {
  const home = client.temporaryHome();
  writeFileSync(join(home, 'state'), '');
  const run = await client.run('orders', { home });
  expect(run.code).toBe(0);
  expect(run.stderr).toContain('svc cannot count calls: cannot lock');
});
