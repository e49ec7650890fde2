/** Subscriptions for people: states, limits, and lookup by id. */
import { SvcError } from '../../errors.ts';
import type { Subscription } from './schema.ts';

/** Doc 2 §8: disabled ones count. */
export const QUOTA = 5;
/** Doc 2 §3: this many failed attempts in a row, including retries, disable an endpoint. */
export const DISABLING_FAILURES = 20;
/** From here on svc warns: one more failed event may disable it. */
export const MANY_FAILURES = 10;
/** Attempts per failed event: one, and five retries. */
export const ATTEMPTS_PER_EVENT = 6;
/** Doc 2 §6: after each failed attempt, in minutes. */
export const RETRY_MINUTES = [1, 5, 15, 15, 15] as const;

const ACTIVE = 1;
export const DISABLED = 2;

/** The printed value: the service's own object, and its state as a word. */
export type ShownSubscription = Subscription & { readonly status_text: string };

/** Numbers of subscriptions only: those of deliveries have other meanings. */
export function subscriptionStatus(status: number): string {
  return { [ACTIVE]: 'active', [DISABLED]: 'disabled' }[status] ?? `unknown(${status})`;
}

export function shownSubscription(subscription: Subscription): ShownSubscription {
  return { ...subscription, status_text: subscriptionStatus(subscription.status) };
}

/** What <Tab> offers of it. */
export function subscriptionCandidates({ id, url }: Pick<Subscription, 'id'> & { readonly url?: unknown }): {
  readonly subscriptions: readonly { readonly value: string; readonly note?: string }[];
} {
  return { subscriptions: [typeof url === 'string' ? { value: id, note: url } : { value: id }] };
}

export function eventsOf({ events }: Pick<Subscription, 'events'>): readonly string[] {
  return events ?? [];
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

/** Throws `invalid_value` for an id that would change the path: checked before anything is sent. */
export function checkSubscriptionId(typed: string): void {
  if (typed.trim() !== '' && typed !== '.' && typed !== '..') return;
  throw new SvcError(
    'invalid_value',
    `${JSON.stringify(typed)} is neither a subscription id nor the beginning of one`,
    {
      hint: 'svc webhooks list shows them',
    },
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
