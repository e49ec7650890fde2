/** `svc trade entry buy` and `entry sell`: orders that wait for their rate. */
import { describe, expect, it } from 'vitest';
import { ENTRY_FORM, fileTrader, NOW } from './trader.ts';

const client = await fileTrader();

const BUY = ['entry', 'buy', 'EUR/USD', '5', '--rate', '1.1500'];
const SELL = ['entry', 'sell', 'EUR/USD', '5', '--rate', '1.1500'];

describe('svc trade entry', () => {
  it.each([
    ['nothing but its rate', BUY, ENTRY_FORM],
    [
      'a stop in pips that trails, as in the document',
      [...BUY, '--stop', '50pips', '--trail', 'dynamic'],
      { ...ENTRY_FORM, stop: '-50', trailing_stop_step: '1' },
    ],
    [
      'stop and limit as prices, and a range',
      [...SELL, '--stop', '1.16', '--limit', '1.14', '--range', '3', '--tif', 'DAY'],
      {
        ...ENTRY_FORM,
        is_buy: 'false',
        order_type: 'RangeEntry',
        time_in_force: 'DAY',
        stop: '1.16',
        limit: '1.14',
        is_in_pips: 'false',
        range: '3',
      },
    ],
    [
      'an end, with its zone',
      [...BUY, '--expires', '2026-01-15T01:30:59+02:00'],
      { ...ENTRY_FORM, time_in_force: 'GTD', expiration: '2026-01-14 23:30' },
    ],
  ])('sends %s', async (_name, argv, form) => {
    const { code, stdout } = await client.run([...argv, '--yes']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^order \d+ accepted\n$/) });
    expect(client.orders()).toEqual([form]);
    expect(client.journal()).toMatchObject([
      { command: argv.slice(0, 2).join(' '), path: '/trading/create_entry_order', outcome: 'accepted' },
    ]);
  });

  it('ends tomorrow at a time that has passed today', async () => {
    await client.run([...BUY, '--expires', '10:00', '--tz', 'UTC', '--yes']);
    expect(client.orders()[0]).toMatchObject({ time_in_force: 'GTD', expiration: '2026-01-15 10:00' });
  });

  it('prints a relative end in UTC', async () => {
    const { stderr } = await client.run([...BUY, '--expires', '2h', '--yes'], { at: NOW });
    expect(stderr).toBe('the order expires at 2026-01-14 14:00 UTC\n');
    expect(client.orders()[0]).toMatchObject({ time_in_force: 'GTD', expiration: '2026-01-14 14:00' });
  });
});

it('asks with the kind of the entry', async () => {
  const { asked } = await client.run(SELL, { terminal: 100, answer: false });
  expect(asked).toEqual([
    expect.stringContaining('5 EUR/USD (5,000 EUR) stop entry at 1.15, GTC, in account 654061 (00654061)?'),
  ]);
  expect(client.orders()).toEqual([]);
});

describe('a value that is not valid is refused without a connection:', () => {
  it.each([
    [[...BUY, '--stop', '1.15'], '--stop: 1.15 must be below the rate 1.15 for a buy'],
    [[...BUY, '--tif', 'GTD'], '--tif GTD needs --expires <time>'],
    [[...BUY, '--expires', '20s'], 'is not in the future'],
    [[...BUY.slice(0, -1), '0'], '--rate: "0" is not a price above 0'],
  ])('%j', async (argv, why) => {
    const { code, stderr } = await client.run([...argv, '--yes'], { now: () => NOW });
    expect(code).toBe(2);
    expect(stderr).toContain(why);
    expect(client.calls()).toEqual([]);
  });
});

it('warns while nothing is traded, and sends the order', async () => {
  client.gateway.traps.add('market-closed');
  const { code, stderr } = await client.run([...BUY, '--yes']);
  client.gateway.traps.clear();
  expect(code).toBe(0);
  expect(stderr).toBe('warning: the gateway reports that EUR/USD cannot be bought now: the order stays pending\n');
  expect(client.orders()).toHaveLength(1);
});

it('prints the request and the end in a dry run', async () => {
  const dry = ['--expires', '2h', '--dry-run', '-o', 'json'];
  const { code, stdout, stderr } = await client.run([...BUY, ...dry], { at: NOW });
  expect(code).toBe(0);
  expect(JSON.parse(stdout).body).toEqual({ ...ENTRY_FORM, time_in_force: 'GTD', expiration: '2026-01-14 14:00' });
  expect(stderr).toContain('the order expires at 2026-01-14 14:00 UTC');
  expect(client.orders()).toEqual([]);
});

describe('a whole number that cannot be a price', () => {
  it.each([
    ['a stop on the wrong side', ['buy', 'EUR/USD', '5', '--stop', '40'], 3, '--stop 40pips'],
    ['a limit', ['buy', 'EUR/USD', '5', '--limit', '80'], 3, '--limit 80pips'],
    ['of an entry order', [...BUY, '--stop', '40'], 2, '--stop 40pips'],
  ])('is refused, and pips are suggested: %s', async (_name, argv, exit, meant) => {
    const { code, stderr } = await client.run([...argv, '--yes']);
    expect({ code, orders: client.orders() }).toEqual({ code: exit, orders: [] });
    expect(stderr).toContain(`hint: did you mean ${meant}?`);
  });

  it('is a price if it is near the rate', async () => {
    const argv = ['buy', 'EUR/USD', '5', '--stop', '1', '--limit', '2', '--yes'];
    expect((await client.run(argv)).code).toBe(0);
    expect(client.orders()).toMatchObject([{ stop: '1', limit: '2' }]);
  });
});
