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
  listClients,
  loginKey,
  ownerOf,
} from '../../store/credentials.ts';
import { type SecretStore, withSecrets } from '../../store/secret-store.ts';
import { findRevocation, type Revocation, revoke } from './revocation.ts';

export type New<C> = C extends Credential ? Omit<C, 'profile' | 'base_url'> : never;

/** Those that can be read. A corrupt file is moved aside. */
export async function readClients(ctx: RunContext): Promise<readonly ClientRecord[]> {
  return withSecrets(credentialsFile(ctx.paths), ctx, async (store) => {
    const clients: ClientRecord[] = [];
    for (const name of listClients(store)) {
      try {
        const client = await store.get(clientKey(name));
        if (client !== undefined) clients.push(client);
      } catch (error) {
        if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
        ctx.notice(`client ${name.client_id} is not used: ${error.message}`);
      }
    }
    return clients;
  });
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
    const revocation = await findReplaced(store, credential, ctx);
    if (client !== undefined) await store.set(clientKey(client), client);
    await store.set(loginKey(credential), credential);
    return revocation;
  });
  const failure = replaced && (await revoke(replaced, target));
  if (failure !== undefined) {
    ctx.notice(`svc stored the new login, but could not revoke the earlier one: ${failure.message}`);
  }
  return credential;
}

/** Of the earlier login of this profile and address, if its refresh token would outlive it. */
async function findReplaced(store: SecretStore, next: Credential, ctx: RunContext): Promise<Revocation | undefined> {
  try {
    const login = await store.find(loginKey(next));
    if (login?.kind !== 'oauth' || login.refresh_token === undefined || login.login_required !== undefined)
      return undefined;
    // A server may repeat the same token.
    const isRepeated = next.kind === 'oauth' && next.refresh_token === login.refresh_token;
    return isRepeated ? undefined : await findRevocation(store, login);
  } catch (error) {
    // A credential helper that fails, or a damaged file, is no reason not to sign in.
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    return undefined;
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
