/** Known data of the symbols: ids and sizes are cached for a day, prices are not. */

import { SvcError } from '../../../errors.ts';
import type { KnownTables } from '../../../store/known-tables.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import type { Offer } from '../schema.ts';

/** Without the fields that change every second. */
export function keepOffers(known: KnownTables, offers: readonly Offer[]): void {
  known.keep(
    'Offer',
    offers.map(({ sell: _, buy: __, high: ___, low: ____, time: _____, spread: ______, ...lasting }) => lasting),
  );
}

function cachedOffers({ known }: TradingSession): readonly Offer[] {
  return (known.read('Offer') ?? []) as readonly Offer[];
}

async function readOffers({ known, trading }: TradingSession): Promise<readonly Offer[]> {
  const offers = await trading.model('Offer');
  keepOffers(known, offers);
  return offers;
}

/** Cached for a day, else requested. They may have no prices. */
export async function knownOffers(open: TradingSession): Promise<readonly Offer[]> {
  const cached = cachedOffers(open);
  return cached.length > 0 ? cached : readOffers(open);
}

/** What `find` returns for the offers. Cached ones that lack it are read again: the account may show more symbols since. */
export async function findInOffers<T>(open: TradingSession, find: (offers: readonly Offer[]) => T): Promise<T> {
  const cached = cachedOffers(open);
  if (cached.length > 0) {
    try {
      return find(cached);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'not_found') throw error;
    }
  }
  return find(await readOffers(open));
}
