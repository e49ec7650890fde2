/** A subscription's delivery log: pages without a total, in an undocumented order (doc 2 §4). */
import type { Recordings } from '../api.ts';
import type { LogItem } from '../schema.ts';

export const PENDING = 0;
export const DELIVERED = 1;
export const FAILED = 2;

/** Doc 2 §8. */
export const LARGEST_PAGE = 100;

export type ShownLogItem = LogItem & { readonly status_text: string };

/** Numbers of deliveries only: those of subscriptions have other meanings. */
export function deliveryStatus(status: number | undefined): string {
  if (status === undefined) return 'unknown';
  return { [PENDING]: 'pending', [DELIVERED]: 'delivered', [FAILED]: 'failed' }[status] ?? `unknown(${status})`;
}

export function shownLogItem(item: LogItem): ShownLogItem {
  return { ...item, status_text: deliveryStatus(item.status) };
}

/** No log that a person reads is longer. */
const MOST_PAGES = 1000;

/**
 * The log, each delivery once. It ends with an empty or short page, or one without new items: new
 * deliveries shift the pages, and a service may ignore the page number.
 */
export async function readWholeLog(
  id: string,
  recordings: Pick<Recordings, 'deliveries'>,
  notice: (text: string) => void,
): Promise<readonly LogItem[]> {
  const found = new Map<string, LogItem>();
  for (let page = 1; page <= MOST_PAGES; page++) {
    const { rows, received } = await recordings.deliveries(id, { page, size: LARGEST_PAGE });
    const known = found.size;
    for (const item of rows) if (!found.has(item.id)) found.set(item.id, item);
    if (received < LARGEST_PAGE) return [...found.values()];
    if (found.size === known) {
      notice(`warning: page ${page} repeated page ${page - 1}; stopped`);
      return [...found.values()];
    }
  }
  notice(`warning: stopped after ${MOST_PAGES} pages: older deliveries are missing`);
  return [...found.values()];
}

/** Latest first; unknown times last. */
export function latestFirst(items: readonly LogItem[]): readonly LogItem[] {
  const time = ({ created_at: created }: LogItem): number => Date.parse(created ?? '') || Number.NEGATIVE_INFINITY;
  return [...items].sort((a, b) => {
    const [later, earlier] = [time(b), time(a)];
    return later === earlier ? 0 : later - earlier;
  });
}

export interface LogFilter {
  readonly status?: string | undefined;
  readonly eventTypes?: readonly string[] | undefined;
  readonly eventId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
}

/** The service has no filters. */
export function keepsItem(item: LogItem, { status, eventTypes, eventId, since }: LogFilter): boolean {
  return (
    (status === undefined || deliveryStatus(item.status) === status) &&
    (eventTypes === undefined || eventTypes.includes(item.event_type ?? '')) &&
    (eventId === undefined || item.event_id === eventId) &&
    (since === undefined || Date.parse(item.created_at ?? '') >= since)
  );
}
