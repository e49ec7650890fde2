/** One service: its address, its credential, and the response to one cheap read. */
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
import { credentialSource, signInFinding } from '../oauth/checks.ts';

type Target = RunContext['target'];
export type ServiceName = Target['service'];

export interface Options {
  /** Somebody asked for this service by its name. */
  readonly named: boolean;
  readonly offline: boolean;
  readonly timeoutMs: number;
}

type Doctor = Omit<RunContext, 'target'>;

export async function serviceFindings(
  service: ServiceName,
  { named, offline, timeoutMs }: Options,
  ctx: Doctor,
): Promise<readonly Finding[]> {
  const finding = (check: string, result: Result): Finding => ({ check, subject: service, ...result });
  const { value, origin } = ctx.settings.resolve(`${service}.url`);
  if (value === undefined) {
    const detail = ctx.settings.failure === undefined ? 'not configured' : 'unknown: the settings cannot be read';
    return [finding('address', (named ? fail : skipped)(detail, `svc config set ${service}.url <url>`))];
  }
  let target: Target;
  try {
    target = ctx.targetOf(service);
    // Throws if there is no usable one, such as in an empty variable.
    if (credentialSource(ctx, service) !== undefined) await target.authorizer?.header();
  } catch (error) {
    return [finding('configuration', toResult(error, ctx))];
  }
  const address = finding('address', ok(`${target.baseUrl.href} (${origin.detail})`));
  const credential = await credentialFinding(service, target, ctx);
  const found = [address, credential];
  if (offline) return [...found, finding('service', skipped('no request with --offline'))];
  if (credential.status === 'fail') {
    return [...found, finding('service', skipped('no request: there is no credential'))];
  }
  const { others = [], ...first } = target;
  const all = [first, ...others];
  const responses = all.map((member) => {
    const subject = others.length === 0 ? service : `${service}/${member.baseUrl.host}`;
    return responseFindings(subject, { ...member, timeoutMs }, ctx);
  });
  found.push(...(await Promise.all(responses)).flat());
  if (others.length === 0) return found;
  const { checkMembers } = await import('../alerts/checks.ts');
  for (const result of await checkMembers({ ...target, timeoutMs })) found.push(finding('cluster', result));
  return found;
}

/** What the service responds, with the warnings of the requests. */
async function responseFindings(subject: string, target: Target, ctx: Doctor): Promise<readonly Finding[]> {
  const finding = (check: string, result: Result): Finding => ({ check, subject, ...result });
  const found: Finding[] = [];
  const log = { ...target.log, warn: (text: string) => void found.push(finding('connection', warn(text))) };
  try {
    const began = performance.now();
    const { detail, clockSkewMs } = await readService({ ...target, log }, ctx);
    found.push(finding('service', ok(`responded in ${Math.round(performance.now() - began)} ms${detail}`)));
    if (clockSkewMs !== undefined) {
      found.push(finding('clock', clockResult(clockSkewMs, 'times that svc sends or checks are wrong by that much')));
    }
  } catch (error) {
    found.push(finding('service', toResult(error, ctx)));
  }
  return found;
}

function toResult(error: unknown, { signal }: Doctor): Result {
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
  if (service === 'webhooks') return { ...(await signInFinding(ctx, target)), subject: service };
  const common = { check: 'sign-in', subject: service };
  const source = credentialSource(ctx, service);
  if (source !== undefined) return { ...common, ...ok(`from ${source}`) };
  if (service !== 'trade') {
    const isInFile = target.secretHeaders.size > 0;
    return { ...common, ...ok(isInFile ? 'from a header file' : 'no credential is set, so svc sends none') };
  }
  try {
    await target.authorizer?.header();
    return { ...common, ...ok('from the token that svc trade login stored') };
  } catch (error) {
    return { ...common, ...toResult(error, ctx), fix: 'svc trade login' };
  }
}
