import { KnownSecrets } from '../../src/http/known-secrets.ts';
import type { Target, TraceEvent } from '../../src/http/target.ts';

export interface TestTarget extends Target {
  readonly events: TraceEvent[];
  readonly warnings: string[];
  readonly slept: number[];
}

/** A target for a server of the test: no waiting between retries, everything it is told is kept. */
export function targetFor(address: string, more: Partial<Target> = {}): TestTarget {
  const events: TraceEvent[] = [];
  const warnings: string[] = [];
  const slept: number[] = [];
  return {
    service: 'alerts',
    baseUrl: new URL(address),
    timeoutMs: 5_000,
    userAgent: 'svc/test',
    secrets: new KnownSecrets(),
    headers: {},
    secretHeaders: new Set(),
    tls: { insecure: false },
    proxy: {},
    confirmed: () => true,
    verbosity: 0,
    trace: (event) => events.push(event),
    warn: (text) => warnings.push(text),
    signal: new AbortController().signal,
    now: () => Date.now(),
    random: () => 0.5,
    sleep: async (ms, signal) => {
      slept.push(ms);
      signal?.throwIfAborted();
    },
    events,
    warnings,
    slept,
    ...more,
  };
}
