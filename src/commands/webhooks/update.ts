import { recordCommand } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { eventTypes, withSuggestion } from '../../inputs/event-types.ts';
import { receiverUrl } from '../../inputs/receiver-url.ts';
import { checkSubscriptionId } from '../../services/recordings/subscription.ts';
import { UPDATED_RECORD, updatedRow } from '../../views/updated-subscription.ts';

export const webhooksUpdate = recordCommand({
  id: 'webhooks update',
  summary: 'Change the address or the events of a subscription',
  description:
    'What is not named stays as it is. The service would clear the events with every update that leaves them out: svc reads them right before, sends them along, and verifies them afterwards. Another address enables a disabled subscription again. Added: status_text, previous, and unchanged where nothing was sent.',
  effect: 'write',
  service: 'webhooks',
  args: {
    id: {
      help: 'Its id, or enough of the beginning to tell it from others',
      required: true,
      complete: 'subscriptions',
    },
  },
  flags: {
    url: { type: 'string', value: 'url', help: 'Another address' },
    'add-event': { type: 'string', repeat: true, list: true, value: 'type', help: 'Send events of this type, too' },
    'remove-event': {
      type: 'string',
      repeat: true,
      list: true,
      value: 'type',
      help: 'Send no more events of this type',
    },
    'set-events': {
      type: 'string',
      repeat: true,
      list: true,
      value: 'a,b',
      emptyHint: 'use --clear-events to stop all deliveries',
      help: 'Send events of these types and no others',
    },
    'clear-events': { type: 'boolean', help: 'Send no events at all' },
  },
  examples: [
    { run: 'svc webhooks update ep_1 --url https://example.com/v2/hook', why: 'Another address, the same events' },
    { run: 'svc webhooks update ep_1 --add-event webhook.ping --dry-run', why: 'See the request first' },
  ],
  output: UPDATED_RECORD,
  async run(input, ctx) {
    const { openRecordings } = await import('../../services/recordings/client.ts');
    const { updateSubscription } = await import('../../services/recordings/updating.ts');
    checkSubscriptionId(input.id);
    const events = wantedEvents(input);
    const url = input.url === undefined ? undefined : await receiverUrl(input.url, '--url', ctx);
    try {
      const updated = await updateSubscription(input.id, { url, ...events }, openRecordings(ctx.target), ctx);
      return { value: updatedRow(updated) };
    } catch (error) {
      throw withSuggestion(error, [...(events.set ?? []), ...events.add]);
    }
  },
});

interface EventOptions {
  readonly url: string | undefined;
  readonly addEvent: readonly string[];
  readonly removeEvent: readonly string[];
  readonly setEvents: readonly string[];
  readonly clearEvents: boolean;
}

interface EventEdit {
  readonly set?: readonly string[];
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

function wantedEvents({ url, addEvent, removeEvent, setEvents, clearEvents }: EventOptions): EventEdit {
  const [add, remove] = [eventTypes(addEvent), eventTypes(removeEvent)];
  const set = setEvents.length === 0 ? undefined : eventTypes(setEvents);
  const edits = add.length > 0 || remove.length > 0;
  if ([set !== undefined, clearEvents, edits].filter((given) => given).length > 1) {
    throw new SvcError(
      'usage',
      '--set-events and --clear-events each say all: no other option for events goes with them',
    );
  }
  const both = add.find((type) => remove.includes(type));
  if (both !== undefined) throw new SvcError('usage', `${both} is to be added and removed`);
  if (url === undefined && set === undefined && !clearEvents && !edits) {
    throw new SvcError('usage', 'nothing to change', { hint: 'see svc webhooks update --help' });
  }
  if (clearEvents) return { set: [], add, remove };
  return { add, remove, ...(set === undefined ? {} : { set }) };
}
