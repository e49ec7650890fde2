/** The sandboxes of this user, as their services say: a record alone does not tell a running one from one that was killed. */
import type { RunContext } from '../../cli/command.ts';
import type { ServiceContents } from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import { Secret } from '../../http/redact.ts';
import { readSandboxes, type SandboxEnv, type SandboxRecord, sandboxEnv } from '../../store/sandbox-records.ts';

type Target = RunContext['target'];
type Ctx = Omit<RunContext, 'target'>;

const SERVICES = ['alerts', 'webhooks', 'catalog', 'trade'] as const;

export interface ServiceStanding {
  readonly service: Target['service'];
  readonly address: string;
  /** It answers, be it with a failure. */
  readonly up: boolean;
  readonly version: string | null;
  readonly holds: Readonly<Record<string, number>> | null;
  /** Why what it holds is not known. */
  readonly failure: string | null;
}

export interface SandboxStanding {
  readonly env: SandboxEnv;
  /** Undefined of one that this shell's environment alone tells of. */
  readonly record: SandboxRecord | undefined;
  readonly services: readonly ServiceStanding[];
  /** All services of this shell are its. */
  readonly isHere: boolean;
}

export interface SandboxLook {
  /** The one that a shell would want comes first: its own, then the newest that `start` has started. */
  readonly running: readonly SandboxStanding[];
  /** Killed, and started here: their records are removed. */
  readonly gone: readonly SandboxRecord[];
}

export async function lookAtSandboxes(ctx: Ctx): Promise<SandboxLook> {
  const kept = readSandboxes(ctx.paths);
  const own = sandboxEnv(ctx.env);
  const isKnown = kept.some(({ record }) => record.env.SVC_WEBHOOKS_TOKEN === own?.SVC_WEBHOOKS_TOKEN);
  const gone: SandboxRecord[] = [];
  const standings = await Promise.all([
    ...kept.map(async ({ record, forget }) => {
      const services = await askAll(record.env, ctx);
      if (services !== undefined) return { env: record.env, record, services, isHere: isHere(record.env, ctx) };
      if (record.identity !== ctx.identity) return undefined;
      forget();
      gone.push(record);
      return undefined;
    }),
    // One that runs where its record could not be written, or under another home.
    ...(own === undefined || isKnown ? [] : [own]).map(async (env) => {
      const services = await askAll(env, ctx);
      return services === undefined ? undefined : { env, record: undefined, services, isHere: isHere(env, ctx) };
    }),
  ]);
  const running = standings.filter((standing) => standing !== undefined);
  return { running: running.sort(byUse), gone };
}

function byUse(one: SandboxStanding, other: SandboxStanding): number {
  const stays = ({ record }: SandboxStanding): number => Number(record?.startedBy === 'start');
  const startedAt = ({ record }: SandboxStanding): number => record?.startedAt ?? 0;
  return Number(other.isHere) - Number(one.isHere) || stays(other) - stays(one) || startedAt(other) - startedAt(one);
}

function isHere(env: SandboxEnv, { settings, env: shell }: Ctx): boolean {
  const leads = SERVICES.every(
    (service) => settings.get(`${service}.url`)?.replace(/\/+$/, '') === env[`SVC_${upper(service)}_URL`],
  );
  // Without a token of the environment one is signed in another way.
  const fits = (['SVC_WEBHOOKS_TOKEN', 'SVC_TRADE_TOKEN'] as const).every((name) =>
    [undefined, env[name]].includes(shell[name]),
  );
  return leads && fits;
}

function upper<S extends string>(service: S): Uppercase<S> {
  return service.toUpperCase() as Uppercase<S>;
}

async function contentsOf(service: Target['service'], target: Target, env: SandboxEnv): Promise<ServiceContents> {
  switch (service) {
    case 'alerts':
      return (await import('../alerts/checks.ts')).alertsContents(target);
    case 'webhooks':
      return (await import('../webhooks/checks.ts')).webhooksContents(target);
    case 'catalog':
      return (await import('../catalog/checks.ts')).catalogContents(target);
    case 'trade':
      return (await import('../trade/checks.ts')).tradeContents(target, new Secret(env.SVC_TRADE_TOKEN));
  }
}

/** Undefined where the sandbox of this environment does not run: the recording service alone has made its token, and knows it. */
async function askAll(env: SandboxEnv, ctx: Ctx): Promise<readonly ServiceStanding[] | undefined> {
  const failures = new Map<Target['service'], SvcError>();
  const standings = await Promise.all(
    SERVICES.map(async (service): Promise<ServiceStanding> => {
      const address = env[`SVC_${upper(service)}_URL`];
      try {
        const { version = null, holds } = await contentsOf(service, targetAt(service, address, env, ctx), env);
        return { service, address, up: true, version, holds, failure: null };
      } catch (error) {
        if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
        failures.set(service, error);
        return { service, address, up: !SILENT.has(error.code), version: null, holds: null, failure: error.message };
      }
    }),
  );
  const code = failures.get('webhooks')?.code;
  return code === undefined || code === 'timeout' || code === 'connection_lost' ? standings : undefined;
}

/** Nobody answers. */
const SILENT: ReadonlySet<string> = new Set(['connect_failed', 'connection_lost', 'timeout']);
/** A slow trap takes three seconds. */
const LONGEST_MS = 5000;

function targetAt(service: Target['service'], address: string, env: SandboxEnv, ctx: Ctx): Target {
  const baseUrl = new URL(address);
  const outbound = ctx.outbound({ insecure: false });
  return {
    ...outbound,
    log: { ...outbound.log, warn: ctx.notice },
    // A signal of its own: Node warns of many listeners to one.
    signal: AbortSignal.any([ctx.signal]),
    service,
    baseUrl,
    timeoutMs: LONGEST_MS,
    headers: {},
    secretHeaders: new Set(),
    ...(service === 'webhooks'
      ? {
          authorizer: {
            origin: baseUrl.origin,
            header: async () => ({ authorization: `Bearer ${env.SVC_WEBHOOKS_TOKEN}` }),
          },
        }
      : {}),
    now: ctx.now,
    random: ctx.random,
    sleep: ctx.sleep,
  };
}
