/** What `trade dashboard` shows: as data, and as tables. */
import { fixedText } from '../../output/decimal.ts';
import type { Column, Dashboard, ListOutput } from '../../output/types.ts';
import { ACCOUNT_LIST, ORDER_LIST, SUMMARY_LIST } from './columns.ts';
import { age } from './gateway/connection-state.ts';
import type { TradingSession } from './gateway/trading-session.ts';
import { type MarketHours, marketHours } from './market-hours.ts';
import { ACCOUNT_SUMS, SUMMARY_SUMS, summaryOf } from './position-summary.ts';
import type { Account, Order, Summary } from './schema.ts';
import { liveRows } from './tables/live-source.ts';
import { type RowFilter, rowFilter } from './tables/trading-rows.ts';
import type { Moment, Watched } from './tables/watching.ts';
import { totalOf } from './totals.ts';

/** What svc prints as JSON. Rows have the gateway's field names. */
export interface Overview {
  readonly at: string;
  readonly session: SessionState;
  readonly market: MarketHours['state'];
  readonly totals: { readonly accounts: Partial<Account>; readonly positions: Partial<Summary> };
  readonly accounts: readonly Account[];
  /** Open positions by symbol. */
  readonly positions: readonly Summary[];
  readonly orders: readonly Order[];
}

interface SessionState {
  readonly state: 'connected' | 'unreachable';
  readonly transport: string | null;
  /** Since when it is connected, or not. */
  readonly since: string;
  readonly last_push: string | null;
  /** The latest response to a heartbeat. */
  readonly last_heartbeat: string | null;
  readonly gaps: number;
  /** Why the gateway is unreachable, or the rows are out of date. */
  readonly reason: string | null;
  /** The time of the rows. */
  readonly data_of: string;
}

