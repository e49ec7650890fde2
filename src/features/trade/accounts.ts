/** Accounts by name or id (doc 3 §2, rule 5), found by looking, never by taking zeros away. */
import { SvcError } from '../../errors.ts';
import type { Account } from './schema.ts';

/** The letters of `mc`, as seen on the public implementation. */
const MARGIN_CALLS: Readonly<Record<string, string>> = {
  N: 'none',
  W: 'warning: no new positions',
  A: 'equity alert: no new positions',
  Y: 'margin call: liquidated',
  Q: 'equity stop: liquidated',
};

/** The letters of `hedging`. */
const HEDGING: Readonly<Record<string, string>> = {
  Y: 'hedging',
  N: 'no hedging',
  0: 'netting',
  D: 'day netting',
  F: 'first in, first out',
};

/** Unknown letters are shown as they are. */
export function marginCallText(letter: string | undefined): string | undefined {
  return labelOf(MARGIN_CALLS, letter);
}

export function hedgingText(letter: string | undefined): string | undefined {
  return labelOf(HEDGING, letter);
}

function labelOf(words: Readonly<Record<string, string>>, letter: string | undefined): string | undefined {
  return letter !== undefined && Object.hasOwn(words, letter) ? words[letter] : letter;
}

/** Whether the account may hold both sides of a symbol, and so closes a trade by itself. Undefined where it does not say. */
export function hedges({ hedging }: Account): boolean | undefined {
  return hedging === undefined ? undefined : hedging === 'Y';
}

/**
 * The account of this name or id; without one the only account there is. An id goes before a name, as one account's name may look like
 * another's id.
 */
export function findAccount(accounts: readonly Account[], wanted: string | undefined): Account {
  const known = `the accounts are: ${accounts.map(nameAndId).join(', ') || 'none'}`;
  if (wanted === undefined) {
    const [only, ...others] = accounts;
    if (only !== undefined && others.length === 0) return only;
    if (only === undefined) throw new SvcError('not_found', 'the token has no account');
    throw new SvcError('missing_value', `there are ${accounts.length} accounts: say which with --account <id|name>`, {
      hint: known,
    });
  }
  const found =
    accounts.find(({ accountId }) => accountId === wanted) ??
    accounts.find(({ accountName }) => accountName === wanted);
  if (found !== undefined) return found;
  throw new SvcError('not_found', `there is no account with the id or name ${wanted}`, { hint: known });
}

function nameAndId({ accountId, accountName }: Account): string {
  return accountName === undefined ? accountId : `${accountId} (${accountName})`;
}
