/** Stores the result of a sign-in for this profile and address, and checks whether the service accepts it. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { openClient } from '../../http/client.ts';
import { endpoint } from '../../http/endpoint.ts';
import type { Target } from '../../http/target.ts';
import {
  type ClientRecord,
  type Credential,
  credentialAddress,
  endedClient,
  loginsOf,
  withClient,
  withCredential,
  withoutClient,
} from '../../store/credentials.ts';
import { openRecord, readCredentials, withCredentials } from '../../store/credentials-file.ts';
import type { KnownClients } from './login-client.ts';

type New<C> = C extends Credential ? Omit<C, 'profile' | 'base_url'> : never;

/** Fails before there is anything to store. */
export async function checkStorable(ctx: RunContext): Promise<void> {
  await withCredentials(ctx.paths, ctx, (file) => file.reserve());
}

/** With them, a way to stop using one that the server does not know. */
export async function storedClients(ctx: RunContext): Promise<KnownClients> {
  const { document, warnings } = await readCredentials(ctx.paths, ctx);
  for (const warning of warnings) ctx.notice(warning);
  const all: ClientRecord[] = [];
  for (const client of document.clients) {
    try {
      all.push(client.client_secret === undefined ? client : await openRecord(client, ctx));
    } catch (error) {
      if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
      ctx.notice(`client ${client.client_id} is not used: ${error.message}`);
    }
  }
  return { all, forget: (client) => forgetClient(client, ctx) };
}

/** A client that a login needs for refreshes stays, but no sign-in uses it. */
async function forgetClient(client: ClientRecord, ctx: RunContext): Promise<void> {
  await withCredentials(ctx.paths, ctx, async ({ document, save }) => {
    const isUsed = loginsOf(document, client).length > 0;
    const now = Math.floor(ctx.now() / 1000);
    await save(isUsed ? withClient(document, endedClient(client, now)) : withoutClient(document, client));
  });
}

export async function storeClient(client: ClientRecord, ctx: RunContext): Promise<void> {
  await withCredentials(ctx.paths, ctx, (file) => file.save(withClient(file.document, client)));
}

export async function storeLogin(login: New<Credential>, client: ClientRecord | undefined, ctx: RunContext) {
  const { target, settings } = ctx;
  const credential: Credential = {
    ...login,
    profile: settings.profile.name,
    base_url: credentialAddress(target.baseUrl),
  };
  await withCredentials(ctx.paths, ctx, async (file) => {
    const document = client === undefined ? file.document : withClient(file.document, client);
    await file.save(withCredential(document, credential));
  });
  return credential;
}

/** Any JSON will do: a portal with its own login responds with a page. */
const LIST = endpoint<unknown>({
  method: 'GET',
  path: '/webhooks',
  effect: 'read',
  answer: async () => ({ safeParse: (data) => ({ success: true, data }) }),
});

/** The cheapest request of the service (doc 2 §4). Throws what is wrong with the credential or the connection. */
export async function checkSignIn(target: Target): Promise<void> {
  const client = openClient(target, { basePath: '/v1' });
  try {
    await client.call(LIST);
  } finally {
    await client.close();
  }
}
