/** Orders that are placed, and those that would be, for people: a line for each thing that came of it. */
import type { Cell, RecordOutput } from '../../output/types.ts';
import type { CallsLeft } from './call-limits.ts';
import type { Fill } from './order-ledger.ts';
import type { OrderPreview } from './order-preview.ts';
import { accountText, exitText, trailText } from './order-question.ts';
import type { OrderReport } from './order-report.ts';

/** What is left out of a line is told by its end. */
const ENDS: Readonly<Record<OrderReport['status'], Cell | undefined>> = {
  accepted: undefined,
  filled: undefined,
  partial: { text: 'ended, filled in part', tone: 'warn' },
  rejected: { text: 'ended without a fill', tone: 'bad' },
  pending: { text: 'waited long enough: not filled whole yet', tone: 'warn' },
  unknown: { text: 'not known what became of it', tone: 'bad' },
};

export const ORDER_REPORT: RecordOutput<OrderReport> = {
  kind: 'record',
  columns: [
    { name: 'order-id', cell: ({ orderId }) => orderId },
    { name: 'status', cell: ({ status }) => status },
    { name: 'trades', cell: ({ trades }) => trades.map(fillText) },
    { name: 'closed-trades', cell: ({ closedTrades }) => closedTrades.map(fillText) },
  ],
  id: ({ orderId }) => orderId,
  line: ({ orderId, status, trades, closedTrades }) => [
    `order ${orderId} accepted`,
    ...trades.map((fill) => `trade ${fillText(fill)} filled`),
    ...closedTrades.map((fill) => `trade ${fillText(fill)} closed`),
    ...[ENDS[status]].filter((end) => end !== undefined),
  ],
};

/** `170162801 5K @ 1.21818`. */
export function fillText({ tradeId, amountK, rate }: Fill): string {
  return `${tradeId} ${amountK ?? '?'}K @ ${rate ?? '?'}`;
}

export const ORDER_PREVIEW: RecordOutput<OrderPreview & { readonly callsLeft: readonly CallsLeft[] }> = {
  kind: 'record',
  columns: [
    { name: 'account', cell: accountText },
    { name: 'side', cell: ({ side }) => side },
    { name: 'amount', cell: ({ amount, symbol, notional }) => `${amount} ${symbol} (${notional})` },
    { name: 'order', cell: ({ order }) => order },
    { name: 'rate', cell: ({ rate }) => rate ?? undefined },
    { name: 'bid', cell: ({ bid }) => bid ?? undefined },
    { name: 'ask', cell: ({ ask }) => ask ?? undefined },
    { name: 'tif', cell: ({ timeInForce }) => timeInForce },
    { name: 'expires', cell: ({ expires }) => (expires === null ? undefined : `${expires} UTC`) },
    { name: 'stop', cell: ({ stop }) => (stop === null ? undefined : exitText(stop)) },
    { name: 'limit', cell: ({ limit }) => (limit === null ? undefined : exitText(limit)) },
    { name: 'stop-trail', cell: ({ trail }) => (trail === null ? undefined : trailText(trail)) },
    { name: 'entry-trail', cell: ({ trailEntry }) => (trailEntry === null ? undefined : trailText(trailEntry)) },
    { name: 'warnings', cell: ({ warnings }) => warnings.map((text) => ({ text, tone: 'warn' as const })) },
    {
      name: 'calls-left',
      cell: ({ callsLeft }) => callsLeft.map(({ does, left, max }) => `${left} of ${max}: ${does}`),
    },
  ],
  id: ({ accountId }) => accountId,
};

export function reportOrPreview({ preview }: { readonly preview: boolean }) {
  return preview ? ORDER_PREVIEW : ORDER_REPORT;
}
