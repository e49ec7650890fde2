import { recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Cell } from '../../../output/types.ts';

interface Standing {
  readonly base_url: string;
  readonly profile: string;
  readonly has_token: boolean;
  readonly source: 'environment' | 'file' | null;
  readonly kept_at: string | null;
  /** Null where the gateway was not asked. */
  readonly accepted: boolean | null;
  /** What to do. */
  readonly advice: string | null;
}

export const tradeStatus = recordCommand({
  id: 'trade status',
  summary: 'Whether there is a token for the trading gateway, and where it comes from',
  description:
    'Asks nobody without --check, which opens a session and closes it again. Exit 0 while there is a token that was not refused, else 4. A token tells nothing of itself, and does not end by itself.',
  effect: 'read',
  service: 'trade',
  flags: { check: { type: 'boolean', help: 'Open a session, to see whether the gateway takes it' } },
  examples: [
    { run: 'svc trade status', why: 'See where the token comes from' },
    { run: 'svc trade status --check', why: 'See whether the gateway takes it; exit 4 where it does not' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'state', cell: stateCell },
      { name: 'base-url', cell: ({ base_url }) => base_url },
      { name: 'profile', cell: ({ profile }) => profile },
      { name: 'source', cell: ({ source }) => (source === 'environment' ? 'SVC_TRADE_TOKEN' : (source ?? undefined)) },
      { name: 'token', cell: ({ has_token }) => (has_token ? '***' : undefined) },
      { name: 'kept', cell: ({ kept_at }) => (kept_at === null ? undefined : { time: kept_at }) },
      { name: 'advice', cell: ({ advice }) => (advice === null ? undefined : { text: advice, tone: 'warn' }) },
    ],
    id: ({ base_url }) => base_url,
  },
  async run({ check }, ctx) {
    const { gatewayKey, keptToken } = await import('../kept-gateway-token.ts');
    const kept = await keptToken(ctx);
    const given = ctx.env['SVC_TRADE_TOKEN'] !== undefined;
    // Throws where the variable is set but empty.
    if (given) await ctx.target.authorizer?.header();
    const source = given ? 'environment' : kept === undefined ? null : 'file';
    const common = {
      ...gatewayKey(ctx),
      has_token: source !== null,
      source,
      kept_at: kept === undefined || given ? null : new Date(kept.obtained_at * 1000).toISOString(),
    } as const;
    if (source === null) {
      const advice = 'keep a token: svc trade login (or set SVC_TRADE_TOKEN)';
      return { value: { ...common, accepted: null, advice }, code: 'unauthorized' };
    }
    if (!check) return { value: { ...common, accepted: null, advice: null } };
    const { gatewayToken, tryToken } = await import('../trading-session.ts');
    try {
      await tryToken((await gatewayToken(ctx)).reveal(), ctx);
      return { value: { ...common, accepted: true, advice: null } };
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'unauthorized') throw error;
      const advice = [error.message, error.hint].filter((part) => part !== undefined).join('; ');
      return { value: { ...common, accepted: false, advice }, code: 'unauthorized' };
    }
  },
});

function stateCell({ has_token, accepted }: Standing): Cell {
  if (!has_token) return { text: 'no token', tone: 'bad' };
  if (accepted === null) return { text: 'a token is there', tone: 'good' };
  return accepted
    ? { text: 'a token is there, and the gateway takes it', tone: 'good' }
    : { text: 'the gateway refuses the token', tone: 'bad' };
}
