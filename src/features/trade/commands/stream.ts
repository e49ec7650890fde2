import { listCommand, type RunContext } from '../../../cli/command.ts';
import type { Cell, ListOutput, Tone } from '../../../output/types.ts';
import { readPush } from '../gateway/push.ts';
import type { Outage } from '../gateway/reconnecting.ts';
import type { SessionEvent } from '../gateway/session.ts';
import { FEED_FLAGS, type Feed, openFeed, parseUntil } from '../gateway/trading-feed.ts';
import { MODEL_NAMES, type ModelName } from '../models.ts';
import { wantedOf } from '../tables/lookups.ts';

/** The payload as the gateway sent it: numbers keep their digits, and records their order. */
const PAYLOAD = Symbol('payload');

/** For scripts, with the record exactly as the gateway sent it. */
interface StreamEvent extends Partial<OutageLine> {
  /** The time of arrival by our clock: RFC 3339. */
  readonly ts: string;
  /** Insert, update and delete are the gateway's own letters. */
  readonly kind: 'I' | 'U' | 'D' | 'price' | 'other' | 'gap' | Outage['kind'];
  readonly table: ModelName | null;
  /** Identifies a row in its table; for a price the symbol, else the name of the push. */
  readonly key: string | null;
  readonly data: unknown;
  readonly [PAYLOAD]?: string;
}

/** An outage, as all streams of svc print it. */
interface OutageLine {
  readonly event: Outage['kind'];
  readonly at: string;
  readonly reason?: string;
}

const STREAM_LIST: ListOutput<StreamEvent> = {
  kind: 'list',
  columns: [
    { name: 'ts', cell: ({ ts }) => ts },
    { name: 'kind', cell: ({ kind }) => kind },
    { name: 'table', cell: ({ table }) => table },
    { name: 'key', cell: ({ key }) => key },
    { name: 'data', cell: ({ data }) => JSON.stringify(data), shrinks: true },
  ],
  id: ({ key }) => key ?? undefined,
  json: jsonLine,
  live: liveCells,
};

export const tradeStream = listCommand({
  id: 'trade stream',
  summary: 'Stream prices and table changes as they are pushed',
  description: `Subscribes to symbols and to the tables ${MODEL_NAMES.join(', ')} (exact spelling). Prints every push. Reconnects after an outage and reports what was missed as a gap.`,
  details: `Each NDJSON line is {"ts","kind","table","key","data"}. ts is the time of arrival by this machine's clock. data is the record as received. kind is I, U or D for a row that was inserted, updated or deleted (an update may have only the changed fields); price; other for unknown records; and unreachable, stale, recovered or gap for the connection. The form of a price and the actions U and D are as seen on the public implementation.
When the gateway cannot be reached, also at the start, {"event":"unreachable","at","reason"} is printed at once, and {"event":"recovered","at"} when it can be reached again, together with the usual keys. svc then reconnects and resubscribes. gap says between which times pushes are missing; svc trade watch reads the tables again. {"event":"stale","at","reason"} is printed if no push came for a minute although prices of forex are followed and the market is open by its usual hours; recovered follows with the next push. If the connection is lost for good, or --until ends the stream while the gateway is unreachable, the exit status is 7.
--until counts only pushes. The gateway waits for a slow reader. By polling it then sends all at once, and more than 16 MiB end the stream with exit 7.`,
  effect: 'read',
  service: 'trade',
  streams: () => true,
  args: { what: { help: 'A symbol such as EUR/USD, or a table such as Order', required: true, repeat: true } },
  flags: FEED_FLAGS,
  examples: [
    { run: 'svc trade stream EUR/USD USD/JPY', why: 'Follow two prices' },
    {
      run: 'svc trade stream Order OpenPosition -o ndjson',
      why: 'Follow orders and positions in a program',
    },
  ],
  output: STREAM_LIST,
  run: async (input, ctx) => ({ value: followEvents(input, ctx) }),
});

interface StreamInput {
  readonly what: readonly string[];
  readonly until: string | undefined;
  readonly reconnect: boolean;
}

