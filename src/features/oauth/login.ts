/** Signs in by browser: code with PKCE, loopback redirect (doc 2 §5, RFC 8252). Stores nothing. */
import { isRemote, noBrowserReason, openInBrowser } from '../../cli/browser.ts';
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { hostLiteral, isLoopback } from '../../http/address.ts';
import { Plan } from '../../http/endpoint.ts';
import type { ClientAuthMethod, ClientRecord, OAuthCredential } from '../../store/credentials.ts';
import { errorCode } from '../../store/own-file.ts';
import { Authorization, type CodeGrant, SCOPE } from './authorization.ts';
import { discover, type ServerMetadata } from './discovery.ts';
import type { New } from './login-store.ts';
import { type LoopbackListener, openListener } from './loopback-listener.ts';
import { isLive, preferredMethod, registerClient } from './registration.ts';
import type { TokenGrant } from './schema.ts';
import { grantedFields, type OAuthClient, OAuthRefusal, requestToken } from './token-endpoint.ts';

export interface LoginOptions extends ClientOptions {
  readonly browser: boolean;
  /** Reads pasted addresses from standard input that is not a terminal. */
  readonly paste: boolean;
  /** How long to wait for the browser, in milliseconds. */
  readonly wait: number;
}

interface SignedIn {
  readonly client: ClientRecord;
  readonly login: New<OAuthCredential>;
}

export async function signIn(
  clients: readonly ClientRecord[],
  options: LoginOptions,
  ctx: RunContext,
): Promise<SignedIn> {
  const { scope: asked = SCOPE } = options;
  const server = await discover(ctx.target);
  const { client, listener } = await chooseClient(server, clients, options, ctx);
  try {
    const clientId = client.client_id;
    const authorization = new Authorization({ server, clientId, redirectUri: listener.redirectUri, scope: asked });
    showAddress(authorization.url, listener.port, options, ctx);
    const fields = await waitForCode(authorization, listener, options, ctx);
    const grant = await exchangeCode(fields, client, server, ctx);
    warnOfMissingScopes(asked, grant.scope ?? asked, ctx);
    const login = {
      kind: 'oauth',
      issuer: server.issuer,
      token_endpoint: server.token_endpoint,
      revocation_endpoint: server.revocation_endpoint ?? undefined,
      client_id: clientId,
      ...grantedFields(grant, Math.floor(ctx.now() / 1000)),
      scope: grant.scope ?? asked,
      email: grant.email,
    } as const;
    return { client, login };
  } finally {
    await listener.close();
  }
}

/** At the address that the first discovery named. Never sent again after a lost response. */
async function exchangeCode(
  fields: CodeGrant,
  client: ClientRecord,
  { token_endpoint: endpoint }: ServerMetadata,
  { target }: RunContext,
): Promise<TokenGrant> {
  try {
    return await requestToken({ target, endpoint, client, fields: { ...fields } });
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    const { code, message, httpStatus } = error;
    const hint = error.isOfClient
      ? 'sign in again with --new-client, or with another --auth-method'
      : 'sign in again: svc oauth login';
    throw new SvcError(code, message, { hint, httpStatus });
  }
}

export function opensBrowser({ browser }: Pick<LoginOptions, 'browser'>, ctx: RunContext): boolean {
  return browser && noBrowserReason(ctx) === undefined;
}

/** Not as notices, which -q and -o json suppress: the user could not sign in. */
function showAddress(url: URL, port: number, options: LoginOptions, ctx: RunContext): void {
  const { warn } = ctx.target.log;
  const { callbackHost: host } = options;
  if (host !== undefined && !isLoopback(new URL(`http://${hostLiteral(host)}`))) {
    warn(`svc listens on port ${port} of ${host}, which other machines may reach`);
  }
  const isOpened = opensBrowser(options, ctx);
  warn(isOpened ? 'opening a browser at:' : 'to sign in, open this address in a browser:');
  warn(url.href);
  if (!isOpened && isRemote(ctx.env)) {
    warn(`on the machine with the browser, first run: ssh -L ${port}:127.0.0.1:${port} <this machine>`);
  }
}

