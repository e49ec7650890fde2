/** How placed orders, changes and previews of orders are shown. */
import { type ErrorCode, SvcError } from '../../../errors.ts';
import { shellWord } from '../../../output/escape.ts';
import type { Cell, ListOutput, RecordOutput, Tone } from '../../../output/types.ts';
import type { FillReport, FillStatus } from './fills.ts';
import type { Outcome } from './placing.ts';
import { accountText, exitText, type OrderPreview, trailText } from './preview.ts';
import type { Fill, Fills } from './state.ts';

export interface ChangeRow {
  /** As typed: `close`, `orders cancel`. */
  readonly command: string;
  /** The path: one command may send several requests. */
  readonly request: string;
  readonly trade_id: string | null;
  readonly order_id: string | null;
  /** Null if the request names none. */
  readonly symbol: string | null;
  readonly account_id: string | null;
  /** `not_sent`: nothing left this machine. */
  readonly outcome: 'accepted' | 'refused' | 'unknown' | 'not_sent';
  /** The orders that it created. */
  readonly order_ids: readonly string[];
  /** Orders that ended together with it. */
  readonly along: readonly string[];
  readonly message: string | null;
  /** The failure, with the names of an error on stderr. */
  readonly code: ErrorCode | null;
  readonly server_code: string | number | null;
  readonly http_status: number | null;
  readonly journal_id: string | null;
}

/** Of `close`. Null and empty without `--wait`, or if nothing was accepted. */
export interface CloseRow extends ChangeRow {
  readonly status: FillStatus | null;
  readonly closed_trades: readonly Fill[];
}

/** The exit status for an unreachable gateway. */
const UNAVAILABLE = 7;
const UNKNOWN: ReadonlySet<ErrorCode> = new Set(['outcome_unknown', 'not_as_asked']);

export function isUnknown({ code }: SvcError): boolean {
  return UNKNOWN.has(code);
}

export function rowOf({ planned, placed, error }: Outcome): ChangeRow {
  const { request, tradeId = null, orderId = null, accountId = null, along = [] } = planned;
  const { symbol = '' } = request.form;
  const isAccepted = placed !== undefined && error === undefined;
  return {
    command: request.command,
    request: request.endpoint.path,
    trade_id: tradeId,
    order_id: orderId,
    symbol: symbol === '' ? null : String(symbol),
    account_id: accountId,
    outcome: placed === undefined ? 'not_sent' : outcomeOf(error),
    // Some responses name the changed order itself.
    order_ids: placed?.orderIds.filter((id) => id !== orderId) ?? [],
    along: isAccepted ? along : [],
    message: error?.message ?? (isAccepted ? null : 'skipped because an earlier request failed'),
    code: error?.code ?? null,
    server_code: error?.more?.['server_code'] ?? null,
    http_status: error?.httpStatus ?? null,
    journal_id: error === undefined ? null : (placed?.journalId ?? null),
  };
}

export function closeRowOf(outcome: Outcome): CloseRow {
  const { status = null, closed_trades = [] } = outcome.report ?? {};
  return { ...rowOf(outcome), status, closed_trades };
}

function outcomeOf(error: SvcError | undefined): ChangeRow['outcome'] {
  if (error === undefined) return 'accepted';
  if (isUnknown(error)) return 'unknown';
  // For a write this means that nothing was sent.
  return error.exit === UNAVAILABLE ? 'not_sent' : 'refused';
}

