/** Follows pushes, outages and gaps, each as a row of a stream. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Outage, SessionEvent } from '../gateway/session-types.ts';
import type { Wanted } from '../gateway/subscription.ts';
import { type Feed, openFeed, parseUntil } from '../gateway/trading-feed.ts';
import type { TradingOptions } from '../gateway/trading-session.ts';
import { MODELS, type ModelName } from '../models.ts';
import { snapshotRows, wantedOf } from '../tables/trading-tables.ts';
import { connectionEvent, OutageEvent, pushedEvent, StreamEvent } from './stream-event.ts';

export interface StreamInput extends TradingOptions {
  readonly what: readonly string[];
  readonly snapshot: boolean;
  readonly until: string | undefined;
}

/** What becomes of each event. Null is not shown. */
export interface StreamLines<Row> {
  /** `at`: of its arrival. Undefined if it is not JSON. */
  pushed(name: string, payload: string, at: string): Row | null | undefined;
  outage(event: Outage): Row | null;
  connection(event: Extract<SessionEvent, { readonly kind: 'gap' | 'closed' }>, at: string): Row | null;
  snapshot?(model: ModelName, row: Readonly<Record<string, unknown>>, at: string): Row;
}

export const STREAM_EVENTS: StreamLines<StreamEvent> = {
  pushed: pushedEvent,
  outage: (event) => new OutageEvent(event),
  connection: connectionEvent,
  snapshot(model, row, at) {
    const key = MODELS[model].key;
    const value = key === undefined ? undefined : row[key];
    return new StreamEvent(at, 'snapshot', { table: model, key: value === undefined ? undefined : String(value) }, row);
  },
};

export async function* streamed<Row>(
  input: StreamInput,
  lines: StreamLines<Row>,
  ctx: RunContext,
): AsyncGenerator<Row, void, void> {
  const until = parseUntil(input.until);
  const feed = await openFeed(ctx, input);
  const strange = new StrangePushes();
  const clock = rfc3339();
  let left = until.pushes;
  const timed = (): void => {
    if (until.ms !== undefined) feed.endAfter(until.ms);
  };
  try {
    let wanted: Wanted = { models: [], symbols: [] };
    let rows: readonly Row[] = [];
    const begin = async (): Promise<void> => {
      await feed.session.connect();
      wanted = await wantedOf(input.what, feed);
      await feed.subscription.begin(wanted);
      timed();
      if (input.snapshot) rows = await snapshot(wanted, lines, feed, ctx);
    };
    for await (const outage of feed.outagesDuring(begin)) {
      timed();
      yield* shown(lines.outage(outage));
    }
    yield* rows;
    for await (const event of feed.events) {
      if (event.kind === 'unreachable' || event.kind === 'recovered') {
        yield* shown(lines.outage(event));
        continue;
      }
      if (event.kind !== 'push') {
        yield* shown(lines.connection(event, clock(ctx.now())));
        if (event.kind === 'closed') throw event.error;
        if (!input.snapshot || !(await feed.subscription.restored())) continue;
        const renew = async (): Promise<void> => {
          rows = await renewed(wanted, lines, feed, ctx);
        };
        for await (const outage of feed.outagesDuring(renew)) yield* shown(lines.outage(outage));
        yield* rows;
        continue;
      }
      const pushed = lines.pushed(event.name, event.payload, clock(event.at));
      if (pushed === undefined) {
        if (strange.isFirst(event.name)) {
          ctx.notice(`${feed.session.hide(event.name)}: skipped a push that is not JSON`);
        }
        continue;
      }
      if (pushed === null) continue;
      yield pushed;
      if (--left === 0) return;
    }
    ctx.signal.throwIfAborted();
    feed.checkReachable();
  } finally {
    await feed.end();
    if (strange.count > 0) ctx.notice(`skipped ${strange.count} pushes that were not JSON`);
  }
}

function shown<Row>(row: Row | null): readonly Row[] {
  return row === null ? [] : [row];
}

async function snapshot<Row>(
  wanted: Wanted,
  lines: StreamLines<Row>,
  feed: Feed,
  ctx: RunContext,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for await (const { model, row } of snapshotRows(wanted, feed)) {
    rows.push(...shown(lines.snapshot?.(model, row, new Date(ctx.now()).toISOString()) ?? null));
  }
  return rows;
}

/** After a gap. The stream continues if this fails: a connection that is lost again reports itself. */
async function renewed<Row>(
  wanted: Wanted,
  lines: StreamLines<Row>,
  feed: Feed,
  ctx: RunContext,
): Promise<readonly Row[]> {
  try {
    return await snapshot(wanted, lines, feed, ctx);
  } catch (error) {
    if (!(error instanceof SvcError) || !error.retryable) throw error;
    ctx.notice(`could not read the rows after the gap: ${error.message}`);
    return [];
  }
}

class StrangePushes {
  readonly #names = new Set<string>();
  count = 0;

  isFirst(name: string): boolean {
    this.count++;
    // Bounded, so that a gateway that invents names cannot fill the memory.
    if (this.#names.has(name) || this.#names.size === MOST_NAMES) return false;
    this.#names.add(name);
    return true;
  }
}

const MOST_NAMES = 100;

/** Caches the text: many pushes come within the same millisecond. */
function rfc3339(): (ms: number) => string {
  let last = Number.NaN;
  let text = '';
  return (ms) => {
    if (ms !== last) {
      last = ms;
      text = new Date(ms).toISOString();
    }
    return text;
  };
}
