/** Signs in by browser: authorization code with PKCE over a loopback redirect (doc 2 §5, RFC 8252). Stores nothing. */
import { SvcError } from '../../errors.ts';
import { Plan } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import type { ClientRecord, OAuthCredential } from '../../store/credentials.ts';
import { type Authorization, type Grant, SCOPE } from './authorization.ts';
import { discover, type ServerMetadata } from './discovery.ts';
import { type Begun, chooseClient, clientRefused, type KnownClients, type LoginOptions } from './login-client.ts';
import type { TokenGrant } from './schema.ts';
import { grantedFields, isClientError, requestToken, type TokenOutcome } from './token-endpoint.ts';

export interface LoginUser {
  /** Called before anything else happens with it. */
  show(url: URL): Promise<void>;
  notice(text: string): void;
  /** Ends soon, whether or not there is a browser. */
  openBrowser(url: URL): Promise<void>;
  /** A pasted address, or undefined if there will be no more; `problem` says what was wrong with the previous one. */
  readonly paste: ((problem: string | undefined, withdrawn: AbortSignal) => Promise<string | undefined>) | undefined;
}

export interface SignedIn {
  readonly client: ClientRecord;
  readonly credential: Omit<OAuthCredential, 'profile' | 'base_url'>;
}

/** `target.signal` ends it at once; however it ends, the port is released. */
export async function signIn(
  target: Target,
  clients: KnownClients,
  options: LoginOptions,
  people: LoginUser,
): Promise<SignedIn | Plan> {
  const server = await discover(target);
  const begun = await chooseClient(target, server, clients, options, (text) => people.notice(text));
  if (begun instanceof Plan) return begun;
  const { listener, client, authorization, origin } = begun;
  let closing: Promise<void> | undefined;
  try {
    await people.show(authorization.url);
    const { code, redirectUri, verifier } = await firstAnswer(target, begun, people, options.waitMs);
    closing = listener.close();
    // To the address that the first discovery named, and never again after a lost response.
    const outcome = await requestToken({
      target,
      tokenEndpoint: server.token_endpoint,
      client,
      fields: { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
    });
    if (outcome.kind === 'granted') return signedIn(server, client, outcome, options, people, target.now());
    if (outcome.kind !== 'refused' || !refusesClient(outcome.error, client)) throw outcome.failure;
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
  people: Pick<LoginUser, 'notice'>,
  now: number,
): SignedIn {
  warnOfScope(server, asked, grant, people);
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

/** Some servers reject a form of client_secret_basic that they do not support as an invalid request. */
function refusesClient(error: string, { token_endpoint_auth_method: method }: ClientRecord): boolean {
  return isClientError(error) || (error === 'invalid_request' && method === 'client_secret_basic');
}

/** From the listener or by paste, whichever has a valid one first. */
async function firstAnswer(
  target: Target,
  { listener, authorization }: Begun,
  people: LoginUser,
  waitMs: number,
): Promise<Grant> {
  const over = new AbortController();
  const contenders = [
    listener.answer((query) => authorization.judge(query)),
    people.openBrowser(authorization.url).then(() => pasted(authorization, listener.redirectUri, people, over.signal)),
    target.sleep(waitMs, over.signal).then(() => {
      throw new SvcError('unauthorized', `no sign-in within ${waitMs / 1000} s`, {
        hint: 'allow more time with --wait; for a browser on another machine use --paste, or --port with a forwarded port; if the browser showed a client error use --new-client',
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

async function pasted(
  authorization: Authorization,
  redirectUri: string,
  people: LoginUser,
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
    problem = `the address does not belong to this sign-in: ${verdict.why}`;
  }
  return new Promise(() => {}); // the end of input does not end the sign-in
}

function aborted(signal: AbortSignal, over: AbortSignal): Promise<never> {
  return new Promise((_, fail) => {
    const interrupt = (): void => fail(signal.reason);
    if (signal.aborted) interrupt();
    signal.addEventListener('abort', interrupt, { once: true });
    over.addEventListener('abort', () => signal.removeEventListener('abort', interrupt), { once: true });
  });
}

function warnOfScope(
  server: ServerMetadata,
  asked: string,
  grant: TokenGrant,
  people: Pick<LoginUser, 'notice'>,
): void {
  const { scope = asked, refresh_token } = grant;
  const missing = asked.split(' ').filter((one) => !scope.split(' ').includes(one));
  if (missing.length > 0) people.notice(`the server granted the scope "${scope}", without ${missing.join(' ')}`);
  const scopes = server['scopes_supported'];
  if (refresh_token === undefined && Array.isArray(scopes) && scopes.includes(OFFLINE) && !asked.includes(OFFLINE)) {
    people.notice(`the server issued no refresh token: to get one, sign in with --scope "${asked} ${OFFLINE}"`);
  }
}

/** With this scope, many servers issue a refresh token (OpenID Connect Core §11). */
const OFFLINE = 'offline_access';

/** The query of a pasted redirect address, or what is wrong with it. Messages contain no secrets of it. */
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
