/** Whose order it is: accounts are found by looking them up, and those that were kept are good enough for that. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import type { KnownTables } from '../../store/known-tables.ts';
import type { Account, Offer } from './schema.ts';
import { keepOffers } from './trading-offers.ts';
import { gatewayToken, type TradingSession } from './trading-session.ts';

/** By the option, the environment, the profile; undefined leaves it to there being only one. */
export function wantedAccount(given: string | undefined, { settings }: RunContext): string | undefined {
  return given ?? settings.get('trade.account');
}

/** One of the last day costs no call. Otherwise they are asked for once, whatever was counted here: no order is held back for that. */
export async function orderAccount(wanted: string | undefined, open: TradingSession): Promise<Account> {
  const { findAccount } = await import('./accounts.ts');
  const kept = (open.known.read('Account') ?? []) as readonly Account[];
  if (kept.length > 0) {
    try {
      return findAccount(kept, wanted);
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

/** With the prices of now: the table of offers is not counted. */
export async function liveOffers({ unlimited, known }: TradingSession): Promise<readonly Offer[]> {
  const offers = await unlimited.model('Offer');
  keepOffers(known, offers);
  return offers;
}

/** What a dry run goes by, which connects to nothing: the tables that were kept, if there are any. */
async function cachedTables(ctx: RunContext): Promise<KnownTables | undefined> {
  const { knownTables } = await import('../../store/known-tables.ts');
  try {
    const token = await gatewayToken(ctx);
    return knownTables(ctx.paths, { address: ctx.target.baseUrl.href, token: token.reveal() }, ctx);
  } catch (error) {
    if (error instanceof SvcError && error.code === 'unauthorized') return undefined;
    throw error;
  }
}

/** For a dry run: the account's id where it is known, else what was given, and a notice. */
export async function cachedAccountId(wanted: string | undefined, ctx: RunContext): Promise<string> {
  const { findAccount } = await import('./accounts.ts');
  const accounts = ((await cachedTables(ctx))?.read('Account') ?? []) as readonly Account[];
  try {
    if (accounts.length > 0) return findAccount(accounts, wanted).accountId;
  } catch (error) {
    if (!(error instanceof SvcError) || wanted === undefined) throw error;
  }
  if (wanted !== undefined) {
    ctx.notice(`account ${wanted} is not known here, and is shown as given: an order is sent with the id that it has`);
    return wanted;
  }
  throw new SvcError('missing_value', 'a dry run connects to nothing, and no account is known here', {
    hint: 'say which with --account <id|name>, or let svc trade accounts look first',
  });
}

/** For a dry run: the symbol as the gateway writes it where that is known, else as it was given. */
export async function cachedSymbol(wanted: string, ctx: RunContext): Promise<string> {
  const { findSymbol } = await import('./symbols.ts');
  const offers = ((await cachedTables(ctx))?.read('Offer') ?? []) as readonly Offer[];
  try {
    return findSymbol(
      offers.map(({ currency }) => currency),
      wanted,
    );
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    ctx.notice(`${wanted} is not known here, and is shown as given`);
    return wanted;
  }
}
