import { listCommand } from '../../../cli/command.ts';
import type { ListOutput } from '../../../output/types.ts';
import type { JournalEntry } from '../../../store/order-journal.ts';
import { formCell, outcomeCell } from '../columns.ts';

export const tradeJournal = listCommand({
  id: 'trade journal',
  suggestFor: ['logs'],
  summary: 'List orders sent from this machine and their outcomes',
  description:
    'Reads the local journal, newest first. An "unknown" outcome means that the response was lost or svc was killed: settle it with svc trade journal settle before you send the order again. Lists only the configured gateway unless --all-gateways is given.',
  effect: 'read',
  service: 'trade',
  flags: {
    open: { type: 'boolean', help: 'Only orders whose outcome is unknown' },
    'all-gateways': { type: 'boolean', help: 'Include other gateways' },
    limit: { type: 'integer', value: 'n', min: 0, help: 'Maximum number of results' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc trade journal --open', why: 'List orders with an unknown outcome' },
    { run: 'svc trade journal --all-gateways -o ndjson', why: 'Print everything, one order per line' },
  ],
  output: journalList({ chosen: true, open: false }),
  async run({ open, allGateways }, ctx) {
    const { isSentTo, readJournal, unreadableLines } = await import('../../../store/order-journal.ts');
    const isOpen = ({ outcome }: JournalEntry): boolean => outcome === 'unknown';
    const journal = await readJournal(ctx.paths);
    const isDamaged = journal.unreadable.length > 0;
    if (isDamaged) ctx.warn(`warning: ${unreadableLines(ctx.paths, journal)}`);
    const wanted = journal.entries.filter((entry) => !open || isOpen(entry));
    const chooses = !allGateways && ctx.settings.get('trade.url') !== undefined;
    const own = chooses ? wanted.filter((entry) => isSentTo(ctx.target.baseUrl, entry)) : wanted;
    const others = wanted.length - own.length;
    const unknown = own.filter(isOpen).length;
    const footers = [
      ...(unknown === 0 ? [] : [`${unknown} with an unknown outcome: svc trade journal settle`]),
      ...(others === 0 ? [] : [`${others} at other gateways: --all-gateways`]),
    ];
    return {
      value: own.map(({ owner: _owner, asked: _asked, once = null, ...entry }) => ({ ...entry, once })).reverse(),
      as: journalList({ chosen: chooses, open }),
      footer: footers.length === 0 ? undefined : footers.join('\n'),
      code: isDamaged ? 'partly_done' : undefined,
    };
  },
});

/** Without what only svc needs. */
type ListedEntry = Omit<JournalEntry, 'owner' | 'asked' | 'once'> & { readonly once: string | null };

/** `chosen`: only one gateway is listed. */
function journalList({ chosen, open }: { chosen: boolean; open: boolean }): ListOutput<ListedEntry> {
  const sent = `sent from here${chosen ? ' to this gateway' : ''}`;
  return {
    kind: 'list',
    columns: [
      { name: 'time', cell: ({ at }) => ({ time: at }) },
      { name: 'gateway', cell: ({ base_url }) => base_url, ...(chosen ? { wide: true } : {}) },
      { name: 'command', cell: ({ command }) => command },
      { name: 'outcome', cell: outcomeCell, vital: true },
      { name: 'order-ids', cell: ({ order_ids }) => order_ids },
      { name: 'key', cell: ({ once }) => once },
      { name: 'form', cell: formCell, shrinks: true },
      { name: 'message', cell: ({ message }) => message, shrinks: true },
      { name: 'id', cell: ({ id }) => id, brief: true },
    ],
    id: ({ id }) => id,
    empty: open ? `no unknown outcomes among the orders ${sent}` : `no orders were ${sent}`,
  };
}
