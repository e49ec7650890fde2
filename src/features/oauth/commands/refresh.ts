import { recordCommand } from '../../../cli/command.ts';
import { timeCell } from '../../../output/cells.ts';
import { credentialSource } from '../authorizer.ts';
import { isoTime } from '../login-status.ts';
import { renewLogin } from '../token-manager.ts';

interface Refreshed {
  readonly base_url: string;
  readonly profile: string;
  readonly scope: string | null;
  readonly expires_at: string | null;
}

export const oauthRefresh = recordCommand({
  id: 'oauth refresh',
  summary: 'Get a new access token now',
  description:
    'Replaces the access token even if it is still valid. Other commands refresh an expired token by themselves. Exits 4 if the service refuses the refresh token; the stored login then stays, marked as ended.',
  effect: 'read',
  service: 'webhooks',
  examples: [{ run: 'svc oauth refresh', why: 'Restart the 90 days of the refresh token before a long absence' }],
  output: {
    kind: 'record',
    columns: [
      { name: 'base-url', cell: ({ base_url }: Refreshed) => base_url },
      { name: 'profile', cell: ({ profile }: Refreshed) => profile },
      { name: 'scope', cell: ({ scope }: Refreshed) => scope ?? undefined },
      { name: 'expires', cell: ({ expires_at }: Refreshed) => timeCell(expires_at) },
    ],
    id: ({ base_url }) => base_url,
  },
  async run(_input, ctx) {
    const { base_url, profile, scope, expires_at } = await renewLogin(ctx, ctx.target);
    const source = credentialSource(ctx);
    return {
      value: { base_url, profile, scope: scope ?? null, expires_at: isoTime(expires_at) },
      footer: source && `${source} is set, and svc uses it instead of the stored login`,
    };
  },
});
