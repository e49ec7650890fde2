/** `trade close --symbol` and `--everything`: one request for all of a symbol or an account. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { closeAllForSymbol } from './client.ts';
import { closeAllForm } from './order-forms.ts';
import type { TimeInForce } from './order-rules.ts';
import { positionText } from './order-text.ts';
import type { PlannedRequest } from './placing.ts';
import type { ClosedPosition, OpenPosition } from './schema.ts';
import type { TableCache } from './table-cache.ts';

/** Empty if nothing is open. */
export async function planCloseAll(
  wantedSymbol: string | undefined,
  wanted: string | undefined,
  tif: TimeInForce,
  cache: TableCache,
  ctx: RunContext,
): Promise<readonly PlannedRequest[]> {
  const accountId = await cache.accountId(wanted);
  const symbol = wantedSymbol === undefined ? undefined : await symbolOf(wantedSymbol, cache, ctx);
  const isMeant = (row: OpenPosition | ClosedPosition): boolean =>
    (row.accountId ?? accountId) === accountId && (symbol === undefined || row.currency === symbol);
  // Only fresh rows say what is open now.
  const seen = ctx.dryRun ? undefined : await cache.positions(() => false);
  const open = seen?.rows.filter(isMeant);
  if (seen?.isFresh && open?.length === 0) return [];
  const what = symbol === undefined ? 'EVERYTHING' : `all ${symbol}`;
  const warnings = open === undefined || symbol === undefined ? [] : await cache.closedWarnings(symbol);
  return [
    {
      request: {
        endpoint: closeAllForSymbol,
        form: closeAllForm(accountId, symbol, tif),
        command: 'close',
        what: `to close ${symbol === undefined ? 'everything' : what} in account ${accountId}`,
        makesOrder: false,
      },
      before: open,
      accountId,
      warnings,
      awaits: ({ orderIds, sentAt }) => ({
        orderIds,
        sentAt,
        accountId,
        symbol,
        tradeIds: open?.map(({ tradeId }) => tradeId),
        amountK: open && wholeAmountK(open),
      }),
      does: `Close ${what} at market in account ${accountId}: ${open === undefined ? 'open positions could not be read' : open.map(positionText).join(', ')}`,
      isTyped: symbol === undefined,
    },
  ];
}

/** Undefined if a row has no amount: a partial sum would pass for the total. */
function wholeAmountK(rows: readonly OpenPosition[]): number | undefined {
  const amounts = rows.flatMap(({ amountK }) => amountK ?? []);
  return amounts.length < rows.length ? undefined : amounts.reduce((sum, amountK) => sum + amountK, 0);
}

/** A symbol may be hidden from the offers, and a rate limit may hide all offers. */
async function symbolOf(wanted: string, cache: TableCache, ctx: RunContext): Promise<string> {
  try {
    return await cache.symbol(wanted);
  } catch (error) {
    if (!(error instanceof SvcError) || (error.code !== 'not_found' && error.code !== 'limited') || ctx.dryRun) {
      throw error;
    }
    const { foldedSymbol } = await import('./symbols.ts');
    const seen = await cache.positions(() => false);
    const row = seen?.rows.find(({ currency = '' }) => foldedSymbol(currency) === foldedSymbol(wanted));
    if (row?.currency !== undefined) return row.currency;
    if (error.code === 'not_found') throw error;
    ctx.notice(`${error.message}; using ${wanted} as given`);
    return wanted;
  }
}
