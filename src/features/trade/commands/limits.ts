import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { CALL_LIMITS } from '../gateway/counted-caller.ts';
import { gatewayToken, openCounts } from '../gateway/trading-session.ts';

type Token = Awaited<ReturnType<typeof gatewayToken>>;

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
  flags: { reset: { type: 'boolean', help: 'Reset the counts' } },
  examples: [
    { run: 'svc trade limits', why: 'Show what is left' },
    { run: 'svc trade limits --reset', why: 'Start counting from zero' },
  ],
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
  async run({ reset }, ctx) {
    const { PERIODS } = await import('../candles/plan.ts');
    const token = await tokenOf(ctx, reset);
    const counts = token && openCounts(ctx.target, token, ctx);
    if (reset) await counts?.reset();
    const calls = CALL_LIMITS.map((limit): Limit => {
      const { used = null, freeAt } = counts?.usage(limit) ?? {};
      const { requests } = limit;
      return {
        kind: 'calls',
        name: String(limit.cmd),
        does: `${limit.does}${requests.length === 0 ? '' : ` (${requests.join(', ')})`}`,
        max: limit.maxCalls,
        window_s: limit.windowMs / 1000,
        used,
        free_at: freeAt === undefined ? null : new Date(freeAt).toISOString(),
        max_days_back: null,
      };
    });
    const candles = PERIODS.map(({ name, maxDaysBack, maxCandles }): Limit => {
      return {
        kind: 'candles',
        name,
        does: maxCandles === undefined ? 'candles: no limit' : 'candles per request',
        max: maxCandles ?? null,
        window_s: null,
        used: null,
        free_at: null,
        max_days_back: maxDaysBack ?? null,
      };
    });
    return { value: [...calls, ...candles] };
  },
});

/** Only the counts need a token. */
async function tokenOf(ctx: RunContext, isNeeded: boolean): Promise<Token | undefined> {
  const missing = (what: string, hint: string): undefined => {
    ctx.notice(`use is not shown because ${what}: ${hint}`);
    return undefined;
  };
  if (!isNeeded && ctx.settings.get('trade.url') === undefined) {
    return missing('no address is configured', 'set SVC_TRADE_URL, or run: svc config set trade.url <url>');
  }
  try {
    return await gatewayToken(ctx);
  } catch (error) {
    if (isNeeded || !(error instanceof SvcError) || error.code !== 'unauthorized') throw error;
    return missing('there is no token', error.hint ?? error.message);
  }
}

function usedCell({ used, max }: Limit) {
  if (used === null) return undefined;
  return max !== null && used >= max ? { text: String(used), tone: 'bad' as const } : used;
}
