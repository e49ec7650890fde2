/** Showing or hiding symbols in the account's table of offers. */
import type { Answer, RunContext } from '../cli/command.ts';
import type { VisibilityRow } from '../services/trading/symbols.ts';
import { type SessionWish, withTrading } from './trading-session.ts';

/** One by one, and only those that are not so already: each change counts towards a cap (doc 3 §8, command 24). */
export async function setVisible(
  symbols: readonly string[],
  visible: boolean,
  wish: SessionWish,
  ctx: RunContext,
): Promise<Answer<readonly VisibilityRow[]>> {
  return withTrading(ctx, wish, async ({ trading, known }) => {
    const { findSymbol } = await import('../services/trading/symbols.ts');
    const { bulk, bulkAnswer } = await import('../cli/bulk.ts');
    const instruments = await trading.instruments();
    const names = instruments.map(({ symbol }) => symbol);
    // All are looked up before the first is changed.
    const wanted = [...new Set(symbols.map((symbol) => findSymbol(names, symbol)))];
    const shown = new Map(instruments.map((one) => [one.symbol, one.visible ?? false]));
    known.forget();
    const outcome = await bulk(wanted, 1, async (symbol): Promise<VisibilityRow> => {
      const changed = shown.get(symbol) !== visible;
      if (changed) await trading.setVisible(symbol, visible);
      return { symbol, visible, changed, message: null };
    });
    return bulkAnswer(outcome, (symbol, { message }) => {
      return { symbol, visible: shown.get(symbol) ?? false, changed: null, message };
    });
  });
}
