import { type Answer, type RunContext, recordCommand } from '../../../cli/command.ts';
import type { Flags } from '../../../cli/flags.ts';
import { openSink, type SecretSink, SINK_FLAGS, type SinkInput } from '../../../cli/secret-sink.ts';
import { SvcError } from '../../../errors.ts';
import { isLoopback } from '../../../http/address.ts';
import { Plan } from '../../../http/endpoint.ts';
import { Secret } from '../../../http/redact.ts';
import { type ClientAuthMethod, type ClientRecord, credentialsFile } from '../../../store/credentials.ts';
import { withSecrets } from '../../../store/secret-store.ts';
import { discover, type ServerMetadata } from '../discovery.ts';
import { storeClient } from '../login-store.ts';
import { openListener } from '../loopback-listener.ts';
import { AUTH_METHODS, registerClient } from '../registration.ts';

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
    'auth-method': {
      type: 'choice',
      value: 'method',
      choices: AUTH_METHODS,
      help: 'Client authentication (default none)',
    },
    'client-name': { type: 'string', value: 'name', help: 'Name of the client (default svc)' },
    'redirect-uri': {
      type: 'string',
      repeat: true,
      value: 'url',
      help: 'Redirect address of the client',
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
  async run({ authMethod: method = 'none', clientName = 'svc', redirectUri, ...input }, ctx) {
    const sink = await openClientSink(input, method, ctx);
    let client: ClientRecord | Plan;
    try {
      const server = await discover(ctx.target);
      const redirectUris = redirectUri.length > 0 ? redirectUri : [await freeRedirectUri(server)];
      client = await registerClient(ctx.target, server, { method, clientName, redirectUris });
    } catch (error) {
      sink?.abandon?.();
      throw error;
    }
    if (client instanceof Plan) return { value: client };
    const given = client.token_endpoint_auth_method;
    // Where the secret goes was chosen for the requested method.
    if (sink !== undefined && (given === 'none') !== (method === 'none')) {
      sink.abandon?.();
      throw new SvcError('not_as_asked', `the service registered the client ${client.client_id} with ${given}`, {
        hint: `svc stored nothing of it: pass --auth-method ${given}, or --store`,
      });
    }
    if (sink === undefined) await storeClient(client, ctx);
    else await sink.keep(new Secret(client.client_secret ?? ''), client.client_id);
    return reportClient(client, sink);
  },
});

function reportClient(
  { client_secret: secret, ...rest }: ClientRecord,
  sink: SecretSink | undefined,
): Answer<Registered> {
  const what = secret === undefined ? 'the client' : 'the secret';
  const shown = sink?.shows ? secret : '***';
  const value = { ...rest, client_secret: secret === undefined ? null : (shown ?? null) };
  // Only a stored client can be forgotten.
  if (sink === undefined)
    return { value, footer: `${what} is stored`, undo: [['oauth', 'clients', 'forget', rest.client_id]] };
  return sink.shows ? { value } : { value, footer: `${what} is ${sink.where}` };
}

/** For a client without a secret that is not stored. */
const NO_SECRET: SecretSink = { shows: true, where: 'shown', keep: async () => {} };

/** Opened and tested before the service makes the client. Undefined if svc stores the client. */
async function openClientSink(
  input: SinkInput,
  method: ClientAuthMethod,
  ctx: RunContext,
): Promise<SecretSink | undefined> {
  if (method === 'none' && (input.secretFile !== undefined || input.showSecret)) {
    throw new SvcError('usage', 'a client with --auth-method none has no secret', {
      hint: 'choose another --auth-method, or drop the options for the secret',
    });
  }
  if (method === 'none' && !input.store && !ctx.interactive) return NO_SECRET;
  const sink = method === 'none' ? undefined : openSink(input, ctx);
  if (sink === undefined && !ctx.dryRun) {
    await withSecrets(credentialsFile(ctx.paths), ctx, (store) => store.reserve());
  }
  return sink;
}

/** That of svc oauth login, at a port that is free now. */
async function freeRedirectUri({ issuer }: ServerMetadata): Promise<string> {
  const listener = await openListener(issuer);
  await listener.close();
  return listener.redirectUri;
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
