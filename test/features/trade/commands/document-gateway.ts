/** The gateway as doc 3 describes it, on the real socket.io server: a test says how an order is answered and what is pushed. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeEach } from 'vitest';
import type { JournalEntry } from '../../../../src/store/order-journal.ts';
import { journalIn } from '../../../support/journal.ts';
import { type Run, type RunOptions, temporaryHome } from '../../../support/svc.ts';
import { type FeedGateway, feedGateway } from './feed.ts';

export const ACCOUNT = '1027808';
const FOREX = 1;

export interface DocumentGateway {
  readonly feed: FeedGateway;
  /** Of the last run. */
  readonly home: string;
  /** Limits sleeps to 20 ms by default. */
  run(argv: readonly string[], options?: RunOptions): Promise<Run>;
  journal(): readonly JournalEntry[];
}

/** For all tests of a file; reset before each. */
export async function fileGateway(): Promise<DocumentGateway> {
  const feed = await feedGateway();
  let home = '';
  const reset = (): void => {
    feed.onOrder = undefined;
    feed.onModel = undefined;
    feed.orders.length = 0;
    feed.calls.length = 0;
    feed.tables['Offer'] = ['EUR/USD', 'USD/JPY'].map((currency, index) => ({
      offerId: index + 1,
      currency,
      instrumentType: FOREX,
      ratePrecision: 5,
      sell: 1.16,
      buy: 1.16013,
      pip: 0.0001,
    }));
    feed.tables['Account'] = [{ accountId: ACCOUNT, accountName: '01027808', hedging: 'Y', mc: 'N' }];
    for (const name of ['Order', 'OpenPosition', 'ClosedPosition']) feed.tables[name] = [];
  };
  afterAll(() => feed[Symbol.asyncDispose]());
  beforeEach(reset);
  return {
    feed,
    get home() {
      return home;
    },
    run(argv, options = {}) {
      home = options.home ?? temporaryHome();
      const env = { ...feed.env, SVC_TRADE_ACCOUNT: ACCOUNT, ...options.env };
      return feed.run(argv, { sleeps: 20, ...options, home, env });
    },
    journal: () => journalIn({ config: '', state: `${home}/state` }),
  };
}

export function reply(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

/** `MMddyyyyHHmmssSSS`, as doc 3 §2 says of its length. */
export function tableTime(ms: number): string {
  const [, year, month, day, hour, minute, second, millis] =
    /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)\.(\d+)Z$/.exec(new Date(ms).toISOString()) ?? [];
  return [month, day, year, hour, minute, second, millis].join('');
}
