import { recordCommand } from '../../../cli/command.ts';

interface Forgotten {
  readonly base_url: string;
  readonly profile: string;
  /** False where none was kept. */
  readonly forgotten: boolean;
}

export const tradeLogout = recordCommand({
  id: 'trade logout',
  summary: 'Delete the stored API token',
  description:
    "Of the profile, for the address. The gateway has no way to be told: the token stays valid until it is revoked in the provider's web trading platform.",
  effect: 'read',
  service: 'trade',
  examples: [{ run: 'svc trade logout', why: 'Delete the token of the profile' }],
  output: {
    kind: 'record',
    columns: [
      { name: 'base-url', cell: ({ base_url }: Forgotten) => base_url },
      { name: 'profile', cell: ({ profile }) => profile },
      { name: 'forgotten', cell: ({ forgotten }) => forgotten },
    ],
    line: ({ base_url, profile, forgotten }) =>
      forgotten
        ? `the token for ${base_url} is deleted here (profile ${profile})`
        : `profile ${profile} had no token for ${base_url}`,
    id: ({ base_url }) => base_url,
  },
  async run(_input, ctx) {
    const { forgetToken, gatewayKey } = await import('../kept-gateway-token.ts');
    const forgotten = await forgetToken(ctx);
    const notes = forgotten ? ['the token itself stays valid: revoke it at the provider if others may know it'] : [];
    if (ctx.env['SVC_TRADE_TOKEN'] !== undefined) notes.push('SVC_TRADE_TOKEN is still set, and used');
    return { value: { ...gatewayKey(ctx), forgotten }, footer: notes.join('\n') || undefined };
  },
});
