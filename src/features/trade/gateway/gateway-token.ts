/** The stored API token of this profile and address. */
import type { RunContext } from '../../../cli/command.ts';
import {
  type CredentialOwner,
  credentialAddress,
  gatewayTokenKey,
  withCredentials,
} from '../../../store/credentials.ts';

export function gatewayOwner({ target, settings }: RunContext): CredentialOwner {
  return { profile: settings.profile.name, base_url: credentialAddress(target.baseUrl) };
}

export async function storeToken(token: string, ctx: RunContext): Promise<void> {
  const owner = gatewayOwner(ctx);
  const stored = { ...owner, access_token: token, obtained_at: Math.floor(ctx.now() / 1000) };
  await withCredentials(ctx.paths, ctx, (store) => store.set(gatewayTokenKey(owner), stored));
}

/** False if there was none. */
export async function deleteToken(ctx: RunContext): Promise<boolean> {
  return withCredentials(ctx.paths, ctx, (store) => store.delete(gatewayTokenKey(gatewayOwner(ctx))));
}
