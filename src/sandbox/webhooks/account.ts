/** What the service keeps of one account: subscriptions, the delivery log, and the events that were sent. */

export const ACTIVE = 1;
export const DISABLED = 2;
export const PENDING = 0;
export const DELIVERED = 1;
export const FAILED = 2;

/** Doc 2 §8. */
export const QUOTA = 5;
/** Doc 2 §6: so many failed attempts in a row disable an endpoint. */
export const MOST_FAILURES = 20;
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
  /** Of real recordings, latest first: what the samples are taken from. */
  readonly events: Envelope[] = [];
}

/** As the list and the answer to an update show it: the secret is told once, at the creation. */
export function listItem({ secret: _, ...shown }: Subscription): Omit<Subscription, 'secret'> {
  return shown;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** `ep_` and twelve letters and digits. */
export function identifier(prefix: string, random: () => number, length = 12): string {
  const letters = Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]);
  return `${prefix}${letters.join('')}`;
}

/** ISO 8601 in UTC. */
export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

const MINUTE_MS = 60_000;

const SEGMENTS = [
  { speaker: 'Ana', start: 0, end: 4.5, text: 'Shall we look at the open points?' },
  { speaker: 'Jörg', start: 4.9, end: 9.2, text: 'The export is done. The import waits for a review.' },
];

/** Of a type other than `summary.completed` it has no data. */
export function syntheticEvent(id: string, type: string, now: number, title = 'Weekly sync'): Envelope {
  const audio = id.replace(/^evt_/, '');
  const data = {
    audio_id: `aud_${audio}`,
    report_id: `rep_${audio}`,
    status: 2,
    title,
    duration_ms: 1_832_000,
    recorded_at: instant(now - 40 * MINUTE_MS),
    transcript: {
      language: 'en',
      text: SEGMENTS.map(({ text }) => text).join(' '),
      truncated: false,
      segments: SEGMENTS,
    },
    summaries: [{ label: 'Summary', content: '# Decisions\n\n- Review the import', format: 'markdown' }],
  };
  return { id, type, created_at: instant(now), data: type === 'summary.completed' ? data : {} };
}
