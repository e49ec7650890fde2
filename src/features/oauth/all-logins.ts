/** `oauth status --all`: the credentials of all services in all profiles, without a request. */

import type { Answer, RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { timeCell } from '../../output/cells.ts';
import type { Cell, ListOutput } from '../../output/types.ts';
import { type CredentialOwner, credentialsFile, gatewayTokenKey, loginKey, ownerOf } from '../../store/credentials.ts';
import { SERVICES, type ServiceName } from '../../store/profile-environment.ts';
import { chosenPlace, misplaced, type SecretKey, SecretStore } from '../../store/secret-store.ts';
import { loadSettings, profileNames, readSettingsFile, type Settings, settingsPath } from '../../store/settings.ts';
import { credentialSource } from './authorizer.ts';
import { isAlive, isoTime, loginStatus, refreshEnd } from './login-status.ts';

/** Times are RFC 3339. A field that does not apply is null. */
interface LoginRow {
  readonly profile: string;
  readonly service: ServiceName;
  readonly base_url: string;
  /** `token_set`: svc does not know until when it is valid. `none`: the service may need none. */
  readonly state: 'signed_in' | 'expired' | 'not_signed_in' | 'token_set' | 'none';
  /** A variable or setting; for a stored login `file`, or the name of a credential helper. */
  readonly source: string | null;
  readonly user: string | null;
  readonly expires_at: string | null;
  readonly refresh_expires_at: string | null;
  readonly advice: string | null;
}

const STATES: Readonly<Record<LoginRow['state'], Cell>> = {
  signed_in: { text: 'signed in', tone: 'good' },
  expired: { text: 'expired, refreshable', tone: 'warn' },
  not_signed_in: { text: 'not signed in', tone: 'bad' },
  token_set: { text: 'credential set', tone: 'good' },
  none: { text: 'no credential', tone: 'dim' },
};

export const LOGIN_LIST: ListOutput<LoginRow> = {
  kind: 'list',
  columns: [
    { name: 'profile', cell: ({ profile }) => profile, vital: true },
    { name: 'service', cell: ({ service }) => service, vital: true },
    { name: 'state', cell: ({ state }) => STATES[state], vital: true },
    { name: 'expires', cell: ({ expires_at }) => timeCell(expires_at), vital: true },
    { name: 'user', cell: ({ user }) => user },
    { name: 'refreshable-until', cell: ({ refresh_expires_at }) => timeCell(refresh_expires_at) },
    { name: 'source', cell: ({ source }) => source, wide: true },
    { name: 'base-url', cell: ({ base_url }) => base_url, wide: true },
    { name: 'advice', cell: ({ advice }) => advice, wide: true },
  ],
  id: ({ profile, service }) => `${profile}/${service}`,
};

/** Exit 4 if a sign-in is needed somewhere. */
export async function allLogins(ctx: RunContext): Promise<Answer<never>> {
  const credentials = new SecretStore(credentialsFile(ctx.paths), ctx);
  const current = ctx.settings.profile.name;
  const names = new Set([...profileNames(readSettingsFile(settingsPath(ctx.paths)).document), current]);
  const rows: LoginRow[] = [];
  for (const name of names) {
    // Variables of the environment belong to the current profile only.
    const place =
      name === current
        ? ctx
        : { env: {}, settings: await loadSettings({ paths: ctx.paths, env: {}, profileFlag: name }) };
    for (const service of SERVICES) {
      const address = place.settings.members(`${service}.url`)[0]?.get(`${service}.url`);
      if (address === undefined) continue;
      const owner = ownerOf(place.settings, new URL(address));
      const found = { ...place, now: ctx.now(), isCurrent: name === current };
      rows.push({ ...owner, service, ...(await credentialOf(service, owner, credentials, found)) });
    }
  }
  return {
    value: rows,
    as: LOGIN_LIST,
    code: rows.some(({ state }) => state === 'not_signed_in') ? 'unauthorized' : undefined,
    footer: rows.length === 0 ? NO_ADDRESS : advice(rows),
  };
}

const NO_ADDRESS = 'no profile has the address of a service: svc config set <service>.url <url>';

/** Below a table, which is too narrow for commands. */
function advice(rows: readonly LoginRow[]): string | undefined {
  const lines = rows.flatMap(({ profile, service, advice }) =>
    advice === null ? [] : [`${profile}, ${service}: ${advice}`],
  );
  return lines.length === 0 ? undefined : lines.join('\n');
}

interface Place {
  readonly env: RunContext['env'];
  readonly settings: Settings;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly isCurrent: boolean;
}

const NOTHING = { user: null, expires_at: null, refresh_expires_at: null, advice: null };

type Found = Omit<LoginRow, keyof CredentialOwner | 'service'>;

async function credentialOf(
  service: ServiceName,
  owner: CredentialOwner,
  credentials: SecretStore,
  place: Place,
): Promise<Found> {
  const source = credentialSource(place, service);
  const user = place.settings.get(`${service}.user`) ?? null;
  if (source !== undefined) return { ...NOTHING, state: 'token_set', source, user };
  if (service !== 'trade' && service !== 'webhooks') return { ...NOTHING, state: 'none', source: null };
  try {
    return await (service === 'trade' ? gatewayTokenOf : loginOf)(owner, credentials, place);
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return { ...NOTHING, state: 'not_signed_in', source: null, advice: error.message };
  }
}

async function gatewayTokenOf(owner: CredentialOwner, credentials: SecretStore, place: Place): Promise<Found> {
  const key = gatewayTokenKey(owner);
  const source = await credentials.locate(key);
  if (source === undefined) {
    const advice = `store a token: svc trade login${optionsOf(owner, place)}`;
    return { ...NOTHING, state: 'not_signed_in', source: null, advice };
  }
  return elsewhere(key, source, place) ?? { ...NOTHING, state: 'token_set', source };
}

async function loginOf(owner: CredentialOwner, credentials: SecretStore, place: Place): Promise<Found> {
  const key = loginKey(owner);
  const source = await credentials.locate(key);
  if (source === undefined) {
    const advice = `sign in: svc oauth login${optionsOf(owner, place)}`;
    return { ...NOTHING, state: 'not_signed_in', source: null, advice };
  }
  const wrong = elsewhere(key, source, place);
  if (wrong !== undefined) return wrong;
  const stored = await credentials.find(key);
  if (stored === undefined) return { ...NOTHING, state: 'not_signed_in', source, advice: key.remedy };
  const now = place.now / 1000;
  const { signedIn, advice } = loginStatus(stored, now, optionsOf(owner, place));
  const liveState = isAlive(stored, now) ? 'signed_in' : 'expired';
  return {
    state: signedIn ? liveState : 'not_signed_in',
    source,
    user: (stored.kind === 'oauth' && stored.email) || null,
    expires_at: isoTime(stored.expires_at),
    refresh_expires_at: isoTime(refreshEnd(stored)),
    advice,
  };
}

/** Of the command lines in an advice. */
function optionsOf({ profile }: CredentialOwner, { isCurrent }: Place): string {
  return isCurrent ? '' : ` --profile ${profile}`;
}

/** In a place that the profile does not use. */
function elsewhere(key: SecretKey<unknown>, source: string, place: Pick<Place, 'settings'>) {
  const problem = misplaced(key, source, chosenPlace(place));
  if (problem === undefined) return undefined;
  const advice = `${problem.message}: ${problem.hint}`;
  return { ...NOTHING, state: 'not_signed_in', source, advice } as const;
}
