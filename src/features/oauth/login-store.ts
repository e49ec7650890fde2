/** What is signed in with, on its way into the store of this profile and address. */
import type { RunContext } from '../../cli/command.ts';
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
