/** What became of requests that change or end something, a row each. */
import type { Cell, ListOutput, Tone } from '../../output/types.ts';
import type { BatchRow, ChangeRow, CloseRow } from './change-row.ts';
import { fillText } from './orders.ts';

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

/** What became of it comes first, for a narrow terminal. */
const WAITED_LIST: ListOutput<CloseRow> = {
  ...CHANGE_LIST,
  columns: [
    ...columnsOf(['command', 'of', 'outcome']),
    { name: 'status', cell: statusCell },
    { name: 'closed', cell: ({ closedTrades }) => closedTrades.map(fillText).join(', '), flex: true },
    { name: 'opened', cell: ({ trades }) => trades.map(fillText).join(', '), flex: true },
    ...columnsOf(['message']),
    // They are told before the wait.
    ...columnsOf(['order-ids', 'request']).map((column) => ({ ...column, wide: true as const })),
  ],
};

function columnsOf(names: readonly string[]): ListOutput<CloseRow>['columns'] {
  return CHANGE_LIST.columns.filter(({ name }) => names.includes(name));
}

/** Of a closing that nobody waits for nothing more is known. */
export function closeList({ wait }: { readonly wait?: number | undefined }): ListOutput<CloseRow> {
  return wait === undefined ? CHANGE_LIST : WAITED_LIST;
}

function statusCell({ status }: CloseRow): Cell {
  if (status === null) return undefined;
  return {
    text: status,
    tone: status === 'filled' ? 'good' : status === 'rejected' || status === 'unknown' ? 'bad' : 'warn',
  };
}

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
