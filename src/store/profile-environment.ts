/** What an explicit `--profile` overrides in the environment: an address, maybe a credential. */
import type { Context, Paths } from '../context.ts';
import { credentialSettings, overriddenOrigin, type Settings } from './settings.ts';

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
  for (const service of settings.profile.origin.kind === 'flag' ? SERVICES : []) {
    const prefix = `SVC_${service.toUpperCase()}`;
    const other = overriddenOrigin(`${service}.url`, settings);
    if (other !== undefined) {
      warnings[service].push(`--profile ${settings.profile.name} overrides ${prefix}_URL, which names ${other}`);
    }
    const variables = [`${prefix}_TOKEN`, `${prefix}_PASSWORD`].filter((variable) => env[variable] !== undefined);
    const reason = variables.length === 0 ? undefined : await whyNotUsed(service, other, settings, paths);
    for (const variable of reason === undefined ? [] : variables) {
      delete left[variable];
      warnings[service].push(`${variable} is not used: ${reason}`);
    }
  }
  return { env: left, warnings };
}

/** Why a service's credential variables are not used. `other` is its address variable's origin. */
async function whyNotUsed(
  service: ServiceName,
  other: string | undefined,
  settings: Settings,
  paths: Paths,
): Promise<string | undefined> {
  if (other !== undefined) return `it belongs to ${other}`;
  if (await hasCredential(service, settings, paths)) return `profile ${settings.profile.name} has its own credential`;
  return undefined;
}

async function hasCredential(service: ServiceName, settings: Settings, paths: Paths): Promise<boolean> {
  if (credentialSettings(service, settings).length > 0) return true;
  // Such a file has secret headers.
  if (/(?:^|")@/.test(settings.resolve(`${service}.headers`).value ?? '')) return true;
  if (service !== 'webhooks' && service !== 'trade') return false;
  const address = settings.resolve(`${service}.url`).value;
  if (address === undefined || !URL.canParse(address)) return false;
  // Loads zod, for which few command lines have a reason.
  const { credentialsPath, gatewayTokenKey, loginKey, ownerOf } = await import('./credentials.ts');
  const { storedIds } = await import('./secret-store.ts');
  const owner = ownerOf(settings, new URL(address));
  const { id } = service === 'webhooks' ? loginKey(owner) : gatewayTokenKey(owner);
  return storedIds(credentialsPath(paths)).includes(id);
}
