/** What changes in a delivery log from one look to the next: items come, and those that are there go on. */
import type { Recordings } from './client.ts';
import { keepsItem, LARGEST_PAGE, type LogFilter, PENDING, type ShownLogItem, shownLogItem } from './delivery-log.ts';
import type { LogItem } from './schema.ts';

/** Version 1; fields may be added. */
export interface DeliveryChange extends ShownLogItem {
  readonly type: 'delivery';
  readonly change: 'new' | 'status' | 'attempt';
  /** The status before and after, where it is the status that changed. */
  readonly from?: number;
  readonly to?: number;
}

/** So many pages of new deliveries between two looks are more than anybody follows. */
const MOST_PAGES = 10;

export class LogFollower {
  readonly #known = new Map<string, LogItem>();
  readonly #recordings: Pick<Recordings, 'deliveries'>;
  readonly #id: string;
  #first = true;

  constructor(id: string, recordings: Pick<Recordings, 'deliveries'>) {
    this.#id = id;
    this.#recordings = recordings;
  }

  /** What changed since the look before. The first one tells of nothing but what `since` asks for. */
  async look(filter: LogFilter): Promise<readonly DeliveryChange[]> {
    const changes: DeliveryChange[] = [];
    for (const item of await this.#recent(filter.since)) {
      const before = this.#known.get(item.id);
      this.#known.set(item.id, item);
      const silent = this.#first && filter.since === undefined;
      const change = silent ? undefined : changeOf(before, item);
      if (change !== undefined && keepsItem(item, filter)) changes.push(change);
    }
    this.#first = false;
    // The log has the latest first; what happened is told in its order.
    return changes.reverse();
  }

  find(eventId: string): LogItem | undefined {
    return [...this.#known.values()].find((item) => item.event_id === eventId);
  }

  /** Pages until one holds what is known, or at first what is too old, and every delivery that was pending has been seen again. */
  async #recent(since: number | undefined): Promise<readonly LogItem[]> {
    const pending = new Set([...this.#known.values()].filter(({ status }) => status === PENDING).map(({ id }) => id));
    const found = new Map<string, LogItem>();
    for (let page = 1; page <= MOST_PAGES; page++) {
      const items = await this.#recordings.deliveries(this.#id, { page, size: LARGEST_PAGE });
      const before = found.size;
      for (const item of items) {
        found.set(item.id, item);
        pending.delete(item.id);
      }
      const reached = this.#first
        ? since === undefined || items.some((item) => !keepsItem(item, { since }))
        : items.some(({ id }) => this.#known.has(id));
      if (items.length < LARGEST_PAGE || found.size === before || (reached && pending.size === 0)) break;
    }
    return [...found.values()];
  }
}

function changeOf(before: LogItem | undefined, item: LogItem): DeliveryChange | undefined {
  const told = { type: 'delivery', ...shownLogItem(item) } as const;
  if (before === undefined) return { ...told, change: 'new' };
  if (before.status !== item.status) return { ...told, change: 'status', from: before.status, to: item.status };
  const same =
    before.attempts === item.attempts &&
    before.last_error === item.last_error &&
    before.delivered_at === item.delivered_at;
  return same ? undefined : { ...told, change: 'attempt' };
}
