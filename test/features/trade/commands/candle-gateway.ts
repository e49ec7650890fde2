/** A gateway on the real socket.io server that has a candle for each period in which forex is open, and answers as a test says. */
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach } from 'vitest';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';
import { type Gateway, gateway, TOKEN } from '../gateway.ts';

export type Row = readonly number[];

export interface CandleRequest {
  readonly offer: string;
  readonly period: string;
  readonly num: number;
  readonly from: number;
  readonly to: number;
}

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

/** `undefined`: the test has answered itself. */
export type CandleAnswer = (request: CandleRequest, response: ServerResponse) => readonly Row[] | string | undefined;

export interface CandleGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly asked: CandleRequest[];
  readonly offers: object[];
  answer: CandleAnswer;
  /** Forgets what was asked, and answers all of a range again. */
  reset(): void;
  run(args: readonly string[], options?: RunOptions): Promise<Run>;
  readonly env: Readonly<Record<string, string>>;
}

export async function candleGateway(): Promise<CandleGateway> {
  const asked: CandleRequest[] = [];
  const server = await gateway({
    before(request, response) {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://gateway');
      if (pathname.startsWith('/socket.io')) return false;
      response.setHeader('content-type', 'application/json');
      const say = (body: object): void => void response.end(JSON.stringify(body));
      const id = server.live.find((client) => request.headers.authorization === `Bearer ${client.id}${TOKEN}`);
      const [, name, offer = '', period = ''] = pathname.split('/');
      const [num = 0, from = 0, to = 0] = ['num', 'from', 'to'].map((key) => Number(searchParams.get(key)));
      if (id === undefined) say({ response: { executed: false, error: 'Unauthorized' }, candles: [] });
      else if (name !== 'candles') say({ response: { executed: true }, offers: all.offers });
      else {
        const wanted = { offer, period, num, from, to };
        asked.push(wanted);
        const found = all.answer(wanted, response);
        if (typeof found === 'string') say({ response: { executed: false, error: found }, candles: [] });
        else if (found !== undefined)
          say({ response: { executed: true, error: '' }, period_id: period, candles: found });
      }
      return true;
    },
  });
  const env = { SVC_TRADE_URL: server.url, SVC_TRADE_TOKEN: TOKEN };
  const all: CandleGateway = {
    gateway: server,
    asked,
    offers: [...OFFERS],
    answer: (request) => candlesOf(request),
    reset() {
      asked.length = 0;
      all.offers.splice(0, Number.POSITIVE_INFINITY, ...OFFERS);
      all.answer = (request) => candlesOf(request);
    },
    run: (args, more = {}) => svc(['trade', 'candles', ...args], { home: temporaryHome(), env, ...more }),
    env,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
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
