/** Looks up the account of an order; cached accounts are good enough for that. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { KnownTables } from '../../../store/known-tables.ts';
import { findAccount } from '../accounts.ts';
import { gatewayToken, type TradingSession } from '../gateway/trading-session.ts';
import type { Account, Offer } from '../schema.ts';
import { findSymbol } from '../symbols.ts';
import { keepOffers } from '../tables/trading-offers.ts';

/** From the option, the environment or the profile; undefined means the only account. */
export function wantedAccount(given: string | undefined, { settings }: RunContext): string | undefined {
  return given ?? settings.get('trade.account');
}

/** From the cache of the last day, or read regardless of our own rate limit, so that no order is delayed. */
export async function orderAccount(wanted: string | undefined, open: TradingSession): Promise<Account> {
  const cached = (open.known.read('Account') ?? []) as readonly Account[];
  if (cached.length > 0) {
    try {
      return findAccount(cached, wanted);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'not_found') throw error;
    }
  }
  return findAccount(await freshAccounts(open), wanted);
}

export async function freshAccounts({ unlimited, known }: TradingSession): Promise<readonly Account[]> {
  const accounts = await unlimited.accounts();
  known.keep('Account', accounts);
  return accounts;
}

/** With current prices; the offers table is not rate limited. */
export async function liveOffers({ unlimited, known }: TradingSession): Promise<readonly Offer[]> {
  const offers = await unlimited.model('Offer');
  keepOffers(known, offers);
  return offers;
}

/** For a dry run, which connects to nothing: the cached tables, if any. */
async function cachedTables(ctx: RunContext): Promise<KnownTables | undefined> {
  const { knownTables } = await import('../../../store/known-tables.ts');
  try {
    const token = await gatewayToken(ctx);
    return knownTables(ctx.paths, { address: ctx.target.baseUrl.href, token: token.reveal() }, ctx);
  } catch (error) {
    if (error instanceof SvcError && error.code === 'unauthorized') return undefined;
    throw error;
  }
}

/** For a dry run: the account's id if it is cached, else the given value and a notice. */
export async function cachedAccountId(wanted: string | undefined, ctx: RunContext): Promise<string> {
  const accounts = ((await cachedTables(ctx))?.read('Account') ?? []) as readonly Account[];
  try {
    if (accounts.length > 0) return findAccount(accounts, wanted).accountId;
  } catch (error) {
    if (!(error instanceof SvcError) || wanted === undefined) throw error;
  }
  if (wanted !== undefined) {
    ctx.notice(`account ${wanted} is not in the cache and is shown as given; a real order is sent with its id`);
    return wanted;
  }
  throw new SvcError('missing_value', 'a dry run does not connect, and no account is in the cache', {
    hint: 'pass --account <id|name>, or run svc trade accounts first',
  });
}

/** For a dry run: the gateway's spelling of the symbol if it is cached, else the given one. */
export async function cachedSymbol(wanted: string, ctx: RunContext): Promise<string> {
  const offers = ((await cachedTables(ctx))?.read('Offer') ?? []) as readonly Offer[];
  try {
    return findSymbol(
      offers.map(({ currency }) => currency),
      wanted,
    );
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    ctx.notice(`${wanted} is not in the cache and is shown as given`);
    return wanted;
  }
}
