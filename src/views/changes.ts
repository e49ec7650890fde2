/** What became of requests that change or end something, a row each. */
import type { Cell, ListOutput, Tone } from '../output/types.ts';
import type { BatchRow, ChangeRow } from '../services/trading/change-row.ts';

const TONES: Readonly<Record<ChangeRow['outcome'], Tone>> = {
  accepted: 'good',
  refused: 'bad',
  unknown: 'bad',
  not_sent: 'warn',
};

export const CHANGE_LIST: ListOutput<ChangeRow> = {
  kind: 'list',
  columns: [
    { name: 'command', cell: ({ command }) => command },
    { name: 'of', cell: subject },
    { name: 'outcome', cell: ({ outcome }) => ({ text: outcome, tone: TONES[outcome] }) },
    { name: 'order-ids', cell: ({ orderIds }) => orderIds },
    { name: 'message', cell: ({ message, along }) => message ?? alongText(along), flex: true },
    { name: 'request', cell: ({ request }) => request, wide: true },
  ],
  // Of what was not done there is nothing to go on with.
  id: ({ outcome, orderIds, orderId, tradeId }) =>
    outcome === 'accepted' ? (orderIds[0] ?? orderId ?? tradeId ?? undefined) : undefined,
};

export const BATCH_LIST: ListOutput<BatchRow> = {
  ...CHANGE_LIST,
  columns: [{ name: 'line', cell: ({ line }) => line, align: 'right' }, ...CHANGE_LIST.columns],
};

function subject({ tradeId, orderId }: ChangeRow): Cell {
  return tradeId === null ? (orderId === null ? undefined : `order ${orderId}`) : `trade ${tradeId}`;
}

function alongText(along: ChangeRow['along']): string | undefined {
  return along.length === 0 ? undefined : `with it ended ${along.join(', ')}`;
}
