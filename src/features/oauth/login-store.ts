/** What is signed in with, on its way into the store of this profile and address, and whether the service takes it. */
import type { RunContext } from '../../cli/command.ts';
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
import { readCredentials, withCredentials } from '../../store/credentials-file.ts';
import type { KnownClients } from './login-client.ts';

type New<C> = C extends Credential ? Omit<C, 'profile' | 'base_url'> : never;

/** Finds out that nothing can be kept before there is something to keep. */
export async function checkStorable(ctx: RunContext): Promise<void> {
  await withCredentials(ctx.paths, ctx, (file) => file.reserve());
}

/** With them, the way to take one that the server does not know out of use. */
export async function storedClients(ctx: RunContext): Promise<KnownClients> {
  const { document, warnings } = await readCredentials(ctx.paths, ctx);
  for (const warning of warnings) ctx.notice(warning);
  return { all: document.clients, forget: (client) => forgetClient(client, ctx) };
}

/** One that a login is refreshed with stays, as the server may take it there, but no sign-in uses it. */
async function forgetClient(client: ClientRecord, ctx: RunContext): Promise<void> {
  await withCredentials(ctx.paths, ctx, ({ document, save }) => {
    const isUsed = loginsOf(document, client).length > 0;
    const now = Math.floor(ctx.now() / 1000);
    save(isUsed ? withClient(document, endedClient(client, now)) : withoutClient(document, client));
  });
}

export async function storeClient(client: ClientRecord, ctx: RunContext): Promise<void> {
  await withCredentials(ctx.paths, ctx, (file) => file.save(withClient(file.document, client)));
}

/** In the place of the one before. */
export async function storeLogin(login: New<Credential>, client: ClientRecord | undefined, ctx: RunContext) {
  const { target, settings } = ctx;
  const credential: Credential = {
    ...login,
    profile: settings.profile.name,
    base_url: credentialAddress(target.baseUrl),
  };
  await withCredentials(ctx.paths, ctx, (file) => {
    const document = client === undefined ? file.document : withClient(file.document, client);
    file.save(withCredential(document, credential));
  });
  return credential;
}

/** Any JSON will do: a portal that wants a login of its own answers with a page. */
const LIST = endpoint<unknown>({
  method: 'GET',
  path: '/webhooks',
  effect: 'read',
  answer: async () => ({ safeParse: (data) => ({ success: true, data }) }),
});

/** The cheapest call that the service has (doc 2 §4). Throws what is wrong with the credential, or the way to the service. */
export async function checkSignIn(target: Target): Promise<void> {
  const client = openClient(target, { basePath: '/v1' });
  try {
    await client.call(LIST);
  } finally {
    await client.close();
  }
}
