/** Which client signs in, and at which address it waits for the browser. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { Plan } from '../../http/endpoint.ts';
import type { ClientAuthMethod, ClientRecord } from '../../store/credentials.ts';
import { errorCode } from '../../store/own-file.ts';
import { SCOPE } from './authorization.ts';
import type { ServerMetadata } from './discovery.ts';
import { type LoopbackListener, openListener } from './loopback-listener.ts';
import { isLive, preferredMethod, registerClient } from './registration.ts';
import type { OAuthClient } from './token-endpoint.ts';

export interface ClientOptions {
  /** A client that was registered elsewhere; svc then registers none. */
  readonly given: OAuthClient | undefined;
  /** Registers a new client although one is stored. */
  readonly newClient: boolean;
  readonly authMethod: ClientAuthMethod | undefined;
  /** Undefined uses the scope of doc 2 §5. */
  readonly scope: string | undefined;
  readonly callbackPort: number | undefined;
}

/**
 * The client that the user names, else the latest usable one that is stored, else a new one. Opens
 * the port first: a strict server accepts only the registered port, and says so only to the browser.
 */
export async function chooseClient(
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
  { callbackPort }: ClientOptions,
  ctx: RunContext,
): Promise<LoopbackListener> {
  const port = callbackPort ?? stored?.redirect_port;
  try {
    return await openListener(issuer, port);
  } catch (error) {
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
