import type { EndSignal } from '../context.ts';
import type { RunContext } from './command.ts';

const IMPATIENCE_MS = 3000;

/**
 * Waits for work that should not be broken off half-way, such as a write whose answer is under way. A signal does not end it at
 * once; but then it has only a little longer, and there is no result where that is not enough.
 */
export async function settle<T extends object>(
  work: Promise<T>,
  ctx: Pick<RunContext, 'takeSignals' | 'sleep'>,
): Promise<{ readonly result: T | undefined; readonly signal: EndSignal | undefined }> {
  let signal: EndSignal | undefined;
  let release = (): void => {};
  const done = new AbortController();
  const tooLate = new Promise<undefined>((late) => {
    release = ctx.takeSignals((name) => {
      signal ??= name;
      ctx.sleep(IMPATIENCE_MS, done.signal).then(
        () => late(undefined),
        () => {},
      );
    });
  });
  work.catch(() => {}); // told by the race, unless that is over
  try {
    return { result: await Promise.race([work, tooLate]), signal };
  } finally {
    done.abort();
    release();
  }
}
