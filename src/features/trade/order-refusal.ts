/** Errors that the gateway gives for two causes, told apart by what is known here. */
import { SvcError } from '../../errors.ts';
import type { TradingError } from './envelope.ts';
import type { Account, Offer } from './schema.ts';

/** Doc 3 §7: the amount does not fit the step, or the account's name was passed as its id. */
const AMOUNT_OR_ACCOUNT = 3;
/** As seen on the public implementation: the account is not among those of the token, or its name was passed. */
const NOT_IN_POOL = 20001;

export interface KnownOrder {
  readonly amount: number;
  readonly symbol: string;
  /** As it was found by looking it up: its id is no name. */
  readonly account: Pick<Account, 'accountId' | 'accountName'>;
  readonly offer?: Pick<Offer, 'instrBaseUnitSize' | 'minQuantity'> | undefined;
}

/** The common reading with both causes named, and the one that it is. */
export function explainRefusal(
  { code, parameters, divisor }: TradingError,
  common: SvcError,
  { amount, symbol, account, offer }: KnownOrder,
): SvcError {
  const { accountId, accountName = 'without a name' } = account;
  const lookedUp = `account ${accountId} (${accountName}) was looked up and is an id`;
  const { more = {}, httpStatus, sent } = common;
  const known = { more, ...(httpStatus === undefined ? {} : { httpStatus }), ...(sent === undefined ? {} : { sent }) };
  if (code === AMOUNT_OR_ACCOUNT) {
    const named = /\d+/.exec(parameters?.[0] ?? '')?.[0] ?? divisor?.toString();
    const step = named ?? stepOf(offer);
    // A step that the amount fits is not the one that was meant.
    const fit =
      step === undefined || amount % Number(step) === 0
        ? ''
        : `: ${symbol} is traded in steps of ${step}${nearest(amount, Number(step))}`;
    return new SvcError(
      'refused',
      `${common.message}. Code 3 comes for an amount that does not fit the step, and for an account's name in place of its id; here it is the amount, as ${lookedUp}`,
      { hint: `give another amount${fit}`, ...known },
    );
  }
  if (code === NOT_IN_POOL) {
    return new SvcError(
      'refused',
      `${common.message}. Code 20001 comes for an account that the token may not trade with now, and for an account's name in place of its id; here it is the first, as ${lookedUp}`,
      {
        hint: 'svc trade accounts shows those of this token; it may be another one than was meant: svc trade status',
        ...known,
      },
    );
  }
  return common;
}

function stepOf(offer: KnownOrder['offer']): string | undefined {
  const step = offer?.instrBaseUnitSize;
  return step === undefined || step <= 1 ? undefined : String(step);
}

function nearest(amount: number, step: number): string {
  if (!Number.isInteger(step) || step <= 1) return '';
  const below = Math.floor(amount / step) * step;
  return below === 0 ? `, so ${step} at least` : `, so ${below} or ${below + step}`;
}
