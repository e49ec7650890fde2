/** What is signed in with, on its way into the store of this profile and address. */
import type { RunContext } from '../cli/command.ts';
import {
  type ClientRecord,
  type Credential,
  credentialAddress,
  withClient,
  withCredential,
} from '../store/credentials.ts';
import { readCredentials, withCredentials } from '../store/credentials-file.ts';

type New<C> = C extends Credential ? Omit<C, 'profile' | 'base_url'> : never;

/** Finds out that nothing can be kept before there is something to keep. */
export async function checkKeepable(ctx: RunContext): Promise<void> {
  await withCredentials(ctx.paths, ctx, (file) => file.reserve());
}

export async function keptClients(ctx: RunContext): Promise<readonly ClientRecord[]> {
  const { document, warnings } = await readCredentials(ctx.paths, ctx);
  for (const warning of warnings) ctx.notice(warning);
  return document.clients;
}

export async function keepClient(client: ClientRecord, ctx: RunContext): Promise<void> {
  await withCredentials(ctx.paths, ctx, (file) => file.save(withClient(file.document, client)));
}

/** In the place of the one before. */
export async function keepLogin(login: New<Credential>, client: ClientRecord | undefined, ctx: RunContext) {
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
