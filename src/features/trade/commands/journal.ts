import { listCommand } from '../../../cli/command.ts';
import type { ListOutput } from '../../../output/types.ts';
import type { JournalEntry } from '../../../store/order-journal.ts';
import { formCell, outcomeCell } from '../columns.ts';

export const tradeJournal = listCommand({
  id: 'trade journal',
  summary: 'List what was sent to trade from this machine, and what became of it',
  description:
    'Reads only this disk. Each order is written down before it is sent, so an outcome "unknown" is one whose answer was lost, or whose svc was killed: find out what became of it with svc trade journal settle before you send it again. The newest comes first. Where an address is configured, or given by --base-url, only what was sent to that gateway is listed.',
  effect: 'read',
  service: 'trade',
  flags: {
    open: { type: 'boolean', help: 'Only those whose outcome is unknown' },
    'all-gateways': { type: 'boolean', help: 'Also what was sent to other addresses' },
    limit: { type: 'integer', value: 'n', min: 0, help: 'At most so many' },
  },
  examples: [
    { run: 'svc trade journal --open', why: 'List the orders whose outcome is unknown' },
    { run: 'svc trade journal --all-gateways -o ndjson', why: 'Everything, an order a line' },
  ],
  output: journalList({ chosen: true, open: false }),
  async run({ open, allGateways }, ctx) {
    const { mayBeOf, readJournal } = await import('../../../store/order-journal.ts');
    const isOpen = ({ outcome }: JournalEntry): boolean => outcome === 'unknown';
    const wanted = (await readJournal(ctx.paths)).filter((entry) => !open || isOpen(entry));
    const chooses = !allGateways && ctx.settings.get('trade.url') !== undefined;
    const own = chooses ? wanted.filter((entry) => mayBeOf(ctx.target.baseUrl, entry)) : wanted;
    const others = wanted.length - own.length;
    const unknown = own.filter(isOpen).length;
    const footers = [
      ...(unknown === 0 ? [] : [`${unknown} with an unknown outcome: svc trade journal settle`]),
      ...(others === 0 ? [] : [`${others} of other gateways: --all-gateways`]),
    ];
    return {
      value: [...own].reverse(),
      as: journalList({ chosen: chooses, open }),
      footer: footers.length === 0 ? undefined : footers.join('\n'),
    };
  },
});

/** `chosen`: what was sent to one gateway alone. */
function journalList({ chosen, open }: { chosen: boolean; open: boolean }): ListOutput<JournalEntry> {
  const sent = `sent from here${chosen ? ' to this gateway' : ''}`;
  return {
    kind: 'list',
    columns: [
      { name: 'time', cell: ({ at }) => ({ time: at }) },
      { name: 'gateway', cell: ({ base_url }) => base_url, ...(chosen ? { wide: true } : {}) },
      { name: 'command', cell: ({ command }) => command },
      { name: 'outcome', cell: outcomeCell },
      { name: 'order-ids', cell: ({ order_ids }) => order_ids },
      { name: 'form', cell: formCell, flex: true },
      { name: 'message', cell: ({ message }) => message, flex: true },
      { name: 'id', cell: ({ id }) => id, wide: true },
    ],
    id: ({ id }) => id,
    empty: open ? `nothing that was ${sent} is open` : `no orders were ${sent}`,
  };
}
