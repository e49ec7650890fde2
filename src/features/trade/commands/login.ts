import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { Secret } from '../../../http/redact.ts';
import { credentialsFile, gatewayTokenKey, ownerOf } from '../../../store/credentials.ts';
import { withSecrets } from '../../../store/secret-store.ts';
import { credentialSource } from '../../oauth/authorizer.ts';
import { askToken, tokenOption } from '../../oauth/token-input.ts';

interface StoredFor {
  readonly base_url: string;
  readonly profile: string;
}

/** Doc 3 §5 Part B. */
const WHERE = "Create a token in the provider's web trading platform: User Account > Token Management.";

export const tradeLogin = recordCommand({
  id: 'trade login',
  summary: 'Store the API token of the trading gateway',
  description: `Tests the token with the gateway, then stores it for this profile and address. ${WHERE} Demo accounts have API access by default; for live accounts, ask the provider.`,
  effect: 'read',
  service: 'trade',
  flags: {
    'token-stdin': { type: 'boolean', help: 'Read the token from standard input' },
    token: tokenOption('svc trade login'),
  },
  examples: [
    { run: 'svc trade login', why: 'Type or paste the token' },
    { run: 'cat token.txt | svc trade login --token-stdin', why: 'Read the token from a file' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'base-url', cell: ({ base_url }: StoredFor) => base_url },
      { name: 'profile', cell: ({ profile }) => profile },
    ],
    line: ({ base_url, profile }) => `stored the token for ${base_url} (profile ${profile})`,
    id: ({ base_url }) => base_url,
  },
  async run({ tokenStdin }, ctx) {
    const { tryToken } = await import('../gateway/trading-session.ts');
    const source = credentialSource(ctx, 'trade');
    if (source !== undefined) {
      ctx.notice(`${source} is set and overrides the stored token: unset it to use the stored one`);
    }
    if (!tokenStdin && !ctx.interactive) {
      throw new SvcError('missing_value', 'no token was given, and this is not a terminal', {
        hint: 'pipe it in: svc trade login --token-stdin < file',
      });
    }
    if (!tokenStdin) ctx.notice(WHERE);
    const token = await askToken('API token:', 'svc trade login', ctx);
    // All tokens seen so far have this form; others are tried, too.
    if (!/^[0-9a-f]{40}$/i.test(token)) ctx.notice('the token does not have the usual form of 40 hexadecimal digits');
    await tryToken(new Secret(token), ctx);
    await storeToken(token, ctx);
    return { value: ownerOf(ctx.settings, ctx.target.baseUrl) };
  },
});

async function storeToken(token: string, ctx: RunContext): Promise<void> {
  const owner = ownerOf(ctx.settings, ctx.target.baseUrl);
  const stored = { ...owner, access_token: token, obtained_at: Math.floor(ctx.now() / 1000) };
  await withSecrets(credentialsFile(ctx.paths), ctx, (store) => store.set(gatewayTokenKey(owner), stored));
}
