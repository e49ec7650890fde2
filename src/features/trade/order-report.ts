/** What is told of an order that was accepted. */

import type { ErrorCode } from '../../errors.ts';
import { shellWord } from '../../http/as-curl.ts';
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

/** What the exit status says of it. */
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

/** What is told below it; `which` names it. `orderId` is undefined where its answer named none. */
export function fillFooter(
  which: string,
  orderId: string | undefined,
  { status, reason }: Pick<FillReport, 'status' | 'reason'>,
): string | undefined {
  const look = 'look with svc trade orders and svc trade positions';
  switch (status) {
    case 'filled':
      return undefined;
    case 'partial':
    case 'rejected':
      return reason === null ? undefined : `${which}: ${reason}`;
    case 'pending':
      if (reason !== null) return `${which} was accepted, and ${reason}: it may stand or be filled; ${look}`;
      return orderId === undefined
        ? `${which} is not done whole yet; ${look}`
        : `${which} still stands: svc trade order get ${shellWord(orderId)}, svc trade positions`;
    case 'unknown':
      return `${which} was accepted and may stand or be filled: ${reason}; ${look}`;
  }
}
