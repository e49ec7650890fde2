import { recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { checkStorable } from '../../oauth/login-store.ts';
import { askToken, tokenOption } from '../../oauth/token-input.ts';
import { gatewayKey } from '../kept-gateway-token.ts';

interface Kept {
  readonly base_url: string;
  readonly profile: string;
}

/** Doc 3 §5 Part B. */
const WHERE = "it is made in the provider's web trading platform: user account, token management";

export const tradeLogin = recordCommand({
  id: 'trade login',
  summary: 'Keep the API token of the trading gateway',
  description: `The token is tried before it is kept, for the profile and the address; ${WHERE}. Demo accounts have access by default, live accounts when the provider grants it on request.`,
  effect: 'read',
  service: 'trade',
  flags: {
    'token-stdin': { type: 'boolean', help: 'Take it from standard input' },
    token: tokenOption('svc trade login'),
  },
  examples: [
    { run: 'svc trade login', why: 'Type or paste it; it is not shown' },
    { run: 'cat token.txt | svc trade login --token-stdin', why: 'From a file' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'base-url', cell: ({ base_url }: Kept) => base_url },
      { name: 'profile', cell: ({ profile }) => profile },
    ],
    line: ({ base_url, profile }) => `the token for ${base_url} is kept (profile ${profile})`,
    id: ({ base_url }) => base_url,
  },
  async run({ tokenStdin }, ctx) {
    const { keepToken } = await import('../kept-gateway-token.ts');
    const { tryToken } = await import('../trading-session.ts');
    if (ctx.env['SVC_TRADE_TOKEN'] !== undefined) {
      ctx.notice('SVC_TRADE_TOKEN is set, and goes before the token that is kept: unset it to use that');
    }
    if (!tokenStdin && !ctx.interactive) {
      throw new SvcError('missing_value', 'there is nobody to ask for the token', {
        hint: 'pipe it in: svc trade login --token-stdin < file',
      });
    }
    if (!tokenStdin) ctx.notice(WHERE);
    const token = await askToken('API token:', 'svc trade login', ctx);
    // Those that were seen so far are of this form; another one is tried all the same.
    if (!/^[0-9a-f]{40}$/i.test(token)) ctx.notice('the token is not 40 hexadecimal digits, as they usually are');
    await checkStorable(ctx);
    // Nothing is kept that the gateway does not take.
    await tryToken(token, ctx);
    await keepToken(token, ctx);
    return { value: gatewayKey(ctx) };
  },
});
