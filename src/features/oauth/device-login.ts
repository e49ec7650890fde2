/** Signs in with a code that the person enters on any device (RFC 8628). Stores nothing. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import type { Target } from '../../http/target.ts';
import { schemaProblem } from '../../json-object.ts';
import type { ClientRecord } from '../../store/credentials.ts';
import { SCOPE } from './authorization.ts';
import { discover, endpointProblem, type ServerMetadata } from './discovery.ts';
import { type SignedIn, signedIn } from './login.ts';
import type { KnownClients, LoginOptions } from './login-client.ts';
import { DEVICE_GRANT, isLive, offeredMethods, registerForLogin } from './registration.ts';
import type { DeviceAuthorization } from './schema.ts';
import { isClientError, requestToken, submit, type TokenOutcome } from './token-endpoint.ts';

/** RFC 8628 §3.5, also where the server names no interval. */
const INTERVAL_S = 5;
const SLOWER_S = 5;

type Code = Pick<DeviceAuthorization, 'device_code' | 'expires_in' | 'interval'>;

/** `target.signal` ends it at once. */
export async function signInByDevice(
  target: Target,
  clients: KnownClients,
  options: LoginOptions,
  ctx: RunContext,
): Promise<SignedIn> {
  const server = await discover(target);
  if (!server.device_authorization_endpoint) {
    throw new SvcError('guarded', `${server.issuer} does not offer device authorization`, {
      hint: 'svc oauth login --no-browser: open the address elsewhere, and paste the address it ends at',
    });
  }
  const client = await deviceClient(target, server, clients, options, ctx);
  const code = await requestCode(target, new URL(server.device_authorization_endpoint), client, clients, options, ctx);
  const outcome = await poll(target, server, client, code, options.waitMs);
  if (outcome.kind === 'granted') return signedIn(server, client, outcome, options, ctx, target.now());
  throw await refusedClient(outcome, client, clients);
}

/** A client that the server does not know is not used again. */
async function refusedClient(
  outcome: Exclude<TokenOutcome, { kind: 'granted' }>,
  client: ClientRecord,
  clients: KnownClients,
): Promise<SvcError> {
  const { failure } = outcome;
  if (outcome.kind !== 'refused' || !isClientError(outcome.error) || client.registered_at === 0) return failure;
  await clients.forget(client);
  const { code, message, httpStatus } = failure;
  return new SvcError(code, message, {
    hint: 'sign in again: svc oauth login --device registers a new client',
    httpStatus,
  });
}

/** The given one, the latest that was registered for this, or a new one. */
async function deviceClient(
  target: Target,
  server: ServerMetadata,
  { all }: KnownClients,
  { client: given, newClient, method: asked, clientName = 'svc', scope }: LoginOptions,
  ctx: RunContext,
): Promise<ClientRecord> {
  const { issuer } = server;
  const common = { issuer, redirect_uris: [], client_name: clientName, scope };
  const offered = offeredMethods(server);
  if (given !== undefined) {
    const method =
      asked ?? (given.secret === undefined ? 'none' : (offered.find((one) => one !== 'none') ?? 'client_secret_basic'));
    return {
      ...common,
      client_id: given.id,
      client_secret: given.secret,
      token_endpoint_auth_method: method,
      registered_at: 0,
    };
  }
  const [known] = all
    .filter((one) => one.issuer === issuer && one.redirect_uris.length === 0 && isLive(one, target.now()))
    .filter(
      (one) =>
        (asked === undefined || one.token_endpoint_auth_method === asked) && (one.scope ?? SCOPE) === (scope ?? SCOPE),
    )
    .sort((one, other) => other.registered_at - one.registered_at);
  if (known !== undefined && !newClient) return known;
  const request = { method: asked ?? offered[0] ?? 'none', clientName, scope, redirectUris: [], device: true };
  const { client, warnings } = await registerForLogin(target, server, request);
  for (const warning of warnings) ctx.notice(warning);
  return client;
}

async function requestCode(
  target: Target,
  url: URL,
  client: ClientRecord,
  clients: KnownClients,
  { scope = SCOPE }: LoginOptions,
  ctx: RunContext,
): Promise<Code> {
  const outcome = await submit({ target, client, fields: { scope }, tokenEndpoint: url.href });
  if (outcome.kind !== 'answered') throw await refusedClient(outcome, client, clients);
  const { answer } = outcome;
  const { deviceAuthorization } = await import('./schema.ts');
  const read = deviceAuthorization.safeParse(answer);
  const line = `POST ${url.origin}${url.pathname}`;
  if (!read.success) throw new SvcError('wrong_shape', `${line}: ${schemaProblem(read.error.issues, answer)}`);
  const { verification_uri: plain, verification_uri_complete: complete, user_code: code, ...rest } = read.data;
  for (const address of [plain, complete ?? plain]) {
    const problem = endpointProblem(new URL(address), target.baseUrl);
    if (problem !== undefined) throw new SvcError('guarded', `${line}: the address to open ${problem}`);
  }
  target.secrets.add(rest.device_code);
  await showQrCode(new URL(complete ?? plain).href, ctx);
  // Not as notices, which -q and -o json suppress: the user could not sign in.
  target.log.warn(`to sign in, open ${new URL(plain).href} on any device and enter the code ${code}`);
  return rest;
}

/** For a phone, if the terminal is wide enough. First, so that the text below stays in view. */
async function showQrCode(text: string, { screen, wants, warn }: RunContext): Promise<void> {
  if (screen === undefined || screen.ascii || !wants.table) return;
  const { renderUnicodeCompact } = await import('uqr');
  const lines = renderUnicodeCompact(text).split('\n');
  if (lines.every(({ length }) => length <= screen.canvas)) for (const line of lines) warn(line);
}

async function poll(
  target: Target,
  server: ServerMetadata,
  client: ClientRecord,
  { device_code, expires_in, interval = INTERVAL_S }: Code,
  waitMs: number,
): Promise<TokenOutcome> {
  const end = target.now() + Math.min(expires_in * 1000, waitMs);
  const fields = { grant_type: DEVICE_GRANT, device_code };
  for (let pauseS = interval; ; ) {
    if (target.now() + pauseS * 1000 > end) throw tooLate(expires_in * 1000 <= waitMs, waitMs);
    await target.sleep(pauseS * 1000, target.signal);
    const outcome = await requestToken({ target, tokenEndpoint: server.token_endpoint, client, fields });
    target.signal.throwIfAborted();
    if (outcome.kind === 'granted') return outcome;
    if (outcome.kind === 'refused' && outcome.error === 'expired_token') throw tooLate(true, waitMs);
    if (outcome.kind === 'refused' && !PENDING.includes(outcome.error)) return outcome;
    pauseS = nextPause(outcome, pauseS);
  }
}

const PENDING = ['slow_down', 'authorization_pending'];

function nextPause(outcome: Exclude<TokenOutcome, { readonly kind: 'granted' }>, pauseS: number): number {
  if (outcome.kind === 'refused') return outcome.error === 'slow_down' ? pauseS + SLOWER_S : pauseS;
  if (outcome.kind === 'busy') return Math.max(pauseS, (outcome.retryAfterMs ?? 0) / 1000);
  // RFC 8628 §3.5: after a failed connection, less often.
  return pauseS * 2;
}

function tooLate(expired: boolean, waitMs: number): SvcError {
  if (expired) return new SvcError('unauthorized', 'the code expired before the sign-in', { hint: 'sign in again' });
  return new SvcError('unauthorized', `no sign-in within ${waitMs / 1000} s`, { hint: 'allow more time with --wait' });
}
