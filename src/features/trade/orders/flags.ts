/** Arguments and options that the trading commands share. */
import type { Arguments, Flags } from '../../../cli/flags.ts';
import { checkOnceKey, MARKET_TIMES, TIMES_IN_FORCE } from './rules.ts';

/** For every command that sends something for an account. */
export const TRADING_FLAGS = {
  account: {
    type: 'string',
    value: 'id|name',
    help: 'Account (default: trade.account, or the only one)',
  },
  preview: { type: 'boolean', help: 'Show the order and any warnings; send nothing' },
} as const satisfies Flags;

/** For an order that opens a position, and that `--risk` can size. */
export const SIZED_ARGS = {
  symbol: { help: 'Symbol, such as EUR/USD or eurusd', required: true, complete: 'symbols' },
  amount: { help: 'Amount: thousands (forex) or contracts', promptUnless: ['risk'] },
} as const satisfies Arguments;

const PRICES = 'Price options';

const TRAIL = { type: 'string', value: 'dynamic|n', group: PRICES } as const;
const EXIT = { type: 'string', value: 'pips|price', group: PRICES } as const;

export const AMOUNT_FLAG = { type: 'string', value: 'n', help: 'Amount: thousands (forex) or contracts' } as const;
export const RATE_FLAG = { type: 'string', value: 'price', group: PRICES, help: 'Entry price' } as const;
export const RANGE_FLAG = {
  type: 'string',
  value: 'pips',
  group: PRICES,
  rare: true,
  help: 'Maximum distance from the rate, in pips',
} as const;
export const EXIT_FLAGS = {
  stop: { ...EXIT, help: 'Stop loss: distance (40pips) or price' },
  limit: { ...EXIT, help: 'Take profit: distance (80pips) or price' },
  trail: { ...TRAIL, help: 'Trailing stop: dynamic (1), or steps n >= 10' },
} as const satisfies Flags;

/** For market orders, including those that close. */
export const MARKET_TIF_FLAG = {
  type: 'choice',
  choices: MARKET_TIMES,
  help: 'Time in force (default: GTC; with --range: IOC)',
} as const;
export const ENTRY_TIME_FLAGS = {
  tif: { type: 'choice', choices: TIMES_IN_FORCE, help: 'Time in force (default GTC)' },
  expires: { type: 'time', bare: 'forward', help: 'Expiry time, to the minute (sets --tif GTD)' },
} as const satisfies Flags;

export const NEW_ORDER_FLAGS = {
  range: RANGE_FLAG,
  ...EXIT_FLAGS,
  risk: {
    type: 'string',
    value: '%|money',
    group: PRICES,
    help: 'Amount by what the stop may lose: 1%, or 100',
  },
  wait: { type: 'duration', positive: true, help: 'Wait this long for fills and show the trades' },
  once: { type: 'string', value: 'key', help: 'Send at most one order with this key', check: checkOnceKey },
  ...TRADING_FLAGS,
} as const satisfies Flags;

/** For every command that opens a position. */
export const ONE_POST =
  'svc journals the order, then sends it once. If the response is lost, it exits 8 and lists the rows that are alike. With --once, a repetition returns the outcome of the first order.';

/** For the reference. */
export const ORDER_LIMITS = `A profile can set a limit: trade.maxOrder is the largest amount of one order, in the unit of order amounts. An order above it is refused with exit 3 and the code over_limit, and nothing is sent. A close, a cancel, or a smaller amount of a pending order is never refused.`;

/** The exit statuses of --wait. */
export const WAITING =
  'With --wait: exit 0 if filled, 10 if filled in part, 3 if not filled, 9 if still open, 8 if not known.';

export const CHANGE_FLAGS = { account: TRADING_FLAGS.account } as const satisfies Flags;

/** For every command that changes, cancels or closes something. */
export const SENT_ONCE =
  'svc journals each request, then sends it once; if the response is lost, it exits 8. No rate limit of svc blocks the request: what cannot be read is reported as not checked.';

/** Checks each id and drops duplicates. */
export function checkedIds(ids: readonly string[], check: (id: string) => void): readonly string[] {
  for (const id of ids) check(id);
  return [...new Set(ids)];
}
