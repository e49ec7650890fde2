import { recordCommand } from '../../../cli/command.ts';
import type { Cell } from '../../../output/types.ts';
import type { Session } from '../gateway/session.ts';
import { openTradingSession, SESSION_FLAGS } from '../gateway/trading-session.ts';

interface Ping {
  readonly baseUrl: string;
  /** That a stream would use. */
  readonly transport: 'polling' | 'websocket' | null;
  readonly handshakeMs: number;
  readonly roundTripsMs: readonly number[];
  readonly pingIntervalMs: number | null;
  readonly pingTimeoutMs: number | null;
  /** The gateway's clock minus ours; null if its responses have no date. */
  readonly clockSkewMs: number | null;
}

/** The Date header has whole seconds. */
const EXACT_MS = 1_000;
/** Beyond this, times of orders and candles mislead. */
const TOLERATED_SKEW_MS = 5_000;

export const tradePing = recordCommand({
  id: 'trade ping',
  summary: 'Measure the connection to the trading gateway',
  description:
    'Opens a session and times a few requests that count towards no rate limit. Exits 7 if the gateway cannot be reached and 4 if it refuses the token.',
  details:
    'JSON times are in milliseconds. clockSkewMs is the clock of the gateway minus the clock of this machine, to the second. The request reads the list of instruments, which is as seen on the public implementation.',
  effect: 'read',
  service: 'trade',
  flags: {
    count: { type: 'integer', value: 'n', min: 1, max: 1000, default: 3, help: 'Number of requests' },
    interval: { type: 'duration', formerly: ['every'], default: '1s', help: 'Time between requests' },
    ...SESSION_FLAGS,
  },
  examples: [
    { run: 'svc trade ping', why: 'Time three requests' },
    { run: 'svc trade ping --count 60 -o json --fields roundTripsMs', why: 'Measure for a minute' },
  ],
  output: {
    kind: 'record',
    columns: [
      { name: 'base-url', cell: ({ baseUrl }) => baseUrl },
      { name: 'transport', cell: ({ transport }) => transport },
      { name: 'handshake', cell: ({ handshakeMs }) => `${handshakeMs} ms` },
      { name: 'round-trip', cell: roundTripCell },
      { name: 'trend', cell: ({ roundTripsMs }) => (roundTripsMs.length > 1 ? { spark: roundTripsMs } : undefined) },
      { name: 'heartbeat', cell: heartbeatCell },
      { name: 'clock', cell: clockCell },
    ],
    id: ({ baseUrl }) => baseUrl,
  },
  async run(input, ctx) {
    const { session, trading } = await openTradingSession(ctx, input);
    try {
      // Tries a websocket, as a stream does.
      session.events();
      const handshakeMs = await timed(() => session.connect());
      const roundTripsMs: number[] = [];
      for (let asked = 0; asked < input.count; asked++) {
        if (asked > 0) await ctx.sleep(input.interval, ctx.signal);
        roundTripsMs.push(await timed(() => trading.instruments()));
      }
      await session.settled();
      const value = { baseUrl: ctx.target.baseUrl.href, handshakeMs, roundTripsMs, ...connectionOf(session) };
      return { value };
    } finally {
      await session.close();
    }
  },
});

function connectionOf({ transport, heartbeat, clockSkewMs }: Session) {
  return {
    transport: transport ?? null,
    pingIntervalMs: heartbeat?.pingIntervalMs ?? null,
    pingTimeoutMs: heartbeat?.pingTimeoutMs ?? null,
    clockSkewMs: clockSkewMs ?? null,
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.round((performance.now() - began) * 10) / 10;
}

function roundTripCell({ roundTripsMs }: Ping): Cell {
  const sorted = [...roundTripsMs].sort((a, b) => a - b);
  const [least] = sorted;
  if (sorted.length === 1) return `${least} ms`;
  return `${sorted[Math.floor(sorted.length / 2)]} ms (${least} to ${sorted.at(-1)}, ${sorted.length} requests)`;
}

function heartbeatCell({ pingIntervalMs, pingTimeoutMs }: Ping): Cell {
  if (pingIntervalMs === null || pingTimeoutMs === null) return undefined;
  return `every ${pingIntervalMs / 1000} s, timeout ${pingTimeoutMs / 1000} s`;
}

function clockCell({ clockSkewMs }: Ping): Cell {
  if (clockSkewMs === null) return undefined;
  const seconds = Math.round(Math.abs(clockSkewMs) / 1000);
  if (Math.abs(clockSkewMs) <= EXACT_MS) return 'in sync';
  const text = `${seconds} s ${clockSkewMs > 0 ? 'ahead of' : 'behind'} this machine`;
  return Math.abs(clockSkewMs) > TOLERATED_SKEW_MS ? { text, tone: 'warn' } : text;
}