/** From the browser or by paste, whichever has a valid response first. */
async function waitForCode(
  authorization: Authorization,
  listener: LoopbackListener,
  options: LoginOptions,
  ctx: RunContext,
): Promise<CodeGrant> {
  const answered = listener.answer((query) => authorization.judge(query));
  answered.catch(() => {}); // it may come while the browser is still being opened
  if (opensBrowser(options, ctx)) {
    await ctx.sleep(0); // the address is on the screen by then
    await openInBrowser(authorization.url, ctx);
  }
  const over = new AbortController();
  const signal = AbortSignal.any([ctx.signal, over.signal]);
  const expired = ctx.sleep(options.wait, signal).then(() => {
    throw new SvcError('unauthorized', `no sign-in within ${options.wait / 1000} s`, {
      hint: 'allow more time with --wait; for a browser on another machine use --paste, or a forwarded --callback-port; if the browser showed a client error use --new-client',
    });
  });
  const contenders = [answered, expired];
  if (ctx.interactive || options.paste) contenders.push(readPasted(authorization, listener, signal, ctx));
  try {
    return await Promise.race(contenders);
  } finally {
    over.abort();
  }
}

/** The end of input does not end the sign-in. */
async function readPasted(
  authorization: Authorization,
  { redirectUri }: LoopbackListener,
  signal: AbortSignal,
  ctx: RunContext,
): Promise<CodeGrant> {
  for await (const text of pastedTexts(signal, ctx)) {
    const query = readPastedQuery(text, redirectUri);
    if (query === undefined) {
      // A code alone does not say who requested it: an attacker could persuade a person to paste one.
      ctx.notice(`paste the full address that the browser ends at: it begins with ${redirectUri}?`);
      continue;
    }
    const verdict = authorization.judge(query);
    if (verdict.kind === 'taken') return verdict.value;
    if (verdict.kind === 'over') throw verdict.failure;
    ctx.notice(`the address does not belong to this sign-in: ${verdict.why}`);
  }
  return new Promise(() => {});
}

/** At a terminal by a prompt, which `signal` withdraws. */
async function* pastedTexts(signal: AbortSignal, ctx: RunContext): AsyncGenerator<string, void, void> {
  while (ctx.interactive) yield await ctx.prompter.secret('Or paste the address that the browser ends at:', signal);
  let rest = '';
  for await (const chunk of ctx.stdin.chunksUntil(signal)) {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST) throw new SvcError('invalid_value', '--paste: a line is too long to be an address');
    yield* lines.filter((line) => line.trim() !== '');
  }
  if (rest.trim() !== '') yield rest;
}

/** Longer than any address a browser shows. */
const LONGEST = 64 * 1024;

