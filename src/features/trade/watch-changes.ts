/** Tables that change by themselves, as often as they can be shown. */
import type { RunContext } from '../../cli/command.ts';
import type { Snapshot } from '../../output/types.ts';

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
