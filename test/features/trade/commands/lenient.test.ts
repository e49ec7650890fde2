/** What a gateway has every right to send: nulls, numbers as text, and rows that cannot be read among those that can. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ACCOUNT, fileGateway, reply } from './document-gateway.ts';

const gateway = await fileGateway();
const { feed } = gateway;
const ACCEPTED = '{"response":{"executed":true},"data":{"type":0,"orderId":390285837}}';
const OFFER = {
  offerId: 1,
  currency: 'EUR/USD',
  instrumentType: 1,
  sell: 1.16,
  buy: 1.16013,
  pip: 0.0001,
  mmr: 33,
  instrBaseUnitSize: 1,
};
const HOLDER = { accountId: ACCOUNT, accountName: '01027808', hedging: 'Y', mc: 'N', usableMargin: 50_000 };
const POSITION = { t: 1, tradeId: '7', accountId: ACCOUNT, currency: 'EUR/USD', isBuy: true, amountK: 9, open: 1.16 };
const BUY = ['buy', 'EUR/USD', '5', '--yes', '-o', 'json'];
const UNREADABLE = { tradeId: null, orderId: {}, accountId: [], currency: {} };

beforeEach(() => {
  feed.onOrder = (response) => reply(response, 200, ACCEPTED);
  feed.tables['Offer'] = [OFFER];
  feed.tables['Account'] = [HOLDER];
  feed.tables['OpenPosition'] = [POSITION];
});

const nulled = (record: object, ...names: string[]) =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, names.includes(name) ? value : null]));
const asTexts = (record: object) =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  );

describe('svc trade buy', () => {
  it.each([
    ['an account of nulls', { Account: [nulled({ ...HOLDER, grossPL: 0, balance: 0 }, 'accountId')] }],
    ['an offer of nulls', { Offer: [nulled({ ...OFFER, time: '', minQuantity: 1 }, 'currency', 'instrumentType')] }],
    ['texts', { Account: [asTexts({ ...HOLDER, balance: 5 })], Offer: [asTexts(OFFER)] }],
  ])('sends a buy with %s', async (_name, tables) => {
    Object.assign(feed.tables, tables);
    const { code, stderr } = await gateway.run(BUY);
    expect({ code, sent: feed.orders.length }, stderr).toEqual({ code: 0, sent: 1 });
  });
});

it('svc trade close asks with a question mark for what the table does not say', async () => {
  const close = ['close', '7', '--amount', '9'];
  const asked = async () => (await gateway.run(close, { terminal: 200, answer: false })).asked;
  expect(await asked()).toEqual([expect.stringContaining('(buy, opened at 1.16, P/L ?)')]);
  feed.tables['OpenPosition'] = [{ ...POSITION, open: null, isBuy: null, grossPL: 4.5 }];
  expect(await asked()).toEqual([expect.stringContaining('(?, opened at ?, P/L 4.5)')]);
});

it('svc trade orders cancel --all leaves an order whose row has only the name of another account', async () => {
  const names = ['01027809', HOLDER.accountName];
  feed.tables['Order'] = names.map((accountName, orderId) => ({ ...POSITION, orderId, accountId: null, accountName }));
  expect((await gateway.run(['orders', 'cancel', '--all', '--yes', '-q'])).code).toBe(0);
  expect(feed.orders).toEqual([{ order_id: '1' }]);
});

describe('a row that cannot be read', () => {
  it('is left out with a notice: exit 10', async () => {
    feed.tables['OpenPosition'] = [UNREADABLE, POSITION];
    const { code, stdout, stderr } = await gateway.run(['positions', '-q']);
    expect({ code, stdout }).toEqual({ code: 10, stdout: '7\n' });
    const { stderr: said } = await gateway.run(['positions']);
    expect(said, stderr).toContain('left out of the response of /trading/get_model: OpenPosition row 1: tradeId');
  });

  it.each([
    ['close --symbol', ['close', '--symbol', 'EUR/USD']],
    ['cancel of an order that is not listed', ['orders', 'cancel', '39']],
  ])('does not stop a %s, which exits 10', async (_name, argv) => {
    feed.tables['OpenPosition'] = argv.includes('--symbol')
      ? [UNREADABLE, { ...POSITION, currency: 'USD/JPY' }]
      : [UNREADABLE, POSITION];
    feed.tables['Order'] = [UNREADABLE, { ...POSITION, orderId: '40' }];
    const { code, stderr } = await gateway.run([...argv, '--yes', '-o', 'json']);
    expect({ code, sent: feed.orders.length }, stderr).toEqual({ code: 10, sent: 1 });
  });

  it.each<[string, Record<string, readonly object[]>, number, Record<string, string>]>([
    ['no account is named', { Account: [UNREADABLE, HOLDER] }, 2, { SVC_TRADE_ACCOUNT: '' }],
    ['the account may be it', { Account: [UNREADABLE, { ...HOLDER, accountId: '5' }] }, 11, {}],
    ['the offer may be it', { Offer: [UNREADABLE, { ...OFFER, currency: 'USD/JPY' }] }, 11, {}],
  ])('refuses a buy if %s', async (_name, tables, exit, env) => {
    Object.assign(feed.tables, tables);
    const { code, stderr } = await gateway.run(BUY, { env });
    expect({ code, sent: feed.orders.length }, stderr).toEqual({ code: exit, sent: 0 });
  });

  it.each<[string, Record<string, readonly object[]>]>([
    ['another account', { Account: [UNREADABLE, HOLDER] }],
    ['another symbol', { Offer: [UNREADABLE, OFFER] }],
  ])('does not refuse a buy if it is of %s', async (_name, tables) => {
    Object.assign(feed.tables, tables);
    const { code, stderr } = await gateway.run(BUY);
    expect({ code, sent: feed.orders.length }, stderr).toEqual({ code: 10, sent: 1 });
  });

  it('is not taken for the end of an order that is waited for', async () => {
    feed.tables['Order'] = [UNREADABLE, { ...POSITION, orderId: '40' }];
    feed.tables['OpenPosition'] = [];
    const { code, stdout } = await gateway.run([...BUY, '--wait', '100ms'], { sleeps: true });
    expect({ code, report: JSON.parse(stdout) }).toMatchObject({ code: 9, report: { status: 'pending' } });
  });
});

describe('a candle', () => {
  const at = Date.UTC(2026, 0, 14, 12) / 1000;
  const candle = (index: number, ...more: unknown[]) => [at + index * 3600, 1, 1, 1, 1, 1, 1, 1, 1, ...more];
  it('is left out if it cannot be read, and may have no ticks', async () => {
    const rows = [candle(0, 5), null, candle(1, null), candle(2).map(String), [at + 3 * 3600, null]];
    feed.onCandles = () => rows;
    const argv = ['candles', 'EUR/USD', 'H1', '--since', '2026-01-14T12:00:00Z', '--until', '2026-01-14T16:00:00Z'];
    const { code, stdout, stderr } = await gateway.run([...argv, '-o', 'csv', '--price', 'bid']);
    expect({ code, rows: stdout.trimEnd().split('\n').slice(1) }, stderr).toEqual({
      code: 10,
      rows: ['2026-01-14T12:00:00Z,1,1,1,1,5', '2026-01-14T13:00:00Z,1,1,1,1,', '2026-01-14T14:00:00Z,1,1,1,1,'],
    });
    expect(stderr).toContain('candle 2: ');
  });
});

it('a price may be pushed as a text', async () => {
  const quote = gateway.run(['quote', 'EUR/USD', '-o', 'json'], { sleeps: true });
  await feed.subscribed('EUR/USD');
  feed.push('EUR/USD', { Updated: String(Date.now()), Rates: ['1.16', '1.161', null, null], Symbol: 'EUR/USD' });
  expect(JSON.parse((await quote).stdout)).toMatchObject([{ bid: 1.16, ask: 1.161, high: null, source: 'tick' }]);
});

describe('an amount in a table has the unit of orders', () => {
  const gold = { ...POSITION, tradeId: '8', currency: 'XAU/USD', amountK: 0.002 };
  const offers = [OFFER, { ...OFFER, offerId: 2, currency: 'XAU/USD', instrumentType: 5 }];
  it.each([
    ['with offers', offers, ['9', '2']],
    ['without offers', [{ currency: 'US30' }], ['9K', '0.002K']],
  ])('%s', async (_name, rows, amounts) => {
    feed.tables['Offer'] = rows;
    feed.tables['OpenPosition'] = [POSITION, gold];
    feed.tables['Order'] = [POSITION, gold].map((row, index) => ({ ...row, orderId: index }));
    for (const argv of [['positions'], ['orders']]) {
      const { stdout, stderr } = await gateway.run([...argv, '-o', 'csv', '--columns', 'amount', '--no-headers']);
      expect(stdout.trimEnd().split('\n'), stderr).toEqual(amounts);
      const { stdout: json } = await gateway.run([...argv, '-o', 'json']);
      expect(JSON.parse(json)).toMatchObject([{ amountK: 9 }, { amountK: 0.002 }]);
    }
    expect((await gateway.run(['positions', 'get', '8'])).stdout).toMatch(new RegExp(`AMOUNT +${amounts[1]}\\n`));
  });
});
