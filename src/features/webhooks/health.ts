/** What is wrong with subscriptions, or soon will be, and the command that mends it. Asks nobody but name servers. */
import { bad, type Finding, ok, type Verdict, warn } from '../../cli/findings.ts';
import { SvcError } from '../../errors.ts';
import { deliveryStatus, FAILED, PENDING } from './delivery-log.ts';
import type { LogItem, Subscription } from './schema.ts';
import {
  ATTEMPTS_PER_EVENT,
  DISABLED,
  DISABLING_FAILURES,
  eventsLeft,
  eventsOf,
  idArgument,
  MANY_FAILURES,
  QUOTA,
  quotaText,
  RETRY_MINUTES,
  subscriptionStatus,
} from './subscription.ts';
import { checkReceiverUrl, receiverWarnings, sameAddress } from './subscription-url.ts';

export function quotaFinding(all: readonly Subscription[]): Finding {
  const common = { check: 'quota', about: null };
  if (all.length < QUOTA) return { ...common, ...ok(quotaText(all)) };
  const useless = all.find(({ status }) => status === DISABLED);
  const mend = `svc webhooks delete ${useless === undefined ? '<id>' : idArgument(useless.id)}`;
  return { ...common, ...warn(`${quotaText(all)}: none can be created, nor rotated`, mend) };
}

/** Beyond it deliveries look stale, or from the future, sooner than they are. */
const TOLERATED_SKEW_S = 60;

/** `skewMs`: the service's clock minus ours; undefined where it did not tell. */
export function clockFinding(skewMs: number | undefined): Finding | undefined {
  if (skewMs === undefined) return undefined;
  const seconds = Math.round(skewMs / 1000);
  const common = { check: 'clock', about: null };
  if (Math.abs(seconds) <= TOLERATED_SKEW_S) return { ...common, ...ok('agrees with that of the service') };
  const way = seconds > 0 ? 'behind' : 'ahead of';
  const detail = `this machine is ${Math.abs(seconds)} s ${way} the service: genuine deliveries may be taken for old ones`;
  return { ...common, ...warn(detail, 'set the clock of this machine, and keep it set by NTP') };
}

export interface Surroundings {
  /** All of the account, this one among them. */
  readonly all: readonly Subscription[];
  /** The service is on this machine, and reaches what is on it. */
  readonly local: boolean;
  /** Of the secret that is kept here, undefined where none is. */
  readonly fingerprint: string | undefined;
}

/** In one order, whatever is found. */
export async function subscriptionFindings(
  subscription: Subscription,
  { all, local, fingerprint }: Surroundings,
): Promise<readonly Finding[]> {
  const about = subscription.id;
  return [
    { check: 'status', about, ...standing(subscription) },
    { check: 'events', about, ...events(subscription) },
    { check: 'url', about, ...(await address(subscription, all, local)) },
    { check: 'secret', about, ...secret(subscription, fingerprint) },
  ];
}

function standing(subscription: Subscription): Verdict {
  const { status, consecutive_failures: fails = 0 } = subscription;
  const id = idArgument(subscription.id);
  if (status === DISABLED) {
    const why = 'nothing is delivered, and only another address brings it back';
    return bad(`disabled: ${why}`, `svc webhooks enable ${id} --url <url>`);
  }
  const text = `${subscriptionStatus(status)}, ${fails}/${DISABLING_FAILURES} failed attempts in a row`;
  const left = eventsLeft(subscription);
  const more = `${left} more failing ${left === 1 ? 'event' : 'events'} can disable it (${ATTEMPTS_PER_EVENT} attempts each)`;
  const look = `svc webhooks deliveries ${id} --limit 20`;
  if (left <= 1) return bad(`${text}: ${more}`, look);
  if (fails >= MANY_FAILURES) return warn(`${text}: ${more}`, look);
  return subscriptionStatus(status) === 'active' ? ok(text) : warn(`${text}: a state that svc does not know`);
}

function events(subscription: Subscription): Verdict {
  const types = eventsOf(subscription);
  if (types.length > 0) return ok(types.join(', '));
  const mend = `svc webhooks update ${idArgument(subscription.id)} --set-event summary.completed`;
  return warn('none: nothing is delivered', mend);
}

async function address(
  { id, url, status }: Subscription,
  all: readonly Subscription[],
  local: boolean,
): Promise<Verdict> {
  const another = `svc webhooks ${status === DISABLED ? 'enable' : 'update'} ${idArgument(id)} --url <url>`;
  try {
    checkReceiverUrl(url, url, { local });
  } catch (error) {
    if (error instanceof SvcError) return bad(error.message, another);
    throw error;
  }
  const twin = all.find((other) => other.id !== id && sameAddress(other.url, url));
  if (twin !== undefined) {
    const why = 'after a rotation that was not finished, or a create that was repeated';
    return warn(`${twin.id} has the same: the receiver gets each event twice (${why})`, 'svc webhooks delete <id>');
  }
  const doubts = await receiverWarnings(url, { local });
  return doubts.length === 0 ? ok(url) : warn(doubts.join('; '), another);
}

function secret({ id }: Subscription, fingerprint: string | undefined): Verdict {
  if (fingerprint !== undefined) return ok(`kept here (sha256 fp ${fingerprint})`);
  const import_ = `svc webhooks secrets import ${idArgument(id)}`;
  return warn('not kept here; if nobody else has it, no delivery can be verified', import_);
}

/** A secret that is kept for a subscription which the account does not have. */
export function orphanFinding(id: string, fingerprint: string): Finding {
  const detail = `kept (sha256 fp ${fingerprint}), but this account has no such subscription`;
  return { check: 'orphan-secret', about: id, ...warn(detail, 'svc webhooks doctor --fix') };
}

/** How long a delivery may be on its way: all retries, and as much again as they may be late. */
const LONGEST_MS = 2 * 60_000 * RETRY_MINUTES.reduce<number>((sum, minutes) => sum + minutes, 0);

/** Of the latest deliveries, in any order. */
export function deliveriesFinding(id: string, items: readonly LogItem[], now: number): Finding {
  const common = { check: 'deliveries', about: id };
  if (items.length === 0) return { ...common, ...ok('none so far') };
  const log = `svc webhooks deliveries ${idArgument(id)}`;
  const failed = items.filter(({ status }) => status === FAILED);
  if (failed.length > 0) {
    const most = commonest(failed.map(({ last_error: error }) => error || 'unknown'));
    const detail = `${failed.length} of the latest ${items.length} failed, most often: ${most}`;
    return { ...common, ...warn(detail, `${log} --status failed`) };
  }
  const waiting = items.filter(({ status }) => status === PENDING);
  const stuck = waiting.filter(({ created_at: created }) => now - Date.parse(created ?? '') > LONGEST_MS);
  if (stuck.length > 0) {
    const detail = `${stuck.length} of the latest ${items.length} are pending longer than all retries take`;
    return { ...common, ...warn(detail, `${log} --status pending`) };
  }
  return { ...common, ...ok(counts(items)) };
}

function counts(items: readonly LogItem[]): string {
  const states = items.map(({ status }) => deliveryStatus(status));
  const each = [...new Set(states)].map((state) => `${states.filter((one) => one === state).length} ${state}`);
  return `the latest ${items.length}: ${each.join(', ')}`;
}

function commonest(texts: readonly string[]): string {
  const counted = new Map<string, number>();
  for (const text of texts) counted.set(text, (counted.get(text) ?? 0) + 1);
  return [...counted].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}
