import { type RunContext, recordCommand } from '../../../cli/command.ts';
import {
  type Credential,
  credentialAddress,
  findClient,
  findCredential,
  withoutCredential,
} from '../../../store/credentials.ts';
import { withCredentials } from '../../../store/credentials-file.ts';
import { configuredToken } from '../authorizer.ts';
import { revokeToken } from '../token-endpoint.ts';

interface SignedOut {
  readonly base_url: string;
  readonly profile: string;
  /** False where there was no login. */
  readonly signed_out: boolean;
  /** Whether the service has ended the login, too; null where it offers no way to. */
  readonly revoked: boolean | null;
}

export const oauthLogout = recordCommand({
  id: 'oauth logout',
  summary: 'Delete the stored login',
  description:
    'Of the profile, for the address. The service is told only if it named an address for that at sign-in, and the login is deleted here even if that fails. Client registrations stay: svc oauth clients forget removes them.',
  effect: 'read',
  service: 'webhooks',
  examples: [
    { run: 'svc oauth logout', why: 'Sign out of the service of the profile' },
    { run: 'svc oauth logout --base-url https://webhooks.test.example.com', why: 'Sign out of another one' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'base-url', cell: ({ base_url }: SignedOut) => base_url },
      { name: 'profile', cell: ({ profile }: SignedOut) => profile },
      { name: 'signed-out', cell: ({ signed_out }: SignedOut) => signed_out },
      { name: 'revoked', cell: ({ revoked }: SignedOut) => revoked ?? undefined },
    ],
    line: ({ base_url, profile, signed_out }) =>
      signed_out
        ? `signed out of ${base_url} (profile ${profile})`
        : `profile ${profile} was not signed in to ${base_url}`,
    id: ({ base_url }) => base_url,
  },
  async run(_input, ctx) {
    const key = { profile: ctx.settings.profile.name, base_url: credentialAddress(ctx.target.baseUrl) };
    const { gone, revocation } = await withCredentials(ctx.paths, ctx, (file) => {
      for (const warning of file.warnings) ctx.target.log.warn(warning);
      const found = findCredential(file.document, key);
      if (found !== undefined) file.save(withoutCredential(file.document, key));
      return { gone: found, revocation: found && revocationOf(found, findClientOf(file.document, found)) };
    });
    const revoked = revocation === undefined ? null : await revoke(revocation, ctx);
    const source = configuredToken(ctx);
    const notes = [
      gone !== undefined && revoked !== true ? lifeLeft(gone) : '',
      source === undefined ? '' : `${source} is still set, and svc uses it`,
    ];
    return {
      value: { ...key, signed_out: gone !== undefined, revoked },
      footer: notes.filter((note) => note !== '').join('\n') || undefined,
    };
  },
});

function findClientOf(document: Parameters<typeof findClient>[0], credential: Credential) {
  return credential.kind === 'oauth' ? findClient(document, credential) : undefined;
}

function revocationOf(credential: Credential, client: ReturnType<typeof findClient>) {
  if (credential.kind !== 'oauth' || credential.revocation_endpoint === undefined) return undefined;
  const { refresh_token, access_token, client_id, revocation_endpoint } = credential;
  return {
    at: revocation_endpoint,
    client: client ?? { client_id, token_endpoint_auth_method: 'none' as const },
    fields:
      refresh_token === undefined
        ? { token: access_token, token_type_hint: 'access_token' }
        : { token: refresh_token, token_type_hint: 'refresh_token' },
  };
}

async function revoke({ at, ...request }: NonNullable<ReturnType<typeof revocationOf>>, ctx: RunContext) {
  const failure = await revokeToken({ ...request, target: ctx.target }, at);
  if (failure === undefined) return true;
  ctx.notice(`the login is deleted here, but the service could not be told: ${failure.message}`);
  return false;
}

function lifeLeft(credential: Credential): string {
  return credential.kind === 'personal'
    ? 'the personal token itself stays valid at the service: revoke it there if others may know it'
    : 'the service itself may take the access token for up to an hour, and the refresh token for up to 90 days after it was given';
}
