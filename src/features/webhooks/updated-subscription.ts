/** How a changed subscription is shown, in one line, by the commands that change one. */
import type { RecordOutput } from '../../output/types.ts';
import { eventsOf, type ShownSubscription, shownSubscription } from './subscription.ts';
import type { Updated } from './updating.ts';

export interface UpdatedRow extends ShownSubscription {
  readonly previous: { readonly url: string; readonly events: readonly string[]; readonly status: number };
  /** Nothing was sent. */
  readonly unchanged: boolean;
}

export function updatedRow({ before, after, unchanged }: Updated): UpdatedRow {
  const { url, status } = before;
  return { ...shownSubscription(after), previous: { url, events: eventsOf(before), status }, unchanged };
}

export const UPDATED_RECORD: RecordOutput<UpdatedRow> = {
  kind: 'record',
  columns: [
    { name: 'id', cell: ({ id }) => id },
    { name: 'url', cell: urlText },
    { name: 'events', cell: eventsText },
    { name: 'status', cell: statusText },
  ],
  id: ({ id }) => id,
  line: (row) => {
    if (row.unchanged) return `unchanged ${row.id}  it is so already, nothing was sent`;
    return [`updated ${row.id}`, urlText(row), eventsText(row), statusText(row)]
      .filter((part) => part !== undefined)
      .join('  ');
  },
};

function urlText({ url, previous }: UpdatedRow): string | undefined {
  return url === previous.url ? undefined : `url ${previous.url} → ${url}`;
}

function eventsText(row: UpdatedRow): string {
  const [now, before] = [eventsOf(row), row.previous.events];
  const changes = [
    ...now.filter((type) => !before.includes(type)).map((type) => `+${type}`),
    ...before.filter((type) => !now.includes(type)).map((type) => `-${type}`),
  ];
  const all = now.length === 0 ? 'none: nothing is delivered' : now.join(', ');
  return changes.length === 0 ? `events kept: ${all}` : `events ${changes.join(' ')}: ${all}`;
}

function statusText({ status, status_text: text, previous }: UpdatedRow): string | undefined {
  return status === previous.status ? undefined : `now ${text}`;
}
