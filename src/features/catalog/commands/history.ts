import { chartCommand, type RunContext } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { UTC, zoneOf } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { AnyOutput, Zone } from '../../../output/types.ts';
import { type Catalog, openCatalog, type SeriesInterval } from '../api.ts';
import {
  CHART_FLAGS,
  checkSvg,
  type Fill,
  type HistoryView,
  historyChart,
  historyPicture,
  type ProductHistory,
  writeSvg,
} from '../history-chart.ts';
import { type Report, readingProblems, SOURCE_FLAGS, TZ_FLAG } from '../lists.ts';
import { missingSources, productSeries, type SourceSelection, sourceSelection } from '../product-sources.ts';
import {
  readProducts,
  SELECTION_ARGUMENT,
  SELECTION_DETAILS,
  SELECTION_FLAGS,
  selectedProducts,
} from '../selection.ts';
import {
  bucketAmounts,
  bucketValues,
  freeNotes,
  lastAmount,
  type OfferField,
  PRICE_FIELDS,
  type PriceSeries,
  seriesNames,
  sharedUnit,
  titleOf,
  unitOf,
} from '../series.ts';
import { filled, type Statistics, statisticsOf } from '../statistics.ts';
import { PER_FLAG, type Per, productPricesPer } from '../unit-price.ts';
import {
  bucketDates,
  type CalendarWindow,
  calendarWindow,
  INTERVALS,
  isResolved,
  plainInstant,
  suitableInterval,
  wireTime,
} from '../window.ts';

/** Where nothing is known of the window yet: for what is said about the output. */
const USUAL_CHART = historyChart({
  title: '',
  unit: undefined,
  window: calendarWindow({ from: 0, to: 0, interval: '1d' }, UTC),
});

const MONTH_MS = 30 * 86_400_000;
/** More lines cannot be told apart. */
const MOST_DRAWN = 12;

export const catalogHistory = chartCommand({
  id: 'catalog history',
  aliases: ['chart'],
  summary: 'Chart the prices of products at each store',
  description:
    'One line for each store, place and unit. A break in a line is missing data, never zero. The sources of a line are joined. --fill last repeats a value until the next one; the figures below the chart count observed values only. If a source has no snapshots, it is named and the exit status is 10.',
  details: `Points are hours, quarters of a day, days or weeks (from Monday) of the calendar in --tz, and are labeled with its local time. The first contains --from. When the clocks change, a day has 23 or 25 hours. A date as --to is not included: --from 2026-11-01 --to 2026-12-01 is November. --interval auto chooses the shortest interval with at most 400 points of which half have a value. The maximum is 1,000,000 points. --fill last also uses the value in effect at --from.\n--per divides each price by the size that its package had then, and rounds it to cents; a size that changed is named. ${SELECTION_DETAILS} A chart of several products draws at most ${MOST_DRAWN} lines, those with a value first, and says how many there are; data has all of them.\n--width changes only the drawing: -o json, ndjson, csv and tsv have every point. In JSON, each series has parser_name, source_id (its newest source), its title and unit, settlement, series (its name in the chart), fill, fields (with --field lowest: which price each value is), meta (the product, the window and the time zone), dates and values, and statistics (points, covered, first, first_at, last, last_at, min, max, mean, change, change_percent; null if unknown). csv, tsv and ndjson have one line per point, with product, title, store, place, unit, source and field.`,
  effect: 'read',
  service: 'catalog',
  args: SELECTION_ARGUMENT,
  flags: {
    field: { type: 'choice', choices: [...PRICE_FIELDS, 'available_count'], default: 'price', help: 'Value to draw' },
    source: SOURCE_FLAGS.source,
    from: { type: 'time', bare: 'back', dates: true, help: 'Start: -90d, 2026-02-01 (default -30d)' },
    to: { type: 'time', bare: 'back', dates: true, help: 'End (default now)' },
    interval: {
      type: 'choice',
      choices: ['auto', ...INTERVALS],
      value: 'step',
      default: 'auto',
      help: 'Time per point',
    },
    tz: TZ_FLAG,
    per: PER_FLAG,
    fill: { type: 'choice', choices: ['none', 'last'], default: 'none', help: 'How to fill missing data' },
    width: CHART_FLAGS.width,
    height: CHART_FLAGS.height,
    ascii: CHART_FLAGS.ascii,
    svg: CHART_FLAGS.svg,
    force: { type: 'boolean', help: 'With --svg: overwrite an existing file' },
    ...SELECTION_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog history 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10', why: 'Chart the last 30 days' },
    {
      run: 'svc catalog history --category 17 --interval 1d -o csv',
      why: 'Export the prices of a category, day by day',
    },
    {
      run: 'svc catalog history 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --store fixprice --from 2026-01-01 --svg price.svg',
      why: 'Write a chart of one store to a file',
    },
  ],
  output: USUAL_CHART,
  outputOf: ({ svg }): AnyOutput => (svg === '-' ? { kind: 'text' } : USUAL_CHART),
  async run(input, ctx) {
    const { field, fill } = input;
    const zone = zoneOf(input.tz ?? 'local');
    const { from, to } = rangeOf(input, ctx.startedAt, zone);
    const interval = input.interval === 'auto' ? suitableInterval({ from, to }) : input.interval;
    const windowBy = (step: SeriesInterval) =>
      calendarWindow({ from, to, interval: step }, zone, { exclusive: input.to?.date });
    const finest = windowBy(interval);
    if (isResolved(input.from, from) || isResolved(input.to, to)) {
      ctx.notice(`from ${wireTime(from)} to ${wireTime(to)}`);
    }
    checkSvg(input);
    const problems = readingProblems(ctx);
    const catalog = openCatalog(ctx.target);
    const selection = await sourceSelection(catalog, input, problems.report);
    const selected = await selectedProducts(catalog, input, selection, ctx, problems.report);
    const { products, code: skipped } = await readProducts(catalog, selected, ctx, (exact) =>
      recordedOf(catalog, exact, selection, input, problems.report),
    );
    const several = products.length > 1;
    const recorded = products.map(({ id, result }) => ({ id, ...result }));
    noticeRecorded(recorded, several, ctx);
    const isWhole = recorded.every(({ unrecorded }) => unrecorded.length === 0);
    const code = skipped ?? (isWhole ? problems.code : ('partly_done' as const));
    const lines = linesOf(recorded, several);
    const series = lines.map((line) => line.series);
    for (const text of freeNotes(series, field)) ctx.notice(text);
    const window = input.interval === 'auto' ? fittingWindow(windowBy, finest, series, field) : finest;
    const histories = productHistories(lines, { field, fill, window });
    const view = viewOf(input, recorded, series, window);
    const shown = several ? readable(histories) : histories;
    const undrawn = undrawnNote(shown.length, histories.length);
    const drawing = await writeSvg(input, historyPicture(shown, view), ctx);
    if (drawing !== undefined) {
      for (const text of undrawn) ctx.notice(text);
      return { value: drawing, as: { kind: 'text' }, code };
    }
    const footer = [
      footerOf(window, histories, input.interval),
      ...elsewhere(window, histories, series),
      ...unitsNote(series, field),
      ...undrawn,
    ].join('\n');
    return { value: histories, as: historyChart(view, shown), code, footer };
  },
});

