import { type RunContext, recordCommand } from '../../../cli/command.ts';
import type { Options } from '../../../cli/flags.ts';
import { endedBy, SvcError } from '../../../errors.ts';
import { timeCell } from '../../../output/cells.ts';
import type { ClientRecord, Credential } from '../../../store/credentials.ts';
import { credentialSource } from '../authorizer.ts';
import { signIn } from '../login.ts';
import type { LoginOptions } from '../login-client.ts';
import {
  BROWSER_FLAGS,
  checkWayToSignIn,
  LOGIN_CLIENT_FLAGS,
  PERSONAL_TOKEN_FLAGS,
  type SignInOptions,
} from '../login-options.ts';
import { isoTime } from '../login-status.ts';
import { checkSignIn, checkStorable, storedClients, storeLogin } from '../login-store.ts';
import { askToken } from '../token-input.ts';

interface StoredLogin {
  readonly base_url: string;
  readonly profile: string;
  readonly kind: Credential['kind'];
  readonly client_id: string | null;
  readonly auth_method: string | null;
  readonly scope: string | null;
  readonly email: string | null;
  readonly expires_at: string | null;
}

export const oauthLogin = recordCommand({
  id: 'oauth login',
  summary: 'Sign in to the recording service',
  description:
    'Opens a browser and stores the login for the profile and the address. Without a browser on this machine, use --device where the service offers it, open the printed address elsewhere and paste the address it ends at, or forward a port.',
  details:
    'svc waits for the browser at a port that only this machine can reach, and closes it when the command ends. In a container, start it with docker run -p 127.0.0.1:8250:8250 and pass --callback-host 0.0.0.0 --callback-port 8250. BROWSER names the program that opens the address, as for xdg-open: a command, or several with colons between them, with %s for the address. BROWSER=none opens none. A new login replaces the earlier one, and svc revokes that one if the service offers it. If standard input is not a terminal, svc reads it only with --paste or --token-stdin.',
  effect: 'read',
  service: 'webhooks',
  flags: {
    ...BROWSER_FLAGS,
    ...LOGIN_CLIENT_FLAGS,
    ...PERSONAL_TOKEN_FLAGS,
  },
  examples: [
    { run: 'svc oauth login', why: 'Sign in by browser' },
    { run: 'svc oauth login --callback-port 8250', why: 'Sign in over ssh, after ssh -L 8250:127.0.0.1:8250' },
    {
      run: 'svc oauth login --scope "mcp:connect offline_access"',
      why: 'Request a refresh token from a service that needs this scope',
    },
    { run: 'cat token.txt | svc oauth login --token-stdin --expires-in-days 90', why: 'Store a personal token' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'base-url', cell: ({ base_url }: StoredLogin) => base_url },
      { name: 'profile', cell: ({ profile }: StoredLogin) => profile },
      { name: 'kind', cell: ({ kind }: StoredLogin) => kind },
      { name: 'client-id', cell: ({ client_id }: StoredLogin) => client_id ?? undefined },
      { name: 'auth-method', cell: ({ auth_method }: StoredLogin) => auth_method ?? undefined },
      { name: 'scope', cell: ({ scope }: StoredLogin) => scope ?? undefined },
      { name: 'email', cell: ({ email }: StoredLogin) => email || undefined },
      { name: 'expires', cell: ({ expires_at }: StoredLogin) => timeCell(expires_at) },
    ],
    id: ({ base_url }) => base_url,
  },
  async run(input, ctx) {
    const source = credentialSource(ctx);
    if (source !== undefined) {
      const isEmpty = ctx.env[source]?.trim() === '';
      ctx.notice(`${source} is set${isEmpty ? ' but empty' : ''}, and svc uses it instead of the login: unset it`);
    }
    if (!input.tokenStdin) {
      if (input.expiresInDays !== undefined) throw new SvcError('usage', '--expires-in-days needs --token-stdin');
      checkWayToSignIn(input, ctx);
      const { authMethod: method, wait: waitMs, newClient, ...rest } = input;
      const client = await givenClient(input, ctx);
      return { value: await byBrowser({ ...rest, client, method, waitMs, newClient }, ctx) };
    }
    const { callbackPort, callbackHost, paste, device, newClient, ...others } = input;
    const { authMethod, clientName, clientId, clientSecretFile, scope } = others;
    const ofClient = [callbackPort, callbackHost, authMethod, clientName, clientId, clientSecretFile, scope];
    if (paste || device || newClient || ofClient.some((one) => one !== undefined)) {
      throw new SvcError('usage', '--token-stdin cannot be combined with the browser and client options');
    }
    const value = await byPersonalToken(input.expiresInDays, ctx);
    return { value, footer: 'the service revokes a personal token after about 90 days without use' };
  },
});

