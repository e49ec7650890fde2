import { recordCommand } from '../../../cli/command.ts';
import { SINK_FLAGS } from '../../../cli/secret-sink.ts';
import { SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import { jsonText } from '../../../json-object.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openRecordings } from '../api.ts';
import { eventsCell, statusCell } from '../columns.ts';
import { EVENT_FLAG, eventTypes, withSuggestion } from '../event-types.ts';
import { openSecretSink } from '../stored-secrets.ts';
import { type CreatedRow, createdRow, createSubscription, deferInterruptions } from '../subscriptions/creating.ts';
import { receiverUrl } from '../subscriptions/subscription.ts';

const CREATED_RECORD: RecordOutput<CreatedRow> = {
  kind: 'record',
  columns: [
    { name: 'id', cell: ({ id }) => id },
    { name: 'url', cell: ({ url }) => (typeof url === 'string' ? url : undefined) },
    {
      name: 'events',
      cell: ({ events }) => (Array.isArray(events) ? eventsCell({ events: events.map(jsonText) }) : undefined),
    },
    { name: 'status', cell: statusCell },
    {
      name: 'secret',
      cell: (created) => created.secret ?? `${created.secret_stored} (sha256 fp ${created.secret_fingerprint})`,
    },
  ],
  id: ({ id }) => id,
};

export const webhooksCreate = recordCommand({
  id: 'webhooks create',
  suggestFor: ['subscribe'],
  summary: 'Subscribe an HTTPS URL to events',
  description:
    'The service returns the signing secret once. svc test-writes the destination first and stores the secret before printing anything. The request is sent once; after a lost response, svc reads the list to see whether it was applied.',
  details:
    'svc checks the quota and existing subscriptions with the same URL first. Ctrl-C waits up to 3 s for a response in transit. JSON adds id, status_text, secret_fingerprint and secret_stored; secret is included only with --show-secret.',
  effect: 'write',
  service: 'webhooks',
  args: { url: { help: 'URL that receives the events', required: true } },
  flags: {
    event: {
      ...EVENT_FLAG,
      aliases: ['events'],
      emptyHint: 'use --no-events for none',
      help: 'Event types to subscribe to',
      promptUnless: ['no-events'],
    },
    'no-events': { type: 'boolean', help: 'Subscribe to no events yet' },
    'allow-duplicate': { type: 'boolean', help: 'Create even if the URL is already subscribed' },
    ...SINK_FLAGS,
  },
  examples: [
    {
      run: 'svc webhooks create https://example.com/hook --event summary.completed,webhook.ping --store',
      why: 'Store the secret for svc webhooks verify --endpoint',
    },
    {
      run: 'svc webhooks create https://example.com/hook --event summary.completed --secret-file key.txt',
      why: 'Write the secret to a file',
    },
  ],
  output: CREATED_RECORD,
  async run(input, ctx) {
    const events = wantedEvents(input.event, input.noEvents);
    const url = await receiverUrl(input.url, '<url>', ctx);
    const sink = await openSecretSink(input, ctx);
    const { signal, runToEnd, interruption } = deferInterruptions(ctx);
    try {
      if (events.length === 0) ctx.notice('warning: no events: nothing will be delivered');
      const created = await createSubscription({ url, events }, openRecordings({ ...ctx.target, signal }), {
        allowDuplicate: input.allowDuplicate,
        dryRun: ctx.dryRun,
        runToEnd,
        notice: ctx.notice,
        keep: sink.keep,
      });
      if (created instanceof Plan) return { value: created };
      if (created.fault !== undefined) ctx.notice(`warning: ${created.fault.message}`);
      const value = createdRow(created, sink);
      const code = interruption()?.code ?? created.fault?.code;
      return { value, code, undo: [['webhooks', 'delete', value.id]] };
    } catch (error) {
      throw withSuggestion(error, events);
    } finally {
      sink.abandon?.();
    }
  },
});

function wantedEvents(lists: readonly string[], none: boolean): readonly string[] {
  if (none && lists.length > 0) throw new SvcError('usage', '--event and --no-events cannot be combined');
  if (none) return [];
  if (lists.length > 0) return eventTypes(lists);
  throw new SvcError('missing_value', 'no event types: nothing would be delivered', {
    hint: 'pass --event summary.completed,webhook.ping, or --no-events',
  });
}