/** Yields a row for each push, outage and gap. */
async function* followEvents(input: StreamInput, ctx: RunContext): AsyncGenerator<StreamEvent, void, void> {
  const until = parseUntil(input.until);
  const feed = await openFeed(ctx, { reconnect: input.reconnect, ms: until.ms });
  let left = until.pushes;
  try {
    for await (const event of feed.events()) {
      if (event.kind === 'closed') throw event.error;
      const row = streamEvent(event);
      if (row !== null) yield row;
      if (event.kind !== 'push') await beginConnection(event, input.what, feed);
      else if (--left === 0) break;
    }
    feed.checkReachable();
  } finally {
    await feed.end();
  }
}

/** Subscribes unless an earlier connection did: then this one has the same subscriptions. */
async function beginConnection({ kind }: SessionEvent, what: readonly string[], feed: Feed): Promise<void> {
  const isConnected = kind === 'connected' || kind === 'gap';
  if (isConnected && feed.subscribed === undefined) {
    await feed.attempt(async () => feed.subscribe(await wantedOf(what, feed.open)));
  }
  feed.startTimer();
}

function streamEvent(event: SessionEvent): StreamEvent | null {
  switch (event.kind) {
    case 'push':
      return pushedEvent(event);
    case 'gap': {
      const data = { from: timeText(event.from), to: timeText(event.to), reason: event.reason };
      return { ts: data.to, kind: 'gap', table: null, key: null, data };
    }
    case 'connected':
    case 'closed':
      return null;
    default: {
      const line = outageLine(event);
      return { ...line, ts: line.at, kind: event.kind, table: null, key: null, data: causeOf(event) };
    }
  }
}

function pushedEvent({ name, payload, at }: Extract<SessionEvent, { kind: 'push' }>): StreamEvent {
  const push = readPush(name, payload);
  const ts = timeText(at);
  // Not JSON, which does occur.
  if (push === undefined) return { ts, kind: 'other', table: null, key: name, data: payload };
  const [table, key] =
    push.kind === 'row' ? [push.model, push.key ?? null] : [null, push.kind === 'price' ? push.symbol : name];
  const kind = push.kind === 'row' ? push.action : push.kind;
  return { ts, kind, table, key, data: push.record, [PAYLOAD]: payload };
}

/** In one line. What was pushed is not serialized again. */
function jsonLine(event: StreamEvent): string {
  const { ts, kind, table, key, [PAYLOAD]: payload } = event;
  if (payload === undefined) return JSON.stringify(event);
  // In valid JSON, line breaks can only be between tokens.
  const data = payload.replace(/[\t\n\r]/g, ' ');
  return `{"ts":"${ts}","kind":"${kind}","table":${JSON.stringify(table)},"key":${JSON.stringify(key)},"data":${data}}`;
}

function timeText(at: number): string {
  return new Date(at).toISOString();
}

function outageLine(event: Outage): OutageLine {
  const at = timeText(event.at);
  return event.kind === 'recovered' ? { event: event.kind, at } : { event: event.kind, at, reason: event.reason };
}

function causeOf(event: Outage): object | null {
  if (event.kind === 'unreachable') return { code: event.error.code, reason: event.reason };
  return event.kind === 'stale' ? { reason: event.reason } : null;
}

type Fields = Readonly<Record<string, unknown>>;

const TONES: Readonly<Record<string, Tone>> = {
  I: 'good',
  D: 'warn',
  recovered: 'good',
  stale: 'warn',
  unreachable: 'bad',
  gap: 'bad',
};

/** At a terminal. svc trade watch shows rows in columns. */
function liveCells({ ts, kind, table, key, data }: StreamEvent): readonly Cell[] {
  const start: Cell[] = [ts.slice(11), { text: kind, tone: TONES[kind] ?? 'dim' }];
  const fields = typeof data === 'object' && data !== null ? (data as Fields) : {};
  if (kind === 'recovered') return start;
  if (kind === 'stale' || kind === 'unreachable' || kind === 'gap') return [...start, gapText(fields)];
  const { Rates: rates } = fields;
  if (kind === 'price' && Array.isArray(rates)) return [...start, key, ...rates.slice(0, 2).map(String)];
  return [...start, table ?? undefined, key, { text: JSON.stringify(data), tone: 'dim' }];
}

function gapText({ from, to, reason }: Fields): string {
  return from === undefined ? `${reason}` : `no data from ${from} to ${to}: ${reason}`;
}
