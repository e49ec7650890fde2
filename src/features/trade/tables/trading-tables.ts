/** Tables and symbols on the command line, in one list. */
import { SvcError } from '../../../errors.ts';
import type { Wanted } from '../gateway/subscription.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import { isModelName, MODEL_NAMES, type ModelName } from '../models.ts';
import type { Offer } from '../schema.ts';
import { findInOffers } from './trading-offers.ts';

/** Without duplicates. Anything but the exact name of a table is a symbol, and looked up in the offers. */
export async function wantedOf(names: readonly string[], open: TradingSession): Promise<Wanted> {
  const models = [...new Set(names.filter(isModelName))];
  const others = names.filter((name) => !isModelName(name));
  try {
    return { models, symbols: await symbolsOf(others, open) };
  } catch (error) {
    const meant = MODEL_NAMES.find((model) => others.some((name) => isNearly(name, model)));
    if (meant === undefined || !(error instanceof SvcError) || error.code !== 'not_found') throw error;
    throw new SvcError('not_found', error.message, { hint: `the table is written ${meant}` });
  }
}

/** `orders`, `open-position` */
function isNearly(name: string, model: ModelName): boolean {
  return name.replace(/[-_ ]|s$/gi, '').toLowerCase() === model.replace(/s$/, '').toLowerCase();
}

/** As the gateway writes them. */
export async function symbolsOf(names: readonly string[], open: TradingSession): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const { findSymbol } = await import('../symbols.ts');
  return findInOffers(open, (offers) => {
    const offered = offers.map(({ currency }) => currency);
    return [...new Set(names.map((name) => findSymbol(offered, name)))];
  });
}

/** The current rows of each table, and the offers of the symbols. */
export async function* snapshotRows(
  { models, symbols }: Wanted,
  { trading }: TradingSession,
): AsyncGenerator<{ readonly model: ModelName; readonly row: Readonly<Record<string, unknown>> }, void, void> {
  for (const model of models) {
    const rows = model === 'Account' ? await trading.accounts() : await trading.model(model);
    for (const row of rows) yield { model, row };
  }
  if (symbols.length === 0 || models.includes('Offer')) return;
  const offers: readonly Offer[] = await trading.model('Offer');
  for (const row of offers) if (symbols.includes(row.currency)) yield { model: 'Offer', row };
}
