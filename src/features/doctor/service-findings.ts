/** One service: its address, its credential, the way to it, and the result of one cheap read. */
import type { RunContext } from '../../cli/command.ts';
import {
  clockResult,
  type Finding,
  fail,
  ok,
  type Result,
  type ServiceReply,
  skipped,
  warn,
} from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import { credentialsPath } from '../../store/credentials.ts';
import { credentialSource, secretsFault, signInFinding } from '../oauth/checks.ts';
import { reach } from './reach.ts';

type Target = RunContext['target'];
export type ServiceName = Target['service'];

export interface Options {
  /** Somebody asked for this service by its name. */
  readonly named: boolean;
  readonly offline: boolean;
  /** For all steps together. */
  readonly timeoutMs: number;
}

type Doctor = Omit<RunContext, 'target'>;

export async function* serviceFindings(
  service: ServiceName,
  { named, offline, timeoutMs }: Options,
  ctx: Doctor,
): AsyncGenerator<Finding, void, void> {
  const finding = (check: string, status: Result): Finding => ({ check, subject: service, ...status });
  const { value, origin } = ctx.settings.resolve(`${service}.url`);
  if (value === undefined) {
    const detail = ctx.settings.failure === undefined ? 'not configured' : 'unknown: the settings cannot be read';
    yield finding('address', (named ? fail : skipped)(detail, `svc config set ${service}.url <url>`));
    return;
  }
  let target: Target;
  try {
    target = ctx.targetOf(service);
    // Throws if there is no usable one, such as in an empty variable.
    if (credentialSource(ctx, service) !== undefined) await target.authorizer?.header();
  } catch (error) {
    yield finding('configuration', failed(error, ctx));
    return;
  }
  yield finding('address', ok(`${target.baseUrl.href} (${origin.detail})`));
  const credential = await credentialFinding(service, target, ctx);
  yield credential;
  if (offline) {
    yield finding('service', skipped('no request with --offline'));
    return;
  }
  const canRequest = credential.status !== 'fail';
  const { others = [], ...first } = target;
  if (others.length === 0) {
    yield* serverFindings({ subject: service, target, canRequest, timeoutMs }, ctx);
    return;
  }
  const members = [first, ...others].map(async (member) => {
    const subject = `${service}/${member.baseUrl.host}`;
    return collected(serverFindings({ subject, target: member, canRequest, timeoutMs }, ctx));
  });
  for (const found of await Promise.all(members)) yield* found;
  if (!canRequest) return;
  const { checkMembers } = await import('../alerts/checks.ts');
  for (const result of await checkMembers({ ...target, timeoutMs })) yield finding('cluster', result);
}

interface Server {
  readonly subject: string;
  readonly target: Target;
  readonly canRequest: boolean;
  readonly timeoutMs: number;
}

/** The way to one server, and what it responds. */
async function* serverFindings(
  { subject, target, canRequest, timeoutMs }: Server,
  ctx: Doctor,
): AsyncGenerator<Finding, void, void> {
  const finding = (check: string, status: Result): Finding => ({ check, subject, ...status });
  const end = performance.now() + timeoutMs;
  const remaining = (): number => Math.max(1, Math.round(end - performance.now()));
  for await (const { check, status, detail, fix } of reach(target, { remaining, now: ctx.now() })) {
    yield finding(check, { status, detail, fix: fix ?? null });
    if (status === 'fail') return;
  }
  if (canRequest) yield* responseFindings(subject, { ...target, timeoutMs: remaining() }, ctx);
  else yield finding('service', skipped('no request: there is no credential'));
}

export async function collected(findings: AsyncIterable<Finding>): Promise<readonly Finding[]> {
  const all: Finding[] = [];
  for await (const finding of findings) all.push(finding);
  return all;
}

/** What the service responds, with the warnings of the requests. */
async function* responseFindings(subject: string, target: Target, ctx: Doctor): AsyncGenerator<Finding, void, void> {
  const finding = (check: string, status: Result): Finding => ({ check, subject, ...status });
  const warnings: Finding[] = [];
  const warning = (text: string): void => void warnings.push(finding('connection', warn(text)));
  const near: Target = { ...target, log: { ...target.log, warn: warning } };
  try {
    const began = performance.now();
    const { detail, clockSkewMs } = await readService(near, ctx);
    yield* warnings.splice(0);
    yield finding('service', ok(`responded in ${Math.round(performance.now() - began)} ms${detail}`));
    if (clockSkewMs !== undefined) {
      yield finding('clock', clockResult(clockSkewMs, 'times that svc sends or checks are wrong by that much'));
    }
  } catch (error) {
    yield* warnings.splice(0);
    yield finding('service', failed(error, ctx));
  }
}

function failed(error: unknown, { signal }: Doctor): Result {
  if (!(error instanceof SvcError) || signal.aborted) throw error;
  return fail(error.message, error.hint);
}

/** One cheap read of the service. Throws what is wrong. */
async function readService(target: Target, ctx: Doctor): Promise<ServiceReply> {
  switch (target.service) {
    case 'alerts':
      return (await import('../alerts/checks.ts')).checkAlerts(target);
    case 'webhooks':
      return (await import('../webhooks/checks.ts')).checkWebhooks(target);
    case 'catalog':
      return (await import('../catalog/checks.ts')).checkCatalog(target);
    case 'trade':
      return (await import('../trade/checks.ts')).checkTrade(target, ctx);
  }
}

async function credentialFinding(service: ServiceName, target: Target, ctx: Doctor): Promise<Finding> {
  const common = { check: 'sign-in', subject: service };
  const source = credentialSource(ctx, service);
  const stores = service === 'webhooks' || service === 'trade';
  if (source === undefined && !stores && target.secretHeaders.size > 0)
    return { ...common, ...ok('from a header file') };
  if (source === undefined && !stores) return { ...common, ...ok('no credential is set, so svc sends none') };
  if (source !== undefined && service !== 'webhooks') return { ...common, ...ok(`from ${source}`) };
  const fault = await secretsFault(credentialsPath(ctx.paths));
  if (fault !== undefined && source === undefined) return { ...common, ...fail('the credentials file cannot be used') };
  if (fault !== undefined) return { ...common, ...ok(`from ${source}`) };
  if (service === 'webhooks') return { ...(await signInFinding(ctx, target)), subject: service };
  try {
    await target.authorizer?.header();
    return { ...common, ...ok('from the token that svc trade login stored') };
  } catch (error) {
    return { ...common, ...failed(error, ctx), fix: 'svc trade login' };
  }
}
