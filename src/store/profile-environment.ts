/** What an explicit `--profile` overrides in the environment: its address precedes the variable's, and so may its credential. */
import type { Context, Paths } from '../context.ts';
import { credentialAddress, credentialsPath, gatewayTokenKey, loginKey } from './credentials.ts';
import { storedIds } from './secret-store.ts';
import { credentialSettings, type Settings } from './settings.ts';

export const SERVICES = ['alerts', 'webhooks', 'catalog', 'trade'] as const;
export type ServiceName = (typeof SERVICES)[number];

type Env = Context['env'];

export interface ProfileOverrides {
  /** The environment without the credentials that `--profile` does not let a command use. */
  readonly env: Env;
  /** The overridden variables of each service, to show to the user. */
  readonly warnings: Readonly<Record<ServiceName, readonly string[]>>;
}

export async function profileOverrides(env: Env, settings: Settings, paths: Paths): Promise<ProfileOverrides> {
  const warnings: Record<ServiceName, string[]> = { alerts: [], webhooks: [], catalog: [], trade: [] };
  const left = { ...env };
  const { name, origin } = settings.profile;
  for (const service of origin.kind === 'flag' ? SERVICES : []) {
    const prefix = `SVC_${service.toUpperCase()}`;
    const other = settings.overriddenOrigin(`${service}.url`);
    if (other !== undefined) warnings[service].push(`--profile ${name} overrides ${prefix}_URL, which names ${other}`);
    const variables = [`${prefix}_TOKEN`, `${prefix}_PASSWORD`].filter((variable) => env[variable] !== undefined);
    if (variables.length === 0) continue;
    const reason =
      other !== undefined
        ? `it belongs to ${other}`
        : (await hasCredential(service, settings, paths))
          ? `profile ${name} has its own credential`
          : undefined;
    if (reason === undefined) continue;
    for (const variable of variables) {
      delete left[variable];
      warnings[service].push(`${variable} is not used: ${reason}`);
    }
  }
  return { env: left, warnings };
}

async function hasCredential(service: ServiceName, settings: Settings, paths: Paths): Promise<boolean> {
  if (credentialSettings(service, settings).length > 0) return true;
  // Such a file has secret headers.
  if (/(?:^|")@/.test(settings.resolve(`${service}.headers`).value ?? '')) return true;
  if (service !== 'webhooks' && service !== 'trade') return false;
  const address = settings.resolve(`${service}.url`).value;
  if (address === undefined || !URL.canParse(address)) return false;
  const owner = { profile: settings.profile.name, base_url: credentialAddress(new URL(address)) };
  const { id } = service === 'webhooks' ? loginKey(owner) : gatewayTokenKey(owner);
  return (await storedIds(credentialsPath(paths))).includes(id);
}
