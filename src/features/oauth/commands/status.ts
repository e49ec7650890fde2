import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { timeCell } from '../../../output/cells.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { type Credential, credentialsFile, loginKey, ownerOf } from '../../../store/credentials.ts';
import { chosenPlace, SecretStore } from '../../../store/secret-store.ts';
import { credentialSource } from '../authorizer.ts';
import { isoTime, loginStatus, refreshEnd } from '../login-status.ts';
import { checkSignIn } from '../login-store.ts';

/** Times are RFC 3339. A field that does not apply is null. */
interface SignIn {
  /** `expired`: the access token is, and the next request refreshes it. */
  readonly state: 'signed_in' | 'expired' | 'not_signed_in';
  readonly profile: string;
  readonly base_url: string;
  /** A variable or a setting; for a stored login `file`, or the name of a credential helper. */
  readonly source: string | null;
  readonly kind: 'oauth' | 'personal' | 'token' | null;
  readonly email: string | null;
  readonly scope: string | null;
  readonly client_id: string | null;
  readonly obtained_at: string | null;
  readonly expires_at: string | null;
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
    { name: 'source', cell: ({ source }) => source ?? undefined },
    { name: 'kind', cell: ({ kind }) => kind ?? undefined },
    { name: 'expires', cell: ({ expires_at }) => timeCell(expires_at) },
    { name: 'refreshable-until', cell: ({ refresh_expires_at }) => timeCell(refresh_expires_at) },
    { name: 'email', cell: ({ email }) => email || undefined },
    { name: 'scope', cell: ({ scope }) => scope ?? undefined },
    { name: 'client-id', cell: ({ client_id }) => client_id ?? undefined },
    { name: 'obtained', cell: ({ obtained_at }) => timeCell(obtained_at), wide: true },
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
    const stored = await readStatus(ctx);
    const checked = { ...stored, state: 'signed_in', checked: true } as const;
    if (refused !== undefined) {
      const value = { ...checked, state: 'not_signed_in', advice: adviceOf(refused) } as const;
      return { value, code: 'unauthorized' };
    }
    const value = check ? checked : stored;
    return { value, code: value.state === 'not_signed_in' ? 'unauthorized' : undefined };
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

/** Without a request. */
async function readStatus(ctx: RunContext): Promise<SignIn> {
  const owner = ownerOf(ctx.settings, ctx.target.baseUrl);
  const source = credentialSource(ctx);
  const isEmpty = ctx.env[source ?? '']?.trim() === '';
  if (isEmpty) return { ...NONE, ...owner, advice: `${source} is empty: unset it, or give it its value` };
  if (source !== undefined) return { ...NONE, ...owner, state: 'signed_in', source, kind: 'token' };
  try {
    const login = await new SecretStore(credentialsFile(ctx.paths), ctx).get(loginKey(owner));
    if (login === undefined) return { ...NONE, ...owner, advice: 'sign in: svc oauth login' };
    const { state, advice } = loginStatus(login, ctx.now() / 1000);
    return { ...NONE, ...detailsOf(login), ...owner, state, source: chosenPlace(ctx), kind: login.kind, advice };
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'unauthorized') throw error;
    return { ...NONE, ...owner, advice: adviceOf(error) };
  }
}

function adviceOf({ message, hint }: SvcError): string {
  return hint === undefined ? message : `${message}: ${hint}`;
}

const NONE = {
  state: 'not_signed_in',
  source: null,
  kind: null,
  email: null,
  scope: null,
  client_id: null,
  obtained_at: null,
  expires_at: null,
  refresh_expires_at: null,
  checked: false,
  advice: null,
} as const;

function detailsOf(login: Credential): Partial<SignIn> {
  const common = { obtained_at: isoTime(login.obtained_at), expires_at: isoTime(login.expires_at) };
  if (login.kind === 'personal') return common;
  const { email = null, scope = null, client_id } = login;
  return { ...common, email, scope, client_id, refresh_expires_at: isoTime(refreshEnd(login)) };
}
