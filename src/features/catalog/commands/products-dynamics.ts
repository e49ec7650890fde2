import { listCommand } from '../../../cli/command.ts';
import { zoneOf } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { Column, ListOutput, RecordOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { PRODUCT_ARGUMENT, STORE_FLAG, TZ_FLAG } from '../lists.ts';
import type { Dynamics } from '../schema.ts';
import type { Numeric } from '../statistics.ts';
import {
  bucketStart,
  checkWindow,
  INTERVALS,
  isResolved,
  MOST_POINTS,
  plainInstant,
  pointsIn,
  type Window,
  wireTime,
} from '../window.ts';

interface Point {
  readonly date: string;
  readonly value: Numeric | null;
}

const DATE: Column<Point> = { name: 'date', cell: ({ date }) => ({ time: date }) };

/** For programs: no value is an empty cell. */
const POINT_LIST: ListOutput<Point> = {
  kind: 'list',
  columns: [DATE, { name: 'value', cell: ({ value }) => value, align: 'right' }],
  id: ({ date }) => date,
  empty: 'no points',
};

const POINT_TABLE: ListOutput<Point> = {
  ...POINT_LIST,
  columns: [DATE, { name: 'value', cell: ({ value }) => value ?? { text: '-', tone: 'dim' }, align: 'right' }],
};

const SERIES_RECORD: RecordOutput<Dynamics> = {
  kind: 'record',
  columns: [
    { name: 'dates', cell: ({ dates }) => dates },
    { name: 'values', cell: ({ values }) => values },
  ],
  id: () => undefined,
};

export const catalogProductsDynamics = listCommand({
  id: 'catalog products dynamics',
  summary: 'Show the values of one source over time',
  description:
    'Sends one request for one source; svc catalog history joins all sources of a product. A missing value (- in a table, null in JSON) was not observed: it is never zero.',
  details:
    "Points are one interval apart. They begin at --since; if that is a distance such as -30d, at the start of an hour, of 6 hours, of a day or of a week (Monday) in the time zone. The service counts 24 hours for every day. JSON and YAML have the service's own object, other formats one date and value per line. Times are sent in UTC and shown if they were written otherwise.",
  effect: 'read',
  service: 'catalog',
  args: { id: PRODUCT_ARGUMENT },
  flags: {
    store: { ...STORE_FLAG, complete: 'stores', required: true, help: 'Store of the source (parser_name)' },
    source: { type: 'string', value: 'id', complete: 'sources', required: true, help: 'Source (source_id)' },
    field: {
      type: 'choice',
      choices: ['price', 'discount_price', 'loyal_price', 'available_count'],
      default: 'price',
      help: 'Value to show',
    },
    since: {
      type: 'time',
      aliases: ['from'],
      bare: 'back',
      dates: true,
      required: true,
      help: 'Start: -30d, 2026-02-01',
    },
    until: { type: 'time', aliases: ['to'], bare: 'back', dates: true, help: 'End (default now)' },
    tz: TZ_FLAG,
    interval: { type: 'choice', choices: INTERVALS, default: '1d', help: 'Time between points' },
  },
  examples: [
    {
      run: 'svc catalog products dynamics 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --store fixprice --source receiver:run-1:1 --since -30d',
      why: 'Show daily prices of the last month',
    },
  ],
  output: POINT_LIST,
  async run(input, ctx) {
    const { id, source: source_id, field, interval } = input;
    const zone = zoneOf(input.tz ?? 'local');
    const now = ctx.startedAt;
    const start = plainInstant(input.since, now, zone);
    const from = input.since.relative ? bucketStart(start, interval, zone) : start;
    const to = plainInstant(input.until, now, zone);
    const window: Window = { from, to, interval };
    checkWindow(window);
    checkPoints(window);
    const times = { date_from: wireTime(from), date_to: wireTime(to) };
    if (isResolved(input.since, from) || input.until === undefined || isResolved(input.until, to)) {
      ctx.notice(`sent: from ${times.date_from} to ${times.date_to}`);
    }
    const query = { parser_name: input.store, source_id, field, ...times, interval };
    const value = await openCatalog(ctx.target).dynamics(id, query);
    if (ctx.wants.document) return { value, as: SERIES_RECORD };
    const points = value.dates.map((date, index) => ({ date, value: value.values[index] ?? null }));
    const known = points.filter((point) => point.value !== null).length;
    const footer = `${known} of ${points.length} points have a value`;
    return ctx.wants.table ? { value: points, as: POINT_TABLE, footer } : { value: points };
  },
});

function checkPoints(window: Window): void {
  const points = pointsIn(window);
  if (points <= MOST_POINTS) return;
  throw new SvcError(
    'invalid_value',
    `the range has ${points} points, but the service returns at most ${MOST_POINTS}`,
    { hint: 'svc catalog history gives more; or take a longer --interval' },
  );
}
