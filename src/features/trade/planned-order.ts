/** An order that opens something, as one of several requests that are confirmed together. */
import type { RunContext } from '../../cli/command.ts';
import { type NewOrderDraft, openingDetails } from './new-order.ts';
import type { PlannedRequest } from './planned-requests.ts';
import type { TableCache } from './table-cache.ts';

/** Throws where the gateway's state speaks against it. */
export async function plannedOrder(
  draft: NewOrderDraft,
  wanted: string | undefined,
  cache: TableCache,
  ctx: RunContext,
): Promise<PlannedRequest> {
  const { symbol } = draft;
  if (ctx.dryRun) {
    const accountId = await cache.accountId(wanted);
    const request = draft.request(accountId, await cache.symbol(symbol));
    return { request, details: {}, accountId, does: request.what };
  }
  const { previewOrder, guardOrder, isBarred } = await import('./order-preview.ts');
  const { orderSentence } = await import('./order-preview.ts');
  const found = await cache.checkedAccount(wanted);
  const account = isBarred(found) ? await cache.freshAccount(found) : found;
  const offer = await cache.offer(symbol);
  guardOrder(draft, { account, offer });
  const preview = previewOrder(draft, { account, offer, now: ctx.now() });
  const { accountId } = account;
  return {
    request: draft.request(accountId, offer.currency),
    details: await openingDetails(draft, account, offer),
    accountId,
    does: orderSentence(draft, preview),
    warnings: preview.warnings,
    recheck: async (cache) => guardOrder(draft, { account, offer: await cache.offer(symbol) }),
  };
}
