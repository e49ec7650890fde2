/** Which client signs in, and on which port it waits for the browser. */
import { SvcError } from '../../errors.ts';
import type { FailedAnswer } from '../../http/answers.ts';
import type { Target } from '../../http/target.ts';
import type { ClientAuthMethod, ClientRecord } from '../../store/credentials.ts';
import { Authorization, SCOPE } from './authorization.ts';
import type { ServerMetadata } from './discovery.ts';
import { callbackPath, type LoopbackListener, openListener } from './loopback-listener.ts';
import { ProtocolRefusal, protocolRequest } from './protocol-request.ts';
import { isLive, offeredMethods, registerForLogin } from './registration.ts';
import { isClientError } from './token-endpoint.ts';

export interface LoginOptions {
  /** Undefined takes the method of the latest client, else one that the server offers. */
  readonly method: ClientAuthMethod | undefined;
  readonly clientName: string | undefined;
  /** Undefined uses the default of doc 2 §5. */
  readonly scope: string | undefined;
  readonly callbackPort: number | undefined;
  /** Where to listen, if not at the address of the redirect. */
  readonly callbackHost: string | undefined;
  /** Registers a new client although one is stored. */
  readonly newClient: boolean;
  /** A client registered elsewhere; svc then registers none. */
  readonly client: GivenClient | undefined;
  readonly waitMs: number;
}

interface GivenClient {
  readonly id: string;
  readonly secret: string | undefined;
}

export interface KnownClients {
  readonly all: readonly ClientRecord[];
  /** The server no longer knows it: no sign-in uses it again. */
  forget(client: ClientRecord): Promise<void>;
}

type Notice = (text: string) => void;

const CLIENT_NAME = 'svc';

export interface Begun {
  readonly listener: LoopbackListener;
  readonly client: ClientRecord;
  readonly authorization: Authorization;
  readonly origin: 'given' | 'stored' | 'new';
}

/** A forgotten client is replaced by the next stored one, and the last by a new one. */
export async function chooseClient(
  target: Target,
  server: ServerMetadata,
  clients: KnownClients,
  options: LoginOptions,
  notice: Notice,
): Promise<Begun> {
  const { client: given, newClient } = options;
  if (given !== undefined)
    return beginGiven(target, server, givenClient(given, server, clients.all, options), options, notice);
  const own = loopbackClients(clients.all, server);
  for (const client of newClient ? [] : usable(own, options, target.now())) {
    const listener = await listenFor(client, server, options, notice);
    if (listener === undefined) continue;
    const authorization = authorize(server, client, listener, options);
    const forgotten = await closingOnFailure(listener, () => isUnknownClient(target, authorization));
    if (!forgotten) return { listener, client, authorization, origin: 'stored' };
    await listener.close();
    await clients.forget(client);
    notice(`the server no longer knows the client ${client.client_id}: svc uses another one`);
  }
  const listener = await openAt(server, options);
  return closingOnFailure(listener, async () => {
    const offered = offeredMethods(server);
    const { method = offered.find((one) => one === own[0]?.token_endpoint_auth_method) ?? offered[0] } = options;
    const client = await register(target, server, { ...options, method }, { listener, notice });
    const authorization = authorize(server, client, listener, options);
    if (await isUnknownClient(target, authorization)) {
      notice('the server does not know the client that it just registered; the browser may show an error');
    }
    return { listener, client, authorization, origin: 'new' };
  });
}

async function beginGiven(
  target: Target,
  server: ServerMetadata,
  given: ClientRecord,
  options: LoginOptions,
  notice: Notice,
): Promise<Begun> {
  const listener =
    (await listenFor(given, server, options, notice)) ??
    (await openAt(server, { ...options, callbackPort: undefined }));
  notice(`the client must have the redirect URI ${listener.redirectUri}`);
  return closingOnFailure(listener, async () => {
    const client = { ...given, redirect_uris: [listener.redirectUri], redirect_port: listener.port };
    const authorization = authorize(server, client, listener, options);
    if (!(await isUnknownClient(target, authorization))) return { listener, client, authorization, origin: 'given' };
    throw new SvcError('unauthorized', `the server does not know the client ${client.client_id}`, {
      hint: 'check --client-id, or drop it to register a client',
    });
  });
}

async function closingOnFailure<T>(listener: LoopbackListener, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await listener.close();
    throw error;
  }
}

function authorize(
  server: ServerMetadata,
  { client_id: clientId }: ClientRecord,
  { redirectUri }: LoopbackListener,
  { scope }: LoginOptions,
): Authorization {
  return new Authorization({ server, clientId, redirectUri, scope });
}

