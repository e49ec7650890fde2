/** The amount that was sent decides whether an order is filled, whatever amounts its pushed rows have. */
import { describe, expect, it } from 'vitest';
import { until } from '../gateway.ts';
import { ACCOUNT, fileGateway, reply, tableTime } from './document-gateway.ts';

const gateway = await fileGateway();

const ORDER_ID = '390285837';
const ACCEPTED = `{"response":{"executed":true},"data":{"type":0,"orderId":${ORDER_ID}}}`;
const common = { accountId: ACCOUNT, currency: 'EUR/USD', isBuy: true };
const TRADES = ['71', '72', '73'];

type Push = readonly [table: string, record: object];
const LATER = tableTime(Date.now() + 600_000);
const time = (): string => tableTime(Date.now());
const order = (record: object): Push => ['Order', { t: 3, orderId: ORDER_ID, ...common, type: 'OM', ...record }];
const opened = (tradeId: string, amountK: number | null): Push => {
  return ['OpenPosition', { t: 1, tradeId, ...common, open: 1.16013, amountK, time: time(), action: 'I' }];
};
const closed = (tradeId: string, amountK: number | null): Push => {
  return ['ClosedPosition', { t: 2, tradeId, ...common, close: 1.16, amountK, closeTime: LATER, action: 'I' }];
};

/** The amounts of the order's rows: of the fill, or of what is left. */
const fills = (amounts: readonly (number | null)[], fill: (id: string, amountK: number) => Push): readonly Push[] => [
  order({ tradeId: '71', amountK: amounts[0], status: 2, action: 'I' }),
  ...[2, 2, 3].flatMap((part, index) => {
    const tradeId = TRADES[index] ?? '';
    return [order({ tradeId, amountK: amounts[index], status: 6, action: 'U' }), fill(tradeId, part)];
  }),
  order({ tradeId: '73', amountK: amounts[2], status: 6, action: 'D' }),
];
const ofFills = fills([2, 2, 3], opened);

const polls = (): number =>
  gateway.feed.gateway.requests.filter(({ method, url }) => method === 'GET' && url.includes('sid=')).length;

/** The time that is waited for is over once svc has read what was pushed: it polls again then. */
async function run(argv: readonly string[], pushes: readonly Push[], home?: string) {
  let awaited = Number.POSITIVE_INFINITY;
  gateway.feed.onOrder = (response) => {
    reply(response, 200, ACCEPTED);
    awaited = polls() + Math.min(2, pushes.length);
    for (const [table, record] of pushes) gateway.feed.push(table, record);
  };
  const ran = await gateway.run([...argv, '--wait', '1s', '--yes', '-o', 'json'], {
    // The other wait is for what may be pushed after the end of an order: nothing is.
    sleepsUntil: (ms) => (ms === 1_000 ? until(() => polls() >= awaited) : Promise.resolve()),
    ...(home !== undefined && { home }),
  });
  return { ...ran, report: JSON.parse(ran.stdout || 'null') };
}

const idsOf = (trades: readonly { trade_id: string }[]) => trades.map(({ trade_id }) => trade_id);

describe('a new order', () => {
  const BUY = ['buy', 'EUR/USD', '7'];

  it.each<[string, readonly string[], readonly Push[]]>([
    ['the amount of each fill', BUY, ofFills],
    ['what is left', BUY, fills([5, 3, 0], opened)],
    ['no amount', BUY, fills([null, null, null], opened)],
    ['the amount of each fill of an entry', ['entry', 'buy', 'EUR/USD', '7', '--rate', '1.15'], ofFills],
  ])('is filled by all of its trades if its rows have %s', async (_rows, argv, pushes) => {
    const { code, report, stderr } = await run(argv, pushes);
    expect({ code, status: report.status, ids: idsOf(report.trades) }, stderr).toEqual({
      code: 0,
      status: 'filled',
      ids: TRADES,
    });
    expect(gateway.journal()).toMatchObject([{ order_ids: [ORDER_ID], trade_ids: TRADES }]);
  });

  it('is partly filled if the rest is canceled, and so is its repetition', async () => {
    const rest = order({ tradeId: '71', amountK: 5, status: 3, action: 'D' });
    const pushes = [order({ tradeId: '71', amountK: 5, status: 2, action: 'I' }), opened('71', 5), rest];
    const first = await run([...BUY, '--once', 'k'], pushes);
    expect({ code: first.code, report: first.report }).toMatchObject({
      code: 10,
      report: { status: 'partly_filled', trades: [{ trade_id: '71', amount_k: 5 }] },
    });
    const again = await run([...BUY, '--once', 'k'], [], gateway.home);
    expect({ code: again.code, report: again.report, posts: gateway.feed.orders.length }).toEqual({
      code: 10,
      report: first.report,
      posts: 1,
    });
  });
});

describe('a close', () => {
  const open = { t: 1, tradeId: '71', ...common, open: 1.16, amountK: 7 };
  const close = async (parts: readonly Push[], argv = ['close', '71']) => {
    gateway.feed.tables['Order'] = parts.some(([, row]) => 'status' in row) ? [] : [order({ type: 'CM' })[1]];
    gateway.feed.tables['OpenPosition'] = argv.includes('--amount') ? [] : [open];
    if (argv.includes('--amount')) gateway.feed.usedUp.add('OpenPosition');
    try {
      return await run(argv, [order({ type: 'CM', tradeId: '71', amountK: 2, action: 'I' }), ...parts]);
    } finally {
      gateway.feed.usedUp.clear();
    }
  };
  const end = (status: number) => order({ type: 'CM', tradeId: '71', amountK: 3, status, action: 'D' });
  const [two, three] = [closed('71', 2), closed('71', 3)];

  it.each<[string, number, readonly Push[], string]>([
    ['by all parts', 0, [two, two, three, end(6)], 'filled'],
    ['by the first part', 9, [two], 'pending'],
    ['in part, and its rest canceled', 10, [two, end(3)], 'partly_filled'],
    ['by a part without an amount', 10, [closed('71', null), end(3)], 'partly_filled'],
  ])('that is filled %s exits %i', async (_name, exit, parts, status) => {
    const { code, report, stderr } = await close(parts);
    expect({ code, report }, stderr).toMatchObject({ code: exit, report: [{ status }] });
  });

  it('whose amount is not known is not filled by its first part', async () => {
    const argv = ['close', '71', '--amount', '7', '--account', ACCOUNT];
    expect((await close([two], argv)).report).toMatchObject([{ status: 'pending' }]);
    expect((await close([two, end(3)], argv)).report).toMatchObject([{ status: 'partly_filled' }]);
  });
});
