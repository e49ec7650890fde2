/** Prices as rows of a stream and lines of a recording: docs/tick-files.md is the format. */
import type { Cell, Column, ListOutput } from '../../../output/types.ts';
import { type Price, readPush } from '../gateway/push.ts';
import type { SessionEvent } from '../gateway/session-types.ts';
import { outageLine } from './stream-event.ts';
import type { StreamLines } from './stream-rows.ts';

export interface Tick {
  /** RFC 3339 in UTC, by the gateway's clock, or the time of arrival if the gateway sent none. */
  readonly time: string;
  readonly symbol: string;
  readonly bid: number;
  readonly ask: number;
  /** Of the session. */
  readonly high: number | null;
  readonly low: number | null;
}

/** Ticks may be missing after it. */
export interface TickEvent {
  readonly event: 'unreachable' | 'recovered' | 'gap' | 'closed';
  readonly at: string;
  readonly reason?: string;
  /** Of a gap. */
  readonly from?: string;
  readonly to?: string;
}

export type TickRow = Tick | TickEvent;

export const TICK_FIELDS = ['time', 'symbol', 'bid', 'ask', 'high', 'low'] as const;

export function isTick(row: TickRow): row is Tick {
  return 'symbol' in row;
}

/** `precision`: of a symbol's rates, where people read them. */
export const TICK_LIST: ListOutput<TickRow> = {
  kind: 'list',
  columns: TICK_FIELDS.map(
    (name): Column<TickRow> => ({
      name,
      cell: (row) => (isTick(row) ? row[name] : undefined),
      ...(name === 'time' || name === 'symbol' ? {} : { align: 'right' }),
    }),
  ),
  id: (row) => (isTick(row) ? row.symbol : undefined),
  live: (row): readonly Cell[] => {
    if (isTick(row)) return [{ text: row.time.slice(11), tone: 'dim' }, row.symbol, row.bid, row.ask];
    const { event, at, reason, from, to } = row;
    const missed = from === undefined ? reason : `no data from ${from} to ${to}: ${reason}`;
    return [at.slice(11), { text: event, tone: event === 'recovered' ? 'good' : 'bad' }, missed];
  },
  linesPerSecond: 50,
};

function tickOf({ symbol, at, bid, ask, high, low }: Price, arrived: string): Tick {
  const time = at === undefined || Math.abs(at) > LAST_INSTANT ? arrived : new Date(at).toISOString();
  return { time, symbol, bid, ask, high: high ?? null, low: low ?? null };
}

/** The range of `Date`. */
const LAST_INSTANT = 8.64e15;

/** `events`: whether outages are rows as well. */
export function tickLines({ events }: { readonly events: boolean }): StreamLines<TickRow> {
  return {
    pushed(name, payload, at) {
      const push = readPush(name, payload);
      return push === undefined ? undefined : push.kind === 'price' ? tickOf(push, at) : null;
    },
    outage: (event) => (events ? outageLine(event) : null),
    connection: (event, at) => (events ? connectionLine(event, at) : null),
  };
}

function connectionLine(event: Extract<SessionEvent, { kind: 'gap' | 'closed' }>, at: string): TickEvent {
  const { kind, reason } = event;
  if (kind === 'closed') return { event: kind, at, reason };
  return { event: kind, at, from: new Date(event.from).toISOString(), to: new Date(event.to).toISOString(), reason };
}
