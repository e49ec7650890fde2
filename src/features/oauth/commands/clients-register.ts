import { type Answer, type RunContext, recordCommand } from '../../../cli/command.ts';
import type { Flags } from '../../../cli/flags.ts';
import { openSink, SINK_FLAGS, type SinkInput } from '../../../cli/secret-sink.ts';
import { SvcError } from '../../../errors.ts';
import { isLoopback } from '../../../http/address.ts';
import { Plan } from '../../../http/endpoint.ts';
import { Secret } from '../../../http/redact.ts';
import type { ClientAuthMethod, ClientRecord } from '../../../store/credentials.ts';
import { discover } from '../discovery.ts';
import { CLIENT_FLAGS } from '../login-options.ts';
import { checkStorable, storeClient } from '../login-store.ts';
import { freeRedirectUri, offeredMethods, registerClient } from '../registration.ts';

interface Registered extends Omit<ClientRecord, 'client_secret'> {
  /** Null if the client has none; `***` if it is not shown. */
  readonly client_secret: string | null;
}

const CLIENT_SINK_FLAGS = {
  ...SINK_FLAGS,
  store: { type: 'boolean', help: 'Store the client for svc oauth login (default at a terminal)' },
} as const satisfies Flags;

export const oauthClientsRegister = recordCommand({
  id: 'oauth clients register',
  summary: 'Register an OAuth client at the recording service',
  description:
    'Without --redirect-uri the client is for svc oauth login, at a free port of this machine. Other redirect addresses must be https and on the allow-list of the service. The service shows a secret once: choose where it goes with --secret-file, --store or --show-secret.',
  effect: 'write',
  service: 'webhooks',
  flags: {
    ...CLIENT_FLAGS,
    'redirect-uri': {
      type: 'string',
      repeat: true,
      value: 'url',
      help: 'Redirect address of the client',
      group: 'Client options',
      check: checkRedirectUri,
    },
    ...CLIENT_SINK_FLAGS,
  },
  examples: [
    { run: 'svc oauth clients register --auth-method client_secret_basic --store', why: 'Sign in with a secret' },
    {
      run: 'svc oauth clients register --redirect-uri https://app.example.com/callback --auth-method client_secret_post --secret-file client.key',
      why: 'Register a web application',
    },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'client-id', cell: ({ client_id }: Registered) => client_id },
      { name: 'issuer', cell: ({ issuer }: Registered) => issuer },
      { name: 'auth-method', cell: (client: Registered) => client.token_endpoint_auth_method },
      { name: 'redirect-uris', cell: ({ redirect_uris }: Registered) => redirect_uris },
      { name: 'client-name', cell: ({ client_name }: Registered) => client_name },
      { name: 'client-secret', cell: ({ client_secret }: Registered) => client_secret ?? undefined },
    ],
    id: ({ client_id }) => client_id,
  },
  async run({ authMethod, clientName = 'svc', redirectUri, ...input }, ctx) {
    const found = authMethod === undefined ? await discover(ctx.target) : undefined;
    const method = authMethod ?? (found && offeredMethods(found)[0]) ?? 'none';
    const sink = await openClientSink(input, method, ctx);
    let registered: Awaited<ReturnType<typeof registerClient>>;
    try {
      const server = found ?? (await discover(ctx.target));
      const redirectUris = redirectUri.length > 0 ? redirectUri : [await freeRedirectUri(server)];
      registered = await registerClient(ctx.target, server, { method, clientName, redirectUris });
    } catch (error) {
      sink.abandon();
      throw error;
    }
    if (registered instanceof Plan) {
      sink.abandon();
      return { value: registered };
    }
    const { client, warnings } = registered;
    if (sink.where !== 'stored' && hasSecret(client.token_endpoint_auth_method) !== hasSecret(method)) {
      sink.abandon();
      throw otherMethod(client, method);
    }
    await sink.keep(client);
    for (const warning of warnings) ctx.notice(warning);
    return reportClient(client, sink);
  },
});

function reportClient(
  { client_secret: secret, ...rest }: ClientRecord,
  { shows, where }: ClientSink,
): Answer<Registered> {
  const client_secret = secret === undefined || shows ? (secret ?? null) : '***';
  const value = { ...rest, client_secret };
  if (shows || where === undefined) return { value };
  return {
    value,
    footer: `${secret === undefined ? 'the client' : 'the secret'} is ${where}`,
    // Only a stored client can be forgotten.
    undo: where === 'stored' ? [['oauth', 'clients', 'forget', rest.client_id]] : undefined,
  };
}

function hasSecret(method: ClientAuthMethod): boolean {
  return method !== 'none';
}

/** Where the secret goes was chosen for the requested method. */
function otherMethod(
  { client_id, token_endpoint_auth_method: method }: ClientRecord,
  asked: ClientAuthMethod,
): SvcError {
  return new SvcError('not_as_asked', `the service registered the client ${client_id} with ${method}, not ${asked}`, {
    hint: `svc stored nothing of it: pass --auth-method ${method}, or --store`,
  });
}

interface ClientSink {
  /** Whether the output contains the secret. */
  readonly shows: boolean;
  /** `stored`, `in client.key`; undefined if nothing is stored. */
  readonly where: string | undefined;
  keep(client: ClientRecord): Promise<void>;
  /** There is no client: removes what was prepared. */
  abandon(): void;
}

/** Opened and tested before the service makes the client. Exit 2 if a secret would be lost. */
async function openClientSink(input: SinkInput, method: ClientAuthMethod, ctx: RunContext): Promise<ClientSink> {
  const elsewhere = input.secretFile !== undefined || input.showSecret;
  if (method === 'none' && elsewhere) {
    throw new SvcError('usage', 'a client with --auth-method none has no secret', {
      hint: 'choose another --auth-method, or drop the options for the secret',
    });
  }
  const stores = input.store || (!elsewhere && ctx.interactive);
  if (stores && !elsewhere) {
    if (!ctx.dryRun) await checkStorable(ctx);
    return storedClient(ctx);
  }
  if (method === 'none') return { shows: false, where: undefined, keep: async () => {}, abandon: () => {} };
  const sink = openSink(input, ctx);
  if (sink === undefined) return storedClient(ctx);
  return {
    shows: sink.shows,
    where: sink.where,
    keep: ({ client_secret = '', client_id }) => sink.keep(new Secret(client_secret), client_id),
    abandon: () => sink.abandon(),
  };
}

function storedClient(ctx: RunContext): ClientSink {
  return { shows: false, where: 'stored', keep: (client) => storeClient(client, ctx), abandon: () => {} };
}

/** Throws `invalid_value` for an address that no service accepts. */
function checkRedirectUri(text: string): void {
  const refuse = (why: string): SvcError => new SvcError('invalid_value', `${JSON.stringify(text)} ${why}`);
  if (/[\s\\\x00-\x1f\x7f]/.test(text) || !URL.canParse(text)) throw refuse('is not a URL');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    throw refuse('must be https: http is for loopback addresses only');
  }
  if (url.username !== '' || url.password !== '') throw refuse('contains a user or a password');
  if (text.includes('#')) throw refuse('contains a fragment');
}
