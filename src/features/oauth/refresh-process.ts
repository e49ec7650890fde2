/**
 * Each refresh is done by a process of its own, `svc __refresh`: it outlives the command that needs the token, so that a kill of the command loses no login.
 * What it needs goes through a pipe. It takes the login from the store, and the command reads the new one there.
 */
import type { Context } from '../../context.ts';
import { type ErrorCode, type ErrorDetails, SvcError } from '../../errors.ts';
import { KnownSecrets } from '../../http/known-secrets.ts';
import type { Target, TraceEvent } from '../../http/target.ts';
import { chosenStore } from '../../store/sealed-records.ts';
import { childEnvironment, HELPER_SETTING } from '../../store/setting-keys.ts';
import { Refresh, type RefreshContext, type RefreshRequest } from './refreshing.ts';

/** How the token endpoint is reached. The rest of a target is of the process. */
type Reach = Pick<Target, 'service' | 'timeoutMs' | 'headers' | 'userAgent' | 'tls' | 'deferWasmTiering' | 'proxy'>;

interface Job {
  readonly request: RefreshRequest;
  /** The chosen store. */
  readonly store: string;
  readonly reach: Reach;
  readonly baseUrl: string;
  readonly secretHeaders: readonly string[];
  readonly level: Target['log']['level'];
}

interface Report {
  readonly failure: (Pick<ErrorDetails, 'hint' | 'httpStatus'> & { code: ErrorCode; message: string }) | null;
  readonly warnings: readonly string[];
  readonly events: readonly TraceEvent[];
}

/** Throws what went wrong. False if no process could be started. */
export async function refreshElsewhere(
  request: RefreshRequest,
  target: Target,
  context: RefreshContext,
): Promise<boolean> {
  const { service, timeoutMs, headers, userAgent, tls, deferWasmTiering, proxy, log } = target;
  const job: Job = {
    request,
    store: chosenStore(context),
    reach: { service, timeoutMs, headers, userAgent, tls, proxy, ...(deferWasmTiering && { deferWasmTiering }) },
    baseUrl: target.baseUrl.href,
    secretHeaders: [...target.secretHeaders],
    level: log.level,
  };
  const text = await context.runDetached?.(['__refresh'], JSON.stringify(job), childEnvironment(context.env));
  if (text === undefined) return false;
  const report = parsed(text);
  for (const warning of report?.warnings ?? []) log.warn(warning);
  for (const event of report?.events ?? []) log.trace(event);
  if (report === undefined) {
    throw new SvcError('connection_lost', 'the process that refreshes the login ended before it was done', {
      hint: 'repeat the command',
    });
  }
  if (report.failure === null) return true;
  const { code, message, hint, httpStatus } = report.failure;
  throw new SvcError(code, message, { hint, httpStatus });
}

function parsed(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return undefined;
  }
}

/** `svc __refresh`. What it prints is for the command that started it, which may be gone. */
export async function refreshProcess(context: Context): Promise<number> {
  const chunks: Buffer[] = [];
  for await (const chunk of context.stdin.chunks()) chunks.push(Buffer.from(chunk));
  const { request, store, reach, baseUrl, secretHeaders, level }: Job = JSON.parse(Buffer.concat(chunks).toString());
  const secrets = new KnownSecrets();
  const warnings: string[] = [];
  const events: TraceEvent[] = [];
  const { now, random, sleep, signal } = context;
  const target: Target = {
    ...reach,
    baseUrl: new URL(baseUrl),
    secretHeaders: new Set(secretHeaders),
    secrets,
    signal,
    log: { level, trace: (event) => events.push(event), warn: (text) => warnings.push(text) },
    now,
    random,
    sleep,
  };
  const settings = { get: (key: string) => (key === HELPER_SETTING ? store : undefined) };
  let failure: Report['failure'] = null;
  try {
    await new Refresh(request, target, { ...context, settings }).run();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message, hint, httpStatus } = error;
    failure = { code, message, hint, httpStatus };
  }
  const report: Report = { failure, warnings, events };
  await context.stdout.write(secrets.hide(JSON.stringify(report)));
  return 0;
}