/** With its stored data, if svc signed in with it before. */
function givenClient(
  { id, secret }: GivenClient,
  server: ServerMetadata,
  clients: readonly ClientRecord[],
  { method: asked, clientName }: LoginOptions,
): ClientRecord {
  const found = clients.find(({ client_id, issuer }) => client_id === id && issuer === server.issuer);
  const client_secret = secret ?? found?.client_secret;
  const withSecret = offeredMethods(server).find((one) => one !== 'none') ?? 'client_secret_basic';
  const earlier = secret === undefined ? found?.token_endpoint_auth_method : undefined;
  const method = asked ?? earlier ?? (client_secret === undefined ? 'none' : withSecret);
  if (method !== 'none' && client_secret === undefined) {
    throw new SvcError('usage', `--auth-method ${method} needs the secret of the client`, {
      hint: 'pass the file with --client-secret-file',
    });
  }
  return {
    issuer: server.issuer,
    client_id: id,
    client_secret: method === 'none' ? undefined : client_secret,
    token_endpoint_auth_method: method,
    redirect_uris: found?.redirect_uris ?? [],
    redirect_port: found?.redirect_port,
    client_name: clientName,
    registered_at: found?.registered_at ?? 0,
  };
}

/** The code was not used, but only this sign-in knows it. */
export function clientRefused(
  { code, message, httpStatus }: SvcError,
  server: ServerMetadata,
  { client, origin }: Begun,
): SvcError {
  const others = offeredMethods(server).filter((method) => method !== client.token_endpoint_auth_method);
  const other = others.length === 0 ? '' : `--auth-method ${others.join(' or ')}`;
  const hint = {
    given: `check --client-id and --client-secret-file${other && `, or try ${other}`}`,
    stored: 'sign in again: svc oauth login registers a new client',
    new: other
      ? `sign in again with ${other}`
      : 'the server refuses the client that it just registered; ask its operator',
  }[origin];
  return new SvcError(code, message, { hint, httpStatus });
}

/** The service's clients that a login can use, latest first. */
function loopbackClients(clients: readonly ClientRecord[], { issuer }: ServerMetadata): readonly ClientRecord[] {
  return clients
    .filter((client) => client.issuer === issuer && loopbackAddress(client, issuer) !== undefined)
    .sort((one, other) => other.registered_at - one.registered_at);
}

function usable(
  clients: readonly ClientRecord[],
  { method, clientName, callbackPort, scope = SCOPE }: LoginOptions,
  now: number,
): readonly ClientRecord[] {
  return clients.filter(
    (client) =>
      isLive(client, now) &&
      (method === undefined || client.token_endpoint_auth_method === method) &&
      (clientName === undefined || client.client_name === clientName) &&
      (callbackPort === undefined || client.redirect_port === callbackPort) &&
      (client.scope ?? SCOPE) === scope,
  );
}

function loopbackAddress({ redirect_uris }: ClientRecord, issuer: string): URL | undefined {
  return redirect_uris
    .filter((uri) => URL.canParse(uri))
    .map((uri) => new URL(uri))
    .find(({ protocol, pathname }) => protocol === 'http:' && pathname === callbackPath(issuer));
}

/**
 * Binds the port first: a strict server accepts only the registered port, and says so only to the
 * browser. Undefined if the port of a stored client is in use.
 */
async function listenFor(
  client: ClientRecord,
  server: ServerMetadata,
  options: LoginOptions,
  notice: Notice,
): Promise<LoopbackListener | undefined> {
  const { callbackPort: port, callbackHost: listenAt, client: given } = options;
  const address = loopbackAddress(client, server.issuer);
  if (address === undefined || (port !== undefined && port !== client.redirect_port)) return openAt(server, options);
  const registered = Number(address.port || 80);
  const hosts = [address.hostname.replace(/^\[|\]$/g, '')];
  try {
    return await openListener({ path: callbackPath(server.issuer), port: registered, hosts, listenAt });
  } catch (error) {
    if (port !== undefined) throw portFailure(options, error);
    const next = given === undefined ? 'svc registers another client' : 'svc uses another port';
    notice(`port ${registered} of the stored client is in use: ${next}`);
    return undefined;
  }
}

type Callback = Pick<LoginOptions, 'callbackPort' | 'callbackHost'>;

async function openAt({ issuer }: ServerMetadata, callback: Callback): Promise<LoopbackListener> {
  const { callbackPort: port, callbackHost: listenAt } = callback;
  try {
    return await openListener({ path: callbackPath(issuer), port, listenAt });
  } catch (error) {
    throw portFailure(callback, error);
  }
}

