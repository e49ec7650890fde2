/** One service as it is configured and reached: its address, its credential, the way to it, and what one cheap read says. */
import type { RunContext } from '../../cli/command.ts';
import { bad, type Finding, ok, skipped, warn } from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import { reach } from '../../http/reach.ts';
import { Secret } from '../../http/redact.ts';
import { credentialsFault, signInFinding } from '../oauth/checks.ts';
import { openBudget } from '../trade/trading-session.ts';
import { quotaText } from '../webhooks/subscription.ts';

type Target = RunContext['target'];
export type ServiceName = Target['service'];

export interface Look {
  /** Somebody asked for this service by its name. */
  readonly named: boolean;
  readonly offline: boolean;
  /** For all steps together. */
  readonly timeoutMs: number;
}

type Doctor = Omit<RunContext, 'target'>;
type Verdict = Pick<Finding, 'verdict' | 'detail' | 'mend'>;

export async function* serviceFindings(
  service: ServiceName,
  { named, offline, timeoutMs }: Look,
  ctx: Doctor,
): AsyncGenerator<Finding, void, void> {
  const finding = (check: string, verdict: Verdict): Finding => ({ check, about: service, ...verdict });
  const { value, origin } = ctx.settings.resolve(`${service}.url`);
  if (value === undefined) {
    const detail = ctx.settings.failure === undefined ? 'not configured' : 'not known: the settings cannot be read';
    yield finding('address', (named ? bad : skipped)(detail, `svc config set ${service}.url <url>`));
    return;
  }
  let target: Target;
  try {
    target = ctx.targetOf(service);
    // Throws where the variable is set but empty.
    if (credentialVariable(service, ctx) !== undefined) await target.authorizer?.header();
  } catch (error) {
    yield finding('configuration', failed(error, ctx));
    return;
  }
  yield finding('address', ok(`${target.baseUrl.href} (${origin.detail})`));
  const credential = await credentialFinding(service, target, ctx);
  yield credential;
  if (offline) {
    yield finding('service', skipped('not asked: --offline'));
    return;
  }
  const end = performance.now() + timeoutMs;
  const remaining = (): number => Math.max(1, Math.round(end - performance.now()));
  for await (const { check, verdict, detail, mend } of reach(target, { remaining, now: ctx.now() })) {
    yield finding(check, { verdict, detail, mend: mend ?? null });
    if (verdict === 'bad') return;
  }
  if (credential.verdict === 'bad') {
    yield finding('service', skipped('not asked: there is no credential for it'));
    return;
  }
  const warnings: Finding[] = [];
  const warning = (text: string): void => void warnings.push(finding('connection', warn(text)));
  const near: Target = { ...target, timeoutMs: remaining(), log: { ...target.log, warn: warning } };
  try {
    for await (const { check, clockSkewMs, ...verdict } of asked(service, near, ctx)) {
      yield* warnings.splice(0);
      yield finding(check, { verdict: verdict.verdict, detail: verdict.detail, mend: verdict.mend ?? null });
      if (clockSkewMs !== undefined) yield finding('clock', clock(clockSkewMs));
    }
  } catch (error) {
    yield* warnings.splice(0);
    yield finding('service', failed(error, ctx));
  }
}

function failed(error: unknown, { signal }: Doctor): Verdict {
  if (!(error instanceof SvcError) || signal.aborted) throw error;
  return bad(error.message, error.hint);
}

interface Said {
  readonly check: string;
  readonly verdict: Finding['verdict'];
  readonly detail: string;
  readonly mend?: string | null | undefined;
  readonly clockSkewMs?: number | undefined;
}

/** Throws what is wrong. */
async function* asked(service: ServiceName, target: Target, ctx: Doctor): AsyncGenerator<Said, void, void> {
  if (service === 'trade') {
    yield* gatewaySteps(target, ctx);
    return;
  }
  const began = performance.now();
  const client = await openService(service, target);
  try {
    const said = await client.look();
    const detail = `answered in ${Math.round(performance.now() - began)} ms${said}`;
    yield { check: 'service', ...ok(detail), clockSkewMs: client.skew() };
  } finally {
    await client.close();
  }
}

interface Opened {
  /** What the answer says, as the end of a sentence. */
  look(): Promise<string>;
  skew(): number | undefined;
  close(): Promise<void>;
}

