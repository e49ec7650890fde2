/** Prints snapshots of tables that change by themselves. */
import type { RunContext } from '../../../cli/command.ts';

export interface Pace {
  /** The minimum time between two snapshots. */
  readonly everyMs: number;
  /** The time between snapshots if nothing changes. */
  readonly restMs: number;
}

export interface Shown {
  /** The next snapshot shows the change. */
  changed(): void;
  /** Takes a snapshot at once; resolves when it was printed. */
  show(): Promise<void>;
}

/** `follow` calls back at each change and settles at the end; the last snapshot, or its failure, comes after that. */
export async function* watchChanges<Shot>(
  follow: (shown: Shown) => Promise<void>,
  snapshot: (at: number) => Shot,
  { everyMs, restMs }: Pace,
  ctx: Pick<RunContext, 'now' | 'sleep'>,
): AsyncGenerator<Shot, void, void> {
  let isOver = false;
  let isNew = false;
  let waiting: (() => void) | undefined;
  let failure: { readonly error: unknown } | undefined;
  /** End the pause before the next snapshot, and the pause until something changes. */
  let [hurry, ring] = [new AbortController(), new AbortController()];
  const pause = async (ms: number, { signal }: AbortController): Promise<void> => {
    if (!signal.aborted) await ctx.sleep(ms, signal).catch(() => {});
  };
  const changed = (): void => {
    isNew = true;
    ring.abort();
  };
  const showNow = (): void => {
    changed();
    hurry.abort();
  };
  const show = (): Promise<void> =>
    new Promise((resolve) => {
      waiting = resolve;
      showNow();
    });
  follow({ changed, show })
    .catch((error: unknown) => {
      failure = { error };
    })
    .finally(() => {
      isOver = true;
      showNow();
    });
  for (;;) {
    const isLast = isOver;
    const shown = waiting;
    waiting = undefined;
    isNew = false;
    [hurry, ring] = [new AbortController(), new AbortController()];
    yield snapshot(ctx.now());
    shown?.();
    if (isLast) {
      if (failure !== undefined) throw failure.error;
      return;
    }
    await pause(everyMs, hurry);
    if (!isNew) await pause(restMs, ring);
  }
}
