/** Lists that are looked at again and again, or that change by themselves, for `output/watch.ts` to show. */
import { SvcError } from '../errors.ts';
import type { Change, Snapshot } from '../output/types.ts';
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
): AsyncGenerator<Snapshot<Row>, void, void> {
  let rows: readonly Row[] = [];
  for await (const reading of poll(read, { intervalMs: interval.ms }, ctx)) {
    const { at, value, trouble, outage } = reading;
    if (value === undefined) yield { at, rows, changes: [], error: trouble?.message ?? outage?.reason, outage };
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

/** What a follower calls. */
export interface Shown {
  /** Something is new: the next look shows it. */
  changed(): void;
  /** Looks at once, for what must not be missed; resolves when it was shown. */
  show(): Promise<void>;
}

/**
 * Looks at what changes by itself: `follow` keeps up with it, calls back at each change, and settles when it is over. The last look is
 * made after that; where it failed, that is raised then.
 */
export async function* watchChanges<Row>(
  follow: (shown: Shown) => Promise<void>,
  look: (at: number) => Omit<Snapshot<Row>, 'at'>,
  { everyMs, restMs }: Pace,
  ctx: Pick<RunContext, 'now' | 'sleep'>,
): AsyncGenerator<Snapshot<Row>, void, void> {
  let isOver = false;
  let isNew = false;
  let waiting: (() => void) | undefined;
  let failure: { readonly error: unknown } | undefined;
  /** Ends the pause before the next look, and the one until something changes. */
  let [hurry, ring] = [new AbortController(), new AbortController()];
  const pause = async (ms: number, { signal }: AbortController): Promise<void> => {
    if (!signal.aborted) await ctx.sleep(ms, signal).catch(() => {});
  };
  const changed = (): void => {
    isNew = true;
    ring.abort();
  };
  const lookNow = (): void => {
    changed();
    hurry.abort();
  };
  const show = (): Promise<void> =>
    new Promise((resolve) => {
      waiting = resolve;
      lookNow();
    });
  follow({ changed, show })
    .catch((error: unknown) => {
      failure = { error };
    })
    .finally(() => {
      isOver = true;
      lookNow();
    });
  for (;;) {
    const isLast = isOver;
    const shown = waiting;
    waiting = undefined;
    isNew = false;
    [hurry, ring] = [new AbortController(), new AbortController()];
    const at = ctx.now();
    yield { at, ...look(at) };
    shown?.();
    if (isLast) {
      if (failure !== undefined) throw failure.error;
      return;
    }
    await pause(everyMs, hurry);
    if (!isNew) await pause(restMs, ring);
  }
}
