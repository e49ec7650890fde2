/** What became of one request that changes or ends something. */
import type { ErrorCode } from '../../errors.ts';
import type { FillStatus } from './fills.ts';
import type { Fill, Fills } from './order-ledger.ts';

export interface ChangeRow {
  /** As typed: `close`, `order cancel`. */
  readonly command: string;
  /** The path: one command may take several requests. */
  readonly request: string;
  /** Of what it was about. */
  readonly tradeId: string | null;
  readonly orderId: string | null;
  /** `not_sent` means that nothing has left this machine. */
  readonly outcome: 'accepted' | 'refused' | 'unknown' | 'not_sent';
  /** Of the orders that it made. */
  readonly orderIds: readonly string[];
  /** Orders that ended together with it. */
  readonly along: readonly string[];
  readonly message: string | null;
  /** Of the failure, named as in an error on stderr. */
  readonly code: ErrorCode | null;
  readonly server_code: string | number | null;
  readonly http_status: number | null;
  readonly journal_id: string | null;
}

/** Of a closing. Null and empty where nobody waited, or nothing was accepted. */
export interface CloseRow extends ChangeRow, Fills {
  readonly status: FillStatus | null;
  /** Opened by it after all, where an account does not hedge. */
  readonly trades: readonly Fill[];
}

/** Of a line of a batch: one that takes several requests has as many rows. */
export interface BatchRow extends ChangeRow {
  readonly line: number;
}
