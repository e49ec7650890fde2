/** Finds accounts by name or id (doc 3 §2, rule 5), never by stripping zeros. */
import type { Choice } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import type { TableRows } from './models.ts';
import type { Account } from './schema.ts';

/** The codes of `mc`, as in the public implementation. */
const MARGIN_CALLS: Readonly<Record<string, string>> = {
  N: 'none',
  W: 'warning: no new positions',
  A: 'equity alert: no new positions',
  Y: 'margin call: liquidated',
  Q: 'equity stop: liquidated',
};

/** The codes of `hedging`. */
const HEDGING: Readonly<Record<string, string>> = {
  Y: 'hedging',
  N: 'no hedging',
  0: 'netting',
  D: 'day netting',
  F: 'first in, first out',
};

/** Unknown codes are shown as they are. */
export function marginCallText(letter: string | undefined): string | undefined {
  return labelOf(MARGIN_CALLS, letter);
}

export function hedgingText(letter: string | undefined): string | undefined {
  return labelOf(HEDGING, letter);
}

function labelOf(labels: Readonly<Record<string, string>>, code: string | undefined): string | undefined {
  return code !== undefined && Object.hasOwn(labels, code) ? labels[code] : code;
}

/** Whether the account can hold both sides of a symbol. Undefined if it does not say. */
export function hedges({ hedging }: Account): boolean | undefined {
  return hedging === undefined ? undefined : hedging === 'Y';
}

/** By default the only account. Ids are tried before names: a name may look like another's id. */
export function findAccount(accounts: TableRows<Account>, wanted: string | undefined): Account {
  const [first, ...others] = accounts;
  const omitted = accounts.omitted.length;
  if (wanted === undefined && omitted === 0 && first !== undefined && others.length === 0) return first;
  const found =
    accounts.find(({ accountId }) => accountId === wanted) ??
    accounts.find(({ accountName }) => wanted !== undefined && accountName === wanted);
  if (found !== undefined) return found;
  const hint = `accounts: ${accounts.map(nameAndId).join(', ') || 'none'}`;
  const unread = `${omitted} of the accounts cannot be read`;
  if (wanted !== undefined) {
    if (omitted > 0) throw new SvcError('not_known', `${unread}: one may be ${wanted}`, { hint });
    throw new SvcError('not_found', `no account with the id or name ${wanted}`, { hint });
  }
  if (omitted > 0) throw new SvcError('missing_value', `${unread}: pass --account <id|name>`, { hint });
  if (first === undefined) throw new SvcError('not_found', 'the token has no account');
  throw new SvcError('missing_value', `the token has ${accounts.length} accounts: pass --account <id|name>`, { hint });
}

export function accountChoice(account: Account): Choice {
  return { value: account.accountId, name: nameAndId(account) };
}

function nameAndId({ accountId, accountName }: Account): string {
  return accountName === undefined ? accountId : `${accountId} (${accountName})`;
}
