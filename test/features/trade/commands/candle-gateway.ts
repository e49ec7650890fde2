/** A gateway on the real socket.io server that has a candle for each period in which forex is open, and answers as a test says. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach } from 'vitest';
import type { Run, RunOptions } from '../../../support/svc.ts';
import type { Gateway } from '../gateway.ts';
import { type CandleRequest, type FeedGateway, feedGateway } from './feed.ts';

export type Row = readonly number[];

const OFFERS = [
  { t: 0, offerId: 1, currency: 'EUR/USD', instrumentType: 1, ratePrecision: 5 },
  { t: 0, offerId: 1013, currency: 'US30', instrumentType: 2, ratePrecision: 2 },
];

const SECONDS: Readonly<Record<string, number>> = { m1: 60, m5: 300, H1: 3600, D1: 86_400 };

/** In a winter week, in seconds since Sunday 0:00 in New York. */
const WEEK = 7 * 86_400;
const SUNDAY = Date.UTC(2026, 0, 4, 5) / 1000;

function isOpen(time: number): boolean {
  const inWeek = (((time - SUNDAY) % WEEK) + WEEK) % WEEK;
  return inWeek >= 17 * 3600 && inWeek < 5 * 86_400 + 16 * 3600 + 55 * 60;
}

export function row(time: number, ticks = 1 + (time % 97)): Row {
  const bid = 1.1 + (time % 1009) / 100_000;
  const [open, close, high, low] = [bid, bid + 0.00005, bid + 0.0001, bid - 0.0001].map((n) => Number(n.toFixed(5)));
  const ask = [open, close, high, low].map((n = 0) => Number((n + 0.0002).toFixed(5)));
  return [time, open ?? 0, close ?? 0, high ?? 0, low ?? 0, ...ask, ticks];
}

/** The stored candles of a range, including both ends. */
export function candlesOf(
  { period, from, to }: Pick<CandleRequest, 'period' | 'from' | 'to'>,
  keeps: (time: number) => boolean = () => true,
): Row[] {
  const step = SECONDS[period] ?? 60;
  const rows: Row[] = [];
  for (let time = Math.ceil(from / step) * step; time <= to; time += step)
    if (keeps(time) && isOpen(time)) rows.push(row(time));
  return rows;
}

export interface CandleGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly asked: CandleRequest[];
  readonly offers: object[];
  answer: FeedGateway['onCandles'];
  /** Forgets what was asked, and answers all of a range again. */
  reset(): void;
  run(args: readonly string[], options?: RunOptions): Promise<Run>;
  readonly env: Readonly<Record<string, string>>;
}

export async function candleGateway(): Promise<CandleGateway> {
  const feed = await feedGateway();
  const asked: CandleRequest[] = [];
  const offers = [...OFFERS];
  feed.tables['Offer'] = offers;
  feed.onCandles = (request, response) => {
    asked.push(request);
    return all.answer(request, response);
  };
  const all: CandleGateway = {
    gateway: feed.gateway,
    asked,
    offers,
    answer: (request) => candlesOf(request),
    reset() {
      asked.length = 0;
      offers.splice(0, Number.POSITIVE_INFINITY, ...OFFERS);
      all.answer = (request) => candlesOf(request);
    },
    run: (args, more = {}) => feed.run(['candles', ...args], { sleeps: 20, ...more }),
    env: feed.env,
    [Symbol.asyncDispose]: () => feed[Symbol.asyncDispose](),
  };
  return all;
}

/** A gateway for the tests of a file, and a folder for their files. */
export async function candleFiles(now: number) {
  const served = await candleGateway();
  const folder = mkdtempSync(join(tmpdir(), 'svc-candles-'));
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => served.reset());
  let files = 0;
  return {
    served,
    folder,
    fresh: (ending = 'csv'): string => join(folder, `${++files}.${ending}`),
    run: (args: readonly string[], options: RunOptions = {}): Promise<Run> =>
      served.run(args, { now: () => now, ...options }),
  };
}
