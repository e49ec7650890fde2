/** How placed orders and previews are shown. */
import type { ErrorCode } from '../../../errors.ts';
import { shellWord } from '../../../output/escape.ts';
import type { Cell, RecordOutput } from '../../../output/types.ts';
import type { FillReport, FillStatus } from './fills.ts';
import { accountText, exitText, type OrderPreview, trailText } from './preview.ts';
import type { Fill, Fills } from './state.ts';

export interface OrderReport extends Fills {
  readonly orderId: string;
  /** `accepted` without `--wait`. */
  readonly status: 'accepted' | FillStatus;
}

export function acceptedOrder(orderId: string): OrderReport {
  return { orderId, status: 'accepted', trades: [], closedTrades: [] };
}

/** With the code of the exit status, and a footer for the terminal. */
export interface ReportedOrder {
  readonly value: OrderReport;
  readonly code: ErrorCode | undefined;
  readonly footer: string | undefined;
}

/** By fill status: the code of the exit status. */
export const FILL_CODES: Readonly<Record<FillStatus, ErrorCode | undefined>> = {
  filled: undefined,
  partial: 'partly_done',
  rejected: 'refused',
  pending: 'still_pending',
  unknown: 'outcome_unknown',
};

export function reportedOrder(orderId: string, { status, trades, closedTrades, reason }: FillReport): ReportedOrder {
  return {
    value: { orderId, status, trades, closedTrades },
    code: FILL_CODES[status],
    footer: fillFooter(`order ${orderId}`, orderId, { status, reason }),
  };
}

/** `orderId` is undefined if the response named no order. */
export function fillFooter(
  which: string,
  orderId: string | undefined,
  { status, reason }: Pick<FillReport, 'status' | 'reason'>,
): string | undefined {
  const check = 'check svc trade orders and svc trade positions';
  switch (status) {
    case 'filled':
      return undefined;
    case 'partial':
    case 'rejected':
      return reason === null ? undefined : `${which}: ${reason}`;
    case 'pending':
      if (reason !== null) return `${which} was accepted, but ${reason}; it may be open or filled; ${check}`;
      return orderId === undefined
        ? `${which} is not complete yet; ${check}`
        : `${which} is still open: svc trade orders get ${shellWord(orderId)}, svc trade positions`;
    case 'unknown':
      return `${which} was accepted and may be open or filled: ${reason}; ${check}`;
  }
}

/** The end of an order's line. */
const ENDS: Readonly<Record<OrderReport['status'], Cell | undefined>> = {
  accepted: undefined,
  filled: undefined,
  partial: { text: 'ended, partly filled', tone: 'warn' },
  rejected: { text: 'ended without a fill', tone: 'bad' },
  pending: { text: 'not completely filled yet', tone: 'warn' },
  unknown: { text: 'outcome unknown', tone: 'bad' },
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
    // After a lost response, the trades are known, but not the order.
    orderId === '' ? 'order accepted' : `order ${orderId} accepted`,
    ...trades.map((fill) => `trade ${fillText(fill)} filled`),
    ...closedTrades.map((fill) => `trade ${fillText(fill)} closed`),
    ...[ENDS[status]].filter((end) => end !== undefined),
  ],
};

/** `170162801 5K @ 1.21818`. */
export function fillText({ tradeId, amountK, rate }: Fill): string {
  return `${tradeId} ${amountK ?? '?'}K @ ${rate ?? '?'}`;
}

interface PreviewedOrder extends OrderPreview {
  /** Why svc would refuse it. */
  readonly refusal: string | null;
}

export const ORDER_PREVIEW: RecordOutput<PreviewedOrder> = {
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
    { name: 'size', cell: ({ sizing }) => sizing?.arithmetic },
    { name: 'pip-value', cell: ({ pipValue }) => moneyText(pipValue) },
    { name: 'spread', cell: ({ spread }) => (spread === null ? undefined : `${spread} pips`) },
    { name: 'swap', cell: ({ swap }) => swap ?? undefined },
    { name: 'margin-needed', cell: ({ marginNeeded }) => moneyText(marginNeeded) },
    { name: 'margin-left', cell: ({ marginLeft }) => moneyText(marginLeft) },
    { name: 'refused', cell: ({ refusal }) => (refusal === null ? undefined : { text: refusal, tone: 'bad' }) },
    { name: 'warnings', cell: ({ warnings }) => warnings.map((text) => ({ text, tone: 'warn' as const })) },
  ],
  id: ({ accountId }) => accountId,
};

function moneyText(money: number | null): string | undefined {
  return money?.toFixed(2);
}

export function reportOrPreview({ preview }: { readonly preview: boolean }) {
  return preview ? ORDER_PREVIEW : ORDER_REPORT;
}
