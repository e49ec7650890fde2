import { recordCommand } from '../../../cli/command.ts';
import { Plan } from '../../../http/endpoint.ts';
import type { ClientRecord } from '../../../store/credentials.ts';
import { CLIENT_SINK_FLAGS, openClientSink } from '../client-sink.ts';
import { checkRedirectUri } from '../redirect-uri.ts';
import { CLIENT_FLAGS } from '../sign-in.ts';

interface Registered extends Omit<ClientRecord, 'client_secret'> {
  /** Null where the client has none; `***` where it is not shown. */
  readonly client_secret: string | null;
}

export const oauthClientsRegister = recordCommand({
  id: 'oauth clients register',
  summary: 'Register a client at the recording service',
  description:
    'Without --redirect-uri it is one for svc oauth login, at a free port of this machine. Addresses that are not on this machine must be https, and on the allow-list of the service. A secret is shown by the service this once: say where it goes before it is made. With --store the client and its secret are kept for svc oauth login.',
  effect: 'write',
  service: 'webhooks',
  flags: {
    ...CLIENT_FLAGS,
    'redirect-uri': {
      type: 'string',
      repeat: true,
      value: 'url',
      help: 'Where browsers may be sent back to',
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
    const { discover } = await import('../discovery.ts');
    const { freeRedirectUri, offeredMethods, registerClient } = await import('../registration.ts');
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
    await sink.keep(client);
    for (const warning of warnings) ctx.notice(warning);
    const { client_secret: secret, ...rest } = client;
    const value = { ...rest, client_secret: secret === undefined ? null : sink.shows ? secret : '***' };
    if (sink.shows || sink.where === undefined) return { value };
    return { value, footer: `${secret === undefined ? 'the client' : 'the secret'} is ${sink.where}` };
  },
});
