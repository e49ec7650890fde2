import { chartCommand, type RunContext } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { UTC, zoneOf } from '../../../cli/time.ts';
import { SvcError } from '../../../errors.ts';
import type { AnyOutput, Zone } from '../../../output/types.ts';
import { type Catalog, openCatalog } from '../api.ts';
import {
  CHART_FLAGS,
  checkSvg,
  type HistoryView,
  historyChart,
  historyPicture,
  type ProductHistory,
  writeSvg,
} from '../history-chart.ts';
import { type Report, readingProblems, SOURCE_FLAGS, TZ_FLAG } from '../lists.ts';
import { productSeries, type SourceSelection, sourceSelection } from '../product-sources.ts';
import {
  readProducts,
  SELECTION_ARGUMENT,
  SELECTION_DETAILS,
  SELECTION_FLAGS,
  selectedProducts,
} from '../selection.ts';
import {
  bucketAmounts,
  type OfferField,
  PRICE_FIELDS,
  type PriceSeries,
  seriesNames,
  sharedUnit,
  titleOf,
} from '../series.ts';
import { statisticsOf } from '../statistics.ts';
import { PER_FLAG, type Per, pricesPer } from '../unit-price.ts';
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
    'One line for each store, place and unit. A break in a line is missing data, never zero. The sources of a line are joined. If a source has no snapshots, it is named and the exit status is 10.',
  details: `Points are hours, quarters of a day, days or weeks (from Monday) of the calendar in --tz, and are labeled with its local time. The first contains --since. When the clocks change, a day has 23 or 25 hours. A date as --until is not included: --since 2026-11-01 --until 2026-12-01 is November. --interval auto chooses the shortest interval with at most 100 points. The maximum is 1,000,000 points.\n--per divides each price by the size that its package had then, and rounds it to cents. ${SELECTION_DETAILS} A chart of several products draws at most ${MOST_DRAWN} lines, those with a value first, and says how many there are; data has all of them.\n--width changes only the drawing: -o json, ndjson, csv and tsv have every point. In JSON, each series has parser_name, source_id (its newest source), its title and unit, settlement, series (its name in the chart), fields (with --field lowest: which price each value is), meta (the product, the window and the time zone), dates and values, and statistics (points, covered, first, first_at, last, last_at, min, max, mean, change, change_percent; null if unknown). csv, tsv and ndjson have one line per point, with product, title, store, place, unit, source and field.`,
  effect: 'read',
  service: 'catalog',
  args: SELECTION_ARGUMENT,
  flags: {
    field: { type: 'choice', choices: [...PRICE_FIELDS, 'available_count'], default: 'price', help: 'Value to draw' },
    source: SOURCE_FLAGS.source,
    since: {
      type: 'time',
      aliases: ['from'],
      bare: 'back',
      dates: true,
      help: 'Start: -90d, 2026-02-01 (default -30d)',
    },
    until: { type: 'time', aliases: ['to'], bare: 'back', dates: true, help: 'End (default now)' },
    interval: {
      type: 'choice',
      choices: ['auto', ...INTERVALS],
      value: 'step',
      default: 'auto',
      help: 'Time per point',
    },
    tz: TZ_FLAG,
    per: PER_FLAG,
    ...CHART_FLAGS,
    force: { type: 'boolean', rare: true, help: 'With --svg: overwrite an existing file' },
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
      run: 'svc catalog history 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --store fixprice --since 2026-01-01 --svg price.svg',
      why: 'Write a chart of one store to a file',
    },
  ],
  output: USUAL_CHART,
  outputOf: ({ svg }): AnyOutput => (svg === '-' ? { kind: 'text' } : USUAL_CHART),
  async run(input, ctx) {
    const { field, width, height } = input;
    const window = resolveWindow(input, zoneOf(input.tz ?? 'local'), ctx);
    checkSvg(input);
    const catalog = openCatalog(ctx.target);
    const problems = readingProblems(ctx);
    const selection = await sourceSelection(catalog, input, problems.report);
    const ids = await selectedProducts(catalog, input, selection, ctx, problems.report);
    const read = await readProducts(ids, ctx, (id) => readRecorded(catalog, id, selection, input, problems.report));
    const products = read.products.map(({ result }) => result);
    noticeRecorded(products, ctx);
    const isWhole = products.every(({ unrecorded }) => unrecorded.length === 0);
    const code = read.code ?? (isWhole ? problems.code : ('partly_done' as const));
    const lines = linesOf(products);
    const dates = bucketDates(window);
    const histories = lines.map((line) => historyOf(line, field, window, dates));
    const unit = field === 'available_count' ? undefined : sharedUnit(lines.map(({ series }) => series));
    const view: HistoryView = { title: `${titleOfAll(products)}: ${field}`, unit, window, width, height };
    const drawn = products.length > 1 ? drawable(histories) : histories;
    const undrawn = drawn.length < histories.length ? `${drawn.length} of ${histories.length} lines are drawn` : '';
    const drawing = await writeSvg(input, historyPicture(drawn, view), ctx);
    if (drawing !== undefined) {
      if (undrawn !== '') ctx.notice(undrawn);
      return { value: drawing, as: { kind: 'text' }, code };
    }
    const footer = [describeWindow(window), undrawn && `${undrawn}; -o csv has all`].filter(Boolean).join('\n');
    return { value: histories, as: historyChart(view, drawn), code, footer };
  },
});

