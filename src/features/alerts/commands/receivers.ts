import { listCommand } from '../../../cli/command.ts';
import { openAlertmanager } from '../api.ts';
import type { Receiver } from '../schema.ts';

export const alertsReceivers = listCommand({
  id: 'alerts receivers',
  summary: 'List the receivers of notifications',
  effect: 'read',
  service: 'alerts',
  clusters: {},
  examples: [{ run: 'svc alerts receivers -q', why: 'Print the names, one per line' }],
  output: {
    kind: 'list',
    columns: [{ name: 'name', cell: ({ name }: Receiver) => name }],
    id: ({ name }) => name,
    empty: 'the server has no receivers',
  },
  async run(_, ctx) {
    return { value: openAlertmanager(ctx.target).receivers() };
  },
});
