import { recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openRecordings } from '../api.ts';
import { EVENT_FLAG, eventTypes, FORMER_EVENT_FLAG, withSuggestion } from '../event-types.ts';
import { SUBSCRIPTION_ARGUMENT } from '../options.ts';
import { checkSubscriptionId, eventsOf, type ShownSubscription, shownSubscription } from '../subscription.ts';
import { receiverUrl } from '../subscription-url.ts';
import { type Edit, enableSubscription, type Updated, updateSubscription } from '../updating.ts';

interface UpdatedRow extends ShownSubscription {
  readonly previous: { readonly url: string; readonly events: readonly string[]; readonly status: number };
  /** Nothing was sent. */
  readonly unchanged: boolean;
}

function updatedRow({ before, after, unchanged }: Updated): UpdatedRow {
  const { url, status } = before;
  return { ...shownSubscription(after), previous: { url, events: eventsOf(before), status }, unchanged };
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
    if (row.unchanged) return `unchanged ${row.id}  it is so already, nothing was sent`;
    const parts = [`updated ${row.id}`, urlText(row), eventsText(row), statusText(row)];
    return parts.filter((part) => part !== undefined).join('  ');
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

export const webhooksUpdate = recordCommand({
  id: 'webhooks update',
  summary: 'Change the address or the events of a subscription',
  description:
    'What is not named stays as it is. The service would clear the events with every update that leaves them out: svc reads them right before, sends them along, and verifies them afterwards. Another address enables a disabled subscription again. Added: status_text, previous, and unchanged where nothing was sent.',
  effect: 'write',
  service: 'webhooks',
  args: { id: SUBSCRIPTION_ARGUMENT },
  flags: {
    url: { type: 'string', value: 'url', help: 'Another address' },
    'add-event': { ...EVENT_FLAG, help: 'Send events of these types, too' },
    'remove-event': { ...EVENT_FLAG, help: 'Send no more events of these types' },
    'set-event': {
      ...EVENT_FLAG,
      emptyHint: 'use --clear-events to stop all deliveries',
      help: 'Send events of these types and no others',
    },
    'set-events': FORMER_EVENT_FLAG,
    'clear-events': { type: 'boolean', help: 'Send no events at all' },
  },
  examples: [
    { run: 'svc webhooks update ep_1 --url https://example.com/v2/hook', why: 'Another address, the same events' },
    { run: 'svc webhooks update ep_1 --add-event webhook.ping --dry-run', why: 'See the request first' },
  ],
  output: UPDATED_RECORD,
  async run(input, ctx) {
    checkSubscriptionId(input.id);
    const events = wantedEvents({ ...input, setEvent: [...input.setEvent, ...input.setEvents] });
    const url = input.url === undefined ? undefined : await receiverUrl(input.url, '--url', ctx);
    try {
      const updated = await updateSubscription(input.id, { url, ...events }, openRecordings(ctx.target), ctx);
      return { value: updated instanceof Plan ? updated : updatedRow(updated) };
    } catch (error) {
      throw withSuggestion(error, [...(events.set ?? []), ...events.add]);
    }
  },
});

export const webhooksEnable = recordCommand({
  id: 'webhooks enable',
  summary: 'Bring a disabled subscription back, with another address',
  description:
    'After 20 failed attempts in a row the service disables an endpoint, and only another address brings it back: https://example.com/hook?v=2 is one. The events are kept, and the result is verified. Added: status_text, previous.',
  effect: 'write',
  service: 'webhooks',
  args: { id: SUBSCRIPTION_ARGUMENT },
  flags: { url: { type: 'string', value: 'url', required: true, help: 'Its new address' } },
  examples: [{ run: "svc webhooks enable ep_2 --url 'https://example.com/hook?v=2'", why: 'The same receiver again' }],
  output: UPDATED_RECORD,
  async run(input, ctx) {
    checkSubscriptionId(input.id);
    const url = await receiverUrl(input.url, '--url', ctx);
    const enabled = await enableSubscription(input.id, url, openRecordings(ctx.target), ctx);
    return { value: enabled instanceof Plan ? enabled : updatedRow(enabled) };
  },
});

interface EventOptions {
  readonly url: string | undefined;
  readonly addEvent: readonly string[];
  readonly removeEvent: readonly string[];
  readonly setEvent: readonly string[];
  readonly clearEvents: boolean;
}

function wantedEvents({ url, addEvent, removeEvent, setEvent, clearEvents }: EventOptions): Omit<Edit, 'url'> {
  const [add, remove] = [eventTypes(addEvent), eventTypes(removeEvent)];
  const set = setEvent.length === 0 ? undefined : eventTypes(setEvent);
  const edits = add.length > 0 || remove.length > 0;
  if ([set !== undefined, clearEvents, edits].filter((given) => given).length > 1) {
    throw new SvcError(
      'usage',
      '--set-event and --clear-events each replace the whole list: no other option for events goes with them',
    );
  }
  const both = add.find((type) => remove.includes(type));
  if (both !== undefined) throw new SvcError('usage', `${both} is to be added and removed`);
  if (url === undefined && set === undefined && !clearEvents && !edits) {
    throw new SvcError('usage', 'nothing to change', { hint: 'see svc webhooks update --help' });
  }
  return { add, remove, set: clearEvents ? [] : set };
}
