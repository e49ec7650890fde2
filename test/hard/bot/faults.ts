/** Faults that a seed repeats: of single requests and pushes, and one of the whole gateway every ten seconds. */
import type { Gateway } from './gateway.ts';

/** What happens to one request. Cuts are before, during or after its execution. */
export type RequestFault =
  | { readonly kind: 'none' | 'cut_before' | 'cut_during' | 'cut_after' | 'http_401' | 'http_429' | 'ora_20301' }
  /** Executed at once, answered late. */
  | { readonly kind: 'late'; readonly ms: number }
  /** Errors that only the tests of the auditor make: the gateway itself executes twice, or says that it executed and does not. */
  | { readonly kind: 'execute_twice' | 'lose' };

export type PushFault =
  | { readonly kind: 'none' | 'twice' | 'after_next' }
  | { readonly kind: 'late'; readonly ms: number };

export interface Faults {
  request(path: string, isOrder: boolean): RequestFault;
  push(model: string): PushFault;
}

export const NO_FAULTS: Faults = { request: () => ({ kind: 'none' }), push: () => ({ kind: 'none' }) };

/** Between two faults of the whole gateway. */
const EVERY = 10_000;

function pick<const T>(random: () => number, all: readonly [T, ...T[]]): T {
  return all[Math.floor(random() * all.length)] ?? all[0];
}

export function randomFaults(random: () => number): Faults {
  return {
    request(path, isOrder): RequestFault {
      // The connection itself and the subscriptions fail with the gateway.
      if (random() > 0.04 || (!isOrder && !path.startsWith('/trading/get_model'))) return { kind: 'none' };
      const kind = pick(random, ['cut_before', 'cut_during', 'cut_after', 'late', 'http_401', 'http_429', 'ora_20301']);
      return kind === 'late' ? { kind, ms: 200 + random() * 3_000 } : { kind };
    },
    push(): PushFault {
      if (random() > 0.05) return { kind: 'none' };
      const kind = pick(random, ['twice', 'after_next', 'late']);
      return kind === 'late' ? { kind, ms: random() * 1_500 } : { kind };
    },
  };
}

/** Ends when the signal does, with the gateway back. */
export async function disturb(gateway: Gateway, random: () => number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(EVERY * (0.5 + random()), signal);
    if (signal.aborted) return;
    // After a refused token svc waits for 20 s and more.
    const kind = random() < 0.05 ? 'revoke' : pick(random, ['drop', 'drop', 'restart', 'clock']);
    if (kind === 'drop') gateway.drop();
    if (kind === 'restart') await gateway.restart(100 + random() * 3_000);
    if (kind === 'revoke') await gateway.revoke(500 + random() * 2_000);
    if (kind === 'clock') gateway.clockAhead = (random() - 0.5) * 600_000;
  }
}

/** Until then, or until the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
