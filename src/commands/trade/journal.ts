import { listCommand } from '../../cli/command.ts';
import type { Cell } from '../../output/types.ts';
import type { JournalEntry } from '../../store/order-journal.ts';

export const tradeJournal = listCommand({
  id: 'trade journal',
  summary: 'Show what was sent to trade from this machine, and what became of it',
  description:
    'Asks nobody. Each order is written down before it is sent, so an outcome "unknown" is one whose answer was lost, or whose svc was killed: look with svc trade orders and svc trade positions before you send it again. Those come first, then the latest.',
  effect: 'read',
  flags: {
    open: { type: 'boolean', help: 'Only those of which nobody knows what became' },
    limit: { type: 'integer', value: 'n', min: 0, help: 'At most so many' },
  },
  examples: [
    { run: 'svc trade journal --open', why: 'What to look at after a lost answer' },
    { run: 'svc trade journal -o ndjson', why: 'Everything, an order a line' },
  ],
  output: {
    kind: 'list',
    columns: [
      { name: 'time', cell: ({ at }: JournalEntry) => ({ time: at }) },
      { name: 'command', cell: ({ command }) => command },
      { name: 'outcome', cell: outcomeCell },
      { name: 'order-ids', cell: ({ order_ids }) => order_ids },
      { name: 'form', cell: formCell, flex: true },
      { name: 'message', cell: ({ message }) => message, flex: true },
      { name: 'base-url', cell: ({ base_url }) => base_url, wide: true },
      { name: 'id', cell: ({ id }) => id, wide: true },
    ],
    id: ({ id }) => id,
    empty: 'no orders were sent from here',
  },
  async run({ open }, ctx) {
    const { readJournal } = await import('../../store/order-journal.ts');
    const latestFirst = [...readJournal(ctx.paths)].reverse();
    const [unknown, others] = [true, false].map((wanted) =>
      latestFirst.filter(({ outcome }) => (outcome === 'unknown') === wanted),
    );
    return { value: [...(unknown ?? []), ...(open ? [] : (others ?? []))] };
  },
});

function outcomeCell({ outcome }: JournalEntry): Cell {
  const tone = outcome === 'accepted' ? 'good' : outcome === 'unknown' ? 'bad' : 'warn';
  return { text: outcome, tone };
}

function formCell({ form }: JournalEntry): string {
  return Object.entries(form)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ');
}
