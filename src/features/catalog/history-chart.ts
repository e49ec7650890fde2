/** The history of a product as a chart, and as rows for programs. */
import type { RunContext } from '../../cli/command.ts';
import { FILE, type Flags } from '../../cli/flags.ts';
import type { Cell, ChartFacts, ChartOutput, ChartPicture, Column } from '../../output/types.ts';
import { checkNewFile, writeNewFile } from '../../store/named-files.ts';
import type { DynamicsQuery, SeriesField } from './api.ts';
import type { Source } from './schema.ts';
import { type OfferField, unitOf } from './series.ts';
import type { Series, Statistics } from './statistics.ts';
import type { CalendarWindow } from './window.ts';

/** The history at one store, in one place, by one unit. */
export interface ProductHistory extends Series {
  readonly parser_name: string;
  /** Its newest source. */
  readonly source_id: string;
  readonly title_original: string | null;
  readonly price_unit: string | null;
  readonly unit: string | null;
  readonly settlement: Source['settlement'];
  /** What was asked for, as the service's own series tells it. */
  readonly meta: Omit<DynamicsQuery, 'field'> & {
    readonly field: OfferField;
    readonly canonical_product_id: string;
    readonly timezone: string;
  };
  /** With `lowest`: which price each value is. */
  readonly fields?: readonly (SeriesField | null)[];
  /** What it is called among the others. */
  readonly series: string;
  readonly statistics: Statistics;
}

/** No rendering of a row shows it. */
const FIRST = Symbol('first');

interface PointRow {
  /** The row that names its source where ids are printed. */
  readonly [FIRST]: boolean;
  readonly canonical_product_id: string;
  readonly title: string | null;
  readonly parser_name: string;
  readonly place: string | null;
  readonly region: string | null;
  readonly unit: string;
  readonly source_id: string;
  readonly field: OfferField | null;
  readonly date: string;
  readonly value: number | null;
}

const POINT_COLUMNS: readonly Column<PointRow>[] = [
  { name: 'product', cell: (row) => row.canonical_product_id },
  { name: 'title', cell: ({ title }) => title },
  { name: 'store', cell: (row) => row.parser_name },
  { name: 'place', cell: ({ place }) => place },
  { name: 'region', cell: ({ region }) => region },
  { name: 'unit', cell: ({ unit }) => unit },
  { name: 'source', cell: (row) => row.source_id },
  { name: 'field', cell: ({ field }) => field },
  { name: 'date', cell: ({ date }) => date },
  { name: 'value', cell: ({ value }) => value, align: 'right' },
];

export interface HistoryView extends Pick<ChartPicture, 'width' | 'height'> {
  readonly title: string;
  readonly unit: string | undefined;
  readonly window: CalendarWindow;
}

/** `shown`: those that are drawn; without it, all. */
export function historyChart(
  view: HistoryView,
  shown?: readonly ProductHistory[],
): ChartOutput<readonly ProductHistory[], PointRow> {
  return {
    kind: 'chart',
    chart: (histories) => historyPicture(shown ?? histories, view),
    rows: pointRows,
    list: { kind: 'list', columns: POINT_COLUMNS, id: (row) => (row[FIRST] ? row.source_id : undefined) },
  };
}

export function historyPicture(histories: readonly ProductHistory[], { window, ...view }: HistoryView): ChartPicture {
  const { from, starts, end, zone } = window;
  const series = histories.map(({ series: name, values }) => ({
    name,
    at: starts,
    values,
    until: end,
  }));
  // A window that is shorter than a point is as wide as this point.
  const to = starts.length > 1 ? window.to : end;
  return { ...view, series, from, to, zone, facts: historyFacts(histories) };
}

function* pointRows(histories: readonly ProductHistory[]): Generator<PointRow, void, void> {
  for (const { dates, values, meta, settlement, ...one } of histories) {
    const row = {
      canonical_product_id: meta.canonical_product_id,
      title: one.title_original,
      parser_name: one.parser_name,
      place: settlement?.name ?? null,
      region: settlement?.region ?? null,
      unit: meta.field === 'available_count' ? (one.unit ?? '') : unitOf(one),
      source_id: one.source_id,
    };
    for (const [index, date] of dates.entries()) {
      const field = one.fields === undefined ? meta.field : (one.fields[index] ?? null);
      yield { ...row, field, date, value: values[index] ?? null, [FIRST]: index === 0 };
    }
  }
}

/** The names of lines of several products need the room of the other figures. */
const FIGURES_OF_MANY = 5;

function historyFacts(histories: readonly ProductHistory[]): ChartFacts {
  const columns: Column<ProductHistory>[] = [
    { name: 'series', cell: ({ series }) => series, shrinks: true },
    { name: 'last', cell: ({ statistics }) => figure(statistics.last), align: 'right' },
    { name: 'change', cell: ({ statistics }) => changeCell(statistics), align: 'right' },
    { name: 'min', cell: ({ statistics }) => figure(statistics.min), align: 'right' },
    { name: 'max', cell: ({ statistics }) => figure(statistics.max), align: 'right' },
    { name: 'mean', cell: ({ statistics }) => meanCell(statistics), align: 'right' },
    { name: 'first', cell: ({ statistics }) => figure(statistics.first), align: 'right' },
    { name: 'points', cell: ({ statistics: { covered, points } }) => `${covered}/${points}`, align: 'right' },
  ];
  const several = new Set(histories.map(({ meta }) => meta.canonical_product_id)).size > 1;
  return { columns: several ? columns.slice(0, FIGURES_OF_MANY) : columns, rows: histories };
}

const NONE = { text: '-', tone: 'dim' } as const;

function figure(value: number | null): Cell {
  return value ?? NONE;
}

/** As many decimals as the values have, but at least two, because a mean is seldom whole. */
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

function changeCell({ change, change_percent }: Statistics): Cell {
  if (change === null) return NONE;
  const percent = change_percent === null ? '' : ` (${signed(Number(change_percent.toFixed(1)))}%)`;
  return `${signed(change)}${percent}`;
}

function signed(value: number): string {
  return value > 0 ? `+${value}` : String(value);
}

export const CHART_FLAGS = {
  width: {
    type: 'integer',
    min: 20,
    max: 1000,
    rare: true,
    help: 'Columns of the chart (default the terminal, or 80)',
  },
  height: { type: 'integer', min: 3, max: 200, rare: true, help: 'Lines of the chart (default 15)' },
  svg: { ...FILE, help: 'Also write the chart to a file; -: print it alone' },
} as const satisfies Flags;

interface SvgInput {
  readonly svg?: string | undefined;
  readonly force: boolean;
}

/** Checked before any request: whether the file can be written. */
export function checkSvg({ svg, force }: SvgInput): void {
  if (svg !== undefined && svg !== '-') checkNewFile({ option: '--svg', path: svg, force });
}

/** Writes the chart to its file, or returns it if it is to be printed alone. */
export async function writeSvg(
  { svg, force }: SvgInput,
  picture: Parameters<RunContext['drawSvg']>[0],
  ctx: RunContext,
): Promise<string | undefined> {
  if (svg === undefined) return undefined;
  const text = await ctx.drawSvg(picture);
  if (svg === '-') return text;
  writeNewFile({ option: '--svg', path: svg, force }, text, ctx.pid);
  ctx.notice(`the chart is in ${svg}`);
  return undefined;
}