interface WindowInput {
  readonly since: Instant | undefined;
  readonly until: Instant | undefined;
  readonly interval: 'auto' | (typeof INTERVALS)[number];
}

function resolveWindow(input: WindowInput, zone: Zone, ctx: RunContext): CalendarWindow {
  const to = plainInstant(input.until, ctx.startedAt, zone);
  const from = input.since === undefined ? to - MONTH_MS : plainInstant(input.since, to, zone);
  if (input.until?.date && from === to) {
    throw new SvcError('invalid_value', '--since and --until are the same time: the day in --until is not included', {
      hint: 'give the day after the last one as --until',
    });
  }
  const interval = input.interval === 'auto' ? suitableInterval({ from, to }) : input.interval;
  const window = calendarWindow({ from, to, interval }, zone, { exclusive: input.until?.date });
  if (isResolved(input.since, from) || isResolved(input.until, to)) {
    ctx.notice(`from ${wireTime(from)} to ${wireTime(to)}`);
  }
  return window;
}

interface Recorded {
  readonly id: string;
  readonly title: string;
  /** Those with snapshots. */
  readonly series: readonly PriceSeries[];
  readonly notes: readonly string[];
  /** The names of sources without a snapshot. */
  readonly unrecorded: readonly string[];
}

async function readRecorded(
  catalog: Catalog,
  id: string,
  selection: SourceSelection,
  input: { readonly per: Per | undefined; readonly field: OfferField },
  report: Report,
): Promise<Recorded> {
  const found = await productSeries(catalog, id, selection, report);
  const recorded = found.series.filter(({ observations }) => observations.length > 0);
  const unrecorded = found.unrecorded.map(({ parser_name, source_id }) => `${parser_name} ${source_id}`);
  return { id, title: titleOf(recorded) ?? id, ...pricesPer(recorded, input), unrecorded };
}

function noticeRecorded(products: readonly Recorded[], ctx: RunContext): void {
  for (const product of products) {
    const about = products.length > 1 ? `${nameOf(product)}: ` : '';
    for (const text of product.notes) ctx.notice(`${about}${text}`);
    for (const name of product.unrecorded) ctx.warn(`${about}${name} is skipped: it has no snapshot`);
  }
}

interface Line {
  readonly id: string;
  readonly name: string;
  readonly series: PriceSeries;
}

/** Of several products, each line is called by its product, too. */
function linesOf(products: readonly Recorded[]): readonly Line[] {
  const titles = products.map(({ title }) => title);
  return products.flatMap((product) => {
    const isAlone = titles.filter((one) => one === product.title).length === 1;
    const before = products.length > 1 ? `${isAlone ? product.title : nameOf(product)}, ` : '';
    const names = seriesNames(product.series);
    return product.series.map((series, index) => ({ id: product.id, name: `${before}${names[index]}`, series }));
  });
}

function nameOf({ id, title }: Recorded): string {
  return title === id ? id : `${title} (${id})`;
}

function titleOfAll(products: readonly Recorded[]): string {
  const [first, ...others] = products;
  return first !== undefined && others.length === 0 ? nameOf(first) : `${products.length} products`;
}

function historyOf(
  { id, name, series }: Line,
  field: OfferField,
  window: CalendarWindow,
  dates: readonly string[],
): ProductHistory {
  const { parser_name, source_id, title_original, price_unit, unit, settlement, observations } = series;
  const amounts = bucketAmounts(observations, field, window);
  const values = amounts.map((amount) => amount?.value ?? null);
  return {
    parser_name,
    source_id,
    title_original,
    price_unit,
    unit,
    settlement,
    series: name,
    meta: {
      canonical_product_id: id,
      parser_name,
      source_id,
      field,
      interval: window.interval,
      date_from: wireTime(window.from),
      date_to: wireTime(window.to),
      timezone: window.zone.name,
    },
    dates,
    values,
    ...(field === 'lowest' && { fields: amounts.map((amount) => amount?.field ?? null) }),
    statistics: statisticsOf({ dates, values }),
  };
}

/** As many lines as can be told apart, those with a value first. */
function drawable(histories: readonly ProductHistory[]): readonly ProductHistory[] {
  const isEmpty = ({ values }: ProductHistory) => values.every((value) => value === null);
  return histories.toSorted((a, b) => Number(isEmpty(a)) - Number(isEmpty(b))).slice(0, MOST_DRAWN);
}

function describeWindow({ from, to, zone, interval }: CalendarWindow): string {
  const where = zone === UTC ? '' : ` (${zone.name})`;
  return `${zone.text(from)} to ${zone.text(to)}, a point every ${interval}${where}`;
}