async function givenClient(
  { clientId: id, clientSecretFile, newClient }: Options<typeof LOGIN_CLIENT_FLAGS>,
  ctx: RunContext,
) {
  if (id === undefined) {
    if (clientSecretFile === undefined) return undefined;
    throw new SvcError('usage', '--client-secret-file needs --client-id');
  }
  if (newClient) throw new SvcError('usage', '--new-client and --client-id cannot be combined');
  if (clientSecretFile === undefined) return { id, secret: undefined };
  if (clientSecretFile !== '-') ctx.checkSecretFile(clientSecretFile);
  const secret = Buffer.from(await ctx.readInput(clientSecretFile))
    .toString('utf8')
    .trim();
  if (secret !== '') return { id, secret };
  throw new SvcError('credential_unusable', `--client-secret-file: ${clientSecretFile} is empty`);
}

async function byBrowser(input: LoginOptions & SignInOptions, ctx: RunContext): Promise<StoredLogin> {
  // Moves a corrupt file aside.
  await checkStorable(ctx);
  const clients = await storedClients(ctx);
  const stop = new AbortController();
  // A hangup also ends it cleanly.
  const release = ctx.takeSignals((name) => {
    release();
    stop.abort(endedBy(name));
  });
  try {
    const target = { ...ctx.target, signal: AbortSignal.any([ctx.signal, stop.signal]) };
    const { client, credential } = input.device
      ? await (await import('../device-login.ts')).signInByDevice(target, clients, input, ctx)
      : await signIn(target, clients, input, ctx);
    return shown(await storeLogin(credential, client, ctx), client);
  } finally {
    release();
  }
}

async function byPersonalToken(days: number | undefined, ctx: RunContext): Promise<StoredLogin> {
  const token = await askToken('Personal token:', 'svc oauth login', ctx);
  await checkStorable(ctx);
  await checkTaken(token, ctx);
  const now = Math.floor(ctx.now() / 1000);
  const expires_at = days === undefined ? undefined : now + days * 86_400;
  const login = { kind: 'personal', access_token: token, obtained_at: now, last_used_at: now, expires_at } as const;
  return shown(await storeLogin(login, undefined, ctx), undefined);
}

/** A token that the service refuses is not stored. */
async function checkTaken(token: string, { target }: RunContext): Promise<void> {
  const { origin } = target.baseUrl;
  try {
    await checkSignIn({
      ...target,
      authorizer: { origin, header: async () => ({ authorization: `Bearer ${token}` }) },
    });
  } catch (error) {
    if (!(error instanceof SvcError) || error.httpStatus !== 401) throw error;
    throw new SvcError('unauthorized', 'the service refused this token, and svc did not store it', {
      hint: 'create a token at the service, then run: svc oauth login --token-stdin < file',
      httpStatus: 401,
    });
  }
}

function shown(credential: Credential, client: ClientRecord | undefined): StoredLogin {
  const oauth = credential.kind === 'oauth' ? credential : undefined;
  return {
    base_url: credential.base_url,
    profile: credential.profile,
    kind: credential.kind,
    client_id: oauth?.client_id ?? null,
    auth_method: client?.token_endpoint_auth_method ?? null,
    scope: oauth?.scope ?? null,
    email: oauth?.email ?? null,
    expires_at: isoTime(credential.expires_at),
  };
}
