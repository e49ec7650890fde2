import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import {
  type Credential,
  type CredentialOwner,
  credentialsFile,
  loginKey,
  ownerOf,
} from '../../../store/credentials.ts';
import { type SecretStore, withSecrets } from '../../../store/secret-store.ts';
import { credentialSource } from '../authorizer.ts';
import { findRevocation, revoke } from '../revocation.ts';

interface SignedOut {
  readonly base_url: string;
  readonly profile: string;
  /** False if there was no login. */
  readonly signed_out: boolean;
  /** Whether the service revoked the token; null if it offers no way to. */
  readonly revoked: boolean | null;
}

export const oauthLogout = recordCommand({
  id: 'oauth logout',
  summary: 'Delete the stored login',
  description:
    'Deletes the login of the profile for the address, and revokes its token if the service offers that. The login is deleted here even if the service cannot be reached. Client registrations stay: svc oauth clients forget deletes them.',
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
    const owner = ownerOf(ctx.settings, ctx.target.baseUrl);
    const { isGone, login, revocation } = await withSecrets(credentialsFile(ctx.paths), ctx, async (store) => {
      const found = await findLogin(store, owner, ctx);
      return { ...found, isGone: await store.delete(loginKey(owner)) };
    });
    const failure = revocation && (await revoke(revocation, ctx.target));
    if (failure !== undefined) {
      ctx.notice(`the login is deleted here, but its token could not be revoked: ${failure.message}`);
    }
    const revoked = revocation === undefined ? null : failure === undefined;
    const source = credentialSource(ctx);
    const notes: string[] = [];
    if (login !== undefined && revoked !== true) notes.push(lifeLeft(login));
    if (source !== undefined) notes.push(`${source} is still set, and svc uses it`);
    return { value: { ...owner, signed_out: isGone, revoked }, footer: notes.join('\n') || undefined };
  },
});

/** A login that cannot be read is deleted all the same. */
async function findLogin(store: SecretStore, owner: CredentialOwner, ctx: RunContext) {
  try {
    const login = await store.find(loginKey(owner));
    return { login, revocation: await findRevocation(store, login) };
  } catch (error) {
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    ctx.notice(`the token could not be revoked: ${error.message}`);
    return { login: undefined, revocation: undefined };
  }
}

function lifeLeft(credential: Credential): string {
  return credential.kind === 'personal'
    ? 'the personal token itself stays valid: revoke it at the service if others may know it'
    : 'the service may accept the access token for up to an hour, and the refresh token for up to 90 days';
}
