/** Subscriptions for people: states, limits, and lookup by id. */
import { Resolver } from 'node:dns/promises';
import { isIPv4, isIPv6 } from 'node:net';
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { isLoopback } from '../../../http/address.ts';
import { shellWord } from '../../../output/escape.ts';
import type { Subscription } from '../schema.ts';

/** Doc 2 §8: disabled ones count. */
export const QUOTA = 5;
/** Doc 2 §3: this many failed attempts in a row, including retries, disable an endpoint. */
export const DISABLING_FAILURES = 20;
/** From here on svc warns: one more failed event may disable it. */
export const MANY_FAILURES = 10;
/** Attempts per failed event: one, and five retries. */
const ATTEMPTS_PER_EVENT = 6;

const ACTIVE = 1;
export const DISABLED = 2;

/** The printed value: the service's own object, and its state as a word. */
export type ShownSubscription = Subscription & { readonly status_text: string };

/** Numbers of subscriptions only: those of deliveries have other meanings. */
export function subscriptionStatus(status: number | undefined): string {
  if (status === undefined) return 'unknown';
  return { [ACTIVE]: 'active', [DISABLED]: 'disabled' }[status] ?? `unknown(${status})`;
}

/** In one line. */
export function describeSubscription({ id, status, url }: Subscription): string {
  return `${id}  ${subscriptionStatus(status)}  ${url ?? 'url unknown'}`;
}

export function toShownSubscription(subscription: Subscription): ShownSubscription {
  return { ...subscription, status_text: subscriptionStatus(subscription.status) };
}

/** The command for another url, which also enables a disabled subscription (doc 2 §3). */
export function changeUrlCommand(id: string): string {
  return `svc webhooks update ${shellWord(id)} --url <url>`;
}

export function eventsOf({ events }: Pick<Subscription, 'events'>): readonly string[] {
  return events ?? [];
}

/** Where a new subscription delivers that takes the place of this one. */
export function requireUrl({ id, url }: Subscription): string {
  if (url !== undefined) return url;
  throw new SvcError('wrong_shape', `the service does not say where ${id} delivers`);
}

/** What a write repeats, so as not to clear events that the list omits (doc 2 §4 rule 4). */
export function requireEvents({ id, events }: Subscription): readonly string[] {
  if (events !== undefined) return events;
  throw new SvcError('wrong_shape', `the service does not say which events ${id} has, and a change would clear them`, {
    hint: `name them all: svc webhooks update ${shellWord(id)} --set-event <event>,…`,
  });
}

export function sameEvents(some: readonly string[], others: readonly string[]): boolean {
  const [a, b] = [new Set(some), new Set(others)];
  return a.size === b.size && [...a].every((event) => b.has(event));
}

/** `[summary.completed, webhook.ping]` */
export function eventText(events: readonly string[]): string {
  return `[${events.join(', ')}]`;
}

/** `3/5 used (2 active, 1 disabled)` */
export function quotaText(subscriptions: readonly Subscription[]): string {
  const counts = new Map<string, number>();
  for (const { status } of subscriptions) {
    const text = subscriptionStatus(status);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const parts = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([text, count]) => `${count} ${text}`);
  return `${subscriptions.length}/${QUOTA} used${parts.length === 0 ? '' : ` (${parts.join(', ')})`}`;
}

/** How many more failed events disable the endpoint. */
export function eventsLeft({ consecutive_failures: failures = 0 }: Subscription): number {
  return Math.max(0, Math.ceil((DISABLING_FAILURES - failures) / ATTEMPTS_PER_EVENT));
}

export function describeEventsLeft(subscription: Subscription): string {
  const left = eventsLeft(subscription);
  return `${left} more failing ${left === 1 ? 'event' : 'events'} can disable it (${ATTEMPTS_PER_EVENT} attempts each)`;
}

/** Throws `invalid_value` for an id that would change the path: checked before anything is sent. */
export function checkSubscriptionId(typed: string): void {
  if (typed.trim() !== '' && typed !== '.' && typed !== '..') return;
  throw new SvcError(
    'invalid_value',
    `${JSON.stringify(typed)} is neither a subscription id nor the beginning of one`,
    { hint: 'svc webhooks list shows them' },
  );
}

