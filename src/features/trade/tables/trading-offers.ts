/** Known data of the symbols: ids and sizes are cached for a day, prices are not. */

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

/** Cached for a day, else requested. They may have no prices. */
export async function knownOffers({ known, trading }: TradingSession): Promise<readonly Offer[]> {
  const before = known.read('Offer') as readonly Offer[] | undefined;
  if (before !== undefined && before.length > 0) return before;
  const offers = await trading.model('Offer');
  keepOffers(known, offers);
  return offers;
}
