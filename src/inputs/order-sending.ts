/** Sends what trades: through the journal on this disk, with a look at the service where an answer is lost. */
import { randomUUID } from 'node:crypto';
import type { RunContext } from '../cli/command.ts';
import { SvcError } from '../errors.ts';
import type { Caller, Trading } from '../services/trading/client.ts';
import type { LostOrder } from '../services/trading/order-candidates.ts';
import type { KnownOrder } from '../services/trading/order-refusal.ts';
import type { OrderJournal, OrderRequest, Placed } from '../services/trading/placing.ts';
import { gatewayToken, type SessionWish, type TradingSession, withTrading } from './trading-session.ts';

export interface SendingDetails {
  /** What to look for where the answer is lost: each order of the request. Without it nothing is looked for. */
  readonly lost?: readonly LostOrder[];
  /** Where it changes what is there: how that is seen now, as a sentence. */
  readonly seen?: (trading: Trading, sentAt: number) => Promise<string>;
  /** What a refusal is explained by. */
  readonly known?: KnownOrder;
  /** Is given the journal's id before the request leaves. */
  readonly journaled?: (id: string) => void;
}

/** What a look at what became of it takes. */
type Looking = Pick<TradingSession, 'trading' | 'budget'>;

/** One POST. Resolves for an order that was accepted; every other outcome is thrown. */
export async function sendOrder(
  request: OrderRequest,
  open: Looking & { readonly session: Caller },
  { lost, seen, known, journaled }: SendingDetails,
  wish: SessionWish,
  ctx: RunContext,
): Promise<Placed> {
  const { placeOrder } = await import('../services/trading/placing.ts');
  const { exceededLimit } = await import('../services/trading/counted-caller.ts');
  const { explainRefusal } = await import('../services/trading/order-refusal.ts');
  return placeOrder(request, {
    session: open.session,
    journal: await orderJournal(ctx, journaled),
    now: ctx.now,
    explain: async (error, common) =>
      (await exceededLimit(error, open.budget)) ??
      (known === undefined ? common : explainRefusal(error, common, known)),
    ...(lost === undefined ? {} : { candidates: (sentAt: number) => candidates(lost, sentAt, open, wish, ctx) }),
    ...(seen === undefined
      ? {}
      : { seen: (sentAt: number) => lookAgain(({ trading }) => seen(trading, sentAt), open, wish, ctx) }),
  });
}

/** For a dry run: shows the request, and connects to nothing. */
export async function showRequest(request: OrderRequest, ctx: RunContext): Promise<never> {
  const { openSession } = await import('../services/trading/session.ts');
  const { showOrder } = await import('../services/trading/placing.ts');
  const session = openSession(ctx.target, { token: () => gatewayToken(ctx), onNotice: ctx.notice });
  try {
    return await showOrder(request, session);
  } finally {
    await session.close();
  }
}

async function candidates(
  lost: readonly LostOrder[],
  sentAt: number,
  open: Looking,
  wish: SessionWish,
  ctx: RunContext,
) {
  const { orderCandidates } = await import('../services/trading/order-candidates.ts');
  const { mayBeOf, readJournal } = await import('../store/order-journal.ts');
  // Another gateway numbers its orders as it likes.
  const own = readJournal(ctx.paths).filter((entry) => mayBeOf(ctx.target.baseUrl, entry));
  const accepted = own.filter(({ order_ids }) => order_ids.length > 0);
  const look = async ({ trading }: Pick<TradingSession, 'trading'>) => {
    const seen = { orders: await trading.model('Order'), positions: await trading.model('OpenPosition') };
    const found = lost.flatMap((order) => orderCandidates(order, sentAt, seen, accepted));
    // Both of a pair may be of the same side.
    return [...new Map(found.map((one) => [`${one.kind} ${one.id}`, one])).values()];
  };
  return lookAgain(look, open, wish, ctx);
}

/** With the answer the session may be gone: then by another one. */
async function lookAgain<T>(
  look: (open: Pick<TradingSession, 'trading'>) => Promise<T>,
  open: Looking,
  wish: SessionWish,
  ctx: RunContext,
): Promise<T> {
  try {
    return await look(open);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code === 'limited' || ctx.signal.aborted) throw error;
    return withTrading(ctx, wish, look);
  }
}

async function orderJournal(ctx: RunContext, journaled?: (id: string) => void): Promise<OrderJournal> {
  const { journal } = await import('../store/order-journal.ts');
  const { paths, settings, target, now } = ctx;
  const at = (): string => new Date(now()).toISOString();
  return {
    async sent({ command, endpoint, form }) {
      const id = randomUUID();
      await journal(paths, ctx, {
        id,
        at: at(),
        profile: settings.profile.name,
        base_url: target.baseUrl.href,
        command,
        path: endpoint.path,
        form,
      });
      journaled?.(id);
      return id;
    },
    async answered(id, outcome, { orderIds, message }) {
      try {
        // An interruption must not keep the truth from the disk.
        await journal(
          paths,
          { ...lockParts(ctx), signal: new AbortController().signal },
          {
            id,
            at: at(),
            outcome,
            ...(orderIds === undefined ? {} : { order_ids: orderIds }),
            ...(message === undefined ? {} : { message }),
          },
        );
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        ctx.notice(`the journal does not have the outcome (${outcome}): ${error.message}`);
      }
    },
  };
}

function lockParts({ sleep, now, random, pid }: RunContext) {
  return { sleep, now, random, pid };
}