/** Of the redirect address in a pasted text; undefined if it is not that address. */
export function readPastedQuery(text: string, redirectUri: string): string | undefined {
  // Terminals and mail programs add quotes or brackets around addresses.
  const address = text.trim().replace(/^[<"'](.*)[>"']$/s, '$1');
  if (address.length > LONGEST || /\s/.test(address) || !address.startsWith(`${redirectUri}?`)) return undefined;
  return address.slice(redirectUri.length + 1).replace(/#.*$/s, '');
}

function warnOfMissingScopes(asked: string, granted: string, ctx: RunContext): void {
  const missing = asked.split(' ').filter((one) => !granted.split(' ').includes(one));
  if (missing.length > 0) ctx.notice(`the server granted the scope "${granted}", without ${missing.join(' ')}`);
}

export interface ClientOptions {
  /** A client that was registered elsewhere; svc then registers none. */
  readonly given: OAuthClient | undefined;
  /** Registers a new client although one is stored. */
  readonly newClient: boolean;
  readonly authMethod: ClientAuthMethod | undefined;
  /** Undefined uses the scope of doc 2 §5. */
  readonly scope: string | undefined;
  readonly callbackPort: number | undefined;
  /** The IP address to listen at, with `callbackPort`. */
  readonly callbackHost: string | undefined;
}

/**
 * The client that the user names, else the latest usable one that is stored, else a new one. Opens
 * the port first: a strict server accepts only the registered port, and says so only to the browser.
 */
async function chooseClient(
  server: ServerMetadata,
  clients: readonly ClientRecord[],
  options: ClientOptions,
  ctx: RunContext,
): Promise<{ readonly client: ClientRecord; readonly listener: LoopbackListener }> {
  const { given, scope } = options;
  const stored = findUsable(clients, server, options, ctx.now());
  const listener = await openCallback(server, stored, options, ctx);
  const { redirectUri, port } = listener;
  if (stored?.redirect_uris.includes(redirectUri)) return { client: stored, listener };
  if (given !== undefined) {
    ctx.notice(`the client must have the redirect URI ${redirectUri}`);
    const registered_at = Math.floor(ctx.now() / 1000);
    const redirect = { redirect_uris: [redirectUri], redirect_port: port };
    return { client: { ...given, ...redirect, issuer: server.issuer, scope, registered_at }, listener };
  }
  try {
    return { client: await register(server, redirectUri, options, ctx), listener };
  } catch (error) {
    await listener.close();
    throw error;
  }
}

function findUsable(
  clients: readonly ClientRecord[],
  { issuer }: ServerMetadata,
  { given, newClient, authMethod, scope = SCOPE, callbackPort }: ClientOptions,
  now: number,
): ClientRecord | undefined {
  if (given !== undefined || newClient) return undefined;
  const usable = clients.filter(
    (client) =>
      client.issuer === issuer &&
      client.redirect_port !== undefined &&
      isLive(client, now) &&
      (client.scope ?? SCOPE) === scope &&
      (authMethod ?? client.token_endpoint_auth_method) === client.token_endpoint_auth_method &&
      (callbackPort ?? client.redirect_port) === client.redirect_port,
  );
  return usable.sort((one, other) => other.registered_at - one.registered_at)[0];
}

/** At the port of the stored client, or at another one if it is in use. */
async function openCallback(
  { issuer }: ServerMetadata,
  stored: ClientRecord | undefined,
  { callbackPort, callbackHost }: ClientOptions,
  ctx: RunContext,
): Promise<LoopbackListener> {
  const port = callbackPort ?? stored?.redirect_port;
  try {
    return await openListener(issuer, port, callbackHost);
  } catch (error) {
    if (callbackHost !== undefined && errorCode(error) === 'EADDRNOTAVAIL') {
      const hint = '0.0.0.0 stands for all of its addresses';
      const message = `--callback-host: ${callbackHost} is not an address of this machine`;
      throw new SvcError('invalid_value', message, { hint, cause: error });
    }
    if (callbackPort !== undefined) {
      const why = errorCode(error) === 'EADDRINUSE' ? 'is in use' : `cannot be used: ${errorCode(error)}`;
      const hint = 'choose another port, or drop --callback-port to use any free one';
      throw new SvcError('invalid_value', `--callback-port: port ${port} ${why}`, { hint, cause: error });
    }
    if (port === undefined) throw error;
    ctx.notice(`port ${port} of the stored client is in use: svc registers another client`);
    return openListener(issuer);
  }
}

async function register(
  server: ServerMetadata,
  redirectUri: string,
  { authMethod: method = preferredMethod(server), scope }: ClientOptions,
  { target }: RunContext,
): Promise<ClientRecord> {
  const request = { method, clientName: 'svc', scope, redirectUris: [redirectUri] };
  const client = await registerClient(target, server, request);
  if (client instanceof Plan) throw new SvcError('internal', 'a sign-in has no dry run');
  return client;
}
