/** What is told of an order that was accepted. */
import type { ErrorCode } from '../../errors.ts';
import type { FillReport, FillStatus } from './fills.ts';
import type { Fills } from './order-ledger.ts';

export interface OrderReport extends Fills {
  readonly orderId: string;
  /** `accepted` where nobody waited for more. */
  readonly status: 'accepted' | FillStatus;
}

export function acceptedOrder(orderId: string): OrderReport {
  return { orderId, status: 'accepted', trades: [], closedTrades: [] };
}

/** The exit status's code, and what only the person at the terminal is told. */
export interface ReportedOrder {
  readonly value: OrderReport;
  readonly code: ErrorCode | undefined;
  readonly footer: string | undefined;
}

const CODES: Readonly<Record<FillStatus, ErrorCode | undefined>> = {
  filled: undefined,
  partial: 'partly_done',
  rejected: 'refused',
  pending: 'still_pending',
  unknown: 'outcome_unknown',
};

export function reportedOrder(orderId: string, { status, trades, closedTrades, reason }: FillReport): ReportedOrder {
  return {
    value: { orderId, status, trades, closedTrades },
    code: CODES[status],
    footer: footerOf(orderId, status, reason),
  };
}

function footerOf(orderId: string, status: FillStatus, reason: string | null): string | undefined {
  switch (status) {
    case 'filled':
      return undefined;
    case 'partial':
    case 'rejected':
      return reason === null ? undefined : `order ${orderId}: ${reason}`;
    case 'pending':
      return reason === null
        ? `order ${orderId} still stands: svc trade order get ${orderId}, svc trade positions`
        : `order ${orderId} was accepted, and ${reason}: it may stand or be filled; look with svc trade orders and svc trade positions`;
    case 'unknown':
      return `order ${orderId} was accepted and may stand or be filled: ${reason}; look with svc trade orders and svc trade positions`;
  }
}
