/** The commands that look at a table once: what they ask, show and refuse. */

import { describe, expect, it } from 'vitest';
import { failure } from '../../../support/svc.ts';
import { feedGateway, ORDER } from './feed.ts';
import { reader, rowsOf } from './reader.ts';

const client = reader();
const ids = async (argv: string) => (await client.run(`${argv} -q`)).stdout.trimEnd().split('\n');

describe('svc trade accounts', () => {
  it('reads the documented path, and leaves out the row of totals', async () => {
    expect(await client.json('accounts')).toMatchObject([
      { accountId: '654061', accountName: '00654061', hedging: 'Y' },
      { accountId: '654062', accountName: '00654062', hedging: '0' },
    ]);
    expect(client.asked()).toEqual(['GET /trading/get_model/Accounts']);
    const { stdout } = await client.run('accounts');
    expect(rowsOf(stdout).map((row) => [row[0], row[1], ...row.slice(-2)])).toEqual([
      ['ID', 'NAME', 'MARGIN-CALL', 'HEDGING'],
      ['654061', '00654061', 'none', 'hedging'],
      ['654062', '00654062', 'none', 'netting'],
    ]);
  });

  it('reads the other path if the first is unknown', async () => {
    client.gateway.traps.add('accounts-path-404');
    expect(await client.run('accounts -q')).toMatchObject({ code: 0, stdout: '654061\n654062\n' });
    const other = 'GET /trading/get_model models=Account';
    expect(client.asked()).toEqual(['GET /trading/get_model/Accounts', other]);
  });
});

describe('svc trade positions get', () => {
  it('exits 5 for a missing position, and names the other table', async () => {
    const [closed] = (await client.json('positions --closed')) as { tradeId: string }[];
    expect(await client.run(`positions get ${closed?.tradeId}`)).toMatchObject({
      code: 5,
      stderr: expect.stringContaining(`svc trade positions get ${closed?.tradeId} --closed`),
    });
    expect((await client.run('positions get 1 --closed')).code).toBe(5);
    expect((await client.run('positions get EUR/USD')).code).toBe(2);
  });

  it('finds an open or a closed position by its id', async () => {
    const [open] = (await client.json('positions')) as { tradeId: string }[];
    expect(await client.json(`positions get ${open?.tradeId}`)).toEqual(open);
    const [closed] = (await client.json('positions --closed')) as { tradeId: string }[];
    expect(await client.json(`positions get ${closed?.tradeId} --closed`)).toEqual(closed);
    expect(client.asked()).toEqual(['GET /trading/get_model models=ClosedPosition']);
  });
});

describe('svc trade positions', () => {
  it('lists those of all accounts, of one account, or of one symbol in any spelling', async () => {
    const all = await ids('positions');
    expect(all).toHaveLength(4);
    expect(client.asked()).toEqual(['GET /trading/get_model models=OpenPosition']);
    expect(await ids('positions --account 654062')).toEqual(await ids('positions --account 00654062'));
    expect(await ids('positions --account 654062')).toEqual([all.at(-1)]);
    expect(await ids('positions --symbol eurusd')).toEqual(await ids('positions --symbol EUR/USD'));
    expect(await ids('positions --symbol EUR/USD')).toEqual([all[0]]);
  });

  it('shows the side as buy or sell, and rates with the digits of the symbol', async () => {
    const { stdout } = await client.run('positions --columns symbol,side,open');
    const rows = rowsOf(stdout);
    expect(rows[1]).toEqual(['EUR/USD', 'buy', expect.stringMatching(/^\d\.\d{5}$/)]);
    expect(rows[2]).toEqual(['USD/JPY', 'sell', expect.stringMatching(/^\d{3}\.\d{3}$/)]);
  });

  it('finds the account of closed positions by its name', async () => {
    const all = (await client.json('positions --closed')) as readonly { accountName: string }[];
    const own = all.filter(({ accountName }) => accountName === '00654061');
    expect(own).not.toEqual([]);
    expect(await client.json('positions --closed --account 654061')).toEqual(own);
  });

  it('says how many there are without the filter', async () => {
    const { stdout, stderr, code } = await client.run('positions --symbol GBP/JPY --account 654062');
    expect({ stdout, code }).toEqual({ stdout: '', code: 0 });
    expect(stderr).toBe('--symbol GBP/JPY and --account 654062: no match (4 without it)\n');
    expect((await client.run('orders --account 654062')).stderr).toContain('--account 654062: no match (1 without it)');
  });

  it('suggests a symbol if none matches', async () => {
    expect(await client.run('positions --symbol audusd')).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/without it\)\n$/),
    });
    for (const list of ['positions', 'orders']) {
      const { code, stderr } = await client.run(`${list} --symbol eurusdd`);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(/without it\); did you mean EUR\/USD\?\n$/),
      });
    }
  });

  it('names the accounts if one is unknown', async () => {
    const run = await client.run('positions --account 65406 -o json');
    expect(run).toMatchObject({ code: 5, stdout: '' });
    expect(failure(run)).toMatchObject({
      code: 'not_found',
      hint: 'accounts: 654061 (00654061), 654062 (00654062)',
    });
    expect(client.asked()).toEqual(['GET /trading/get_model/Accounts']);
  });
});

