/** The stored API token of this profile and address. */
import type { RunContext } from '../../../cli/command.ts';
import {
  type CredentialKey,
  credentialAddress,
  findGatewayToken,
  type GatewayToken,
  withGatewayToken,
  withoutGatewayToken,
} from '../../../store/credentials.ts';
import { withCredentials } from '../../../store/credentials-file.ts';

export function gatewayKey({ target, settings }: RunContext): CredentialKey {
  return { profile: settings.profile.name, base_url: credentialAddress(target.baseUrl) };
}

export async function storeToken(token: string, ctx: RunContext): Promise<void> {
  const stored: GatewayToken = {
    ...gatewayKey(ctx),
    access_token: token,
    obtained_at: Math.floor(ctx.now() / 1000),
  };
  await withCredentials(ctx.paths, ctx, (file) => file.save(withGatewayToken(file.document, stored)));
}

/** False if there was none. */
export async function deleteToken(ctx: RunContext): Promise<boolean> {
  const key = gatewayKey(ctx);
  return withCredentials(ctx.paths, ctx, async (file) => {
    for (const warning of file.warnings) ctx.target.log.warn(warning);
    const found = findGatewayToken(file.document, key) !== undefined;
    if (found) await file.save(withoutGatewayToken(file.document, key));
    return found;
  });
}
