import { CHART_FLAGS, checkSvg, drawn } from '../../../cli/chart-flags.ts';
import { chartCommand } from '../../../cli/command.ts';
import type { AnyOutput, Cell, ChartFacts, ChartOutput, ChartPicture, Column } from '../../../output/types.ts';
import { type DynamicsQuery, openCatalog, type SeriesField } from '../api.ts';
import { PRODUCT_ARGUMENT, readingProblems, SOURCE_FLAGS } from '../lists.ts';
import { productNames } from '../product-names.ts';
import { productSeries } from '../product-sources.ts';
import type { Source } from '../schema.ts';
import { bucketValues, lastValue, type PriceSeries, seriesNames, sharedUnit, unitOf } from '../series.ts';
import { filled, type Series, type Statistics, statisticsOf } from '../statistics.ts';
import {
  bucketDates,
  historyWindow,
  INTERVALS,
  plainInstant,
  pointsIn,
  STEP_MS,
  type Window,
  wireTime,
} from '../window.ts';

type Fill = 'none' | 'last';

/** The history at one store, in one place, by one unit. */
interface ProductHistory extends Series {
  readonly parser_name: string;
  /** Its newest source. */
  readonly source_id: string;
  readonly title_original: string | null;
  readonly price_unit: string | null;
  readonly unit: string | null;
  readonly settlement: Source['settlement'];
  /** What was asked for, as the service's own series tells it. */
  readonly meta: DynamicsQuery & { readonly canonical_product_id: string };
  /** What it is called among the others. */
  readonly series: string;
  readonly fill: Fill;
  /** Of what was observed: what is filled in counts for nothing. */
  readonly statistics: Statistics;
}

/** No rendering of a row shows it. */
const FIRST = Symbol('first');

interface PointRow {
  /** The row that names its source where ids are printed. */
  readonly [FIRST]: boolean;
  readonly canonical_product_id: string;
  readonly parser_name: string;
  readonly place: string | null;
  readonly region: string | null;
  readonly unit: string;
  readonly source_id: string;
  readonly date: string;
  readonly value: number | null;
}

const POINT_COLUMNS: readonly Column<PointRow>[] = [
  { name: 'product', cell: (row) => row.canonical_product_id },
  { name: 'store', cell: (row) => row.parser_name },
  { name: 'place', cell: ({ place }) => place },
  { name: 'region', cell: ({ region }) => region },
  { name: 'unit', cell: ({ unit }) => unit },
  { name: 'source', cell: (row) => row.source_id },
  { name: 'date', cell: ({ date }) => date },
  { name: 'value', cell: ({ value }) => value, align: 'right' },
];

interface HistoryView extends Pick<ChartPicture, 'width' | 'height' | 'ascii' | 'style'> {
  readonly title: string;
  readonly unit: string | undefined;
  readonly window: Window;
}

function historyChart(view: HistoryView): ChartOutput<readonly ProductHistory[], PointRow> {
  return {
    kind: 'chart',
    chart: (histories) => historyPicture(histories, view),
    rows: pointRows,
    list: { kind: 'list', columns: POINT_COLUMNS, id: (row) => (row[FIRST] ? row.source_id : undefined) },
  };
}

/** Where nothing is known of the window yet: for what is said about the output. */
const USUAL_CHART = historyChart({ title: '', unit: undefined, window: { from: 0, to: 0, interval: '1d' } });

function historyPicture(histories: readonly ProductHistory[], { window, ...view }: HistoryView): ChartPicture {
  const step = STEP_MS[window.interval];
  const series = histories.map(({ series: name, dates, values }) => {
    const at = dates.map((date) => Date.parse(date));
    return { name, at, values, until: (at.at(-1) ?? window.from) + step };
  });
  // A window that is shorter than a point is as wide as this point.
  const to = Math.max(window.to, window.from + step * Number(window.to - window.from < step));
  return { ...view, series, from: window.from, to, facts: historyFacts(histories) };
}

const MONTH_MS = 30 * 86_400_000;

