/** A recording, replayed by the gateway. */
import { expect, test } from 'vitest';
import type { RecordedTick } from '../../../src/sandbox/trade/moving-prices.ts';
import { listen, NOW, rowsOf, startGateway } from './service.ts';

const at = (seconds: number, symbol: string, bid: number, more: Partial<RecordedTick> = {}): RecordedTick => {
  return { at: Date.UTC(2020, 0, 6, 12) + seconds * 1000, symbol, bid, ask: bid + 0.0002, high: 1.3, low: 1, ...more };
};

const TICKS = [
  at(0, 'EUR/USD', 1.2),
  at(0.2, 'EUR/USD', 1.2001),
  at(60, 'EUR/USD', 1.205),
  // Out of order, as where streams were mixed.
  at(30, 'USD/JPY', 150.5, { high: undefined, low: undefined, ask: 150.512 }),
  at(61, 'EUR/USD', 1.21),
  at(120, 'EUR/USD', 1.19),
];

test('pushes every tick in order, at the requested speed', async () => {
  let now = NOW;
  await using gateway = await startGateway({ movement: { ticks: TICKS, speed: 60 }, now: () => now, seed: 'empty' });
  const peer = await gateway.peer();
  const pushes = await listen(gateway, peer, ['EUR/USD', 'USD/JPY', 'GBP/USD', 'OpenPosition']);
  const prices = () => pushes.seen.map(([name, { Rates }]) => [name, ...(Rates as number[])]);
  const { offers } = await gateway.call(peer.id, 'GET', '/trading/get_model', { models: 'Offer' });
  expect(rowsOf({ offers }, 'offers')[0]).toMatchObject({ currency: 'EUR/USD', sell: 1.2, buy: 1.2002 });
  gateway.tick();
  await pushes.until('EUR/USD');
  expect(prices()).toEqual([['EUR/USD', 1.2, 1.2002, 1.3, 1]]);
  now += 1000;
  gateway.tick();
  await pushes.until('EUR/USD', ({ Rates }) => (Rates as number[])[0] === 1.205);
  expect(prices().slice(1)).toEqual([
    ['EUR/USD', 1.2001, 1.2003, 1.3, 1],
    ['USD/JPY', 150.5, 150.512, 150.5, 150.5],
    ['EUR/USD', 1.205, 1.2052, 1.3, 1],
  ]);
  now += 60_000;
  gateway.tick();
  const last = await pushes.until('EUR/USD', ({ Rates }) => (Rates as number[])[0] === 1.19);
  expect(last['Updated']).toBe(now);
  gateway.tick();
  const { candles } = await gateway.call(peer.id, 'GET', '/candles/1/m1', { num: 2 });
  const [, ...rates] = (candles as number[][]).at(-1) ?? [];
  expect(rates.slice(0, 4)).toEqual([1.205, 1.19, 1.21, 1.19]);
  expect(prices()).toHaveLength(6);
});

test('checks stops and limits at every tick, even if several pass at once', async () => {
  let now = NOW;
  await using gateway = await startGateway({ movement: { ticks: TICKS, speed: 1000 }, now: () => now, seed: 'empty' });
  const peer = await gateway.peer();
  const pushes = await listen(gateway, peer, ['ClosedPosition', 'OpenPosition']);
  const order = { account_id: '654061', symbol: 'EUR/USD', is_buy: true, amount: 5, limit: 1.208 };
  await gateway.call(peer.id, 'POST', '/trading/open_trade', order);
  await pushes.until('OpenPosition', ({ action }) => action === 'I');
  gateway.tick();
  now += 1000;
  gateway.tick();
  // The price was there for a moment and is gone: the limit is filled at its rate.
  expect(await pushes.until('ClosedPosition')).toMatchObject({ close: 1.208, isBuy: true });
});
