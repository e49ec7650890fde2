/** What commands that change or end something have in common on their command lines. */
import type { Flags } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { TRADING_FLAGS } from './order-flags.ts';
import type { Account } from './schema.ts';
import { TRANSPORT_FLAG } from './trading-session.ts';

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