export const catalogHistory = chartCommand({
  id: 'catalog history',
  aliases: ['chart'],
  summary: 'Chart the price of a product at each store',
  description:
    'One line for each store, place and unit. A break in a line is missing data, never zero. The sources of a line are joined. --fill last repeats a value until the next one; the figures below the chart count observed values only. If a source has no snapshots, it is named and the exit status is 10.',
  details:
    'Points are one interval apart. They begin at --from; if that is a distance such as -30d, at the start of an hour, of 6 hours, of a day or of a week (Monday) in UTC. --interval auto chooses the shortest interval with at most 400 points of which half have a value. The maximum is 240,000 points. --fill last also uses the value in effect at --from.\n--width changes only the drawing: -o json, ndjson, csv and tsv have every point. In JSON, each series has parser_name, source_id (its newest source), its title and unit, settlement, series (its name in the chart), fill, meta (the product and the window), dates and values, and statistics (points, covered, first, firstAt, last, lastAt, min, max, mean, change, changePercent; null if unknown). csv, tsv and ndjson have one line per point, with product, store, place, unit and source.',
  effect: 'read',
  service: 'catalog',
  args: { id: PRODUCT_ARGUMENT },
  flags: {
    field: {
      type: 'choice',
      choices: ['price', 'discount_price', 'loyal_price', 'available_count'],
      default: 'price',
      help: 'Value to draw',
    },
    ...SOURCE_FLAGS,
    from: { type: 'time', bare: 'back', dates: true, help: 'Start: -90d, 2026-02-01 (default -30d)' },
    to: { type: 'time', bare: 'back', dates: true, help: 'End (default now)' },
    interval: {
      type: 'choice',
      choices: ['auto', ...INTERVALS],
      value: 'step',
      default: 'auto',
      help: 'Time between points',
    },
    fill: {
      type: 'choice',
      choices: ['none', 'last'],
      default: 'none',
      help: 'How to fill missing data',
    },
    width: CHART_FLAGS.width,
    height: CHART_FLAGS.height,
    ascii: CHART_FLAGS.ascii,
    sparkline: { type: 'boolean', help: 'Draw one line of text per series' },
    svg: CHART_FLAGS.svg,
    force: { type: 'boolean', help: 'With --svg: overwrite an existing file' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog history 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10', why: 'Chart the last 30 days' },
    {
      run: 'svc catalog history 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --store fixprice --from 2026-01-01 --svg price.svg',
      why: 'Write a chart of one store to a file',
    },
    {
      run: 'svc catalog history 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --from -180d --interval 1d --fill last -o csv',
      why: 'Export daily values for a spreadsheet',
    },
  ],
  output: USUAL_CHART,
  outputOf: ({ svg }): AnyOutput => (svg === '-' ? { kind: 'text' } : USUAL_CHART),
  async run(input, ctx) {
    const { field, fill } = input;
    const to = plainInstant(input.to, ctx.now());
    const from = input.from === undefined ? to - MONTH_MS : plainInstant(input.from, to);
    const relative = input.from === undefined || input.from.relative === true;
    const span = { from, to, relative };
    const finest = historyWindow(span, input.interval);
    checkSvg(input);
    const problems = readingProblems(ctx);
    const selection = { stores: input.store, sources: input.source };
    const catalog = openCatalog(ctx.target);
    const { id, ...found } = await productNames(catalog, ctx).read(input.id, async (exact) => ({
      ...(await productSeries(catalog, exact, selection, problems.report)),
      id: exact,
    }));
    const series = found.series.filter(({ observations }) => observations.length > 0);
    for (const text of found.missing) ctx.notice(text);
    for (const { parser_name: store, source_id: source } of found.unrecorded) {
      ctx.warn(`${store} ${source} is skipped: it has no snapshot`);
    }
    const code = found.unrecorded.length > 0 ? ('partly_done' as const) : problems.code;
    const window = input.interval === 'auto' ? fittingWindow(span, finest, series, field) : finest;
    const histories = productHistories(id, series, { field, fill, window });
    const title = series.find((one) => one.title_original)?.title_original ?? id;
    const view: HistoryView = {
      title: `${title === id ? id : `${title} (${id})`}: ${field}${fill === 'last' ? ', gaps filled with the value before' : ''}`,
      unit: field === 'available_count' ? undefined : sharedUnit(series),
      window,
      width: input.width,
      height: input.height,
      ascii: input.ascii || undefined,
      style: input.sparkline ? 'sparkline' : 'line',
    };
    const drawing = await drawn(input, historyPicture(histories, view), ctx);
    if (drawing !== undefined) return { value: drawing, as: { kind: 'text' }, code };
    const footer = [
      footerOf(window, histories, input.interval),
      ...elsewhere(window, histories, series),
      ...unitsNote(series, field),
    ].join('\n');
    return { value: histories, as: historyChart(view), code, footer };
  },
});

function productHistories(
  id: string,
  series: readonly PriceSeries[],
  { field, fill, window }: { readonly field: SeriesField; readonly fill: Fill; readonly window: Window },
): readonly ProductHistory[] {
  const names = seriesNames(series);
  const dates = bucketDates(window);
  return series.map(({ observations, ...one }, index) => {
    const { parser_name, source_id, title_original, price_unit, unit, settlement } = one;
    const values = bucketValues(observations, field, window);
    const [date_from, date_to] = [wireTime(window.from), wireTime(window.to)];
    return {
      parser_name,
      source_id,
      title_original,
      price_unit,
      unit,
      settlement,
      series: names[index] ?? parser_name,
      fill,
      meta: { canonical_product_id: id, parser_name, source_id, field, interval: window.interval, date_from, date_to },
      dates,
      values: fill === 'last' ? filled(values, lastValue(observations, field, window.from)) : values,
      statistics: statisticsOf({ dates, values }),
    };
  });
}

/** Fewer make no line. */
const FEWEST_POINTS = 10;

/** What is observed once a day is mostly holes by quarters of a day: the first coarser interval that is not is taken. */
function fittingWindow(
  span: Parameters<typeof historyWindow>[0],
  finest: Window,
  series: readonly PriceSeries[],
  field: SeriesField,
): Window {
  const coarser = INTERVALS.slice(INTERVALS.indexOf(finest.interval)).map((interval) => historyWindow(span, interval));
  const fitting = coarser.find((window) => {
    if (pointsIn(window) < FEWEST_POINTS) return false;
    const dates = bucketDates(window);
    return !isSparse(
      series.map(({ observations }) => statisticsOf({ dates, values: bucketValues(observations, field, window) })),
    );
  });
  return fitting ?? finest;
}

/** A series without any value is not sparse: it has no such field. */
function isSparse(statistics: readonly Statistics[]): boolean {
  const known = statistics.filter(({ covered }) => covered > 0);
  const covered = known.reduce((sum, one) => sum + one.covered, 0);
  return covered * 2 < known.reduce((sum, one) => sum + one.points, 0);
}

/** Where a chart is empty: when there was something to see. */
function elsewhere(
  { from, to }: Window,
  histories: readonly ProductHistory[],
  series: readonly PriceSeries[],
): readonly string[] {
  if (histories.some(({ statistics }) => statistics.covered > 0)) return [];
  const observed = series.map(({ observed_at: at }) => Date.parse(at ?? '')).filter((at) => !Number.isNaN(at));
  const latest = Math.max(...observed);
  if (!Number.isFinite(latest) || (latest >= from && latest <= to)) return [];
  return [`last observed ${wireTime(latest)}: ${latest < from ? 'an earlier --from' : 'a later --to'} shows more`];
}

/** Lines beside each other look as if they could be compared. */
function unitsNote(series: readonly PriceSeries[], field: string): readonly string[] {
  const units = [...new Set(series.map(unitOf))].filter((unit) => unit !== '').sort();
  if (field === 'available_count' || units.length < 2) return [];
  return [`prices for different units share this axis: ${units.join(', ')}; choose with --store and --source`];
}

/** What was asked for, and what may be done where a chart is mostly holes. */
function footerOf(window: Window, histories: readonly ProductHistory[], interval: string): string {
  const { from, to } = window;
  const asked = `${wireTime(from)} to ${wireTime(to)}, a point every ${window.interval}`;
  const sparse = isSparse(histories.map(({ statistics }) => statistics));
  if (!sparse || histories.some(({ fill }) => fill === 'last')) return asked;
  const ways = interval === 'auto' && window.interval !== '7d' ? 'a longer --interval, or --fill last' : '--fill last';
  return `${asked}\nfew points have a value: ${ways} may show more`;
}

function* pointRows(histories: readonly ProductHistory[]): Generator<PointRow, void, void> {
  for (const { dates, values, meta, settlement, ...one } of histories) {
    const row = {
      canonical_product_id: meta.canonical_product_id,
      parser_name: one.parser_name,
      place: settlement?.name ?? null,
      region: settlement?.region ?? null,
      unit: meta.field === 'available_count' ? (one.unit ?? '') : unitOf(one),
      source_id: one.source_id,
    };
    for (const [index, date] of dates.entries()) {
      yield { ...row, date, value: values[index] ?? null, [FIRST]: index === 0 };
    }
  }
}

function historyFacts(histories: readonly ProductHistory[]): ChartFacts {
  const columns: Column<ProductHistory>[] = [
    { name: 'series', cell: ({ series }) => series, flex: true },
    { name: 'last', cell: ({ statistics }) => figure(statistics.last), align: 'right' },
    { name: 'change', cell: ({ statistics }) => changeCell(statistics), align: 'right' },
    { name: 'min', cell: ({ statistics }) => figure(statistics.min), align: 'right' },
    { name: 'max', cell: ({ statistics }) => figure(statistics.max), align: 'right' },
    { name: 'mean', cell: ({ statistics }) => meanCell(statistics), align: 'right' },
    { name: 'first', cell: ({ statistics }) => figure(statistics.first), align: 'right' },
    { name: 'points', cell: ({ statistics: { covered, points } }) => `${covered}/${points}`, align: 'right' },
  ];
  return { columns, rows: histories };
}

const NONE = { text: '-', tone: 'dim' } as const;

function figure(value: number | null): Cell {
  return value ?? NONE;
}

/** As many decimals as the values have, and two at least: the mean of whole numbers is seldom one. */
function meanCell({ mean, min, max, first, last }: Statistics): Cell {
  if (mean === null) return NONE;
  // What is too small or too large for decimals is written as the values are.
  const values = [min, max, first, last];
  if ([mean, ...values].some((value) => String(value).includes('e'))) return mean;
  const decimals = Math.max(...values.map(decimalsOf));
  return mean.toFixed(Math.max(2, Math.min(decimals, decimalsOf(mean))));
}

function decimalsOf(value: number | null): number {
  return String(value).split('.')[1]?.length ?? 0;
}

function changeCell({ change, changePercent }: Statistics): Cell {
  if (change === null) return NONE;
  const percent = changePercent === null ? '' : ` (${signed(Number(changePercent.toFixed(1)))}%)`;
  return `${signed(change)}${percent}`;
}

function signed(value: number): string {
  return value > 0 ? `+${value}` : String(value);
}
