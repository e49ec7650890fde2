import { listCommand } from '../../../cli/command.ts';
import type { ListOutput } from '../../../output/types.ts';
import { TRAPS } from '../../../sandbox/traps.ts';
import { findSandboxes, type RunningSandbox, type ServiceStatus } from '../running-sandboxes.ts';
import { exportLines } from '../start-sandbox.ts';

interface StatusRow extends ServiceStatus {
  /** Null if they are unknown. */
  readonly traps: readonly string[] | null;
  /** RFC 3339. */
  readonly startedAt: string | null;
  readonly startedBy: 'start' | 'run' | null;
  /** Whether this shell uses the sandbox. */
  readonly here: boolean;
}

const NONE = 'no sandbox is running: svc sandbox start starts one';

const STATUS_LIST: ListOutput<StatusRow> = {
  kind: 'list',
  columns: [
    { name: 'service', cell: ({ service }) => service },
    { name: 'address', cell: ({ address }) => address },
    { name: 'state', cell: ({ up }) => (up ? { text: 'up', tone: 'good' } : { text: 'down', tone: 'bad' }) },
    // A failure may be several lines of a database: only its beginning.
    { name: 'holds', cell: ({ holds, failure }) => (holds ? counts(holds) : failure?.split(': ')[0]), shrinks: true },
    { name: 'traps', cell: ({ traps }) => traps?.join(' '), shrinks: true },
    { name: 'started', cell: ({ startedAt }) => (startedAt === null ? null : { time: startedAt }) },
    { name: 'started-by', cell: ({ startedBy }) => startedBy, wide: true },
    { name: 'version', cell: ({ version }) => version, wide: true },
    { name: 'here', cell: ({ here }) => here, wide: true },
  ],
  id: ({ address }) => address,
  empty: NONE,
};

const EVAL = 'eval "$(svc sandbox status --env)"';

export const sandboxStatus = listCommand({
  id: 'sandbox status',
  summary: 'Show the sandboxes that are running',
  description: `Exits 0 if all services of a sandbox respond and 1 if no sandbox is running. --env prints the lines of svc sandbox start again (bash, zsh, fish): ${EVAL}`,
  details:
    'svc asks every service of every sandbox that this user started on this machine. A sandbox that was killed is reported once. If several are running, --env chooses the one that this shell uses, or the newest.\nJSON: service, address, up, version, holds (the number of items of each kind, or null), failure (why the numbers are unknown, or null), traps, startedAt, startedBy, here (this shell uses it).',
  effect: 'read',
  flags: {
    env: { type: 'boolean', help: 'Print the environment to use' },
    port: { type: 'integer', min: 1, max: 65_535, help: 'Only the sandbox whose alert manager uses this port' },
  },
  outputOf: ({ env }) => (env ? { kind: 'text' } : STATUS_LIST),
  exits: ['condition_false'],
  examples: [
    { run: 'svc sandbox status', why: 'Show whether a sandbox is running' },
    { run: 'svc sandbox status --env', why: `Print the environment: ${EVAL}` },
    { run: 'svc sandbox status -q >/dev/null || svc sandbox start', why: 'Start a sandbox unless one is running' },
  ],
  output: STATUS_LIST,
  async run({ env, port }, ctx) {
    const found = await findSandboxes(ctx);
    const at = (address: string): boolean => port === undefined || address === `http://127.0.0.1:${port}`;
    const empty = port === undefined ? NONE : `no sandbox has its alert manager on port ${port}`;
    for (const { env: lost, startedAt } of found.gone) {
      const start = new Date(startedAt).toISOString();
      ctx.notice(
        `the sandbox of ${start} at ${lost.SVC_ALERTS_URL} is gone: it was killed, or its terminal was closed`,
      );
    }
    const running = found.running.filter(({ env: { SVC_ALERTS_URL: address } }) => at(address));
    const whole = running.filter(({ services }) => services.every(({ up }) => up));
    const code = whole.length === 0 ? ('condition_false' as const) : undefined;
    if (env) {
      const [chosen] = whole;
      if (chosen === undefined) ctx.notice(empty);
      else if (whole.length > 1 && !chosen.isHere) {
        ctx.notice(
          `${whole.length} sandboxes are running; this is ${chosen.env.SVC_ALERTS_URL}; choose another with --port`,
        );
      }
      return { value: chosen === undefined ? undefined : exportLines(chosen.env), as: { kind: 'text' }, code };
    }
    const isUsed = running.some(({ isHere }) => isHere);
    const footer = whole.length === 0 || isUsed ? undefined : `this shell does not use it: ${EVAL}`;
    return { value: running.flatMap(rowsOf), as: { ...STATUS_LIST, empty }, footer, code };
  },
});

function rowsOf({ services, record, isHere }: RunningSandbox): readonly StatusRow[] {
  const startedAt = record === undefined ? null : new Date(record.startedAt).toISOString();
  return services.map((service) => ({
    ...service,
    traps: record?.traps.filter((trap) => Object.hasOwn(TRAPS[service.service], trap)) ?? null,
    startedAt,
    startedBy: record?.startedBy ?? null,
    here: isHere,
  }));
}

/** `9 alerts, 4 silences` */
function counts(holds: Readonly<Record<string, number>>): string {
  return Object.entries(holds)
    .map(([name, count]) => `${count} ${count === 1 ? name.slice(0, -1) : name}`)
    .join(', ');
}
