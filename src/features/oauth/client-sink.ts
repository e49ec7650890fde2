/** Where a new client goes, and the secret that its service shows only once. */
import type { RunContext } from '../../cli/command.ts';
import type { Flags } from '../../cli/flags.ts';
import { openSink, SINK_FLAGS, type SinkInput } from '../../cli/secret-sink.ts';
import { SvcError } from '../../errors.ts';
import { Secret } from '../../http/redact.ts';
import type { ClientAuthMethod, ClientRecord } from '../../store/credentials.ts';
import { checkKeepable, keepClient } from './kept-login.ts';

export const CLIENT_SINK_FLAGS = {
  ...SINK_FLAGS,
  store: { type: 'boolean', help: 'Keep the client for svc oauth login (the default at a terminal)' },
} as const satisfies Flags;

export interface ClientSink {
  /** Whether the secret may stand in the output. */
  readonly shows: boolean;
  /** `stored`, `in client.key`; undefined where nothing is kept. */
  readonly where: string | undefined;
  keep(client: ClientRecord): Promise<void>;
  /** There is no client: nothing is left behind. */
  abandon(): void;
}

/** Tried as far as it can be before the service makes the client. Exit 2 where a secret would be lost. */
export async function openClientSink(input: SinkInput, method: ClientAuthMethod, ctx: RunContext): Promise<ClientSink> {
  const elsewhere = input.secretFile !== undefined || input.secretFd !== undefined || input.showSecret;
  if (method === 'none' && elsewhere) {
    throw new SvcError('usage', 'a client of the method none has no secret', {
      hint: 'choose another --auth-method, or leave out where the secret goes',
    });
  }
  const stores = input.store || (!elsewhere && ctx.interactive);
  if (stores && !elsewhere) {
    if (!ctx.dryRun) await checkKeepable(ctx);
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
  return { shows: false, where: 'stored', keep: (client) => keepClient(client, ctx), abandon: () => {} };
}
