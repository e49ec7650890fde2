/** The stored API token of the trading gateway, of one profile and address. */
import { SvcError } from '../../errors.ts';
import type { Target } from '../../http/target.ts';
import { credentialAddress, findGatewayToken } from '../../store/credentials.ts';
import { readCredentials } from '../../store/credentials-file.ts';
import type { KeeperContext } from './token-keeper.ts';

/** Throws `unauthorized` where none is kept. */
export async function gatewayHeader(
  context: KeeperContext,
  { baseUrl, log }: Target,
  profile: string,
): Promise<{ readonly authorization: string }> {
  const { document, warnings } = await readCredentials(context.paths, context);
  for (const warning of warnings) log.warn(warning);
  const base_url = credentialAddress(baseUrl);
  const token = findGatewayToken(document, { profile, base_url });
  if (token !== undefined) return { authorization: `Bearer ${token.access_token}` };
  const others = (document.gateway_tokens ?? []).filter((one) => one.profile === profile).map((one) => one.base_url);
  const but = others.length === 0 ? '' : `, only for ${others.join(', ')}`;
  throw new SvcError('unauthorized', `profile ${profile} has no token for ${base_url}${but}`, {
    hint: 'keep one with: svc trade login (or set SVC_TRADE_TOKEN)',
  });
}