describe('svc trade orders', () => {
  it('shows the type and the state as text', async () => {
    const { stdout } = await client.run('orders --columns symbol,side,type,state,tif');
    expect(rowsOf(stdout)).toEqual([
      ['SYMBOL', 'SIDE', 'TYPE', 'STATE', 'TIF'],
      ['EUR/USD', 'buy', 'limit entry', 'waiting', 'GTC'],
    ]);
    expect(await client.json('orders --type le')).toHaveLength(1);
    expect(await client.json('orders --type SE')).toEqual([]);
  });

  it('shows the distance of a stop in pips if its rate is unknown', async () => {
    await using feed = await feedGateway();
    feed.tables['Order'] = [{ ...ORDER, stop: -40, stopRate: 0, limit: 80.5, limitRate: 0 }];
    const { stdout } = await feed.run(['orders', '--columns', 'order-id,stop,limit']);
    expect(rowsOf(stdout)[1]).toEqual(['390285837', '-40 pips', '80.5 pips']);
  });

  it('finds an order by its id, unless it is not open', async () => {
    const [id = ''] = await ids('orders');
    expect(await client.json(`orders get ${id}`)).toMatchObject({ orderId: id, status: 1 });
    expect((await client.run('orders get 1')).stderr).toContain('svc trade positions');
    expect((await client.run('orders get 1')).code).toBe(5);
    expect(await client.run('orders get 123.0')).toMatchObject({ code: 2, stdout: '' });
    expect(client.asked()).toEqual([]);
  });
});

describe('svc trade offers and symbols', () => {
  it('lists offers of visible symbols only', async () => {
    expect(await ids('offers')).not.toContain('USD/CHF');
    expect(await ids('symbols list')).toContain('USD/CHF');
    expect(await ids('symbols list --visible false')).toEqual(['USD/CHF', 'AUD/USD']);
    expect(await ids('symbols ls --search jpy')).toEqual(['USD/JPY']);
    const run = await client.run('symbols get USD/CHF');
    expect(run.code).toBe(5);
    expect(run.stderr).toContain('svc trade symbols list');
  });

  it('shows the id, the pip and the sizes of a symbol', async () => {
    const { stdout } = await client.run('symbols get usdjpy');
    expect(Object.fromEntries(rowsOf(stdout))).toMatchObject({
      SYMBOL: 'USD/JPY',
      PIP: '0.01',
      'SMALLEST-AMOUNT': '1',
      'OFFER-ID': '2',
      TRADABLE: 'yes',
    });
    client.gateway.traps.add('market-closed');
    expect((await client.run('symbols get usdjpy')).stdout).toMatch(/^TRADABLE +no$/m);
  });
});

describe('svc trade model', () => {
  it.each([
    ['Offer', 6],
    ['Summary', 4],
    ['Properties', 1],
  ])('shows %s unchanged, without its total', async (name, rows) => {
    const found = (await client.json(`model ${name}`)) as readonly object[];
    expect(found).toHaveLength(rows);
    expect(found.filter((row) => 'isTotal' in row && row.isTotal === true)).toEqual([]);
  });

  it('prints the keys of rows that have one', async () => {
    expect(await ids('model Account')).toEqual(['654061', '654062']);
    expect(rowsOf((await client.run('model Account')).stdout)[0]).toEqual(['KEY', 'ROW']);
    expect((await client.run('model Properties')).stdout).toMatch(/^ROW\n\{"propertyName":/);
    expect((await client.run('model Properties -q')).stdout).toBe('');
  });

  it('refuses an unknown name before any request, and names the known ones', async () => {
    const run = await client.run('model order');
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('Offer, OpenPosition, ClosedPosition, Order, Summary, LeverageProfile, Account');
    expect(client.asked()).toEqual([]);
  });
});

it('escapes texts of a hostile gateway', async () => {
  client.gateway.traps.add('hostile-gateway');
  for (const argv of ['accounts', 'positions', 'orders', 'offers', 'symbols list', 'model Properties']) {
    const { code, stdout } = await client.run(argv, { terminal: 120, env: { NO_COLOR: '1' } });
    expect(code, argv).toBe(0);
    expect(stdout, argv).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  }
});
