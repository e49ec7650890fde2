import type { Confirmed } from '../../src/http/endpoint.ts';
import { KnownSecrets } from '../../src/http/redact.ts';
import type { Outbound, Target, TraceEvent } from '../../src/http/target.ts';

export interface TestTarget extends Target {
  readonly events: TraceEvent[];
  readonly warnings: string[];
  /** The rows that were left out. */
  readonly omitted: string[];
  readonly slept: number[];
}

export interface TargetOptions extends Partial<Target> {
  readonly level?: Target['log']['level'];
}

/** For requests to any address; nothing of them is traced. */
export const outbound = (more: Partial<Outbound> = {}): Outbound => ({
  userAgent: 'svc/test',
  secrets: new KnownSecrets(),
  tls: { insecure: false },
  proxy: {},
  signal: new AbortController().signal,
  log: { level: 0, trace: () => {}, warn: () => {} },
  ...more,
});

/** As if the user had confirmed. */
export const CONFIRMED = {} as Confirmed;

/** A target for a server of the test, without waits between retries, that records its messages. */
export function targetFor(address: string, { level = 0, ...more }: TargetOptions = {}): TestTarget {
  const events: TraceEvent[] = [];
  const warnings: string[] = [];
  const omitted: string[] = [];
  const slept: number[] = [];
  return {
    service: 'alerts',
    baseUrl: new URL(address),
    timeoutMs: 60_000,
    userAgent: 'svc/test',
    secrets: new KnownSecrets(),
    headers: {},
    secretHeaders: new Set(),
    tls: { insecure: false },
    proxy: {},
    log: {
      level,
      trace: (event) => events.push(event),
      warn: (text) => warnings.push(text),
      omit: (text) => omitted.push(text),
    },
    signal: new AbortController().signal,
    now: () => Date.now(),
    random: () => 0.5,
    sleep: async (ms, signal) => {
      slept.push(ms);
      signal?.throwIfAborted();
    },
    events,
    warnings,
    omitted,
    slept,
    ...more,
  };
}
