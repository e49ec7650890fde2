import { isIP } from 'node:net';
import { type RunContext, recordCommand } from '../../../cli/command.ts';
import { type Flags, type Options, section } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { timeCell } from '../../../output/cells.ts';
import type { ClientRecord, Credential } from '../../../store/credentials.ts';
import { credentialSource } from '../authorizer.ts';
import { opensBrowser, signIn } from '../login.ts';
import { isoTime } from '../login-status.ts';
import { checkSignIn, readClients, storeLogin } from '../login-store.ts';
import { AUTH_METHODS } from '../registration.ts';
import type { OAuthClient } from '../token-endpoint.ts';
import { askToken, refusedOption, tokenOption } from '../token-input.ts';

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

const FLAGS = {
  ...section('Browser options', {
    'callback-port': { type: 'integer', min: 1, max: 65535, help: 'Port for the redirect (default: as registered)' },
    'callback-host': { type: 'string', value: 'ip', help: 'Address to listen at (0.0.0.0 in a container)' },
    browser: { type: 'boolean', default: true, help: 'Print the address, but open no browser' },
    paste: { type: 'boolean', help: 'Also read the final address from standard input' },
    wait: { type: 'duration', positive: true, default: '5m', help: 'How long to wait for the browser' },
  }),
  ...section('Client options', {
    'auth-method': { type: 'choice', value: 'method', choices: AUTH_METHODS, help: 'Client authentication' },
    'new-client': { type: 'boolean', help: 'Register a new client, even if one is stored' },
    'client-id': { type: 'string', value: 'id', help: 'Use this client instead of registering one' },
    'client-secret-file': { type: 'string', value: 'file', help: 'File with the client secret (-: stdin)' },
    scope: { type: 'string', value: 'scopes', help: 'Scopes to request (default mcp:connect)' },
  }),
  'client-secret': refusedOption('--client-secret', 'pass --client-secret-file <file>, or - for standard input'),
  ...section('Personal token options', {
    'token-stdin': { type: 'boolean', help: 'Read a personal token from stdin or a prompt' },
    'expires-in-days': { type: 'integer', min: 1, max: 365, help: 'Lifetime of the personal token' },
  }),
  token: tokenOption('svc oauth login'),
} as const satisfies Flags;

type LoginInput = Options<typeof FLAGS>;

export const oauthLogin = recordCommand({
  id: 'oauth login',
  summary: 'Sign in to the recording service',
  description:
    'Opens a browser and stores the login for the profile and the address. Without a browser on this machine, open the printed address elsewhere and paste the address it ends at, or forward a port.',
  details:
    'svc waits for the browser at a port that only this machine can reach, and closes it when the command ends. In a container, start it with docker run -p 127.0.0.1:8250:8250 and pass --callback-host 0.0.0.0 --callback-port 8250. BROWSER names the program that opens the address, as for xdg-open: a command, or several with colons between them, with %s for the address. BROWSER=none opens none. A new login replaces the earlier one, and svc revokes that one if the service offers it. If standard input is not a terminal, svc reads it only with --paste or --token-stdin.',
  effect: 'read',
  service: 'webhooks',
  flags: FLAGS,
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
    line: ({ base_url, profile, email }) =>
      `signed in to ${base_url}${email ? ` as ${email}` : ''} (profile ${profile})`,
    id: ({ base_url }) => base_url,
  },
  async run(input, ctx) {
    const source = credentialSource(ctx);
    if (source !== undefined) ctx.notice(`${source} is set, and svc uses it instead of the login: unset it`);
    if (input.tokenStdin) {
      const value = await storeToken(input, ctx);
      return { value, footer: 'the service revokes a personal token after about 90 days without use' };
    }
    if (input.expiresInDays !== undefined) throw new SvcError('usage', '--expires-in-days needs --token-stdin');
    checkReachable(input, ctx);
    const given = await readGivenClient(input, ctx);
    const clients = await readClients(ctx);
    const { client, login } = await signIn(clients, { ...input, given }, ctx);
    return { value: toStored(await storeLogin(login, client, ctx), client) };
  },
});

/** Throws, before anything is sent, if no answer could arrive. */
function checkReachable({ paste, callbackPort, callbackHost, browser }: LoginInput, ctx: RunContext): void {
  if (callbackHost !== undefined && isIP(callbackHost) === 0) {
    throw new SvcError('invalid_value', `--callback-host: ${JSON.stringify(callbackHost)} is not an IP address`, {
      hint: 'in a container, use 0.0.0.0 and publish the port on 127.0.0.1',
    });
  }
  if (callbackHost !== undefined && callbackPort === undefined) {
    throw new SvcError('usage', '--callback-host needs --callback-port', { hint: 'name the port that is forwarded' });
  }
  if (ctx.interactive || paste || callbackPort !== undefined || opensBrowser({ browser }, ctx)) return;
  throw new SvcError('missing_value', 'a sign-in needs a terminal or a browser, and there is neither', {
    hint: 'use --paste or a forwarded --callback-port, or store a personal token with --token-stdin',
  });
}

async function readGivenClient(
  { clientId: client_id, clientSecretFile: file, authMethod, newClient }: LoginInput,
  ctx: RunContext,
): Promise<OAuthClient | undefined> {
  if (client_id === undefined) {
    if (file === undefined) return undefined;
    throw new SvcError('usage', '--client-secret-file needs --client-id');
  }
  if (newClient) throw new SvcError('usage', '--new-client and --client-id cannot be combined');
  // RFC 7591 §2: the default method of a client with a secret.
  const method = authMethod ?? (file === undefined ? 'none' : 'client_secret_basic');
  if ((method === 'none') !== (file === undefined)) {
    throw new SvcError(
      'usage',
      `--auth-method ${method} ${file === undefined ? 'needs' : 'excludes'} --client-secret-file`,
    );
  }
  const client = { client_id, token_endpoint_auth_method: method };
  if (file === undefined) return client;
  if (file !== '-') ctx.checkSecretFile(file);
  const client_secret = Buffer.from(await ctx.readInput(file))
    .toString()
    .trim();
  if (client_secret === '') throw new SvcError('credential_unusable', `--client-secret-file: ${file} is empty`);
  return { ...client, client_secret };
}

async function storeToken(input: LoginInput, ctx: RunContext): Promise<StoredLogin> {
  const { callbackPort, callbackHost, authMethod, clientId, clientSecretFile, scope, paste, newClient } = input;
  const values = [callbackPort, callbackHost, authMethod, clientId, clientSecretFile, scope];
  const other = values.some((one) => one !== undefined);
  if (other || paste || newClient) {
    throw new SvcError('usage', '--token-stdin cannot be combined with the browser and client options');
  }
  const access_token = await askToken('Personal token:', 'svc oauth login', ctx);
  await checkAccepted(access_token, ctx);
  const obtained_at = Math.floor(ctx.now() / 1000);
  const { expiresInDays: days } = input;
  const expires_at = days === undefined ? undefined : obtained_at + days * 86_400;
  const login = { kind: 'personal', access_token, obtained_at, expires_at } as const;
  return toStored(await storeLogin(login, undefined, ctx), undefined);
}

/** A token that the service refuses is not stored. */
async function checkAccepted(token: string, { target }: RunContext): Promise<void> {
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

function toStored(credential: Credential, client: ClientRecord | undefined): StoredLogin {
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
