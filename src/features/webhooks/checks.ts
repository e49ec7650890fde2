/** Finds present or near problems of subscriptions, and their fixes. Makes only DNS requests. */
import type { RunContext } from '../../cli/command.ts';
import { clockResult, type Finding, fail, ok, type Result, type ServiceReply, warn } from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import { isLoopback } from '../../http/address.ts';
import type { Target } from '../../http/target.ts';
import { shellWord } from '../../output/escape.ts';
import type { StoredSecret } from '../../store/webhook-secrets.ts';
import { signInFinding } from '../oauth/checks.ts';
import { openRecordings, type Recordings } from './api.ts';
import type { LogItem, Subscription } from './schema.ts';
import { readSecrets, readServiceAddress, toShownSecret } from './stored-secrets.ts';
import { FAILED, LARGEST_PAGE, PENDING } from './subscriptions/delivery-log.ts';
import {
  changeUrlCommand,
  checkReceiverUrl,
  checkSubscriptionId,
  DISABLED,
  DISABLING_FAILURES,
  describeEventsLeft,
  eventsLeft,
  findSubscription,
  MANY_FAILURES,
  QUOTA,
  quotaText,
  receiverWarnings,
  sameAddress,
  subscriptionStatus,
} from './subscriptions/subscription.ts';

function quotaFinding(all: readonly Subscription[]): Finding {
  const common = { check: 'quota', subject: null };
  if (all.length < QUOTA) return { ...common, ...ok(quotaText(all)) };
  const useless = all.find(({ status }) => status === DISABLED);
  const fix = `svc webhooks delete ${useless === undefined ? '<id>' : shellWord(useless.id)}`;
  return { ...common, ...warn(`${quotaText(all)}: no subscription can be created or rotated`, fix) };
}

const NO_SUBSCRIPTIONS: Finding = {
  check: 'subscriptions',
  subject: null,
  ...warn('none: nothing is delivered', 'svc webhooks create <url> --event summary.completed'),
};

function checkStatus(subscription: Subscription): Result {
  const { status, consecutive_failures: fails } = subscription;
  const id = shellWord(subscription.id);
  if (status === DISABLED) {
    return fail('disabled: nothing is delivered until its url changes', changeUrlCommand(subscription.id));
  }
  const text = `${subscriptionStatus(status)}, ${fails ?? 'unknown'}/${DISABLING_FAILURES} consecutive failed attempts`;
  const left = eventsLeft(subscription);
  const more = describeEventsLeft(subscription);
  const showLog = `svc webhooks deliveries ${id} --limit 20`;
  if (left <= 1) return fail(`${text}: ${more}`, showLog);
  if (fails !== undefined && fails >= MANY_FAILURES) return warn(`${text}: ${more}`, showLog);
  return subscriptionStatus(status) === 'active' ? ok(text) : warn(`${text}: svc does not know this status`);
}

function checkEvents({ id, events: types }: Subscription): Result {
  if (types === undefined) return warn('the service does not say which events it has', 'svc webhooks list -o json');
  if (types.length > 0) return ok(types.join(', '));
  const fix = `svc webhooks update ${shellWord(id)} --set-event summary.completed`;
  return warn('none: nothing is delivered', fix);
}

async function checkAddress({ id, url }: Subscription, all: readonly Subscription[], local: boolean): Promise<Result> {
  const another = changeUrlCommand(id);
  if (url === undefined) return warn('the service does not say where it delivers', another);
  try {
    checkReceiverUrl(url, url, { local });
  } catch (error) {
    if (error instanceof SvcError) return fail(error.message, another);
    throw error;
  }
  const twin = all.find((other) => other.id !== id && sameAddress(other.url, url));
  if (twin !== undefined) {
    const why = 'an unfinished rotation, or a repeated create';
    return warn(`${twin.id} has the same url: the receiver gets each event twice (${why})`, 'svc webhooks delete <id>');
  }
  const doubts = await receiverWarnings(url, { local });
  return doubts.length === 0 ? ok(url) : warn(doubts.join('; '), another);
}

/** One line for all: a secret may well be stored elsewhere. */
function secretsFinding(
  chosen: readonly Subscription[],
  stored: readonly StoredSecret[],
  ctx: Pick<RunContext, 'settings'>,
): Finding {
  const address = readServiceAddress(ctx);
  const usable = stored.filter(({ base_url }) => base_url === address || base_url === null);
  const missing = chosen.filter(({ id }) => !usable.some(({ endpoint_id }) => endpoint_id === id)).map(({ id }) => id);
  const common = { check: 'secrets', subject: null };
  if (missing.length === 0) return { ...common, ...ok(`stored: ${chosen.map(({ id }) => id).join(', ')}`) };
  const detail = `${missing.length} of ${chosen.length} not stored by svc (${missing.join(', ')}): without another copy, their deliveries cannot be verified`;
  const id = missing.length === 1 ? shellWord(missing[0] ?? '') : '<id>';
  return { ...common, ...warn(detail, `svc webhooks secrets import ${id}`) };
}

