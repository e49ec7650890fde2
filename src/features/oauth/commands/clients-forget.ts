import { recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import {
  type ClientName,
  clientKey,
  credentialsFile,
  isClientOf,
  listClients,
  readClientLogins,
} from '../../../store/credentials.ts';
import { SecretStore, withSecrets } from '../../../store/secret-store.ts';

interface Forgotten {
  readonly client_id: string;
  readonly issuer: string;
}

export const oauthClientsForget = recordCommand({
  id: 'oauth clients forget',
  summary: 'Delete a client registration from this machine',
  description:
    'The next sign-in registers a new client. The service keeps the old one: it has no way to delete it. svc asks for confirmation if a login needs the client for its refresh.',
  effect: 'read',
  args: { 'client-id': { help: 'Client id, from svc oauth clients list', required: true } },
  flags: {
    issuer: { type: 'string', value: 'url', help: 'Issuer, if several services use the same id' },
    force: { type: 'boolean', help: 'Delete it even if a login needs it' },
  },
  exits: ['not_found'],
  examples: [{ run: 'svc oauth clients forget 7cf2ab01', why: 'Let the next sign-in register a new client' }],
  output: {
    kind: 'record',
    columns: [
      { name: 'client-id', cell: ({ client_id }: Forgotten) => client_id },
      { name: 'issuer', cell: ({ issuer }: Forgotten) => issuer },
    ],
    id: ({ client_id }) => client_id,
  },
  async run({ clientId, issuer, force }, ctx) {
    const store = new SecretStore(credentialsFile(ctx.paths), ctx);
    const client = findClient(listClients(store), clientId, issuer);
    const logins = force ? [] : (await readClientLogins(store)).filter((login) => isClientOf(login, client));
    if (logins.length > 0) {
      const who = `profile ${[...new Set(logins.map(({ profile }) => profile))].join(', ')}`;
      const why = `the login of ${who} cannot be refreshed without client ${clientId}`;
      if (!ctx.interactive) throw new SvcError('confirmation_required', why, { hint: 'pass --force to delete it' });
      await ctx.confirm(`${why[0]?.toUpperCase()}${why.slice(1)}. Delete it?`);
    }
    await withSecrets(credentialsFile(ctx.paths), ctx, (open) => open.delete(clientKey(client)));
    return { value: client };
  },
});

function findClient(clients: readonly ClientName[], id: string, issuer: string | undefined): ClientName {
  const same = clients.filter((one) => one.client_id === id);
  if (same.length === 0) {
    throw new SvcError('not_found', `no client ${id} is stored here`, { hint: 'see svc oauth clients list' });
  }
  const issuers = same.map((one) => one.issuer).join(', ');
  const [first, second] = same.filter((one) => (issuer ?? one.issuer) === one.issuer);
  if (first === undefined) throw new SvcError('not_found', `client ${id} is of ${issuers}, not of ${issuer}`);
  if (second === undefined) return first;
  throw new SvcError('usage', `several services use the id ${id}: ${issuers}`, { hint: 'choose one with --issuer' });
}
