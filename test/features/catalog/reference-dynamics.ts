/** The rule of doc 3 §4 written down once more, as plainly as possible: what a series is, point by point, to the microsecond. */
export interface Observation {
  /** Microseconds since 1970. */
  readonly observed: number;
  readonly value: number | null;
  readonly valid?: readonly [from: number, to: number];
}

const STEP_US: Readonly<Record<string, number>> = {
  '1h': 3_600_000_000,
  '6h': 21_600_000_000,
  '1d': 86_400_000_000,
  '7d': 604_800_000_000,
};

/** Keeps the digits below the millisecond of an RFC 3339 time in UTC. */
export function microseconds(text: string): number {
  const [, head = '', fraction = ''] = /^(.{19})(?:\.(\d+))?Z$/.exec(text) ?? [];
  return Date.parse(`${head}Z`) * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

export function referenceDynamics(
  observations: readonly Observation[],
  query: { readonly date_from: string; readonly date_to: string; readonly interval: string },
): { readonly dates: readonly string[]; readonly values: readonly (number | null)[] } | undefined {
  const step = STEP_US[query.interval] ?? Number.NaN;
  const from = microseconds(query.date_from);
  const to = microseconds(query.date_to);
  const count = Math.floor((to - from) / step) + 1;
  if (count > 20_000) return undefined;
  const latest: (Observation | undefined)[] = new Array(count);
  for (const one of observations) {
    const [begin, end] = one.valid ?? [one.observed, one.observed];
    if (begin > to || end < from) continue;
    const first = Math.floor((Math.max(begin, from) - from) / step);
    const last = Math.min(count - 1, Math.floor((Math.min(end, to) - from) / step));
    for (let point = first; point <= last; point++) {
      if (one.observed >= (latest[point]?.observed ?? Number.NEGATIVE_INFINITY)) latest[point] = one;
    }
  }
  return {
    dates: Array.from({ length: count }, (_, index) => new Date((from + index * step) / 1000).toISOString()),
    values: Array.from({ length: count }, (_, index) => latest[index]?.value ?? null),
  };
}
