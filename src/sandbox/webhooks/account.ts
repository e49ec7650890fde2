/** What the service stores of an account: subscriptions, the log, events; and sample data. */

export const ACTIVE = 1;
export const DISABLED = 2;
const PENDING = 0;
export const DELIVERED = 1;
export const FAILED = 2;

/** Doc 2 §8. */
export const QUOTA = 5;
/** Doc 2 §6: this many failed attempts in a row disable an endpoint. */
export const MAX_FAILURES = 20;
export const EVENT_TYPES: ReadonlySet<string> = new Set(['summary.completed', 'webhook.ping']);

export interface Subscription {
  readonly id: string;
  readonly secret: string;
  url: string;
  events: readonly string[];
  status: typeof ACTIVE | typeof DISABLED;
  consecutive_failures: number;
  readonly created_at: string;
  updated_at: string;
}

export interface LogItem {
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
  readonly event_type: string;
  status: typeof PENDING | typeof DELIVERED | typeof FAILED;
  attempts: number;
  last_error: string;
  delivered_at: string;
  readonly created_at: string;
}

export interface Envelope {
  readonly id: string;
  readonly type: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export class Account {
  readonly subscriptions = new Map<string, Subscription>();
  /** Oldest first. */
  readonly log: LogItem[] = [];
  /** Of real recordings, latest first: the samples come from here. */
  readonly events: Envelope[] = [];
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** A prefix such as `ep_`, with random letters and digits. */
  newId(prefix: string, length = 12): string {
    const letters = Array.from({ length }, () => ALPHABET[Math.floor(this.#random() * ALPHABET.length)]);
    return `${prefix}${letters.join('')}`;
  }

  subscribe(url: string, events: readonly string[], createdMs: number): Subscription {
    const subscription: Subscription = {
      id: this.newId('ep_'),
      secret: this.newId('whsec_', 32),
      url,
      events,
      status: ACTIVE,
      consecutive_failures: 0,
      created_at: instant(createdMs),
      updated_at: instant(createdMs),
    };
    this.subscriptions.set(subscription.id, subscription);
    return subscription;
  }

  /** Starts a delivery: a pending item without an attempt. */
  addLogItem(endpoint_id: string, { id, type }: Envelope, createdMs: number): LogItem {
    const item: LogItem = {
      id: this.newId('dlv_'),
      endpoint_id,
      event_id: id,
      event_type: type,
      status: PENDING,
      attempts: 0,
      last_error: '',
      delivered_at: '',
      created_at: instant(createdMs),
    };
    this.log.push(item);
    return item;
  }
}

/** As lists and updates show it: only the response to the creation contains the secret. */
export function listItem({ secret: _, ...shown }: Subscription): Omit<Subscription, 'secret'> {
  return shown;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Only `summary.completed` has data. */
export function syntheticEvent(id: string, type: string, now: number, title = 'Weekly sync'): Envelope {
  const audio = id.replace(/^evt_/, '');
  const text = 'Shall we go through the open points?';
  const data = {
    audio_id: `aud_${audio}`,
    report_id: `rep_${audio}`,
    status: 2,
    title,
    duration_ms: 1_832_000,
    recorded_at: instant(now - 40 * MINUTE_MS),
    transcript: { language: 'en', text, truncated: false, segments: [{ speaker: 'Ana', start: 0, end: 4.5, text }] },
    summaries: [{ label: 'Summary', content: '# Decisions\n\n- Review the import', format: 'markdown' }],
  };
  return { id, type, created_at: instant(now), data: type === 'summary.completed' ? data : {} };
}

/** Enough for two pages of the log. */
const MEETINGS = 34;
const TITLES = ['Weekly sync', 'Customer interview', 'Release planning', 'Retrospective', 'Stand-up'];

/** One endpoint that works, one that fails, one that is disabled, and what was sent to them. */
export function seedDemo(account: Account, now: number): void {
  const summaries = ['summary.completed'];
  const subscribe = (url: string, days: number, events = summaries) =>
    account.subscribe(url, events, now - days * DAY_MS);
  const archive = subscribe('https://archive.example/hooks/recordings', 60, [...summaries, 'webhook.ping']);
  const crm = subscribe('https://crm.example/inbound/summaries', 21);
  const staging = subscribe('https://staging.example/hook', 35);
  archive.updated_at = crm.updated_at = instant(now - 25 * MINUTE_MS);
  crm.consecutive_failures = 14;
  Object.assign(staging, { status: DISABLED, consecutive_failures: 20, updated_at: instant(now - 9 * DAY_MS) });
  for (let index = MEETINGS; index >= 1; index--) {
    const at = now - index * 25 * MINUTE_MS;
    const title = TITLES[index % TITLES.length];
    const event = syntheticEvent(account.newId('evt_'), 'summary.completed', at, title);
    account.events.unshift(event);
    const item = account.addLogItem(archive.id, event, at);
    Object.assign(item, { status: DELIVERED, attempts: 1, delivered_at: instant(at + 900) });
    if (index > 4) continue;
    const failed = index === 1 ? { status: PENDING, attempts: 3 } : { status: FAILED, attempts: 6 };
    Object.assign(account.addLogItem(crm.id, event, at), { ...failed, last_error: 'http_502' });
  }
}
