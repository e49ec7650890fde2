import { listCommand } from '../../../cli/command.ts';
import type { ListOutput } from '../../../output/types.ts';
import { type JournalEntry, readJournal, unreadableLines } from '../../../store/order-journal.ts';
import { formCell, outcomeCell } from '../columns.ts';

export const tradeJournal = listCommand({
  id: 'trade journal',
  suggestFor: ['logs'],
  summary: 'List orders sent from this machine and their outcomes',
  description:
    'Reads the local journal, newest first. An "unknown" outcome means that the response was lost or svc was killed: settle it with svc trade journal settle before you send the order again. Lists what was sent to any gateway.',
  effect: 'read',
  service: 'trade',
  flags: {
    open: { type: 'boolean', help: 'Only orders whose outcome is unknown' },
    limit: { type: 'integer', value: 'n', min: 0, help: 'Maximum number of results' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade journal --open', why: 'List orders with an unknown outcome' },
    { run: 'svc trade journal -o ndjson', why: 'Print everything, one order per line' },
  ],
  output: listEntries(false, true),
  async run({ open }, ctx) {
    const journal = await readJournal(ctx.paths);
    const isDamaged = journal.unreadable.length > 0;
    if (isDamaged) ctx.warn(`warning: ${unreadableLines(ctx.paths, journal)}`);
    const unknown = journal.entries.filter(({ outcome }) => outcome === 'unknown');
    const shown = open ? unknown : journal.entries;
    const gateways = new Set(shown.map(({ base_url }) => base_url));
    return {
      value: shown.map(({ owner: _owner, asked: _asked, once = null, ...entry }) => ({ ...entry, once })).reverse(),
      as: listEntries(open, gateways.size > 1),
      footer: unknown.length === 0 ? undefined : `${unknown.length} with an unknown outcome: svc trade journal settle`,
      code: isDamaged ? 'partly_done' : undefined,
    };
  },
});

/** Without what only svc needs. */
type ListedEntry = Omit<JournalEntry, 'owner' | 'asked' | 'once'> & { readonly once: string | null };

function listEntries(open: boolean, showsGateway: boolean): ListOutput<ListedEntry> {
  return {
    kind: 'list',
    columns: [
      { name: 'time', cell: ({ at }) => ({ time: at }) },
      { name: 'gateway', cell: ({ base_url }) => base_url, ...(showsGateway ? {} : { wide: true }) },
      { name: 'command', cell: ({ command }) => command },
      { name: 'outcome', cell: outcomeCell, vital: true },
      { name: 'order-ids', cell: ({ order_ids }) => order_ids },
      { name: 'key', cell: ({ once }) => once },
      { name: 'form', cell: formCell, shrinks: true },
      { name: 'message', cell: ({ message }) => message, shrinks: true },
      { name: 'id', cell: ({ id }) => id, brief: true },
    ],
    id: ({ id }) => id,
    empty: open ? 'no unknown outcomes' : 'no orders were sent from here',
  };
}
