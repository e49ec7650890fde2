import { listCommand } from '../../../cli/command.ts';
import type { ListOutput } from '../../../output/types.ts';
import { openRecordings } from '../api.ts';
import { SUBSCRIPTION_COLUMNS } from '../columns.ts';
import { quotaText, type ShownSubscription, toShownSubscription } from '../subscriptions/subscription.ts';

const SUBSCRIPTION_LIST: ListOutput<ShownSubscription> = {
  kind: 'list',
  columns: SUBSCRIPTION_COLUMNS,
  id: ({ id }) => id,
  empty: 'no matching subscriptions',
};
const NO_SUBSCRIPTIONS: ListOutput<ShownSubscription> = {
  ...SUBSCRIPTION_LIST,
  empty: 'there are no subscriptions: svc webhooks create <url> --event summary.completed',
};

export const webhooksList = listCommand({
  id: 'webhooks list',
  aliases: ['ls'],
  suggestFor: ['subscriptions', 'endpoints'],
  summary: 'List the subscriptions of the account',
  description:
    'An account has at most 5 subscriptions, including disabled ones. FAILS counts consecutive failed attempts, including retries; 20 disable the subscription.',
  details: 'LAST-ACTIVITY is the latest delivery attempt or change. JSON adds status_text.',
  effect: 'read',
  service: 'webhooks',
  flags: {
    status: { type: 'choice', choices: ['active', 'disabled'], help: 'Only subscriptions with this status' },
    limit: { type: 'integer', min: 0, help: 'Maximum number of results' },
  },
  examples: [
    { run: 'svc webhooks list', why: 'All subscriptions, and the quota' },
    { run: 'svc webhooks list --status disabled -q', why: 'The ids of disabled subscriptions' },
  ],
  output: SUBSCRIPTION_LIST,
  offers: ({ id, url }) => ({ subscriptions: [{ value: id, note: url }] }),
  async run({ status }, ctx) {
    const all = await openRecordings(ctx.target).subscriptions();
    const value = all
      .map(toShownSubscription)
      .filter(({ status_text: text }) => status === undefined || text === status);
    return {
      value,
      as: all.length === 0 && ctx.omitted.rows === 0 ? NO_SUBSCRIPTIONS : SUBSCRIPTION_LIST,
      footer: quotaText(all),
    };
  },
});
