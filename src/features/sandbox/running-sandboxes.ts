/** Asks the services of each sandbox, because a record does not show whether it still runs. */
import type { RunContext } from '../../cli/command.ts';
import type { ServiceContents } from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import { Secret } from '../../http/redact.ts';
import { alertsContents } from '../alerts/checks.ts';
import { catalogContents } from '../catalog/checks.ts';
import { tradeContents } from '../trade/checks.ts';
import { webhooksContents } from '../webhooks/checks.ts';
import { readSandboxes, type SandboxEnv, type SandboxRecord, sandboxEnv } from './records.ts';

type Target = RunContext['target'];
type Ctx = Omit<RunContext, 'target'>;
type Service = Target['service'];
type ContentsOf = (target: Target, env: SandboxEnv) => Promise<ServiceContents>;

const SERVICES: readonly (readonly [Service, address: keyof SandboxEnv, ContentsOf])[] = [
  ['alerts', 'SVC_ALERTS_URL', alertsContents],
  ['webhooks', 'SVC_WEBHOOKS_URL', webhooksContents],
  ['catalog', 'SVC_CATALOG_URL', catalogContents],
  ['trade', 'SVC_TRADE_URL', (target, env) => tradeContents(target, new Secret(env.SVC_TRADE_TOKEN))],
];

export interface ServiceStatus {
  readonly service: Service;
  readonly address: string;
  /** It responds, even if with a failure. */
  readonly up: boolean;
  readonly version: string | null;
  readonly holds: Readonly<Record<string, number>> | null;
  /** Why its contents are unknown. */
  readonly failure: string | null;
}

export interface RunningSandbox {
  readonly env: SandboxEnv;
  /** Undefined if only this shell's environment names the sandbox. */
  readonly record: SandboxRecord | undefined;
  readonly services: readonly ServiceStatus[];
  /** This shell uses all of its services. */
  readonly isHere: boolean;
}

export interface FoundSandboxes {
  /** First the one that a shell most likely needs: its own, then the newest by `start`. */
  readonly running: readonly RunningSandbox[];
  /** Started on this machine and killed: their records are removed now. */
  readonly gone: readonly SandboxRecord[];
}

export async function findSandboxes(ctx: Ctx): Promise<FoundSandboxes> {
  const stored = await readSandboxes(ctx.paths);
  const own = await sandboxEnv(ctx.env);
  const isKnown = stored.some(({ record }) => record.env.SVC_WEBHOOKS_TOKEN === own?.SVC_WEBHOOKS_TOKEN);
  const candidates = [
    ...stored.map(({ record, forget }) => ({ env: record.env, record, forget })),
    // A sandbox whose record could not be written, or is under another home.
    ...(own === undefined || isKnown ? [] : [{ env: own, record: undefined, forget: undefined }]),
  ];
  const running: RunningSandbox[] = [];
  const gone: SandboxRecord[] = [];
  await Promise.all(
    candidates.map(async ({ env, record, forget }) => {
      const services = await statusOf(env, ctx);
      if (services !== undefined) running.push({ env, record, services, isHere: isHere(env, ctx) });
      else if (record?.identity === ctx.identity()) {
        forget?.();
        gone.push(record);
      }
    }),
  );
  return { running: running.sort(byUse), gone };
}

function byUse(one: RunningSandbox, other: RunningSandbox): number {
  const stays = ({ record }: RunningSandbox): number => Number(record?.startedBy === 'start');
  const startedAt = ({ record }: RunningSandbox): number => record?.startedAt ?? 0;
  return Number(other.isHere) - Number(one.isHere) || stays(other) - stays(one) || startedAt(other) - startedAt(one);
}

function isHere(env: SandboxEnv, { settings, env: shell }: Ctx): boolean {
  const leads = SERVICES.every(([service, name]) => settings.get(`${service}.url`)?.replace(/\/+$/, '') === env[name]);
  // Without a token in the environment, the user is signed in another way.
  const fits = (['SVC_WEBHOOKS_TOKEN', 'SVC_TRADE_TOKEN'] as const).every((name) =>
    [undefined, env[name]].includes(shell[name]),
  );
  return leads && fits;
}

/** Undefined if this sandbox does not run: only its own recording service accepts its token. */
async function statusOf(env: SandboxEnv, ctx: Ctx): Promise<readonly ServiceStatus[] | undefined> {
  let webhooksFailure: string | undefined;
  const services = await Promise.all(
    SERVICES.map(async ([service, name, contentsOf]): Promise<ServiceStatus> => {
      const address = env[name];
      try {
        const { version = null, holds } = await contentsOf(targetAt(service, address, env, ctx), env);
        return { service, address, up: true, version, holds, failure: null };
      } catch (error) {
        if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
        if (service === 'webhooks') webhooksFailure = error.code;
        return { service, address, up: !SILENT.has(error.code), version: null, holds: null, failure: error.message };
      }
    }),
  );
  return webhooksFailure === undefined || SLOW.has(webhooksFailure) ? services : undefined;
}

const SLOW: ReadonlySet<string> = new Set(['connection_lost', 'timeout']);
/** Nothing responds. */
const SILENT: ReadonlySet<string> = new Set([...SLOW, 'connect_failed']);
const TIMEOUT_MS = 5000;

function targetAt(service: Service, address: string, env: SandboxEnv, ctx: Ctx): Target {
  const baseUrl = new URL(address);
  const outbound = ctx.outbound({ insecure: false });
  const authorization = `Bearer ${env.SVC_WEBHOOKS_TOKEN}`;
  return {
    ...outbound,
    log: { ...outbound.log, warn: ctx.notice },
    // A separate signal: Node warns about many listeners to one.
    signal: AbortSignal.any([ctx.signal]),
    service,
    baseUrl,
    timeoutMs: TIMEOUT_MS,
    headers: {},
    secretHeaders: new Set(),
    ...(service === 'webhooks'
      ? { authorizer: { origin: baseUrl.origin, header: async () => ({ authorization }) } }
      : {}),
    now: ctx.now,
    random: ctx.random,
    sleep: ctx.sleep,
  };
}
