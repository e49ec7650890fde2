import { recordCommand } from '../../../cli/command.ts';
import type { Flags, Options } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openRecordings } from '../api.ts';
import { EVENT_FLAG, eventTypes, withSuggestion } from '../event-types.ts';
import { SUBSCRIPTION_ARGUMENT } from '../options.ts';
import {
  checkSubscriptionId,
  eventsOf,
  receiverUrl,
  type ShownSubscription,
  toShownSubscription,
} from '../subscriptions/subscription.ts';
import { type Edit, type Updated, updateSubscription } from '../subscriptions/updating.ts';

const FLAGS = {
  url: { type: 'string', help: 'New URL' },
  'add-event': { ...EVENT_FLAG, help: 'Add these event types' },
  'remove-event': { ...EVENT_FLAG, help: 'Remove these event types' },
  'set-event': {
    ...EVENT_FLAG,
    emptyHint: 'use --clear-events to stop all deliveries',
    help: 'Replace all event types by these',
  },
  'clear-events': { type: 'boolean', help: 'Remove all event types' },
} as const satisfies Flags;

type EventOptions = Options<typeof FLAGS>;

interface UpdatedRow extends ShownSubscription {
  readonly previous: Pick<ShownSubscription, 'url' | 'status'> & { readonly events: readonly string[] };
  /** Nothing was sent. */
  readonly unchanged: boolean;
}

const UPDATED_RECORD: RecordOutput<UpdatedRow> = {
  kind: 'record',
  columns: [
    { name: 'id', cell: ({ id }) => id },
    { name: 'url', cell: urlText },
    { name: 'events', cell: eventsText },
    { name: 'status', cell: statusText },
  ],
  id: ({ id }) => id,
  line: (row) => {
    if (row.unchanged) return `unchanged ${row.id}  already up to date, nothing was sent`;
    const parts = [`updated ${row.id}`, urlText(row), eventsText(row), statusText(row)];
    return parts.filter((part) => part !== undefined).join('  ');
  },
};

export const webhooksUpdate = recordCommand({
  id: 'webhooks update',
  summary: 'Change the URL or the events of a subscription',
  description:
    'Anything you do not name stays unchanged. The service clears the events in every update that omits them, so svc reads them first, sends them again and verifies the result. A new URL enables a disabled subscription.',
  details: 'JSON adds status_text, previous, and unchanged (true if nothing was sent).',
  effect: 'write',
  service: 'webhooks',
  args: { id: SUBSCRIPTION_ARGUMENT },
  flags: FLAGS,
  examples: [
    { run: 'svc webhooks update ep_1 --url https://example.com/v2/hook', why: 'A new URL, the same events' },
    { run: "svc webhooks update ep_2 --url 'https://example.com/hook?v=2'", why: 'Enable a disabled subscription' },
    { run: 'svc webhooks update ep_1 --add-event webhook.ping --dry-run', why: 'Preview the request' },
  ],
  output: UPDATED_RECORD,
  async run(input, ctx) {
    checkSubscriptionId(input.id);
    const events = wantedEvents(input);
    const url = input.url === undefined ? undefined : await receiverUrl(input.url, '--url', ctx);
    try {
      const updated = await updateSubscription(input.id, { url, ...events }, openRecordings(ctx.target), ctx);
      return { value: updated instanceof Plan ? updated : toUpdatedRow(updated) };
    } catch (error) {
      throw withSuggestion(error, [...(events.set ?? []), ...events.add]);
    }
  },
});

function wantedEvents({ url, addEvent, removeEvent, setEvent, clearEvents }: EventOptions): Omit<Edit, 'url'> {
  const [add, remove] = [eventTypes(addEvent), eventTypes(removeEvent)];
  const set = setEvent.length === 0 ? undefined : eventTypes(setEvent);
  const edits = add.length > 0 || remove.length > 0;
  if ([set !== undefined, clearEvents, edits].filter((given) => given).length > 1) {
    throw new SvcError(
      'usage',
      '--set-event and --clear-events replace all event types: they cannot be combined with other options for events',
    );
  }
  const both = add.find((type) => remove.includes(type));
  if (both !== undefined) throw new SvcError('usage', `${both} is both added and removed`);
  if (url === undefined && set === undefined && !clearEvents && !edits) {
    throw new SvcError('usage', 'nothing to change', { hint: 'see svc webhooks update --help' });
  }
  return { add, remove, set: clearEvents ? [] : set };
}

function toUpdatedRow({ before, after, unchanged }: Updated): UpdatedRow {
  const { url, status } = before;
  return { ...toShownSubscription(after), previous: { url, events: eventsOf(before), status }, unchanged };
}

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
  return changes.length === 0 ? `events unchanged: ${all}` : `events ${changes.join(' ')}: ${all}`;
}

function statusText({ status, status_text: text, previous }: UpdatedRow): string | undefined {
  return status === previous.status ? undefined : `now ${text}`;
}
