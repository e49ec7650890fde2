import { recordCommand } from '../../../cli/command.ts';
import { credentialsFile, gatewayTokenKey, ownerOf } from '../../../store/credentials.ts';
import { withSecrets } from '../../../store/secret-store.ts';
import { credentialSource } from '../../oauth/authorizer.ts';

interface Logout {
  readonly base_url: string;
  readonly profile: string;
  /** False if none was stored. */
  readonly deleted: boolean;
}

export const tradeLogout = recordCommand({
  id: 'trade logout',
  summary: 'Delete the stored API token',
  description:
    "Deletes the token of this profile and address from this machine. The token stays valid until you revoke it in the provider's web trading platform.",
  effect: 'read',
  service: 'trade',
  examples: [{ run: 'svc trade logout', why: 'Delete the token of this profile' }],
  output: {
    kind: 'record',
    columns: [
      { name: 'base-url', cell: ({ base_url }: Logout) => base_url },
      { name: 'profile', cell: ({ profile }) => profile },
      { name: 'deleted', cell: ({ deleted }) => deleted },
    ],
    line: ({ base_url, profile, deleted }) =>
      deleted
        ? `deleted the token for ${base_url} (profile ${profile})`
        : `profile ${profile} has no token for ${base_url}`,
    id: ({ base_url }) => base_url,
  },
  async run(_input, ctx) {
    const owner = ownerOf(ctx.settings, ctx.target.baseUrl);
    const deleted = await withSecrets(credentialsFile(ctx.paths), ctx, (store) => store.delete(gatewayTokenKey(owner)));
    const notes = deleted ? ['the token itself is still valid: revoke it at the provider if others may know it'] : [];
    const source = credentialSource(ctx, 'trade');
    if (source !== undefined) notes.push(`${source} is still set and will be used`);
    return { value: { ...owner, deleted }, footer: notes.join('\n') || undefined };
  },
});