/** The one whose id begins with the typed text. No endpoint reads one by its id. */
export function findSubscription(subscriptions: readonly Subscription[], typed: string): Subscription {
  checkSubscriptionId(typed);
  const exact = subscriptions.find(({ id }) => id === typed);
  if (exact !== undefined) return exact;
  const [first, ...more] = subscriptions.filter(({ id }) => id.startsWith(typed));
  if (first === undefined) {
    const count = subscriptions.length;
    throw new SvcError(
      'not_found',
      `${typed} not found (${count} ${count === 1 ? 'subscription' : 'subscriptions'} on this account)`,
      { hint: 'svc webhooks list shows them' },
    );
  }
  if (more.length === 0) return first;
  const ids = [first, ...more].map(({ id }) => id).join(', ');
  throw new SvcError('invalid_value', `${more.length + 1} subscriptions begin with ${typed}: ${ids}`, {
    hint: 'type more of the id',
  });
}

/** The address as typed and sent. `local`: service and maybe receivers are on this machine. */
export function checkReceiverUrl(text: string, option: string, { local }: { readonly local: boolean }): string {
  if (text.trim() === '') throw new SvcError('invalid_value', `${option} is empty`);
  if (/\s/.test(text) || !URL.canParse(text)) {
    throw new SvcError('invalid_value', `${option}: not a URL`, { hint: 'for example https://example.com/hook' });
  }
  const url = new URL(text);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && local && isLoopback(url))) return text;
  throw new SvcError('invalid_value', `${option}: the service delivers to https:// addresses only`);
}

/** The service may lower-case the host and add a missing path. */
export function sameAddress(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  if (one === other) return true;
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href;
}

/** What makes delivery to it unlikely: a warning, no refusal, as the service may know better. */
export async function receiverWarnings(
  text: string,
  { local }: { readonly local: boolean },
): Promise<readonly string[]> {
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const warnings: string[] = [];
  if (url.username !== '' || url.password !== '') {
    warnings.push('the URL contains a user name or password, which everyone who can list subscriptions sees');
  }
  if (isLoopback(url) ? !local : isPrivate(host)) {
    warnings.push(`the service cannot reach ${host}: it belongs to this machine or to a private network`);
  } else if (!isLoopback(url) && !isIPv4(host) && !isIPv6(host) && (await isUnknownName(host))) {
    warnings.push(`DNS has no address for ${host}`);
  }
  return warnings;
}

function isPrivate(host: string): boolean {
  if (isIPv6(host)) return /^(?:f[cd]|fe[89ab]|::$)/i.test(host);
  if (!host.includes('.') || /\.(?:local|internal|lan|home|corp)$/i.test(host)) return true;
  return /^(?:10\.|192\.168\.|169\.254\.|0\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/.test(
    host,
  );
}

/** Asks the name servers, as names in a hosts file are not public. Waits a second at most. */
async function isUnknownName(host: string): Promise<boolean> {
  const resolver = new Resolver({ timeout: 900, tries: 1 });
  const failed = await Promise.all(
    [resolver.resolve4(host), resolver.resolve6(host)].map((answer) =>
      answer.then(
        () => false,
        ({ code }: NodeJS.ErrnoException) => code === 'ENOTFOUND' || code === 'ENODATA',
      ),
    ),
  );
  return failed.every((none) => none);
}

type Where = Pick<RunContext, 'target' | 'dryRun' | 'notice'>;

/** The text as sent. Warns if the service can hardly reach it; exit 2 if it refuses it anyway. */
export async function receiverUrl(text: string, option: string, { target, dryRun, notice }: Where): Promise<string> {
  // A service on this machine is the sandbox, or one under development, and reaches receivers here.
  const local = isLoopback(target.baseUrl);
  const url = checkReceiverUrl(text, option, { local });
  if (!dryRun) for (const warning of await receiverWarnings(url, { local })) notice(`warning: ${warning}`);
  return url;
}