/** What to do next, each hint once. */
export function hintsOf(outcomes: readonly Outcome[]): string | undefined {
  const hints = new Set(outcomes.flatMap(({ error }) => error?.hint ?? []));
  const fills = outcomes.flatMap(({ planned, placed, report }) => {
    if (report === undefined) return [];
    const { orderIds = [] } = placed ?? {};
    const which = orderIds.length === 0 ? `the request ${planned.request.what}` : `order ${orderIds.join(', ')}`;
    return fillFooter(which, orderIds.length === 1 ? (orderIds[0] ?? null) : null, report) ?? [];
  });
  const lines = [...hints, ...fills];
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** An unknown outcome takes precedence over all others. */
export function codeOf(outcomes: readonly Outcome[]): ErrorCode | undefined {
  const ends = outcomes.map(({ error, report }) => error?.code ?? (report && FILL_CODES[report.status]));
  const codes = new Set(ends.filter((code) => code !== undefined));
  const [only] = codes;
  if (only === undefined) return undefined;
  const unknown = [...UNKNOWN].find((code) => codes.has(code));
  if (unknown !== undefined) return unknown;
  const someDone = outcomes.some(({ placed }, index) => placed !== undefined && ends[index] === undefined);
  return codes.size > 1 || someDone ? 'partly_done' : only;
}

/** `orders 1, 2`, and `request` where the response names none. */
export function ordersText(ids: readonly string[]): string {
  return ids.length === 0 ? 'request' : `order${ids.length > 1 ? 's' : ''} ${ids.join(', ')}`;
}

/** A failure while accepted orders are waited for: says that they were accepted. */
export function acceptedBut(error: unknown, ids: readonly string[]): unknown {
  if (!(error instanceof SvcError)) return error;
  const list = ids.length === 1 ? `orders get ${shellWord(ids[0] ?? '')}` : 'orders';
  return new SvcError(error.code, `${error.message}: ${ordersText(ids)} accepted, and now open or filled`, {
    hint: `svc trade ${list}, svc trade positions`,
    more: { order_id: ids.length === 0 ? undefined : ids.join(' ') },
    cause: error,
  });
}

const TONES: Readonly<Record<ChangeRow['outcome'], Tone>> = {
  accepted: 'good',
  refused: 'bad',
  unknown: 'bad',
  not_sent: 'warn',
};

const ID_COLUMNS: ListOutput<ChangeRow>['columns'] = [
  { name: 'command', cell: ({ command }) => command },
  { name: 'of', cell: subject },
  { name: 'outcome', cell: ({ outcome }) => ({ text: outcome, tone: TONES[outcome] }) },
];

const MORE_COLUMNS: ListOutput<ChangeRow>['columns'] = [
  { name: 'order-ids', cell: ({ order_ids }) => order_ids },
  { name: 'message', cell: ({ message, along }) => message ?? alongText(along), shrinks: true },
  { name: 'request', cell: ({ request }) => request, wide: true },
];

export const CHANGE_LIST: ListOutput<ChangeRow> = {
  kind: 'list',
  columns: [...ID_COLUMNS, ...MORE_COLUMNS],
  // Only accepted requests have an id to use next.
  id: ({ outcome, order_ids, order_id, trade_id }) =>
    outcome === 'accepted' ? (order_ids[0] ?? order_id ?? trade_id ?? undefined) : undefined,
};

/** What `--wait` shows comes first, for a narrow terminal. */
export const CLOSE_LIST: ListOutput<CloseRow> = {
  ...CHANGE_LIST,
  columns: [
    ...ID_COLUMNS,
    { name: 'status', cell: statusCell },
    {
      name: 'closed',
      cell: ({ closed_trades }) => closed_trades.map(fillText).join(', '),
      shrinks: true,
    },
    ...MORE_COLUMNS,
  ],
};

const STATUS_TONES: Readonly<Record<FillStatus, Tone>> = {
  filled: 'good',
  partly_filled: 'warn',
  pending: 'warn',
  rejected: 'bad',
  unknown: 'bad',
};

function statusCell({ status }: CloseRow): Cell {
  if (status === null) return undefined;
  return { text: status, tone: STATUS_TONES[status] };
}

/** The account if the request concerns all of it. */
export function subject({
  trade_id,
  order_id,
  symbol = null,
  account_id,
}: Pick<ChangeRow, 'trade_id' | 'order_id' | 'account_id'> & Partial<Pick<ChangeRow, 'symbol'>>): Cell {
  if (trade_id !== null) return `trade ${trade_id}`;
  if (order_id !== null) return `order ${order_id}`;
  return symbol ?? (account_id === null ? undefined : `account ${account_id}`);
}

function alongText(along: ChangeRow['along']): string | undefined {
  return along.length === 0 ? undefined : `also ended: ${along.join(', ')}`;
}

export interface OrderReport extends Fills {
  /** Null if the journal has it only as settled by the user. */
  readonly order_id: string | null;
  /** `accepted` without `--wait`. */
  readonly status: 'accepted' | FillStatus;
}

/** By fill status: the code of the exit status. */
export const FILL_CODES: Readonly<Record<FillStatus, ErrorCode | undefined>> = {
  filled: undefined,
  partly_filled: 'partly_done',
  rejected: 'refused',
  pending: 'still_pending',
  unknown: 'outcome_unknown',
};

/** With the code of the exit status, and a footer for the terminal. */
export function reportedOrder(orderId: string | null, { status, trades, closed_trades, reason }: FillReport) {
  return {
    value: { order_id: orderId, status, trades, closed_trades } satisfies OrderReport,
    code: FILL_CODES[status],
    footer: fillFooter(orderId === null ? 'the order' : `order ${orderId}`, orderId, { status, reason }),
  };
}

/** `orderId` is null if the response named no order, or several. */
export function fillFooter(
  which: string,
  orderId: string | null,
  { status, reason }: Pick<FillReport, 'status' | 'reason'>,
): string | undefined {
  const check = 'check svc trade orders and svc trade positions';
  switch (status) {
    case 'filled':
      return undefined;
    case 'partly_filled':
    case 'rejected':
      return reason === null ? undefined : `${which}: ${reason}`;
    case 'pending':
      if (reason !== null) return `${which} was accepted, but ${reason}; it may be open or filled; ${check}`;
      return orderId === null
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
  partly_filled: { text: 'ended, partly filled', tone: 'warn' },
  rejected: { text: 'ended without a fill', tone: 'bad' },
  pending: { text: 'not completely filled yet', tone: 'warn' },
  unknown: { text: 'outcome unknown', tone: 'bad' },
};

export const ORDER_REPORT: RecordOutput<OrderReport> = {
  kind: 'record',
  columns: [
    { name: 'order-id', cell: ({ order_id }) => order_id ?? undefined },
    { name: 'status', cell: ({ status }) => status },
    { name: 'trades', cell: ({ trades }) => trades.map(fillText) },
    { name: 'closed-trades', cell: ({ closed_trades }) => closed_trades.map(fillText) },
  ],
  id: ({ order_id }) => order_id ?? undefined,
  line: ({ order_id, status, trades, closed_trades }) => [
    order_id === null ? `order without a known id: ${status}, as you settled it` : `order ${order_id} accepted`,
    ...trades.map((fill) => `trade ${fillText(fill)} filled`),
    ...closed_trades.map((fill) => `trade ${fillText(fill)} closed`),
    ...[ENDS[status]].filter((end) => end !== undefined),
  ],
};

/** `170162801 5K @ 1.21818`. */
export function fillText({ trade_id, amount_k, rate }: Fill): string {
  return `${trade_id} ${amount_k ?? '?'}K @ ${rate ?? '?'}`;
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
    { name: 'tif', cell: ({ time_in_force }) => time_in_force },
    { name: 'expires', cell: ({ expires }) => (expires === null ? undefined : `${expires} UTC`) },
    { name: 'stop', cell: ({ stop }) => (stop === null ? undefined : exitText(stop)) },
    { name: 'limit', cell: ({ limit }) => (limit === null ? undefined : exitText(limit)) },
    { name: 'stop-trail', cell: ({ trail }) => (trail === null ? undefined : trailText(trail)) },
    { name: 'entry-trail', cell: ({ trail_entry }) => (trail_entry === null ? undefined : trailText(trail_entry)) },
    { name: 'size', cell: ({ sizing }) => sizing?.arithmetic },
    { name: 'pip-value', cell: ({ pip_value }) => moneyText(pip_value) },
    { name: 'spread', cell: ({ spread }) => (spread === null ? undefined : `${spread} pips`) },
    { name: 'swap', cell: ({ swap }) => swap ?? undefined },
    { name: 'margin-needed', cell: ({ margin_needed }) => moneyText(margin_needed) },
    { name: 'margin-left', cell: ({ margin_left }) => moneyText(margin_left) },
    { name: 'refused', cell: ({ refusal }) => (refusal === null ? undefined : { text: refusal, tone: 'bad' }) },
    { name: 'warnings', cell: ({ warnings }) => warnings.map((text) => ({ text, tone: 'warn' as const })) },
  ],
  id: ({ account_id }) => account_id,
};

function moneyText(money: number | null): string | undefined {
  return money?.toFixed(2);
}

export function reportOrPreview({ preview }: { readonly preview: boolean }) {
  return preview ? ORDER_PREVIEW : ORDER_REPORT;
}
