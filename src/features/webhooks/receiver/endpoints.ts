/** The paths that take deliveries, each with the secrets of its endpoint. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { SigningSecret } from '../secret.ts';
import { requireSecrets, type SecretInput } from '../signing-secrets.ts';
import type { Endpoint } from './requests.ts';

interface Endpoints {
  /** That of --path, unless all secrets have paths of their own. */
  readonly path: string;
  readonly secrets: readonly SigningSecret[] | undefined;
  /** Those of `--endpoint path=id`. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

/** `needsSecrets`: deliveries to --path are verified with the secrets of the command line or the environment. */
export async function endpointsOf(
  input: SecretInput & { readonly path: string },
  needsSecrets: boolean,
  ctx: RunContext,
): Promise<Endpoints> {
  const endpoints = new Map<string, Endpoint>();
  const ids: string[] = [];
  for (const one of input.endpoint) {
    const [, path, id] = /^(\/[^=]*)=(.+)$/.exec(one) ?? [];
    if (path === undefined || id === undefined) {
      ids.push(one);
      continue;
    }
    checkPath(path);
    if (endpoints.has(path)) throw new SvcError('usage', `--endpoint: ${path} has two endpoints`);
    const alone = { endpoint: [id], secretFile: [], secretEnv: [], secretFd: [] };
    endpoints.set(path, { id, secrets: await requireSecrets(alone, ctx) });
  }
  const { path, secretFile, secretEnv, secretFd } = input;
  const [first] = endpoints;
  const hasOthers = [ids, secretFile, secretEnv, secretFd].some((list) => list.length > 0);
  if (needsSecrets && first !== undefined && !hasOthers) {
    const [ownPath, { secrets }] = first;
    return { path: ownPath, secrets, endpoints };
  }
  if (endpoints.has(path)) throw new SvcError('usage', `--endpoint: ${path} is the path of --path, too`);
  return {
    path,
    secrets: needsSecrets ? await requireSecrets({ ...input, endpoint: ids }, ctx) : undefined,
    endpoints,
  };
}

export function checkPath(text: string): void {
  if (/^\/[^?#\s]*$/.test(text)) return;
  throw new SvcError('invalid_value', `"${text}" is not a path`, { hint: 'write it like /hook' });
}

interface TunnelInput extends SecretInput {
  readonly tunnel: string | undefined;
  readonly tunnelUrl: string | undefined;
  readonly insecureNoVerify: boolean;
}

/** Where the secrets come from. The subscription of a tunnel has its own. */
export function secretSource(input: TunnelInput, { dryRun }: RunContext): 'input' | 'tunnel' | 'none' {
  const { tunnel, tunnelUrl, endpoint, secretFile, secretEnv, secretFd, insecureNoVerify } = input;
  if (tunnel === undefined) {
    if (tunnelUrl !== undefined) throw new SvcError('usage', '--tunnel-url needs --tunnel, which runs the tunnel');
    if (dryRun) throw new SvcError('usage', '--dry-run needs --tunnel: without it, nothing is sent to the service');
    return insecureNoVerify ? 'none' : 'input';
  }
  if (insecureNoVerify || [endpoint, secretFile, secretEnv, secretFd].some((list) => list.length > 0)) {
    throw new SvcError('usage', '--tunnel verifies with the secret of its own subscription: leave out secret options');
  }
  return 'tunnel';
}
