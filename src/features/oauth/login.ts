/** Signs in by browser: code with PKCE, loopback redirect (doc 2 §5, RFC 8252). Stores nothing. */
import { isRemote, openInBrowser } from '../../cli/browser.ts';
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { hostLiteral, isLoopback } from '../../http/address.ts';
import type { Target } from '../../http/target.ts';
import type { ClientRecord, OAuthCredential } from '../../store/credentials.ts';
import { type Authorization, type Grant, SCOPE } from './authorization.ts';
import { discover, type ServerMetadata } from './discovery.ts';
import { type Begun, chooseClient, clientRefused, type KnownClients, type LoginOptions } from './login-client.ts';
import { type SignInOptions, whyNoBrowser } from './login-options.ts';
import type { TokenGrant } from './schema.ts';
import { grantedFields, isClientError, requestToken, type TokenOutcome } from './token-endpoint.ts';

export interface SignedIn {
  readonly client: ClientRecord;
  readonly credential: Omit<OAuthCredential, 'profile' | 'base_url'>;
}

/** `target.signal` ends it at once; however it ends, the port is released. */
export async function signIn(
  target: Target,
  clients: KnownClients,
  options: LoginOptions & SignInOptions,
  ctx: RunContext,
): Promise<SignedIn> {
  const server = await discover(target);
  const begun = await chooseClient(target, server, clients, options, (text) => ctx.notice(text));
  const { listener, client, authorization, origin } = begun;
  let closing: Promise<void> | undefined;
  try {
    showAddress(authorization.url, listener.port, options, ctx);
    const { code, redirectUri, verifier } = await firstAnswer(target, begun, options, ctx);
    closing = listener.close();
    // To the address that the first discovery named, and never again after a lost response.
    const outcome = await requestToken({
      target,
      tokenEndpoint: server.token_endpoint,
      client,
      fields: { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
    });
    if (outcome.kind === 'granted') return signedIn(server, client, outcome, options, ctx, target.now());
    if (outcome.kind !== 'refused') throw outcome.failure;
    if (!refusesClient(outcome.error, client)) throw codeRefused(outcome.failure);
    if (origin === 'stored') await clients.forget(client);
    throw clientRefused(outcome.failure, server, begun);
  } finally {
    await (closing ?? listener.close());
  }
}

export function signedIn(
  server: ServerMetadata,
  client: ClientRecord,
  { grant, basicForm }: Extract<TokenOutcome, { kind: 'granted' }>,
  { scope: asked = SCOPE }: Pick<LoginOptions, 'scope'>,
  ctx: Pick<RunContext, 'notice'>,
  now: number,
): SignedIn {
  warnOfScope(server, asked, grant, ctx);
  const credential = {
    kind: 'oauth',
    issuer: server.issuer,
    token_endpoint: server.token_endpoint,
    revocation_endpoint: server.revocation_endpoint ?? undefined,
    client_id: client.client_id,
    ...grantedFields(grant, Math.floor(now / 1000)),
    scope: grant.scope ?? asked,
    email: grant.email,
  } as const;
  return { client: basicForm === undefined ? client : { ...client, basic_form: basicForm }, credential };
}

function codeRefused({ code, message, httpStatus, hint = 'sign in again: svc oauth login' }: SvcError): SvcError {
  return new SvcError(code, message, { httpStatus, hint });
}

/** Some servers reject an unsupported form of client_secret_basic as an invalid request. */
function refusesClient(error: string, { token_endpoint_auth_method: method }: ClientRecord): boolean {
  return isClientError(error) || (error === 'invalid_request' && method === 'client_secret_basic');
}

/** Not as notices, which -q and -o json suppress: the user could not sign in. */
function showAddress(url: URL, port: number, options: SignInOptions, ctx: RunContext): void {
  const { warn } = ctx.target.log;
  const { callbackHost: host } = options;
  const isOpened = whyNoBrowser(options, ctx) === undefined;
  if (host !== undefined && !isLoopback(new URL(`http://${hostLiteral(host)}`))) {
    warn(`svc listens on port ${port} of ${host}, which other machines may reach`);
  }
  warn(isOpened ? 'opening a browser at:' : 'to sign in, open this address in a browser:');
  warn(url.href);
  if (!isOpened && isRemote(ctx.env)) {
    warn(`on the machine with the browser, first run: ssh -L ${port}:127.0.0.1:${port} <this machine>`);
  }
}

/** Ends soon, whether or not there is a browser. */
async function openAddress(url: URL, options: SignInOptions, ctx: RunContext): Promise<void> {
  if (whyNoBrowser(options, ctx) !== undefined) return;
  await ctx.sleep(0); // the address is on the screen by then
  await openInBrowser(url, ctx);
}

/** From the listener or by paste, whichever has a valid one first. */
async function firstAnswer(
  target: Target,
  { listener, authorization }: Begun,
  options: LoginOptions & SignInOptions,
  ctx: RunContext,
): Promise<Grant> {
  const { waitMs } = options;
  const over = new AbortController();
  const contenders = [
    listener.answer((query) => authorization.judge(query)),
    openAddress(authorization.url, options, ctx).then(() =>
      readPasted(authorization, listener.redirectUri, pasteReader(options, over.signal, ctx), ctx),
    ),
    target.sleep(waitMs, over.signal).then(() => {
      throw new SvcError('unauthorized', `no sign-in within ${waitMs / 1000} s`, {
        hint: 'allow more time with --wait; for a browser on another machine use --paste, or a forwarded --callback-port; if the browser showed a client error use --new-client',
      });
    }),
    aborted(target.signal, over.signal),
  ];
  for (const contender of contenders) contender.catch(() => {}); // the first one decides
  try {
    return await Promise.race(contenders);
  } finally {
    over.abort();
  }
}

/** The end of input does not end the sign-in. */
async function readPasted(
  authorization: Authorization,
  redirectUri: string,
  readAddress: ReadAddress,
  ctx: RunContext,
): Promise<Grant> {
  for (let text = await readAddress(); text !== undefined; text = await readAddress()) {
    const { query, problem } = readPastedRedirect(text, redirectUri);
    if (query === undefined) {
      ctx.notice(problem);
      continue;
    }
    const verdict = authorization.judge(query);
    if (verdict.kind === 'taken') return verdict.value;
    if (verdict.kind === 'over') throw verdict.failure;
    ctx.notice(`the address does not belong to this sign-in: ${verdict.why}`);
  }
  return new Promise(() => {});
}

function aborted(signal: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_, fail) => {
    const interrupt = (): void => fail(signal.reason);
    if (signal.aborted) interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    over.addEventListener('abort', () => signal.removeEventListener('abort', interrupt), { once: true });
  });
}

