/** Lists that are looked at again and again, or that change by themselves, for `output/watch.ts` to show. */
import { SvcError } from '../errors.ts';
import type { Change, Glance } from '../output/types.ts';
import type { RunContext } from './command.ts';
import { parseDuration } from './duration.ts';
import { poll } from './poll.ts';

export interface WatchInterval {
  readonly text: string;
  readonly ms: number;
}

const USUAL = '5s';
const SHORTEST_MS = 1000;

export function watchInterval(flag: string | true): WatchInterval {
  const text = flag === true ? USUAL : flag;
  const ms = parseDuration(text);
  if (ms < SHORTEST_MS) throw new SvcError('invalid_value', `--watch: ${text} is too often`, { hint: 'at least 1s' });
  return { text, ms };
}

/** Each read, and what `look` makes of it. Where nothing could be read the rows stay as they were. */
export async function* watchRows<T, Row>(
  read: () => Promise<T>,
  look: (value: T, at: number) => { readonly rows: readonly Row[]; readonly changes: readonly Change<Row>[] },
  interval: WatchInterval,
  ctx: Pick<RunContext, 'now' | 'sleep' | 'signal' | 'notice'>,
): AsyncGenerator<Glance<Row>, void, void> {
  let rows: readonly Row[] = [];
  for await (const reading of poll(read, { intervalMs: interval.ms }, ctx)) {
    const { at, value, trouble, outage } = reading;
    if (value === undefined) yield { at, rows, changes: [], trouble: trouble?.message ?? outage?.reason, outage };
    else {
      const seen = look(value, at);
      rows = seen.rows;
      yield { at, ...seen, outage };
    }
  }
}

export interface Pace {
  /** The shortest time between two looks: what changes meanwhile is shown by the second. */
  readonly everyMs: number;
  /** Looks that often even where nothing changes. */
  readonly restMs: number;
}

/**
 * Looks at what changes by itself: `follow` keeps up with it, calls back at each change, and settles when it is over. The last look is
 * made after that; where it failed, that is raised then.
 */
export async function* watchChanges<Row>(
  follow: (changed: () => void) => Promise<void>,
  look: (at: number) => Omit<Glance<Row>, 'at'>,
  { everyMs, restMs }: Pace,
  ctx: Pick<RunContext, 'now' | 'sleep'>,
): AsyncGenerator<Glance<Row>, void, void> {
  const ended = new AbortController();
  let ring = new AbortController();
  let changed = false;
  let failure: { readonly error: unknown } | undefined;
  const pause = (ms: number, { signal }: AbortController) => ctx.sleep(ms, signal).catch(() => {});
  follow(() => {
    changed = true;
    ring.abort();
  })
    .catch((error: unknown) => {
      failure = { error };
    })
    .finally(() => {
      ended.abort();
      ring.abort();
    });
  for (;;) {
    const isLast = ended.signal.aborted;
    changed = false;
    const at = ctx.now();
    yield { at, ...look(at) };
    if (isLast) {
      if (failure !== undefined) throw failure.error;
      return;
    }
    await pause(everyMs, ended);
    ring = new AbortController();
    if (!changed && !ended.signal.aborted) await pause(restMs, ring);
  }
}
