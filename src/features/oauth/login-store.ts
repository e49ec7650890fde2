/** Stores a sign-in's result for this profile and address, and checks if the service accepts it. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { Client } from '../../http/client.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import {
  type ClientRecord,
  type Credential,
  clientKey,
  credentialsFile,
  endedClient,
  listClients,
  loginKey,
  loginsOf,
  ownerOf,
} from '../../store/credentials.ts';
import { SecretStore, withSecrets } from '../../store/secret-store.ts';
import type { KnownClients } from './login-client.ts';
import { findRevocable, type Revocable, revoke } from './revocation.ts';
import { TokenManager } from './token-manager.ts';

type New<C> = C extends Credential ? Omit<C, 'profile' | 'base_url'> : never;

/** Fails before there is anything to store. */
export async function checkStorable(ctx: RunContext): Promise<void> {
  await withSecrets(credentialsFile(ctx.paths), ctx, (store) => store.reserve());
}

/** With them, a way to stop using one that the server does not know. */
export async function storedClients(ctx: RunContext): Promise<KnownClients> {
  const store = new SecretStore(credentialsFile(ctx.paths), ctx);
  const all: ClientRecord[] = [];
  for (const name of await listClients(store)) {
    try {
      const client = await store.get(clientKey(name));
      if (client !== undefined) all.push(client);
    } catch (error) {
      if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
      ctx.notice(`client ${name.client_id} is not used: ${error.message}`);
    }
  }
  return { all, forget: (client) => forgetClient(client, ctx) };
}

/** A client that a login needs for refreshes stays, but no sign-in uses it. */
async function forgetClient(client: ClientRecord, ctx: RunContext): Promise<void> {
  await withSecrets(credentialsFile(ctx.paths), ctx, async (store) => {
    if (await isUnused(store, client, ctx)) await store.delete(clientKey(client));
    else await store.set(clientKey(client), endedClient(client, Math.floor(ctx.now() / 1000)));
  });
}

/** False if a login cannot be read: it may need the client. */
async function isUnused(store: SecretStore, client: ClientRecord, ctx: RunContext): Promise<boolean> {
  try {
    return (await loginsOf(store, client)).length === 0;
  } catch (error) {
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    return false;
  }
}

export async function storeClient(client: ClientRecord, ctx: RunContext): Promise<void> {
  await withSecrets(credentialsFile(ctx.paths), ctx, (store) => store.set(clientKey(client), client));
}

/** The login that it replaces is revoked, if the service offers that. */
export async function storeLogin(
  login: New<Credential>,
  client: ClientRecord | undefined,
  ctx: RunContext,
): Promise<Credential> {
  const { target, settings } = ctx;
  const credential: Credential = { ...login, ...ownerOf(settings, target.baseUrl) };
  const replaced = await withSecrets(credentialsFile(ctx.paths), ctx, async (store) => {
    const found = await findReplaced(store, credential, ctx);
    if (client !== undefined) await store.set(clientKey(client), client);
    await store.set(loginKey(credential), credential);
    return found;
  });
  return replaced === undefined ? credential : revokeReplaced(replaced, credential, ctx);
}

/** The earlier login of this profile and address, if its refresh token would outlive it. */
async function findReplaced(store: SecretStore, next: Credential, ctx: RunContext): Promise<Revocable | undefined> {
  try {
    const found = await findRevocable(store, await store.find(loginKey(next)));
    if (found === undefined) return undefined;
    const { refresh_token, login_required } = found.credential;
    // A login that the service refuses has ended there. A server may also repeat the same token.
    if (refresh_token === undefined || login_required !== undefined) return undefined;
    if (next.kind === 'oauth' && next.refresh_token === refresh_token) return undefined;
    // A server may end all of a client's logins (RFC 7009 §2.1), and other profiles keep theirs.
    return (await loginsOf(store, found.credential)).length > 1 ? undefined : found;
  } catch (error) {
    // A credential helper that fails, or a damaged file, is no reason not to sign in.
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    return undefined;
  }
}

/** Once the new login is stored. Returns it. */
async function revokeReplaced(replaced: Revocable, next: Credential, ctx: RunContext): Promise<Credential> {
  const failure = await revoke(replaced, ctx.target);
  if (failure !== undefined) {
    ctx.notice(`svc stored the new login, but could not revoke the earlier one: ${failure.message}`);
    return next;
  }
  const sharesClient = next.kind === 'oauth' && next.client_id === replaced.credential.client_id;
  return sharesClient && next.refresh_token !== undefined ? checkSurvived(next, ctx) : next;
}

/** The server may have ended the new login with the earlier one. Only a refresh shows that. */
async function checkSurvived(next: Credential, ctx: RunContext): Promise<Credential> {
  try {
    return await new TokenManager(ctx, ctx.target).renewed();
  } catch (error) {
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    if (error.code !== 'unauthorized') return next;
    throw new SvcError(
      'unauthorized',
      'the service ended the new login together with the earlier one that svc revoked',
      {
        hint: 'sign in once more: svc oauth login',
        httpStatus: error.httpStatus,
      },
    );
  }
}

/** Any JSON will do: a portal with its own login responds with a page. */
const LIST = endpoint<unknown>({
  method: 'GET',
  path: '/webhooks',
  effect: 'read',
  answer: async () => ({ safeParse: (data) => ({ success: true, data }) }),
});

/** The service's cheapest request (doc 2 §4). Throws what is wrong: credential or connection. */
export async function checkSignIn(target: Target): Promise<void> {
  const client = new Client(target, { basePath: '/v1' });
  try {
    await client.call(LIST);
  } finally {
    await client.close();
  }
}
