/** What an explicit `--profile` leaves of the environment: its address counts before the variable's, and so may its credential. */
import type { Context, Paths } from '../context.ts';
import { credentialAddress, findCredential, findGatewayToken } from './credentials.ts';
import { readCredentialsUnlocked } from './credentials-file.ts';
import type { Settings } from './settings.ts';

export type ServiceName = 'alerts' | 'webhooks' | 'catalog' | 'trade';

type Env = Context['env'];
const SERVICES: readonly ServiceName[] = ['alerts', 'webhooks', 'catalog', 'trade'];

/** The environment without the credentials that `--profile` does not let a command use. */
export function profileEnvironment(env: Env, settings: Settings, paths: Paths): Env {
  const unused = SERVICES.flatMap((service) =>
    unusedReason(service, env, settings, paths) === undefined ? [] : credentialVariables(service, env),
  );
  if (unused.length === 0) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !unused.includes(name)));
}

/** What `--profile` overrides of this service's variables, for the user to see. */
export function profileWarnings(service: ServiceName, env: Env, settings: Settings, paths: Paths): readonly string[] {
  const warnings: string[] = [];
  const { name } = settings.profile;
  const other = settings.overriddenOrigin(`${service}.url`);
  if (other !== undefined) {
    warnings.push(`--profile ${name} overrides SVC_${service.toUpperCase()}_URL, which names ${other}`);
  }
  const reason = unusedReason(service, env, settings, paths);
  if (reason === undefined) return warnings;
  return [...warnings, ...credentialVariables(service, env).map((variable) => `${variable} is not used: ${reason}`)];
}

function credentialVariables(service: ServiceName, env: Env): string[] {
  const prefix = `SVC_${service.toUpperCase()}`;
  return [`${prefix}_TOKEN`, `${prefix}_PASSWORD`].filter((name) => env[name] !== undefined);
}

function unusedReason(service: ServiceName, env: Env, settings: Settings, paths: Paths): string | undefined {
  if (settings.profile.origin.kind !== 'flag' || credentialVariables(service, env).length === 0) return undefined;
  const other = settings.overriddenOrigin(`${service}.url`);
  if (other !== undefined) return `it belongs to ${other}`;
  const address = settings.resolve(`${service}.url`).value;
  if (address === undefined || !URL.canParse(address)) return undefined;
  const key = { profile: settings.profile.name, base_url: credentialAddress(new URL(address)) };
  const document = readCredentialsUnlocked(paths);
  const own =
    service === 'webhooks'
      ? findCredential(document, key)
      : service === 'trade'
        ? findGatewayToken(document, key)
        : undefined;
  return own === undefined ? undefined : `profile ${key.profile} has a credential of its own`;
}