const PORT_PROBLEMS: Readonly<Record<string, string>> = { EADDRINUSE: 'is in use', EACCES: 'needs more rights' };

function portFailure({ callbackPort: port, callbackHost: host }: Callback, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (port === undefined || code === undefined) return error;
  if (code === 'EADDRNOTAVAIL') {
    return new SvcError('invalid_value', `--callback-host: ${host} is not an address of this machine`, {
      hint: '0.0.0.0 stands for all of its addresses',
      cause: error,
    });
  }
  return new SvcError(
    'invalid_value',
    `--callback-port: port ${port} ${PORT_PROBLEMS[code] ?? `cannot be used: ${code}`}`,
    {
      hint: 'choose another port, or drop --callback-port to use any free one',
      cause: error,
    },
  );
}

interface Registering {
  readonly listener: LoopbackListener;
  readonly notice: Notice;
}

async function register(
  target: Target,
  server: ServerMetadata,
  { method = 'none', clientName = CLIENT_NAME, scope }: LoginOptions,
  { listener, notice }: Registering,
): Promise<ClientRecord> {
  try {
    const asked = { method, clientName, scope, redirectUris: [listener.redirectUri] };
    const { client, warnings } = await registerForLogin(target, server, asked);
    for (const warning of warnings) notice(warning);
    return client;
  } catch (error) {
    if (!(error instanceof SvcError) || error.exit !== 8) throw error;
    throw harmless(error);
  }
}

/** Whatever happened to an unused registration, signing in again is safe. */
function harmless({ code, message, hint = '', httpStatus, cause }: SvcError): SvcError {
  if (code === 'not_as_asked') return new SvcError('guarded', message, { httpStatus, hint });
  // The cause is the same failure without the doubt whether it was applied.
  const failure = cause instanceof SvcError ? cause : undefined;
  const bad = failure?.code === 'wrong_shape' ? 'wrong_shape' : 'bad_answer';
  const failed = httpStatus !== undefined && httpStatus >= 500 ? 'server_error' : bad;
  return new SvcError(failed, failure?.message ?? message, {
    httpStatus,
    hint: 'sign in again: an unused client does no harm',
  });
}

const PROBE_MS = 5_000;

/** Another client, or a browser with cookies, cannot change these (RFC 6749 §4.1.2.1). */
const FINAL = ['invalid_request', 'invalid_scope', 'unsupported_response_type'];

/** How servers say on their pages that they do not know the client. */
const UNKNOWN_CLIENT = [
  /\b(?:invalid|unauthorized|unknown)[_ -]client(?:[_ ]?id)?\b/i,
  /\bno such client\b/i,
  /\bclient(?:[_ ]?id)?\b[^.<>]{0,40}\b(?:unknown|invalid|not (?:be )?(?:known|found|registered|exist)|does(?: not|n't) exist)\b/i,
];

/** Throws if the server refuses this sign-in for good. After a failed probe it continues. */
async function isUnknownClient(target: Target, authorization: Authorization): Promise<boolean> {
  const { url } = authorization;
  const answer = await readRefusal(target, url);
  if (answer === undefined) return false;
  const { status, headers, text } = answer;
  if (status >= 400) return [400, 401, 403, 404].includes(status) && UNKNOWN_CLIENT.some((one) => one.test(text));
  const location = headers['location'] ?? '';
  if (!URL.canParse(location, url.href)) return false;
  const { search } = new URL(location, url);
  const error = new URLSearchParams(search).get('error') ?? '';
  if (isClientError(error)) return true;
  // To the callback, with the state of this sign-in, as the browser would.
  const verdict = FINAL.includes(error) ? authorization.judge(search.slice(1)) : undefined;
  if (verdict?.kind === 'over') throw verdict.failure;
  return false;
}

async function readRefusal(target: Target, url: URL): Promise<FailedAnswer | undefined> {
  try {
    await protocolRequest(
      // A browser has neither svc's headers nor its credential. The address's state is not traced.
      { ...target, headers: {}, secretHeaders: new Set(), log: { ...target.log, level: 0 } },
      {
        method: 'GET',
        effect: 'read',
        url,
        retry: false,
        // Not JSON: some servers then respond 200 with the address of their error page.
        accept: 'text/html, */*;q=0.8',
        bodiless: true,
        timeoutMs: PROBE_MS,
      },
    );
  } catch (error) {
    target.signal.throwIfAborted();
    if (error instanceof ProtocolRefusal) return error.answer;
  }
  return undefined;
}