interface RangeInput {
  readonly from: Instant | undefined;
  readonly to: Instant | undefined;
}

function rangeOf(input: RangeInput, now: number, zone: Zone): { readonly from: number; readonly to: number } {
  const to = plainInstant(input.to, now, zone);
  const from = input.from === undefined ? to - MONTH_MS : plainInstant(input.from, to, zone);
  if (input.to?.date && from === to) {
    throw new SvcError('invalid_value', '--from and --to are the same time: the day in --to is not included', {
      hint: 'give the day after the last one as --to',
    });
  }
  return { from, to };
}

interface Recorded {
  readonly title: string;
  /** Those with snapshots. */
  readonly series: readonly PriceSeries[];
  readonly notes: readonly string[];
  /** The names of sources without a snapshot. */
  readonly unrecorded: readonly string[];
}

async function recordedOf(
  catalog: Catalog,
  id: string,
  selection: SourceSelection,
  input: { readonly per: Per | undefined; readonly field: OfferField },
  report: Report,
): Promise<Recorded> {
  const found = await productSeries(catalog, id, selection, report);
  const recorded = found.series.filter(({ observations }) => observations.length > 0);
  const { series, notes } = productPricesPer(recorded, input);
  return {
    title: titleOf(series) ?? id,
    series,
    notes: [...missingSources(selection, found.known), ...notes],
    unrecorded: found.unrecorded.map(({ parser_name, source_id }) => `${parser_name} ${source_id}`),
  };
}

type RecordedProduct = Recorded & { readonly id: string };

function noticeRecorded(products: readonly RecordedProduct[], several: boolean, ctx: RunContext): void {
  for (const { id, title, notes, unrecorded } of products) {
    const about = several ? `${named(id, title)}: ` : '';
    for (const text of notes) ctx.notice(`${about}${text}`);
    for (const name of unrecorded) ctx.warn(`${about}${name} is skipped: it has no snapshot`);
  }
}

