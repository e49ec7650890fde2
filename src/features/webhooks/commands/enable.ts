import { recordCommand } from '../../../cli/command.ts';
import { Plan } from '../../../http/endpoint.ts';
import { openRecordings } from '../api.ts';
import { UPDATED_RECORD, updatedRow } from '../columns.ts';
import { SUBSCRIPTION_ARGUMENT } from '../options.ts';
import { checkSubscriptionId } from '../subscription.ts';
import { receiverUrl } from '../subscription-url.ts';
import { enableSubscription } from '../updating.ts';

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
