import { listCommand } from '../../../cli/command.ts';
import type { ListOutput } from '../../../output/types.ts';
import { TRAPS } from '../../../sandbox/traps.ts';
import type { SandboxRecord } from '../records.ts';
import { findSandboxes } from '../running-sandboxes.ts';
import { exportLines } from '../start-sandbox.ts';

interface ServiceRow {
  readonly service: string;
  readonly address: string;
  readonly traps: readonly string[];
  /** RFC 3339. */
  readonly startedAt: string;
}

const STATUS_LIST: ListOutput<ServiceRow> = {
  kind: 'list',
  columns: [
    { name: 'service', cell: ({ service }) => service },
    { name: 'address', cell: ({ address }) => address },
    { name: 'traps', cell: ({ traps }) => traps.join(' '), shrinks: true },
    { name: 'started', cell: ({ startedAt }) => ({ time: startedAt }) },
  ],
  id: ({ address }) => address,
};

const EVAL = 'eval "$(svc sandbox status --env)"';

export const sandboxStatus = listCommand({
  id: 'sandbox status',
  summary: 'Show the sandboxes that are running',
  description: `Exits 1 if none is running. --env prints the lines of svc sandbox start again (bash, zsh, fish), of the newest one if several are running: ${EVAL}`,
  details:
    'Lists the services of every sandbox that this user started on this machine. JSON: service, address, traps, startedAt.',
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
    startedAt: new Date(startedAt).toISOString(),
  }));
}