/** The three tables of a dashboard, for all accounts or one. */
export class OverviewSource implements Watched {
  readonly #accounts = liveRows('Account');
  readonly #positions = liveRows('OpenPosition');
  readonly #orders = liveRows('Order');
  readonly #filter: RowFilter;
  readonly #now: () => number;
  readonly #parts = [this.#accounts, this.#positions, this.#orders];
  readonly wanted = { models: this.#parts.flatMap(({ wanted }) => wanted.models), symbols: [] };
  #readAt = 0;

  constructor(filter: RowFilter, now: () => number) {
    this.#filter = filter;
    this.#now = now;
  }

  static async of(account: string | undefined, open: TradingSession, now: () => number): Promise<OverviewSource> {
    return new OverviewSource(await rowFilter({ symbol: undefined, account }, open), now);
  }

  snapshot: Watched['snapshot'] = async (trading) => {
    for (const part of this.#parts) await part.snapshot(trading);
    this.#readAt = this.#now();
  };

  take: Watched['take'] = (push) => this.#parts.every((part) => part.take(push));

  overview({ at, state, session }: Moment): Overview {
    const { apply } = this.#filter;
    const { isConnected, since, lastPushAt, gaps } = state.facts;
    const accounts = apply(this.#accounts.changes().rows);
    const positions = summaryOf(apply(this.#positions.changes().rows));
    const { currency: _name, isTotal: _is, ...positionTotals } = totalOf(positions, 'currency', SUMMARY_SUMS);
    const { accountId: _id, isTotal: _too, ...accountTotals } = totalOf(accounts, 'accountId', ACCOUNT_SUMS);
    return {
      at: iso(at),
      session: {
        state: isConnected ? 'connected' : 'unreachable',
        transport: session.transport ?? null,
        since: iso(since),
        last_push: lastPushAt === undefined ? null : iso(lastPushAt),
        last_heartbeat: session.heartbeat === undefined ? null : iso(session.heartbeat.answeredAt),
        gaps,
        reason: state.trouble ?? state.stale ?? null,
        data_of: iso(Math.max(this.#readAt, lastPushAt ?? 0)),
      },
      market: marketHours(at).state,
      totals: { accounts: accountTotals, positions: positionTotals },
      accounts,
      positions,
      orders: apply(this.#orders.changes().rows),
    };
  }
}

/** Prices move more often while the market is open. */
const OLD_MS = 10_000;

/** These columns; of those with `!`, a narrow terminal drops none before the others. */
function only<Row>({ columns, ...list }: ListOutput<Row>, names: readonly string[]): ListOutput<Row> {
  const chosen = names.flatMap((name): Column<Row>[] => {
    const found = columns.find((column) => column.name === name.replace('!', ''));
    if (found === undefined) return [];
    const { wide: _wide, vital: _vital, ...column } = found;
    return [{ ...column, optional: true, ...(name.endsWith('!') ? { vital: true } : {}) }];
  });
  return { ...list, columns: chosen };
}

const ACCOUNTS = only(ACCOUNT_LIST, [
  ...['id', 'balance', 'equity!', 'day-pl!', 'gross-pl!', 'usable-margin', 'margin-call!', 'name', 'hedging'],
]);
const ORDERS = only(ORDER_LIST, [
  ...['order-id', 'symbol!', 'side!', 'amount-k!', 'type!', 'rate!', 'stop', 'limit', 'tif', 'state', 'expires'],
  ...['oco', 'account', 'time'],
]);
const POSITIONS: ListOutput<Summary> = { ...SUMMARY_LIST, empty: 'no open positions' };

/** `server` is in the title. */
export function drawn(overview: Overview, server: string, isLive: boolean): Dashboard {
  const { accounts, positions, orders, totals, market } = overview;
  const at = Date.parse(overview.at);
  const old = oldText(overview);
  const since = old === undefined ? '' : ` (${old})`;
  const { dayPL, grossPL } = totals.accounts;
  const sums = [
    ...(dayPL === undefined ? [] : [`P/L today ${fixedText(dayPL, 2)}`]),
    ...(grossPL === undefined ? [] : [`open ${fixedText(grossPL, 2)}`]),
  ].join(', ');
  const tone = dayPL === undefined || dayPL === 0 ? undefined : dayPL < 0 ? 'bad' : 'good';
  return {
    at,
    title: server,
    heading: [...(isLive ? sessionLines(overview, old) : []), ...(sums === '' ? [] : [{ text: sums, tone } as const])],
    tables: [
      {
        title: `ACCOUNTS${since}`,
        list: ACCOUNTS,
        rows: accounts,
        ...(accounts.length > 1 ? { total: { ...totals.accounts, accountId: 'total', isTotal: true } } : {}),
      },
      {
        title: `POSITIONS BY SYMBOL${since}`,
        list: POSITIONS,
        rows: positions,
        ...(positions.length > 1 ? { total: { ...totals.positions, currency: 'total', isTotal: true } } : {}),
      },
      { title: `OPEN ORDERS${since}`, list: ORDERS, rows: orders },
    ],
    ...(isLive ? { footer: `forex market ${market}` } : {}),
  };
}

/** How old the data is, if it is older than it should be. */
function oldText({ at, session, market, positions }: Overview): string | undefined {
  const ms = Date.parse(at) - Date.parse(session.data_of);
  const isSilent = positions.length > 0 && market === 'open' && ms > OLD_MS;
  return session.reason !== null || isSilent ? `${age(ms)} OLD` : undefined;
}

function sessionLines({ at, session }: Overview, old: string | undefined): Dashboard['heading'] {
  const ago = (time: string): string => age(Date.parse(at) - Date.parse(time));
  const { state, since, transport, last_push, last_heartbeat, gaps, reason } = session;
  if (state === 'unreachable') {
    return [
      { text: `NOT CONNECTED for ${ago(since)}: ${reason ?? 'ended'}`, tone: 'bad' },
      { text: `all data is ${old ?? 'old'}; svc is reconnecting`, tone: 'bad' },
    ];
  }
  const facts = [
    `connected (${transport ?? 'no transport'}) for ${ago(since)}`,
    last_push === null ? 'no push yet' : `last push ${ago(last_push)} ago`,
    ...(last_heartbeat === null ? [] : [`heartbeat ${ago(last_heartbeat)} ago`]),
    gaps === 0 ? 'no gaps' : gaps === 1 ? '1 gap' : `${gaps} gaps`,
  ];
  return [
    { text: facts.join('; '), tone: old === undefined ? 'good' : 'warn' },
    ...(old === undefined ? [] : [{ text: reason ?? `no push: the data is ${old}`, tone: 'bad' } as const]),
  ];
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