async function openService(service: Exclude<ServiceName, 'trade'>, target: Target): Promise<Opened> {
  switch (service) {
    case 'alerts': {
      const alerts = (await import('../alerts/client.ts')).openAlertmanager(target);
      const look = async (): Promise<string> => `: version ${(await alerts.status()).versionInfo.version}`;
      return { look, skew: () => alerts.clockSkewMs, close: () => alerts.close() };
    }
    case 'webhooks': {
      const recordings = (await import('../webhooks/api.ts')).openRecordings(target);
      const look = async (): Promise<string> =>
        `, and takes the token: quota ${quotaText(await recordings.subscriptions())}`;
      return { look, skew: () => recordings.clockSkewMs, close: () => recordings.close() };
    }
    case 'catalog': {
      const catalog = (await import('../catalog/api.ts')).openCatalog(target);
      const look = async (): Promise<string> => `: ${(await catalog.health()).status}`;
      return { look, skew: () => catalog.clockSkewMs, close: () => catalog.close() };
    }
  }
}

async function* gatewaySteps(target: Target, ctx: Doctor): AsyncGenerator<Said, void, void> {
  const { examineGateway } = await import('../trade/examination.ts');
  const { countedCaller } = await import('../trade/counted-caller.ts');
  const { commandNumbers } = await import('../trade/call-limits.ts');
  const { connectPace } = await import('../../store/connect-pace.ts');
  const { authorization = '' } = (await target.authorizer?.header()) ?? {};
  const token = new Secret(authorization.replace(/^Bearer /, ''));
  const late = new AbortController();
  const why = new SvcError('timeout', `no answer within ${target.timeoutMs / 1000} s`, {
    hint: 'allow more with --timeout',
  });
  const timer = setTimeout(() => late.abort(why), target.timeoutMs);
  const signal = AbortSignal.any([ctx.signal, late.signal]);
  try {
    await connectPace(ctx, target.baseUrl).wait(signal);
    const counting = {
      budget: await openBudget(ctx, target.baseUrl.href, token),
      atLimit: 'fail' as const,
      commandNumbers: commandNumbers(ctx.settings.get('trade.commandNumbers')) ?? {},
      waitUntil: async () => {},
    };
    yield* examineGateway(target, { token, signal, counted: (caller) => countedCaller(caller, counting) });
  } finally {
    clearTimeout(timer);
  }
}

async function credentialFinding(service: ServiceName, target: Target, ctx: Doctor): Promise<Finding> {
  const common = { check: 'sign-in', about: service };
  const variable = credentialVariable(service, ctx);
  const stores = service === 'webhooks' || service === 'trade';
  if (variable === undefined && !stores) return { ...common, ...ok('no credential is set, and none is sent') };
  if (variable !== undefined && service !== 'webhooks') return { ...common, ...ok(`by ${variable}`) };
  // Reading it would set it aside, and that is a repair.
  const fault = credentialsFault(ctx);
  if (fault !== undefined && variable === undefined)
    return { ...common, ...bad('the file of credentials cannot be used') };
  if (fault !== undefined) return { ...common, ...ok(`by ${variable}`) };
  if (service === 'webhooks') return { ...(await signInFinding(ctx, target)), about: service };
  try {
    await target.authorizer?.header();
    return { ...common, ...ok('by the token that svc trade login keeps') };
  } catch (error) {
    return { ...common, ...failed(error, ctx), mend: 'svc trade login' };
  }
}

function credentialVariable(service: ServiceName, { env }: Pick<RunContext, 'env'>): string | undefined {
  const prefix = `SVC_${service.toUpperCase()}`;
  return [`${prefix}_TOKEN`, `${prefix}_PASSWORD`].find((name) => env[name] !== undefined);
}

/** Beyond it, what is said to end or begin at a time does so at another. */
const TOLERATED_SKEW_S = 60;

function clock(skewMs: number): Verdict {
  const seconds = Math.round(skewMs / 1000);
  if (Math.abs(seconds) <= TOLERATED_SKEW_S) return ok('agrees with that of the service');
  const way = seconds > 0 ? 'behind' : 'ahead of';
  return warn(
    `this machine is ${Math.abs(seconds)} s ${way} the service: times that are sent or checked are wrong by as much`,
    'set the clock of this machine, and keep it set by NTP',
  );
}
