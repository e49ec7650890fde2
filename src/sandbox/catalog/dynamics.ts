/** A field of one source over time: doc 3 §4, with the rules seen on the public implementation. */
import { Refusal } from '../http.ts';
import { DAY, HOUR, isoZ, type Micros, parseIso } from './instants.ts';
import { SERIES_FIELDS, type Snapshot } from './records.ts';

export interface SeriesRequest {
  readonly canonical_product_id: string;
  readonly parser_name: string;
  readonly source_id: string;
  readonly field: string;
  readonly interval: string;
  readonly date_from: string;
  readonly date_to: string;
}

const STEPS: ReadonlyMap<string, Micros> = new Map([
  ['1h', HOUR],
  ['6h', 6 * HOUR],
  ['1d', DAY],
  ['7d', 7 * DAY],
]);
const MAX_POINTS = 20_000;

export interface Series {
  readonly dates: readonly string[];
  readonly values: readonly (number | null)[];
  readonly meta: SeriesRequest;
}

/** Reads the snapshots of the product once the request is known to be valid. */
export function dynamics(request: SeriesRequest, snapshots: () => readonly Snapshot[]): Series {
  const { parser_name, source_id, interval } = request;
  const [from, to] = [instant(request.date_from), instant(request.date_to)];
  if (from > to) throw refused(422, 'date_from must be <= date_to');
  const field = SERIES_FIELDS.find((name) => name === request.field);
  if (field === undefined) throw refused(400, `unsupported field: ${request.field}`);
  const step = STEPS.get(interval);
  if (step === undefined) throw refused(400, `unsupported interval: ${interval}`);
  const count = Math.floor((to - from) / step) + 1;
  if (count > MAX_POINTS) throw refused(400, 'requested range is too large');
  const rows = snapshots().filter((row) => row.parser_name === parser_name && row.source_id === source_id);
  if (rows.length === 0) throw refused(404, 'source not found');
  const values: (number | null)[] = Array.from({ length: count }, () => null);
  // Later observations overwrite earlier ones. What comes after `to` does not count, not even in the last bucket.
  for (const row of rows.toSorted((a, b) => a.observed_at - b.observed_at || a.id - b.id)) {
    const [one, other] = [row.valid_from_at ?? row.observed_at, row.valid_to_at ?? row.observed_at];
    const start = Math.max(Math.min(one, other), from);
    const end = Math.min(Math.max(one, other), to);
    if (end >= start) values.fill(row[field], Math.floor((start - from) / step), Math.floor((end - from) / step) + 1);
  }
  return {
    dates: Array.from({ length: count }, (_, index) => isoZ(from + index * step)),
    values,
    meta: { ...request, date_from: isoZ(from), date_to: isoZ(to) },
  };
}

function instant(text: string): Micros {
  const time = parseIso(text);
  if (time === undefined) throw refused(422, 'datetime must be valid ISO8601');
  if (Number.isNaN(time)) throw refused(422, 'datetime must include timezone');
  return time;
}

function refused(status: number, detail: string): Refusal {
  return new Refusal(status, { detail });
}
