import { expect, it } from 'vitest';
import type { EndSignal } from '../../../src/context.ts';
import { deferInterruptions } from '../../../src/features/webhooks/subscriptions/creating.ts';

/** A context whose signals are sent by `send`, and whose clock can be advanced. */
function context(passes: boolean) {
  const slept: number[] = [];
  let taker: ((name: EndSignal, shared: boolean) => void) | undefined;
  return {
    slept,
    send: (name: EndSignal) => taker?.(name, false),
    taken: () => taker !== undefined,
    ctx: {
      signal: new AbortController().signal,
      sleep: async (ms: number) => {
        slept.push(ms);
        if (!passes) await new Promise(() => {});
      },
      takeSignals: (handler: typeof taker) => {
        taker = handler;
        return () => {
          taker = undefined;
        };
      },
    },
  };
}

it('svc webhooks create is aborted three seconds after a signal', async () => {
  const { ctx, send, slept, taken } = context(true);
  const { signal, runToEnd } = deferInterruptions(ctx);
  const work = runToEnd(async () => {
    send('SIGTERM');
    await new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)));
  });
  await expect(work).rejects.toMatchObject({ code: 'terminated' });
  expect([slept, taken()]).toEqual([[3000], false]);
});

it('svc webhooks create that finishes in time returns its result, and nothing is sent afterwards', async () => {
  const { ctx, send } = context(false);
  const { signal, runToEnd, interruption } = deferInterruptions(ctx);
  const aborted = await runToEnd(async () => {
    send('SIGINT');
    return signal.aborted;
  });
  expect([aborted, signal.aborted, interruption()?.code]).toEqual([false, true, 'interrupted']);
});
