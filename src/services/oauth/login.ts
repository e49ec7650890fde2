/** Signing in by browser: authorization code with PKCE over a loopback redirect (doc 2 §5, RFC 8252). Nothing is kept here. */
import { SvcError } from '../../errors.ts';
import type { Target } from '../../http/target.ts';
import type { ClientAuthMethod, ClientRecord, OAuthCredential } from '../../store/credentials.ts';
import { Authorization, type Grant, SCOPE } from './authorization.ts';
import { discover, type ServerMetadata } from './discovery.ts';
import { callbackPath, type LoopbackListener, openListener } from './loopback-listener.ts';
import { readPastedRedirect } from './pasted-redirect.ts';
import { isLive, registerClient } from './registration.ts';
import { requestToken } from './token-endpoint.ts';

/** What differs from login to login. */
export interface LoginWish {
  /** Undefined takes that of the client registered last, and none where there is no client. */
  readonly method: ClientAuthMethod | undefined;
  readonly clientName: string | undefined;
  readonly port: number | undefined;
  readonly waitMs: number;
}

/** The person, and the browser. */
export interface LoginPeople {
  /** Before anything else happens with it. */
  show(url: URL): void;
  notice(text: string): void;
  /** Ends soon, whether or not there is a browser. */
  openBrowser(url: URL): Promise<void>;
  /** An address that was pasted, or undefined where no more will come; `problem` is what was wrong with the one before. */
  paste?(problem: string | undefined, withdrawn: AbortSignal): Promise<string | undefined>;
}

/** What is to be kept. */
export interface SignedIn {
  readonly client: ClientRecord;
  readonly credential: Omit<OAuthCredential, 'profile' | 'base_url'>;
}

const CLIENT_NAME = 'svc';

/** `target.signal` ends it at once, and whatever way it ends, its port is free. */
export async function signIn(
  target: Target,
  clients: readonly ClientRecord[],
  wish: LoginWish,
  people: LoginPeople,
): Promise<SignedIn> {
  const server = await discover(target);
  const own = loopbackClients(clients, server);
  const { listener, known } = await listen(server, usable(own, wish, target.now()), wish, people);
  let closing: Promise<void> | undefined;
  try {
    const { method = own[0]?.token_endpoint_auth_method, ...rest } = wish;
    const client = known ?? (await register(target, server, { ...rest, method }, { listener, people }));
    const authorization = new Authorization({
      server,
      clientId: client.client_id,
      redirectUri: listener.redirectUri,
    });
    people.show(authorization.url);
    const grant = await firstAnswer({ target, listener, authorization, people, wish, reused: known !== undefined });
    closing = listener.close();
    return { client, credential: await exchange(target, server, client, grant) };
  } finally {
    await (closing ?? listener.close());
  }
}

/** Those of the service that a login can use, the latest first. */
function loopbackClients(clients: readonly ClientRecord[], { issuer }: ServerMetadata): readonly ClientRecord[] {
  return clients
    .filter((client) => client.issuer === issuer && loopbackAddress(client, issuer) !== undefined)
    .sort((one, other) => other.registered_at - one.registered_at);
}

function usable(
  clients: readonly ClientRecord[],
  { method, clientName, port }: LoginWish,
  now: number,
): readonly ClientRecord[] {
  return clients.filter(
    (client) =>
      isLive(client, now) &&
      (method === undefined || client.token_endpoint_auth_method === method) &&
      (clientName === undefined || client.client_name === clientName) &&
      (port === undefined || client.redirect_port === port),
  );
}

function loopbackAddress({ redirect_uris }: ClientRecord, issuer: string): URL | undefined {
  return redirect_uris
    .filter((uri) => URL.canParse(uri))
    .map((uri) => new URL(uri))
    .find(({ protocol, pathname }) => protocol === 'http:' && pathname === callbackPath(issuer));
}

interface Listening {
  readonly listener: LoopbackListener;
  readonly known?: ClientRecord;
}

/**
 * The port first, and then the client: a strict server takes the registered port and no other, and says so on a page in the browser
 * that this process never sees.
 */
async function listen(
  { issuer }: ServerMetadata,
  clients: readonly ClientRecord[],
  { port }: LoginWish,
  people: LoginPeople,
): Promise<Listening> {
  const path = callbackPath(issuer);
  for (const known of clients) {
    const { hostname, port: registered } = loopbackAddress(known, issuer) as URL;
    const hosts = [hostname.replace(/^\[|\]$/g, '')];
    try {
      return { listener: await openListener({ path, port: Number(registered || 80), hosts }), known };
    } catch (error) {
      if (port !== undefined) throw portFailure(port, error);
      people.notice(`port ${registered || 80} of the client registered earlier is taken: another client is registered`);
    }
  }
  try {
    return { listener: await openListener({ path, port }) };
  } catch (error) {
    throw portFailure(port, error);
  }
}

