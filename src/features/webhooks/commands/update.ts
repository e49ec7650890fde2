import { recordCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { openRecordings } from '../api.ts';
import { UPDATED_RECORD, updatedRow } from '../columns.ts';
import { EVENT_FLAG, eventTypes, FORMER_EVENT_FLAG, withSuggestion } from '../event-types.ts';
import { SUBSCRIPTION_ARGUMENT } from '../options.ts';
import { checkSubscriptionId } from '../subscription.ts';
import { receiverUrl } from '../subscription-url.ts';
import { type Edit, updateSubscription } from '../updating.ts';

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
