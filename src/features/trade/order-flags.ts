/** What commands that trade have in common on their command lines. */
import type { Arguments, Flags } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import {
  checkSameUnit,
  checkTrailed,
  type Decimal,
  type Distance,
  parseDistance,
  parsePips,
  parseTrail,
} from './order-rules.ts';
import type { Account } from './schema.ts';
import { TRANSPORT_FLAG } from './trading-session.ts';

/** Of everything that is sent for an account. */
export const TRADING_FLAGS = {
  account: {
    type: 'string',
    value: 'id|name',
    complete: 'accounts',
    help: 'The account, looked up by its id or name (otherwise SVC_TRADE_ACCOUNT, the setting trade.account, or the only one)',
  },
  preview: { type: 'boolean', help: 'Connect, show what would be sent and what speaks against it, and send nothing' },
  ...TRANSPORT_FLAG,
} as const satisfies Flags;

/** Of an order that opens something. */
export const ORDER_ARGS = {
  symbol: { help: 'As EUR/USD; eurusd is understood, too', required: true, complete: 'symbols' },
  amount: { help: 'Thousands of forex, contracts of anything else', required: true },
} as const satisfies Arguments;

export const NEW_ORDER_EXITS = ['condition_false', 'still_pending', 'partly_done'] as const;

export const NEW_ORDER_FLAGS = {
  stop: {
    type: 'string',
    value: 'pips|price',
    help: 'Where it is closed at a loss: 40pips, without a sign, or a price',
  },
  limit: { type: 'string', value: 'pips|price', help: 'Where it is closed with a profit: 80pips, or a price' },
  trail: {
    type: 'string',
    value: 'dynamic|n',
    help: 'The stop follows the price: dynamic, or in steps of n, which is 10 or more',
  },
  range: { type: 'string', value: 'pips', help: 'How far from its rate it may be filled' },
  wait: { type: 'duration', positive: true, help: 'Wait so long until it is filled, and show every trade of it' },
  'require-open': { type: 'boolean', help: 'Exit status 1, and nothing sent, unless there is a market now' },
  ...TRADING_FLAGS,
} as const satisfies Flags;

export interface ExitInput {
  readonly stop?: string | undefined;
  readonly limit?: string | undefined;
  readonly trail?: string | undefined;
  readonly range?: string | undefined;
}

export interface Exits {
  readonly stop: Distance | undefined;
  readonly limit: Distance | undefined;
  readonly trail: number | undefined;
  readonly range: Decimal | undefined;
}

/** The stop, the limit and the range that were typed. Throws where they cannot be meant. */
export function exitsOf({ stop, limit, trail, range }: ExitInput): Exits {
  const exits: Exits = {
    stop: stop === undefined ? undefined : parseDistance(stop, '--stop'),
    limit: limit === undefined ? undefined : parseDistance(limit, '--limit'),
    trail: trail === undefined ? undefined : parseTrail(trail),
    range: range === undefined ? undefined : parsePips(range, '--range'),
  };
  checkSameUnit(exits.stop, exits.limit);
  checkTrailed(exits);
  return exits;
}

/** Of every command that opens something. */
export const ONE_POST =
  'The order is written to the journal on this disk first, and sent once: an answer that is lost is exit status 8 with what may be the order, and never a second one. Stop and limit are both in pips, without a sign on either side, or both prices.';

/** What of `buy` and `sell` doc 3 §4 does not show. */
export const MARKET_BEYOND =
  'The interface document shows orders at market that hold GTC: every other --tif, --stop, --limit, --trail, --range and what an amount counts are as seen on the public implementation.';

/** Of `entry buy` and `entry sell`. */
export const ENTRY_BEYOND =
  'The interface document shows entry orders with --stop and --trail: --tif, --limit, --range, --trail-entry, --expires and what an amount counts are as seen on the public implementation.';

/** What becomes of it with --wait. */
export const WAITING =
  'With --wait the exit status is 0 where it was filled whole, 10 where it ended filled in part, 3 where it ended without a fill, and 9 where it still stands; -o json has {"orderId","status","trades":[{"tradeId","amountK","rate","time"}],"closedTrades"}.';

export const CHANGE_FLAGS = { account: TRADING_FLAGS.account, ...TRANSPORT_FLAG } as const satisfies Flags;

/** Of every command that changes or ends something. */
export const SENT_ONCE =
  'Each request is written to the journal on this disk first, and sent once: an answer that is lost is exit status 8, with what is seen there now. The caps on calls never refuse it: where a look is not to be had, it goes by what was seen last, and says what could not be checked. The requests are not in the interface document: they are as seen on the public implementation.';

/** Throws where an account was named, and it is not the one that the thing is in. */
export function checkAccount(what: string, account: Account, named: Account | undefined): void {
  if (named === undefined || named.accountId === account.accountId) return;
  throw new SvcError(
    'guarded',
    `${what} is in account ${account.accountId}, not in ${named.accountId}; nothing was sent`,
  );
}

/** Each once. */
export function checkedIds(ids: readonly string[], check: (id: string) => void): readonly string[] {
  for (const id of ids) check(id);
  return [...new Set(ids)];
}

export function missingIds(what: string, ids: readonly string[], hint: string): SvcError {
  const none = ids.length === 1 ? `is no ${what} ${ids[0]}` : `are no ${what}s ${ids.join(', ')}`;
  return new SvcError('not_found', `there ${none}; nothing was sent`, { hint });
}