function portFailure(port: number | undefined, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (port === undefined || code === undefined) return error;
  const why =
    code === 'EADDRINUSE' ? 'is taken' : code === 'EACCES' ? 'is not yours to open' : `cannot be used: ${code}`;
  return new SvcError('invalid_value', `--port: port ${port} of this machine ${why}`, {
    hint: 'name another one, or none: any free one is taken then',
    cause: error,
  });
}

interface Registering {
  readonly listener: LoopbackListener;
  readonly people: LoginPeople;
}

async function register(
  target: Target,
  server: ServerMetadata,
  { method = 'none', clientName = CLIENT_NAME }: LoginWish,
  { listener, people }: Registering,
): Promise<ClientRecord> {
  try {
    const wish = { method, clientName, redirectUris: [listener.redirectUri] };
    const { client, warnings } = await registerClient(target, server, wish);
    for (const warning of warnings) people.notice(warning);
    return client;
  } catch (error) {
    if (!(error instanceof SvcError) || error.exit !== 8) throw error;
    throw harmless(error);
  }
}

/** Whatever became of a registration that nobody uses: to sign in again is safe. */
function harmless({ code, message, hint = '', httpStatus }: SvcError): SvcError {
  const details = httpStatus === undefined ? {} : { httpStatus };
  if (code === 'not_as_asked') return new SvcError('guarded', message, { ...details, hint });
  const failed = httpStatus !== undefined && httpStatus >= 500 ? 'server_error' : 'bad_answer';
  return new SvcError(failed, message.replace('; it may have been applied', ''), {
    ...details,
    hint: 'sign in again: a client that nobody uses does no harm',
  });
}

interface Attempt {
  readonly target: Target;
  readonly listener: LoopbackListener;
  readonly authorization: Authorization;
  readonly people: LoginPeople;
  readonly wish: LoginWish;
  readonly reused: boolean;
}

/** From the listener or by paste, whichever has a good one first. */
async function firstAnswer({ target, listener, authorization, people, wish, reused }: Attempt): Promise<Grant> {
  const over = new AbortController();
  const contenders = [
    listener.answer((query) => authorization.judge(query)),
    people.openBrowser(authorization.url).then(() => pasted(authorization, listener.redirectUri, people, over.signal)),
    target.sleep(wish.waitMs, over.signal).then(() => {
      throw expired(wish, reused);
    }),
    aborted(target.signal, over.signal),
  ];
  for (const contender of contenders) contender.catch(() => {}); // whoever loses has nothing to say
  try {
    return await Promise.race(contenders);
  } finally {
    over.abort();
  }
}

async function pasted(
  authorization: Authorization,
  redirectUri: string,
  people: LoginPeople,
  withdrawn: AbortSignal,
): Promise<Grant> {
  for (let problem: string | undefined; !withdrawn.aborted; ) {
    const text = await people.paste?.(problem, withdrawn);
    if (text === undefined) break;
    const { query, problem: wrong } = readPastedRedirect(text, redirectUri);
    problem = wrong;
    if (query === undefined) continue;
    const verdict = authorization.judge(query);
    if (verdict.kind === 'taken') return verdict.value;
    if (verdict.kind === 'over') throw verdict.failure;
    problem = `the address is no answer to this sign-in: ${verdict.why}`;
  }
  return new Promise(() => {}); // the end of the pasting ends nothing else
}

function expired({ waitMs }: LoginWish, reused: boolean): SvcError {
  return new SvcError('unauthorized', `nobody signed in within ${waitMs / 1000} s`, {
    hint: reused
      ? 'allow more with --wait; where the browser showed an error about the client: svc oauth clients forget, and sign in again'
      : 'allow more with --wait; a browser on another machine: --paste, or --port with a forwarded port',
  });
}

function aborted(signal: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_, fail) => {
    const interrupt = (): void => fail(signal.reason);
    if (signal.aborted) interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    over.addEventListener('abort', () => signal.removeEventListener('abort', interrupt), { once: true });
  });
}

/** The code is sent once, to the address that the first discovery named, and never again whatever comes back. */
async function exchange(
  target: Target,
  server: ServerMetadata,
  client: ClientRecord,
  { code, redirectUri, verifier }: Grant,
): Promise<SignedIn['credential']> {
  const outcome = await requestToken({
    target,
    tokenEndpoint: server.token_endpoint,
    client,
    fields: { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
  });
  if (outcome.kind !== 'granted') throw outcome.failure;
  const { access_token, expires_in, refresh_token, scope = SCOPE, email } = outcome.grant;
  const now = Math.floor(target.now() / 1000);
  return {
    kind: 'oauth',
    issuer: server.issuer,
    token_endpoint: server.token_endpoint,
    ...(server.revocation_endpoint === undefined ? {} : { revocation_endpoint: server.revocation_endpoint }),
    client_id: client.client_id,
    access_token,
    obtained_at: now,
    ...(expires_in === undefined ? {} : { expires_at: now + expires_in }),
    ...(refresh_token === undefined ? {} : { refresh_token, refresh_obtained_at: now }),
    scope,
    ...(email === undefined ? {} : { email }),
  };
}
