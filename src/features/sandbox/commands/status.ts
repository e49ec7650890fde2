import { listCommand, type RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { ListOutput } from '../../../output/types.ts';
import { TRAPS } from '../../../sandbox/traps.ts';
import { checkWebhooks } from '../../webhooks/checks.ts';
import { readSandboxes, type SandboxEnv, type SandboxRecord } from '../records.ts';
import { exportLines } from '../start-sandbox.ts';

interface ServiceRow {
  readonly service: string;
  readonly address: string;
  readonly traps: readonly string[];
  /** RFC 3339. */
  readonly started_at: string;
}

const STATUS_LIST: ListOutput<ServiceRow> = {
  kind: 'list',
  columns: [
    { name: 'service', cell: ({ service }) => service },
    { name: 'address', cell: ({ address }) => address },
    { name: 'traps', cell: ({ traps }) => traps.join(' '), shrinks: true },
    { name: 'started', cell: ({ started_at }) => ({ time: started_at }) },
  ],
  id: ({ address }) => address,
};

const EVAL = 'eval "$(svc sandbox status --env)"';

export const sandboxStatus = listCommand({
  id: 'sandbox status',
  summary: 'Show the sandboxes that are running',
  description: `Exits 1 if none is running. --env prints the lines of svc sandbox start again (bash, zsh, fish), of the newest one if several are running: ${EVAL}`,
  details:
    'Lists the services of every sandbox that this user started on this machine. JSON: service, address, traps, started_at.',
  effect: 'read',
  flags: { env: { type: 'boolean', help: 'Print the environment to use' } },
  outputOf: ({ env }) => (env ? { kind: 'text' } : STATUS_LIST),
  exits: ['condition_false'],
  examples: [
    { run: 'svc sandbox status', why: 'Show whether a sandbox is running' },
    { run: 'svc sandbox status --env', why: `Print the environment: ${EVAL}` },
    { run: 'svc sandbox status -q >/dev/null || svc sandbox start', why: 'Start a sandbox unless one is running' },
  ],
  output: STATUS_LIST,
  async run({ env }, ctx) {
    const running = await findSandboxes(ctx);
    const [newest] = running;
    if (newest === undefined) {
      const footer = 'no sandbox is running: svc sandbox start starts one';
      return { value: env ? undefined : [], as: env ? { kind: 'text' } : STATUS_LIST, footer, code: 'condition_false' };
    }
    if (env) return { value: exportLines(newest.env), as: { kind: 'text' } };
    return { value: running.flatMap(toRows) };
  },
});

function toRows({ env, traps, startedAt }: SandboxRecord): readonly ServiceRow[] {
  return (['alerts', 'webhooks', 'catalog', 'trade'] as const).map((service) => ({
    service,
    address: env[`SVC_${service.toUpperCase() as Uppercase<typeof service>}_URL`],
    traps: traps.filter((trap) => Object.hasOwn(TRAPS[service], trap)),
    started_at: new Date(startedAt).toISOString(),
  }));
}

type Ctx = Omit<RunContext, 'target'>;

const TIMEOUT_MS = 5000;

/** First those of `svc sandbox start`, which stay, and then the newest. Forgets those that ended. */
async function findSandboxes(ctx: Ctx): Promise<readonly SandboxRecord[]> {
  const running: SandboxRecord[] = [];
  const stored = await readSandboxes(ctx.paths);
  await Promise.all(
    stored.map(async ({ record, forget }) => {
      const failure = await checkSandbox(record.env, ctx);
      if (failure === undefined) running.push(record);
      // Another machine or a container may share these files, but not the loopback.
      else if (failure.code === 'connect_failed' && record.identity === ctx.identity()) forget();
    }),
  );
  const stays = ({ startedBy }: SandboxRecord): number => Number(startedBy === 'start');
  return running.sort((one, other) => stays(other) - stays(one) || other.startedAt - one.startedAt);
}

/** Only its own recording service accepts its token. Resolves to the failure, if any. */
async function checkSandbox({ SVC_WEBHOOKS_URL: url, SVC_WEBHOOKS_TOKEN: token }: SandboxEnv, ctx: Ctx) {
  const baseUrl = new URL(url);
  try {
    await checkWebhooks({
      ...ctx.outbound({ insecure: false }),
      service: 'webhooks',
      baseUrl,
      timeoutMs: TIMEOUT_MS,
      headers: {},
      secretHeaders: new Set(),
      authorizer: { origin: baseUrl.origin, header: async () => ({ authorization: `Bearer ${token}` }) },
      // A separate signal: Node warns about many listeners to one.
      signal: AbortSignal.any([ctx.signal]),
      now: ctx.now,
      random: ctx.random,
      sleep: ctx.sleep,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    return error;
  }
}
