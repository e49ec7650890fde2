/** `svc trade` against the emulated gateway, as somebody who trades in its hedging account. */
import { afterAll, beforeEach } from 'vitest';
import { startTradingEmulator, type TradingEmulator } from '../../../../src/sandbox/trade/server.ts';
import type { JournalEntry } from '../../../../src/store/order-journal.ts';
import { journalIn } from '../../../support/journal.ts';
import { type Run, type RunOptions, svc, temporaryHome } from '../../../support/svc.ts';

/** A Wednesday, when forex is traded. */
export const NOW = Date.UTC(2026, 0, 14, 12);
export const HEDGING = '654061';
export const NETTING = '654062';
/** What `entry buy EUR/USD 5 --rate 1.1500` sends. */
export const ENTRY_FORM = {
  account_id: HEDGING,
  symbol: 'EUR/USD',
  is_buy: 'true',
  rate: '1.1500',
  amount: '5',
  order_type: 'Entry',
  time_in_force: 'GTC',
  is_in_pips: 'true',
};
export const ORDER_PATHS =
  /^\/trading\/(open_trade|create_entry_order|close|change|delete|simple_oco|add_to_oco|remove_from_oco|edit_oco)/;

/** The orders that arrive from now on. The gateway logs only its latest requests. */
export function ordersFromNow({ requests }: Pick<TradingEmulator, 'requests'>): () => TradingEmulator['requests'] {
  const last = requests.at(-1);
  return () => {
    const since = last === undefined ? requests : requests.slice(requests.lastIndexOf(last) + 1);
    return since.filter(({ path }) => ORDER_PATHS.test(path));
  };
}

/** Of a process whose files are all in `root`. */
export function environmentIn(root: string, { url, token }: TradingEmulator): Record<string, string> {
  return {
    SVC_CONFIG_DIR: root,
    XDG_STATE_HOME: root,
    SVC_TRADE_URL: url,
    SVC_TRADE_TOKEN: token,
    SVC_TRADE_ACCOUNT: HEDGING,
  };
}

export interface Trader extends AsyncDisposable {
  readonly gateway: TradingEmulator;
  /** Of the last run. */
  readonly home: string;
  run(argv: readonly string[], options?: RunOptions): Promise<Run>;
  /** Of another group. */
  runAny(argv: readonly string[], options?: RunOptions): Promise<Run>;
  /** The forms of the orders that reached the gateway since the last `run` began. */
  orders(): Readonly<Record<string, string>>[];
  /** `GET /trading/get_model`, of the same time. */
  calls(): string[];
  journal(): readonly JournalEntry[];
}

export async function trader(): Promise<Trader> {
  const clockOffset = NOW - Date.now();
  const now = (): number => Date.now() + clockOffset;
  const gateway = await startTradingEmulator({ now, random: () => 0.5, fast: 20, tickMs: 0, caps: false });
  gateway.setPrice('EUR/USD', 1.16);
  gateway.tick();
  const env = { SVC_TRADE_URL: gateway.url, SVC_TRADE_TOKEN: gateway.token, SVC_TRADE_ACCOUNT: HEDGING };
  let seen = 0;
  let home = '';
  const since = () => gateway.requests.slice(seen);
  return {
    gateway,
    get home() {
      return home;
    },
    run(argv, options = {}) {
      seen = gateway.requests.length;
      home = options.home ?? temporaryHome();
      return svc(['trade', ...argv], { clockOffset, ...options, home, env: { ...env, ...options.env } });
    },
    runAny: (argv, options) => svc(argv, { clockOffset, ...options }),
    orders: () => since().flatMap(({ path, form }) => (ORDER_PATHS.test(path) ? [Object.fromEntries(form)] : [])),
    calls: () =>
      since().map(({ method, path, form }) =>
        `${method} ${path} ${form.map((pair) => pair.join('=')).join('&')}`.trim(),
      ),
    journal() {
      const paths = { config: `${home}/config`, state: `${home}/state` };
      return journalIn(paths);
    },
    [Symbol.asyncDispose]: () => gateway.close(),
  };
}

/** For all tests of a file. With `emptied`, each begins without positions, orders and traps. */
export async function fileTrader({ emptied = false } = {}): Promise<Trader> {
  const client = await trader();
  afterAll(() => client[Symbol.asyncDispose]());
  beforeEach(() => {
    if (!emptied) return;
    client.gateway.traps.clear();
    client.gateway.book.trades.clear();
    client.gateway.book.orders.clear();
    client.gateway.book.closed.length = 0;
  });
  return client;
}
