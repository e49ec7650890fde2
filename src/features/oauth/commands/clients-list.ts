import { listCommand } from '../../../cli/command.ts';
import {
  type ClientRecord,
  clientKey,
  credentialsFile,
  isClientOf,
  listClients,
  type OAuthCredential,
  readClientLogins,
} from '../../../store/credentials.ts';
import { SecretStore } from '../../../store/secret-store.ts';
import { isoTime } from '../login-status.ts';

interface ClientRow extends Omit<ClientRecord, 'client_secret' | 'registered_at' | 'client_secret_expires_at'> {
  readonly has_secret: boolean;
  /** Null if it never does, or if there is none. */
  readonly secret_expires_at: string | null;
  readonly registered_at: string;
  /** The profiles whose logins need it. */
  readonly used_by: readonly string[];
}

export const oauthClientsList = listCommand({
  id: 'oauth clients list',
  summary: 'List the registered OAuth clients',
  description: 'Lists the clients of all services and profiles that this machine registered. Secrets are not shown.',
  effect: 'read',
  examples: [{ run: 'svc oauth clients list', why: 'See the clients and the logins that use them' }],
  output: {
    kind: 'list',
    columns: [
      { name: 'client-id', cell: ({ client_id }: ClientRow) => client_id, shrinks: true },
      { name: 'name', cell: ({ client_name }) => client_name, shrinks: true },
      { name: 'issuer', cell: ({ issuer }) => issuer, shrinks: true },
      { name: 'auth-method', cell: (row) => row.token_endpoint_auth_method },
      { name: 'used-by', cell: ({ used_by }) => used_by, shrinks: true },
      { name: 'registered', cell: ({ registered_at }) => ({ time: registered_at }) },
      { name: 'redirects', cell: ({ redirect_uris }) => redirect_uris, wide: true },
      { name: 'secret', cell: ({ has_secret }) => (has_secret ? '***' : ''), wide: true },
      {
        name: 'secret-expires',
        cell: (row) => (row.secret_expires_at === null ? '' : { time: row.secret_expires_at }),
        wide: true,
      },
    ],
    id: ({ client_id }) => client_id,
    empty: 'no clients; svc oauth login registers one',
  },
  async run(_input, ctx) {
    const store = new SecretStore(credentialsFile(ctx.paths), ctx);
    const clients: ClientRecord[] = [];
    for (const name of listClients(store)) {
      const client = await store.find(clientKey(name));
      if (client !== undefined) clients.push(client);
    }
    const logins = clients.length === 0 ? [] : await readClientLogins(store);
    return { value: clients.map((client) => rowOf(client, logins)) };
  },
});

function rowOf(client: ClientRecord, logins: readonly OAuthCredential[]): ClientRow {
  const { client_secret, client_secret_expires_at: end = 0, registered_at, ...open } = client;
  const users = logins.filter((login) => isClientOf(login, client));
  return {
    ...open,
    has_secret: client_secret !== undefined,
    secret_expires_at: isoTime(end || undefined),
    registered_at: new Date(registered_at * 1000).toISOString(),
    used_by: [...new Set(users.map(({ profile }) => profile))],
  };
}
