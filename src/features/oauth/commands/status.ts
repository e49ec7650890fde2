import { statSync } from 'node:fs';
import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { timeCell } from '../../../output/cells.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { type Credential, credentialsFile, credentialsPath, loginKey, ownerOf } from '../../../store/credentials.ts';
import { chosenPlace, FILE, misplaced, SecretStore } from '../../../store/secret-store.ts';
import { credentialSource } from '../authorizer.ts';
import { isoTime, loginStatus, refreshEnd } from '../login-status.ts';
import { checkSignIn } from '../login-store.ts';

/** Times are RFC 3339. A field that does not apply is null. */
interface SignIn {
  /** `expired`: the access token is, and the next request refreshes it. */
  readonly state: 'signed_in' | 'expired' | 'not_signed_in';
  readonly signed_in: boolean;
  /** The variable or the setting with the credential; for a stored login `file` or `helper`. */
  readonly source: string | null;
  /** Where the login is, or a new one would be: `file`, or the name of a credential helper. */
  readonly store: string;
  readonly kind: 'oauth' | 'personal' | 'token' | null;
  readonly profile: string;
  readonly base_url: string;
  readonly file: string;
  readonly file_mode: string | null;
  readonly email: string | null;
  readonly scope: string | null;
  readonly client_id: string | null;
  readonly obtained_at: string | null;
  readonly expires_at: string | null;
  readonly refresh_obtained_at: string | null;
  readonly refresh_expires_at: string | null;
  /** Whether the service was asked. */
  readonly checked: boolean;
  /** What to do now. */
  readonly advice: string | null;
}

const OUTPUT: RecordOutput<SignIn> = {
  kind: 'record',
  columns: [
    {
      name: 'state',
      cell: ({ state, checked }) => {
        if (state === 'not_signed_in') return { text: 'not signed in', tone: 'bad' };
        if (state === 'expired') return { text: 'expired, refreshed by the next request', tone: 'warn' };
        return { text: checked ? 'signed in, confirmed by the service' : 'signed in', tone: 'good' };
      },
    },
    { name: 'base-url', cell: ({ base_url }) => base_url },
    { name: 'profile', cell: ({ profile }) => profile },
    {
      name: 'source',
      cell: ({ source, file, store }) => {
        if (source === 'file') return file;
        return source === 'helper' ? `credential helper ${store}` : (source ?? undefined);
      },
    },
    { name: 'store', cell: ({ store }) => store },
    { name: 'file-mode', cell: ({ file_mode }) => file_mode ?? undefined },
    { name: 'kind', cell: ({ kind }) => kind ?? undefined },
    { name: 'token', cell: ({ source }) => (source === null ? undefined : '***') },
    { name: 'expires', cell: ({ expires_at }) => timeCell(expires_at) },
    { name: 'refreshable-until', cell: ({ refresh_expires_at }) => timeCell(refresh_expires_at) },
    { name: 'email', cell: ({ email }) => email || undefined },
    { name: 'scope', cell: ({ scope }) => scope ?? undefined },
    { name: 'client-id', cell: ({ client_id }) => client_id ?? undefined },
    { name: 'obtained', cell: ({ obtained_at }) => timeCell(obtained_at), wide: true },
    { name: 'refresh-obtained', cell: ({ refresh_obtained_at }) => timeCell(refresh_obtained_at), wide: true },
    { name: 'advice', cell: ({ advice }) => (advice === null ? undefined : { text: advice, tone: 'warn' }) },
  ],
  id: ({ base_url }) => base_url,
};

export const oauthStatus = recordCommand({
  id: 'oauth status',
  suggestFor: ['whoami'],
  summary: 'Show whether you are signed in, and until when',
  description:
    'Makes no request without --check. Exits 0 if you are signed in, else 4. An expired access token that can be refreshed counts as signed in. The expiry of a personal token is known from --expires-in-days only.',
  effect: 'read',
  service: 'webhooks',
  flags: {
    check: { type: 'boolean', help: 'Ask the service whether it accepts the login' },
  },
  examples: [
    { run: 'svc oauth status', why: 'See where the token comes from, and when it expires' },
    { run: 'svc oauth status --check', why: 'Ask the service; exit 4 if it refuses the login' },
  ],
  output: OUTPUT,
  async run({ check }, ctx) {
    const refused = check ? await refusal(ctx) : undefined;
    const stored = await storedStatus(ctx);
    if (!check) return stored.signed_in ? { value: stored } : { value: stored, code: 'unauthorized' };
    const checked: SignIn = { ...stored, state: 'signed_in', signed_in: true, checked: true };
    if (refused === undefined) return { value: checked };
    const advice = refused.hint === undefined ? refused.message : `${refused.message}: ${refused.hint}`;
    const value: SignIn = { ...checked, state: 'not_signed_in', signed_in: false, advice };
    return { value, code: 'unauthorized' };
  },
});

async function refusal({ target }: RunContext): Promise<SvcError | undefined> {
  try {
    await checkSignIn(target);
    return undefined;
  } catch (error) {
    if (error instanceof SvcError && error.code === 'unauthorized') return error;
    throw error;
  }
}

async function storedStatus(ctx: RunContext): Promise<SignIn> {
  const owner = ownerOf(ctx.settings, ctx.target.baseUrl);
  const credentials = new SecretStore(credentialsFile(ctx.paths), ctx);
  const place = await credentials.locate(loginKey(owner));
  const file = credentialsPath(ctx.paths);
  const chosen = chosenPlace(ctx);
  const store = place ?? chosen;
  const common = { ...NOTHING, ...owner, store, file, file_mode: mode(file), checked: false };
  const token = credentialSource(ctx);
  if (token !== undefined) {
    const advice = place === undefined ? null : `unset ${token} to use the stored login`;
    return { ...common, state: 'signed_in', signed_in: true, source: token, kind: 'token', advice };
  }
  const stored = await credentials.find(loginKey(owner));
  if (stored === undefined) {
    const advice = 'sign in: svc oauth login';
    return { ...common, state: 'not_signed_in', signed_in: false, source: null, kind: null, advice };
  }
  const { state, advice } = loginStatus(stored, ctx.now() / 1000);
  const source = store === FILE ? 'file' : 'helper';
  const found = { ...common, ...details(stored), source, kind: stored.kind } as const;
  const problem = misplaced(loginKey(owner), store, chosen);
  if (problem === undefined) return { ...found, state, signed_in: state !== 'not_signed_in', advice };
  return { ...found, state: 'not_signed_in', signed_in: false, advice: `${problem.message}: ${problem.hint}` };
}

const NOTHING = {
  email: null,
  scope: null,
  client_id: null,
  obtained_at: null,
  expires_at: null,
  refresh_obtained_at: null,
  refresh_expires_at: null,
};

function details(stored: Credential): Partial<SignIn> {
  const common = { obtained_at: isoTime(stored.obtained_at), expires_at: isoTime(stored.expires_at) };
  if (stored.kind === 'personal') return common;
  return {
    ...common,
    email: stored.email ?? null,
    scope: stored.scope ?? null,
    client_id: stored.client_id,
    refresh_obtained_at: isoTime(stored.refresh_obtained_at),
    refresh_expires_at: isoTime(refreshEnd(stored)),
  };
}

function mode(file: string): string | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? null : (stats.mode & 0o777).toString(8);
}
