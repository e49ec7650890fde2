/** A create whose answer holds a secret: broken off by a signal it would be carried out, and its secret lost. */
import type { RunContext } from '../../cli/command.ts';
import { endedBy, type SvcError } from '../../errors.ts';

export interface UnbrokenCreate {
  /** For all requests of the command. */
  readonly signal: AbortSignal;
  /**
   * Runs the create, and the keeping of its secret. The first signal waits a little for both, the second one does not. Whatever
   * is sent afterwards is broken off then.
   */
  unbroken<T>(work: () => Promise<T>): Promise<T>;
  /** What to end with where a signal came, and all the same there is a result. */
  interruption(): SvcError | undefined;
}

/** A service that answers at all has answered by then. */
const PATIENCE_MS = 3_000;

export function unbrokenCreate(ctx: Pick<RunContext, 'signal' | 'sleep' | 'takeSignals'>): UnbrokenCreate {
  const stop = new AbortController();
  let came: SvcError | undefined;
  const end = (): void => stop.abort(came);
  return {
    signal: AbortSignal.any([ctx.signal, stop.signal]),
    async unbroken(work) {
      const over = new AbortController();
      const release = ctx.takeSignals((name) => {
        if (came !== undefined) end();
        came ??= endedBy(name);
        ctx.sleep(PATIENCE_MS, over.signal).then(end, () => {});
      });
      try {
        return await work();
      } finally {
        over.abort();
        release();
        if (came !== undefined) end();
      }
    },
    interruption: () => came,
  };
}