/** This service's stored secrets without a subscription. Those of others cannot be judged. */
function orphanFindings(
  stored: readonly StoredSecret[],
  all: readonly Subscription[],
  ctx: Pick<RunContext, 'settings'>,
): readonly Finding[] {
  const address = readServiceAddress(ctx);
  const ids = new Set(all.map(({ id }) => id));
  return stored
    .filter(({ base_url, endpoint_id }) => base_url === address && !ids.has(endpoint_id))
    .map(toShownSecret)
    .map(({ endpoint_id: subject, fingerprint }) => {
      const detail = `stored (sha256 fp ${fingerprint}), but this account has no such subscription`;
      return { check: 'orphan-secret', subject, ...warn(detail, `svc webhooks secrets delete ${shellWord(subject)}`) };
    });
}

/** Of the latest deliveries, in any order. */
function deliveriesFinding(id: string, items: readonly LogItem[]): Finding {
  const common = { check: 'deliveries', subject: id };
  if (items.length === 0) return { ...common, ...ok('none yet') };
  const failed = items.filter(({ status }) => status === FAILED);
  const pending = items.filter(({ status }) => status === PENDING);
  const detail = `of the latest ${items.length}, ${failed.length} failed and ${pending.length} are pending`;
  if (failed.length === 0) return { ...common, ...ok(detail) };
  const errors = [...new Set(failed.map(({ last_error: error }) => error || 'unknown'))];
  const fix = `svc webhooks deliveries ${shellWord(id)} --status failed`;
  return { ...common, ...warn(`${detail}: ${errors.slice(0, 3).join(', ')}`, fix) };
}

/** `id`: only this subscription, and the general checks. */
export async function recordingsFindings(id: string | undefined, ctx: RunContext): Promise<readonly Finding[]> {
  if (id !== undefined) checkSubscriptionId(id);
  const recordings = openRecordings(ctx.target);
  const findings: Finding[] = [await signInFinding(ctx, ctx.target)];
  const stored = await readStored(findings, ctx);
  const all = await readSubscriptions(recordings, findings, ctx);
  if (all === undefined) return findings;
  const chosen = id === undefined ? all : [findSubscription(all, id)];
  const isComplete = ctx.omitted.rows === 0;
  if (all.length === 0 && isComplete) findings.push(NO_SUBSCRIPTIONS);
  if (all.length > 0 && stored !== undefined) findings.push(secretsFinding(chosen, stored, ctx));
  findings.push(...(await examine(chosen, all, recordings, ctx)));
  // The subscription of a secret may be a row that could not be read.
  if (isComplete) findings.push(...orphanFindings(stored ?? [], all, ctx));
  return findings;
}

/** Before the subscriptions, or a new secret would seem an orphan. Undefined if unreadable. */
async function readStored(findings: Finding[], ctx: RunContext): Promise<readonly StoredSecret[] | undefined> {
  try {
    const { secrets, failures } = await readSecrets(ctx);
    for (const { message, hint } of failures)
      findings.push({ check: 'secrets', subject: null, ...fail(message, hint) });
    return failures.length > 0 ? undefined : secrets;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    findings.push({ check: 'secrets', subject: null, ...fail(error.message, error.hint) });
    return undefined;
  }
}

/** Undefined if they cannot be read: the last finding says why. */
async function readSubscriptions(
  recordings: Recordings,
  findings: Finding[],
  ctx: RunContext,
): Promise<readonly Subscription[] | undefined> {
  const began = ctx.now();
  try {
    const all = await recordings.subscriptions();
    const detail = `${ctx.target.baseUrl.origin} responded in ${ctx.now() - began} ms and accepted the token`;
    findings.push({ check: 'service', subject: null, ...ok(detail) });
    const { clockSkewMs: skew } = recordings;
    const risk = 'genuine deliveries may be rejected as too old';
    if (skew !== undefined) findings.push({ check: 'clock', subject: null, ...clockResult(skew, risk) });
    findings.push(quotaFinding(all));
    return all;
  } catch (error) {
    if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
    // Without a login no request was sent: the first finding says so.
    if (findings[0]?.status === 'fail' && error.code === 'unauthorized') return undefined;
    findings.push({ check: 'service', subject: null, ...fail(error.message, error.hint) });
    return undefined;
  }
}

async function examine(
  chosen: readonly Subscription[],
  all: readonly Subscription[],
  recordings: Recordings,
  ctx: RunContext,
): Promise<readonly Finding[]> {
  // A service on this machine reaches receivers on it.
  const local = isLoopback(ctx.target.baseUrl);
  const found: Finding[] = [];
  for (const subscription of chosen) {
    const { id: subject } = subscription;
    found.push(
      { check: 'status', subject, ...checkStatus(subscription) },
      { check: 'events', subject, ...checkEvents(subscription) },
      { check: 'url', subject, ...(await checkAddress(subscription, all, local)) },
    );
    try {
      const { rows: items } = await recordings.deliveries(subject, { page: 1, size: LARGEST_PAGE });
      found.push(deliveriesFinding(subject, items));
    } catch (error) {
      if (!(error instanceof SvcError) || ctx.signal.aborted) throw error;
      found.push({ check: 'deliveries', subject, ...warn(`cannot be read: ${error.message}`, error.hint) });
    }
  }
  return found;
}

/** For svc doctor and svc sandbox status. */
export async function checkWebhooks(target: Target): Promise<ServiceReply> {
  const client = openRecordings(target);
  try {
    const detail = `, and accepts the token: quota ${quotaText(await client.subscriptions())}`;
    return { detail, clockSkewMs: client.clockSkewMs };
  } finally {
    await client.close();
  }
}
