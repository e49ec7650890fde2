import { recordCommand } from '../../../cli/command.ts';
import { Plan } from '../../../http/endpoint.ts';
import { openRecordings } from '../api.ts';
import { UPDATED_RECORD, updatedRow } from '../columns.ts';
import { SUBSCRIPTION_ARGUMENT } from '../options.ts';
import { checkSubscriptionId, receiverUrl } from '../subscriptions/subscription.ts';
import { enableSubscription } from '../subscriptions/updating.ts';

export const webhooksEnable = recordCommand({
  id: 'webhooks enable',
  summary: 'Enable a disabled subscription with a new URL',
  description:
    'The service disables a subscription after 20 consecutive failed attempts, and enables it only when its URL changes. Appending ?v=2 is enough. The events stay the same, and svc verifies the result.',
  details: 'JSON adds status_text, previous and unchanged.',
  effect: 'write',
  service: 'webhooks',
  args: { id: SUBSCRIPTION_ARGUMENT },
  flags: { url: { type: 'string', required: true, help: 'New URL' } },
  examples: [{ run: "svc webhooks enable ep_2 --url 'https://example.com/hook?v=2'", why: 'The same receiver again' }],
  output: UPDATED_RECORD,
  async run(input, ctx) {
    checkSubscriptionId(input.id);
    const url = await receiverUrl(input.url, '--url', ctx);
    const enabled = await enableSubscription(input.id, url, openRecordings(ctx.target), ctx);
    return { value: enabled instanceof Plan ? enabled : updatedRow(enabled) };
  },
});
