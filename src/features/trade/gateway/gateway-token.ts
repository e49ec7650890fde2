/** The stored API token of this profile and address. */
import type { RunContext } from '../../../cli/command.ts';
import { credentialsFile, gatewayTokenKey, ownerOf } from '../../../store/credentials.ts';
import { withSecrets } from '../../../store/secret-store.ts';

export async function storeToken(token: string, ctx: RunContext): Promise<void> {
  const owner = ownerOf(ctx.settings, ctx.target.baseUrl);
  const stored = { ...owner, access_token: token, obtained_at: Math.floor(ctx.now() / 1000) };
  await withSecrets(credentialsFile(ctx.paths), ctx, (store) => store.set(gatewayTokenKey(owner), stored));
}

/** False if there was none. */
export async function deleteToken(ctx: RunContext): Promise<boolean> {
  return withSecrets(credentialsFile(ctx.paths), ctx, (store) =>
    store.delete(gatewayTokenKey(ownerOf(ctx.settings, ctx.target.baseUrl))),
  );
}
