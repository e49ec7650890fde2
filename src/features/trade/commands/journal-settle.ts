import { listCommand } from '../../../cli/command.ts';
import { formCell, outcomeCell } from '../journal.ts';
import { type SettledRow, settleJournal } from '../journal-settling.ts';

export const tradeJournalSettle = listCommand({
  id: 'trade journal settle',
  summary: 'Find out what became of requests whose outcome is unknown',
  description:
    'Reads the orders, open positions and closed positions of the gateway, compares them with each request, and writes the result to the journal: filled, open, absent, or done for a change. It sends no order. A request that the tables do not explain stays unknown, and the exit status is then 8.',
  effect: 'read',
  service: 'trade',
  args: { id: { help: 'The id in the journal, or its beginning; without one every unknown outcome', repeat: true } },
  exits: ['outcome_unknown'],
  examples: [
    { run: 'svc trade journal settle', why: 'Settle every unknown outcome at this gateway' },
    { run: 'svc trade journal settle 3f2a -o json', why: 'Settle one request, with the evidence as JSON' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'time', cell: ({ at }: SettledRow) => ({ time: at }) },
      { name: 'command', cell: ({ command }) => command },
      { name: 'outcome', cell: outcomeCell },
      { name: 'evidence', cell: ({ evidence }) => evidence, flex: true },
      { name: 'form', cell: formCell, wide: true },
      { name: 'id', cell: ({ id }) => id },
    ],
    id: ({ id }) => id,
    empty: 'no outcome is unknown at this gateway',
  },
  run: ({ id }, ctx) => settleJournal(id, ctx),
});