interface Line {
  readonly id: string;
  readonly name: string;
  readonly series: PriceSeries;
}

/** Of several products, each line is called by its product, too. */
function linesOf(products: readonly RecordedProduct[], several: boolean): readonly Line[] {
  const titles = products.map(({ title }) => title);
  return products.flatMap(({ id, title, series }) => {
    const isAlone = titles.filter((one) => one === title).length === 1;
    const product = several ? `${isAlone ? title : named(id, title)}, ` : '';
    const names = seriesNames(series);
    return series.map((one, index) => ({ id, name: `${product}${names[index]}`, series: one }));
  });
}

function named(id: string, title: string): string {
  return title === id ? id : `${title} (${id})`;
}

function productHistories(
  lines: readonly Line[],
  { field, fill, window }: { readonly field: OfferField; readonly fill: Fill; readonly window: CalendarWindow },
): readonly ProductHistory[] {
  const dates = bucketDates(window);
  return lines.map(({ id, name, series: { observations, ...one } }) => {
    const { parser_name, source_id, title_original, price_unit, unit, settlement } = one;
    const observed = bucketAmounts(observations, field, window);
    const shown = fill === 'last' ? filled(observed, lastAmount(observations, field, window.from)) : observed;
    const [date_from, date_to] = [wireTime(window.from), wireTime(window.to)];
    return {
      parser_name,
      source_id,
      title_original,
      price_unit,
      unit,
      settlement,
      series: name,
      fill,
      meta: {
        canonical_product_id: id,
        parser_name,
        source_id,
        field,
        interval: window.interval,
        date_from,
        date_to,
        timezone: window.zone.name,
      },
      dates,
      values: shown.map((amount) => amount?.value ?? null),
      ...(field === 'lowest' ? { fields: shown.map((amount) => amount?.field ?? null) } : {}),
      statistics: statisticsOf({ dates, values: observed.map((amount) => amount?.value ?? null) }),
    };
  });
}

interface ViewInput {
  readonly field: OfferField;
  readonly fill: Fill;
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly ascii: boolean;
}

function viewOf(
  { field, fill, width, height, ascii }: ViewInput,
  products: readonly RecordedProduct[],
  series: readonly PriceSeries[],
  window: CalendarWindow,
): HistoryView {
  return {
    title: chartTitle(products, field, fill),
    unit: field === 'available_count' ? undefined : sharedUnit(series),
    window,
    width,
    height,
    ascii: ascii || undefined,
  };
}

function chartTitle(products: readonly RecordedProduct[], field: OfferField, fill: Fill): string {
  const [first, ...others] = products;
  const isOne = first !== undefined && others.length === 0;
  const name = isOne ? named(first.id, first.title) : `${products.length} products`;
  return `${name}: ${field}${fill === 'last' ? ', gaps filled with the value before' : ''}`;
}

/** As many lines as can be told apart, those with a value first. */
function readable(histories: readonly ProductHistory[]): readonly ProductHistory[] {
  const isEmpty = ({ values }: ProductHistory) => values.every((value) => value === null);
  return histories.toSorted((a, b) => Number(isEmpty(a)) - Number(isEmpty(b))).slice(0, MOST_DRAWN);
}

function undrawnNote(shown: number, all: number): readonly string[] {
  return shown < all ? [`${shown} of ${all} lines are drawn; -o csv has all`] : [];
}

/** Fewer make no line. */
const FEWEST_POINTS = 10;

/** Daily values leave most quarters of a day empty: then the next coarser interval is taken. */
function fittingWindow(
  windowBy: (interval: SeriesInterval) => CalendarWindow,
  finest: CalendarWindow,
  series: readonly PriceSeries[],
  field: OfferField,
): CalendarWindow {
  const windows = INTERVALS.slice(INTERVALS.indexOf(finest.interval)).map(windowBy);
  const fitting = windows.find((window) => {
    if (window.starts.length < FEWEST_POINTS) return false;
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
  { from, to }: CalendarWindow,
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
function footerOf(window: CalendarWindow, histories: readonly ProductHistory[], interval: string): string {
  const { from, to, zone } = window;
  const where = zone === UTC ? '' : ` (${zone.name})`;
  const asked = `${zone.text(from)} to ${zone.text(to)}, a point every ${window.interval}${where}`;
  const sparse = isSparse(histories.map(({ statistics }) => statistics));
  if (!sparse || histories.some(({ fill }) => fill === 'last')) return asked;
  const ways = interval === 'auto' && window.interval !== '7d' ? 'a longer --interval, or --fill last' : '--fill last';
  return `${asked}\nfew points have a value: ${ways} may show more`;
}
