import { listCommand } from '../../../cli/command.ts';
import { openRecordings } from '../api.ts';
import { SUBSCRIPTION_COLUMNS } from '../columns.ts';
import { quotaText, shownSubscription, subscriptionCandidates } from '../subscription.ts';

export const webhooksList = listCommand({
  id: 'webhooks list',
  aliases: ['ls'],
  summary: 'List the subscriptions of the account',
  description:
    'An account has at most 5, disabled ones among them. FAILS counts failed attempts in a row, retries included: at 20 the endpoint is disabled. LAST-ACTIVITY is the last attempt of a delivery, or the last change. status_text is added to each.',
  effect: 'read',
  service: 'webhooks',
  flags: {
    status: { type: 'choice', choices: ['active', 'disabled'], help: 'Only those of this state' },
    'url-contains': { type: 'string', value: 'text', help: 'Only those whose address holds this' },
    limit: { type: 'integer', value: 'n', min: 0, help: 'At most so many' },
  },
  examples: [
    { run: 'svc webhooks list', why: 'All, and how many more there may be' },
    { run: 'svc webhooks list --status disabled -q', why: 'The ids of those that get nothing any more' },
  ],
  output: {
    kind: 'list',
    columns: SUBSCRIPTION_COLUMNS,
    id: ({ id }) => id,
    empty: 'no such subscriptions',
  },
  offers: subscriptionCandidates,
  async run({ status, urlContains = '' }, ctx) {
    const all = await openRecordings(ctx.target).subscriptions();
    const value = all
      .map(shownSubscription)
      .filter(({ url, status_text: text }) => url.includes(urlContains) && (status === undefined || text === status));
    return { value, footer: quotaText(all) };
  },
});
