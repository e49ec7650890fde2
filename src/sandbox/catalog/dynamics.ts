/** A field of one source over time: doc 3 §4, with the rules seen on the public implementation. */
import { DAY, HOUR, isoZ, type Micros, parseIso } from './instants.ts';
import { SERIES_FIELDS, type SeriesField, type Snapshot } from './records.ts';
import { Refusal } from './refusal.ts';

export interface SeriesRequest {
  readonly canonical_product_id: string;
  readonly parser_name: string;
  readonly source_id: string;
  readonly field: string;
  readonly date_from: string;
  readonly date_to: string;
  readonly interval: string;
}

const STEPS: Readonly<Record<string, Micros>> = { '1h': HOUR, '6h': 6 * HOUR, '1d': DAY, '7d': 7 * DAY };
const MOST_POINTS = 20_000;

export interface Series {
  readonly dates: readonly string[];
  readonly values: readonly (number | null)[];
  readonly meta: SeriesRequest;
}

/** `snapshots` is asked for those of the product once the request is found to be sound. */
export function dynamics(request: SeriesRequest, snapshots: () => readonly Snapshot[]): Series {
  const { canonical_product_id, parser_name, source_id, field, interval } = request;
  const [from, to] = [instant(request.date_from), instant(request.date_to)];
  if (from > to) throw new Refusal(422, 'date_from must be <= date_to');
  if (!isSeriesField(field)) throw new Refusal(400, `unsupported field: ${field}`);
  const step = Object.hasOwn(STEPS, interval) ? STEPS[interval] : undefined;
  if (step === undefined) throw new Refusal(400, `unsupported interval: ${interval}`);
  const count = Math.floor((to - from) / step) + 1;
  if (count > MOST_POINTS) throw new Refusal(400, 'requested range is too large');
  const rows = snapshots().filter((row) => row.parser_name === parser_name && row.source_id === source_id);
  if (rows.length === 0) throw new Refusal(404, 'source not found');
  return {
    dates: Array.from({ length: count }, (_, index) => isoZ(from + index * step)),
    values: bucketValues(rows, field, { from, to, step, count }),
    meta: {
      canonical_product_id,
      parser_name,
      source_id,
      field,
      interval,
      date_from: isoZ(from),
      date_to: isoZ(to),
    },
  };
}

interface Window {
  readonly from: Micros;
  readonly to: Micros;
  readonly step: Micros;
  readonly count: number;
}

/** Later observations overwrite earlier ones, with nothing where they saw nothing. What is after `to` is not looked at, even in the last bucket. */
function bucketValues(
  rows: readonly Snapshot[],
  field: SeriesField,
  { from, to, step, count }: Window,
): readonly (number | null)[] {
  const values: (number | null)[] = Array.from({ length: count }, () => null);
  for (const row of rows.toSorted((a, b) => a.observed_at - b.observed_at || a.id - b.id)) {
    const [one, other] = [row.valid_from_at ?? row.observed_at, row.valid_to_at ?? row.observed_at];
    const start = Math.max(Math.min(one, other), from);
    const end = Math.min(Math.max(one, other), to);
    if (end < start) continue;
    values.fill(row[field], Math.floor((start - from) / step), Math.floor((end - from) / step) + 1);
  }
  return values;
}

function instant(text: string): Micros {
  const time = parseIso(text);
  if (time === undefined) throw new Refusal(422, 'datetime must be valid ISO8601');
  if (Number.isNaN(time)) throw new Refusal(422, 'datetime must include timezone');
  return time;
}

function isSeriesField(field: string): field is SeriesField {
  return (SERIES_FIELDS as readonly string[]).includes(field);
}
