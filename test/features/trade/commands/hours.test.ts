/** `svc trade hours` and `svc trade journal`, which send no requests. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { svc, temporaryHome } from '../../../support/svc.ts';

const WEDNESDAY = Date.UTC(2026, 0, 14, 12);
const hours = (...args: string[]) => svc(['trade', 'hours', ...args, '-o', 'json'], { now: () => WEDNESDAY });

describe('svc trade hours', () => {
  it('shows the hours of now', async () => {
    const { stdout } = await hours();
    expect(JSON.parse(stdout)).toEqual({
      state: 'open',
      now: '2026-01-14T12:00:00.000Z',
      opens_at: '2026-01-18T22:00:00.000Z',
      closes_at: '2026-01-16T21:55:00.000Z',
    });
  });

  it.each([
    ['2026-01-16T21:54:59Z', 'open', 0],
    ['2026-01-16T21:55:00Z', 'closed', 1],
    ['2026-01-18T22:05:00Z', 'opening', 1],
  ])('at %s is %s, and exits %i with --require-open', async (at, state, exit) => {
    const { code, stdout } = await hours('--at', at);
    expect({ code, state: JSON.parse(stdout).state }).toEqual({ code: 0, state });
    expect((await hours('--at', at, '--require-open')).code).toBe(exit);
  });

  it('refuses a time that is none', async () => {
    expect(await svc(['trade', 'hours', '--at', 'noon'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('svc trade journal', () => {
  const ORDER = {
    at: '2026-01-14T11:00:00.000Z',
    profile: 'default',
    base_url: 'https://gateway.example.com/',
    path: '/trading/open_trade',
  };
  const home = (...lines: readonly object[]): string => {
    const folder = temporaryHome();
    mkdirSync(join(folder, 'state/trade'), { recursive: true });
    // Its last line was cut short by a crash.
    const text = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"id":"9","at`;
    writeFileSync(join(folder, 'state/trade/orders.ndjson'), text);
    return folder;
  };
  const journaled = home(
    { id: '1', ...ORDER, command: 'buy', form: { symbol: 'EUR/USD', is_buy: 'true', amount: '5' } },
    { id: '2', ...ORDER, command: 'sell', form: { symbol: 'USD/JPY', is_buy: 'false', amount: '5' } },
    { id: '2', at: ORDER.at, outcome: 'accepted', order_ids: ['390285837'] },
    { id: '3', ...ORDER, command: 'close', form: { trade_id: '1' } },
    { id: '3', at: ORDER.at, outcome: 'refused', message: 'The specified trade does not exist' },
  );

  it('lists the newest first', async () => {
    const { code, stdout } = await svc(['trade', 'journal', '--columns', 'id,command,outcome,order-ids'], {
      home: journaled,
    });
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.trimEnd())).toEqual([
      'ID  COMMAND  OUTCOME   ORDER-IDS',
      '3   close    refused',
      '2   sell     accepted  390285837',
      '1   buy      unknown',
      '',
    ]);
  });

  it('lists only unknown outcomes with --open', async () => {
    const { stdout } = await svc(['trade', 'journal', '--open', '-o', 'json'], { home: journaled });
    expect(JSON.parse(stdout)).toMatchObject([{ id: '1', outcome: 'unknown', order_ids: [], message: null }]);
    expect(await svc(['trade', 'journal', '--limit', '1', '-q'], { home: journaled })).toMatchObject({ stdout: '3\n' });
  });

  it('says that nothing was sent from here', async () => {
    expect(await svc(['trade', 'journal'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no orders were sent from here\n',
    });
  });

  describe('of several gateways', () => {
    const { base_url } = ORDER;
    const gone = 'http://127.0.0.1:41234/';
    const order = (id: string, address: object) => ({ ...ORDER, id, ...address, command: 'buy', form: {} });
    const mixed = home(
      order('1', { base_url }),
      order('2', { base_url: gone }),
      { id: '2', at: ORDER.at, outcome: 'accepted', order_ids: ['7'] },
      order('3', { base_url: gone }),
      order('4', { base_url }),
    );
    const journal = (args: readonly string[], url?: string) =>
      svc(['trade', 'journal', ...args], { home: mixed, env: url === undefined ? {} : { SVC_TRADE_URL: url } });

    it('lists those of all, whatever is configured', async () => {
      for (const url of [gone, undefined]) {
        expect((await journal(['-q'], url)).stdout.trim().split('\n')).toEqual(['4', '3', '2', '1']);
        const { stdout, stderr } = await journal(['--open', '-q'], url);
        expect(stdout.trim().split('\n')).toEqual(['4', '3', '1']);
        expect(stderr).toBe('');
      }
      expect((await journal([], base_url)).stderr).toBe('3 with an unknown outcome: svc trade journal settle\n');
    });
  });
});