function warnOfScope(server: ServerMetadata, asked: string, grant: TokenGrant, ctx: Pick<RunContext, 'notice'>): void {
  const { scope = asked, refresh_token } = grant;
  const missing = asked.split(' ').filter((one) => !scope.split(' ').includes(one));
  if (missing.length > 0) ctx.notice(`the server granted the scope "${scope}", without ${missing.join(' ')}`);
  const scopes = server['scopes_supported'];
  if (refresh_token === undefined && Array.isArray(scopes) && scopes.includes(OFFLINE) && !asked.includes(OFFLINE)) {
    ctx.notice(`the server issued no refresh token: to get one, sign in with --scope "${asked} ${OFFLINE}"`);
  }
}

/** With this scope, many servers issue a refresh token (OpenID Connect Core §11). */
const OFFLINE = 'offline_access';

/** Resolves with undefined if there will be no more. */
type ReadAddress = () => Promise<string | undefined>;

/** At a terminal a prompt, which `withdrawn` ends. Other input is read only with --paste. */
function pasteReader({ paste }: SignInOptions, withdrawn: AbortSignal, ctx: RunContext): ReadAddress {
  if (ctx.interactive) return () => ctx.prompter.secret('Or paste the address that the browser ends at:', withdrawn);
  if (!paste) return async () => undefined;
  const lines = inputLines(ctx, withdrawn);
  return async () => {
    const next = await lines.next();
    return next.done ? undefined : next.value;
  };
}

async function* inputLines(ctx: RunContext, withdrawn: AbortSignal): AsyncGenerator<string, void, void> {
  let rest = '';
  for await (const chunk of ctx.stdin.chunksUntil(withdrawn)) {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST) throw new SvcError('invalid_value', '--paste: a line is too long to be an address');
    yield* lines.filter((line) => line.trim() !== '');
  }
  if (rest.trim() !== '') yield rest;
}

/** The query of a pasted redirect address, or what is wrong with it. Messages have no secrets. */
type PastedRedirect =
  | { readonly query: string; readonly problem?: undefined }
  | { readonly query?: undefined; readonly problem: string };

/** Longer than any address a browser shows. */
const LONGEST = 64 * 1024;

export function readPastedRedirect(text: string, redirectUri: string): PastedRedirect {
  // Terminals and mail programs break long lines and add quotes or brackets around addresses.
  const address = text.trim().replace(/^[<"'](.*)[>"']$/s, '$1');
  if (address === '') return { problem: 'nothing was pasted' };
  if (address.length > LONGEST) return { problem: 'the address is too long' };
  const begin = /^([^?#]*)\??/.exec(address)?.[1] ?? '';
  if (!/^https?:\/\//i.test(begin)) {
    // A code alone does not say who requested it: an attacker could persuade a person to paste one.
    return {
      problem: `paste the full address, starting with ${new URL(redirectUri).origin}: svc cannot check a part of it`,
    };
  }
  if (/\s/.test(address)) return { problem: 'the address contains a blank or a line break' };
  if (begin !== redirectUri) return { problem: `the address must begin with ${redirectUri}?` };
  const query = address.slice(begin.length).replace(/^\?/, '').replace(/#.*$/s, '');
  return query === '' ? { problem: 'the address has no query' } : { query };
}
