import { recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Cell } from '../../../output/types.ts';
import { chosenStore, FILE_STORE, storeOf } from '../../../store/sealed-records.ts';
import { credentialSource, type SourceKind, sourceKind, sourceText } from '../../oauth/authorizer.ts';

interface TokenStatus {
  readonly base_url: string;
  readonly profile: string;
  readonly has_token: boolean;
  readonly source: SourceKind | 'file' | 'helper' | null;
  /** Where the token is, or a new one would be: `file`, or the name of a credential helper. */
  readonly store: string;
  readonly stored_at: string | null;
  /** Null without --check. */
  readonly accepted: boolean | null;
  readonly advice: string | null;
}

export const tradeStatus = recordCommand({
  id: 'trade status',
  summary: 'Show whether a token is set and where it comes from',
  description:
    'Works offline unless --check is given, which opens a session and closes it again. Exits 4 if there is no token or the gateway refuses it. API tokens do not expire.',
  effect: 'read',
  service: 'trade',
  flags: { check: { type: 'boolean', help: 'Test the token with the gateway' } },
  examples: [
    { run: 'svc trade status', why: 'Show where the token comes from' },
    { run: 'svc trade status --check', why: 'Test the token; exit 4 if it is refused' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'state', cell: stateCell },
      { name: 'base-url', cell: ({ base_url }) => base_url },
      { name: 'profile', cell: ({ profile }) => profile },
      {
        name: 'source',
        cell: ({ source, store }) => {
          if (source === 'file') return source;
          if (source === 'helper') return `credential helper ${store}`;
          return source === null ? undefined : sourceText(source, 'trade');
        },
      },
      { name: 'token', cell: ({ has_token }) => (has_token ? '***' : undefined) },
      { name: 'stored', cell: ({ stored_at }) => (stored_at === null ? undefined : { time: stored_at }) },
      { name: 'advice', cell: ({ advice }) => (advice === null ? undefined : { text: advice, tone: 'warn' }) },
    ],
    id: ({ base_url }) => base_url,
  },
  async run({ check }, ctx) {
    const { gatewayKey, storedToken } = await import('../gateway/gateway-token.ts');
    const stored = await storedToken(ctx);
    const given = credentialSource(ctx, 'trade');
    // Throws if it is not usable, such as an empty variable.
    if (given !== undefined) await ctx.target.authorizer?.header();
    const store = stored === undefined ? chosenStore(ctx) : storeOf(stored);
    const ownStore = store === FILE_STORE ? 'file' : 'helper';
    const source = given !== undefined ? sourceKind(given) : stored === undefined ? null : ownStore;
    const common = {
      ...gatewayKey(ctx),
      has_token: source !== null,
      source,
      store,
      stored_at: stored === undefined || given !== undefined ? null : new Date(stored.obtained_at * 1000).toISOString(),
    } as const;
    if (source === null) {
      const advice = 'store a token: svc trade login (or set SVC_TRADE_TOKEN)';
      return { value: { ...common, accepted: null, advice }, code: 'unauthorized' };
    }
    if (!check) return { value: { ...common, accepted: null, advice: null } };
    const { gatewayToken, tryToken } = await import('../gateway/trading-session.ts');
    try {
      await tryToken(() => gatewayToken(ctx), ctx);
      return { value: { ...common, accepted: true, advice: null } };
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'unauthorized') throw error;
      const advice = [error.message, error.hint].filter((part) => part !== undefined).join('; ');
      return { value: { ...common, accepted: false, advice }, code: 'unauthorized' };
    }
  },
});

function stateCell({ has_token, accepted }: TokenStatus): Cell {
  if (!has_token) return { text: 'no token', tone: 'bad' };
  if (accepted === null) return { text: 'token set', tone: 'good' };
  return accepted
    ? { text: 'token accepted by the gateway', tone: 'good' }
    : { text: 'token refused by the gateway', tone: 'bad' };
}
