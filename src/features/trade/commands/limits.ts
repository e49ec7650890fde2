import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { CallCounts } from '../../../store/call-counts.ts';
import { CALL_LIMITS, gatewayToken, openCounts } from '../gateway/trading-session.ts';

interface Limit {
  /** The command number. */
  readonly cmd: number;
  readonly does: string;
  readonly max: number;
  readonly window_s: number;
  /** By all processes of this machine; null without a token. */
  readonly used: number | null;
  /** When the next call is possible; null if now. */
  readonly free_at: string | null;
}

export const tradeLimits = listCommand({
  id: 'trade limits',
  summary: 'Show rate limits and their use',
  description:
    'Works offline: svc counts the reads of this machine per address and token, and refuses them at a limit. An order, a cancel or a close, with what it reads, is never counted, delayed or refused.',
  details:
    'An ORA-20301 of the gateway marks a window as used up. Which request counts towards which command is inferred. svc never sends commands 8 and 117.',
  effect: 'read',
  service: 'trade',
  examples: [{ run: 'svc trade limits', why: 'Show what is left' }],
  output: {
    kind: 'list',
    columns: [
      { name: 'limit', cell: ({ cmd }: Limit) => `command ${cmd}` },
      { name: 'used', cell: ({ used }) => used, align: 'right' },
      { name: 'max', cell: ({ max }) => max, align: 'right' },
      { name: 'window', cell: ({ window_s: seconds }) => `${seconds} s` },
      { name: 'free', cell: ({ free_at }) => (free_at === null ? undefined : { time: free_at, tone: 'warn' }) },
      { name: 'what', cell: ({ does }) => does, shrinks: true },
    ],
    id: ({ cmd }) => String(cmd),
  },
  async run(_input, ctx) {
    const counts = await readCounts(ctx);
    const value = CALL_LIMITS.map((limit): Limit => {
      const { used = null, freeAt } = counts?.usage(limit) ?? {};
      const { cmd, does, maxCalls: max, windowMs, requests } = limit;
      return {
        cmd,
        does: requests.length === 0 ? does : `${does} (${requests.join(', ')})`,
        max,
        window_s: windowMs / 1000,
        used,
        free_at: freeAt === undefined ? null : new Date(freeAt).toISOString(),
      };
    });
    return { value };
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
