import { listCommand } from '../../../cli/command.ts';
import { openAlertmanager } from '../api.ts';
import { labelCells, receiverCandidate } from '../columns.ts';
import type { Receiver } from '../schema.ts';
import { RECEIVER_MATCHER_FLAG, receiverMatchers } from '../selection.ts';

export const alertsReceivers = listCommand({
  id: 'alerts receivers',
  summary: 'List the receivers of notifications',
  effect: 'read',
  service: 'alerts',
  clusters: {},
  flags: RECEIVER_MATCHER_FLAG,
  examples: [{ run: 'svc alerts receivers -q', why: 'Print the names, one per line' }],
  output: {
    kind: 'list',
    columns: [
      { name: 'name', cell: ({ name }: Receiver) => name },
      { name: 'labels', cell: ({ labels }: Receiver) => labelCells(labels ?? {}), wide: true, flex: true },
    ],
    id: ({ name }) => name,
    empty: 'the server has no receivers',
  },
  offers: (receiver) => ({ receivers: [receiverCandidate(receiver)] }),
  async run(input, ctx) {
    const alertmanager = openAlertmanager(ctx.target);
    const matchers = await receiverMatchers(input.receiverMatcher, alertmanager, ctx);
    return { value: alertmanager.receivers(matchers) };
  },
});
