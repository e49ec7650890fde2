import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { CallCounts } from '../../../store/call-counts.ts';
import { CALL_LIMITS } from '../gateway/counted-caller.ts';
import { gatewayToken, openCounts } from '../gateway/trading-session.ts';

/** A rate limit, or the limits of one request for candles. */
interface Limit {
  readonly kind: 'calls' | 'candles';
  /** The command number, or the period. */
  readonly name: string;
  readonly does: string | null;
  readonly max: number | null;
  readonly window_s: number | null;
  /** By all processes of this machine; null for candles and without a token. */
  readonly used: number | null;
  /** When the next call is possible; null if now. */
  readonly free_at: string | null;
  readonly max_days_back: number | null;
}

export const tradeLimits = listCommand({
  id: 'trade limits',
  summary: 'Show rate limits, their use, and candle limits',
  description:
    'Works offline: svc counts the calls of this machine per address and token. At a limit, svc refuses reads; it never delays or refuses an order, a cancel or a close.',
  details:
    'An ORA-20301 of the gateway marks a window as used up. Which request counts towards which command is inferred. svc never sends commands 8 and 117.',
  effect: 'read',
  service: 'trade',
  examples: [{ run: 'svc trade limits', why: 'Show what is left' }],
  output: {
    kind: 'list',
    columns: [
      { name: 'limit', cell: ({ kind, name }: Limit) => (kind === 'calls' ? `command ${name}` : name) },
      { name: 'used', cell: usedCell, align: 'right' },
      { name: 'max', cell: ({ max }) => max, align: 'right' },
      { name: 'window', cell: ({ window_s: seconds }) => (seconds === null ? undefined : `${seconds} s`) },
      { name: 'days-back', cell: ({ max_days_back }) => max_days_back, align: 'right' },
      { name: 'free', cell: ({ free_at }) => (free_at === null ? undefined : { time: free_at, tone: 'warn' }) },
      { name: 'what', cell: ({ does }) => does, shrinks: true },
    ],
    id: ({ name }) => name,
  },
  async run(_input, ctx) {
    const { PERIODS } = await import('../candles/plan.ts');
    const counts = await readCounts(ctx);
    const none = { does: null, max: null, window_s: null, used: null, free_at: null, max_days_back: null };
    const calls = CALL_LIMITS.map((limit): Limit => {
      const { used = null, freeAt } = counts?.usage(limit) ?? {};
      const { cmd, does, maxCalls: max, windowMs, requests } = limit;
      return {
        ...none,
        kind: 'calls',
        name: String(cmd),
        does: requests.length === 0 ? does : `${does} (${requests.join(', ')})`,
        max,
        window_s: windowMs / 1000,
        used,
        free_at: freeAt === undefined ? null : new Date(freeAt).toISOString(),
      };
    });
    const candles = PERIODS.map(({ name, maxDaysBack: max_days_back = null, maxCandles: max = null }): Limit => {
      const does = max === null ? 'candles: no limit' : 'candles per request';
      return { ...none, kind: 'candles', name, does, max, max_days_back };
    });
    return { value: [...calls, ...candles] };
  },
});

/** Undefined without an address or a token, which only the use needs. */
async function readCounts(ctx: RunContext): Promise<CallCounts | undefined> {
  const unused = 'use is not shown because';
  if (ctx.settings.get('trade.url') === undefined) {
    ctx.notice(`${unused} no address is configured: set SVC_TRADE_URL, or run: svc config set trade.url <url>`);
    return undefined;
  }
  try {
    return openCounts(ctx.target, await gatewayToken(ctx), ctx);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'unauthorized') throw error;
    ctx.notice(`${unused} there is no token: ${error.hint ?? error.message}`);
    return undefined;
  }
}

function usedCell({ used, max }: Limit) {
  if (used === null) return undefined;
  return max !== null && used >= max ? { text: String(used), tone: 'bad' as const } : used;
}
