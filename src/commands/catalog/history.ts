import { chartCommand } from '../../cli/command.ts';
import { CHART_FLAGS, checkSvg, drawn } from '../../inputs/chart-flags.ts';
import { type Histories, readHistories } from '../../inputs/product-histories.ts';
import type { AnyOutput } from '../../output/types.ts';
import { historyWindow } from '../../services/catalog/history-window.ts';
import type { KnownSource } from '../../services/catalog/product-sources.ts';
import { seriesNames, sharedUnit, unitOf } from '../../services/catalog/series-names.ts';
import { filled, statisticsOf } from '../../services/catalog/statistics.ts';
import { INTERVALS, plainInstant, type Window, wireTime } from '../../services/catalog/window.ts';
import {
  type Fill,
  type HistoryView,
  historyChart,
  historyPicture,
  type ProductHistory,
  USUAL_CHART,
} from '../../views/history.ts';

const MONTH_MS = 30 * 86_400_000;

export const catalogHistory = chartCommand({
  id: 'catalog history',
  aliases: ['chart'],
  summary: 'How the price of a product moved, at each place that sells it',
  description:
    "Draws one line for each source of the product; a break in it is a time without a value, which is never zero. Points stand at --from and an interval apart. --interval auto takes the finest with 400 points at most. A window of any length is asked for in as many requests as it takes. --fill last lets a value last until the next one; the figures below the chart are always of what was observed. A source that fails is left out and told, with exit status 10.\nThe width only shapes the drawing: -o json, ndjson, csv and tsv have every point. In JSON, for each source: parser_name, source_id, its title and unit, series (its name in the chart), fill, the service's meta, dates and values, and statistics (points, covered, first, firstAt, last, lastAt, min, max, mean, change, changePercent; null where there is none).",
  effect: 'read',
  service: 'catalog',
  args: { id: { help: 'The product', required: true, complete: 'products' } },
  flags: {
    field: {
      type: 'choice',
      choices: ['price', 'discount_price', 'loyal_price', 'available_count'],
      default: 'price',
      help: 'Which of its values',
    },
    store: {
      type: 'string',
      value: 'name',
      repeat: true,
      complete: 'stores',
      help: 'Only sources of this store (parser_name)',
    },
    source: { type: 'string', value: 'id', repeat: true, complete: 'sources', help: 'Only this source (source_id)' },
    from: { type: 'time', bare: 'back', dates: true, help: 'The first point: -90d, 2026-02-01 (default -30d)' },
    to: { type: 'time', bare: 'back', dates: true, help: 'Until when (default now)' },
    interval: { type: 'choice', choices: ['auto', ...INTERVALS], default: 'auto', help: 'How far points are apart' },
    fill: {
      type: 'choice',
      choices: ['none', 'last'],
      default: 'none',
      help: 'What stands where nothing was observed',
    },
    width: CHART_FLAGS.width,
    height: CHART_FLAGS.height,
    ascii: CHART_FLAGS.ascii,
    sparkline: { type: 'boolean', help: 'Draw one line for each source, and nothing else' },
    svg: CHART_FLAGS.svg,
    force: { type: 'boolean', help: 'With --svg: replace the file if it is there' },
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog history 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10', why: 'The last 30 days at every source' },
    {
      run: 'svc catalog history 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --store fixprice --from 2026-01-01 --svg price.svg',
      why: 'One store since the new year, for a report',
    },
    {
      run: 'svc catalog history 5f6c2a9e-0c1d-4f3b-9a57-2b1e8d3c4a10 --from -180d --interval 1d --fill last -o csv',
      why: 'A value for each day, for a spreadsheet',
    },
  ],
  output: USUAL_CHART,
  outputOf: ({ svg }): AnyOutput => (svg === '-' ? { kind: 'text' } : USUAL_CHART),
  async run(input, ctx) {
    const { openCatalog } = await import('../../services/catalog/client.ts');
    const { historySources } = await import('../../services/catalog/product-sources.ts');
    const { id, field, fill } = input;
    const to = plainInstant(input.to?.ms ?? ctx.now(), ctx.typed);
    const from = input.from === undefined ? to - MONTH_MS : plainInstant(input.from.ms, ctx.typed);
    const window = historyWindow({ from, to }, input.interval);
    checkSvg(input);
    const catalog = openCatalog(ctx.target);
    const sources = await historySources(catalog, id, { stores: input.store, sources: input.source });
    const found = await readHistories(catalog, id, sources, { field, window }, ctx);
    const left = [...found.unknown, ...found.failed];
    for (const { source, error } of left) {
      ctx.notice(`${source.parser_name} ${source.source_id} is left out: ${error.message}`);
    }
    const histories = productHistories(found, fill);
    const title = sources.find((source) => source.title_original)?.title_original ?? id;
    const view: HistoryView = {
      title: `${title}: ${field}${fill === 'last' ? ', gaps filled with the value before' : ''}`,
      unit: field === 'available_count' ? undefined : sharedUnit(sources),
      window,
      width: input.width,
      height: input.height,
      ascii: input.ascii || undefined,
      style: input.sparkline ? 'sparkline' : 'line',
    };
    const { code } = found;
    const drawing = await drawn(input, historyPicture(histories, view), ctx);
    if (drawing !== undefined) return { value: drawing, as: { kind: 'text' }, code };
    const footer = [
      footerOf(window, histories, input.interval),
      ...elsewhere(window, histories, sources),
      ...unitsNote(sources, field),
    ].join('\n');
    return { value: histories, as: historyChart(view), code, footer };
  },
});

function productHistories({ read }: Histories, fill: Fill): readonly ProductHistory[] {
  const names = seriesNames(read.map(({ source }) => source));
  return read.map(({ source, history: { meta, dates, values } }, index) => ({
    parser_name: source.parser_name,
    source_id: source.source_id,
    title_original: source.title_original ?? null,
    price_unit: source.price_unit ?? null,
    unit: source.unit ?? null,
    settlement: source.settlement ?? null,
    series: names[index] ?? source.parser_name,
    fill,
    meta,
    dates,
    values: fill === 'last' ? filled(values) : values,
    statistics: statisticsOf({ dates, values }),
  }));
}

/** Where a chart is empty: when there was something to see. */
function elsewhere(
  { from, to }: Window,
  histories: readonly ProductHistory[],
  sources: readonly KnownSource[],
): readonly string[] {
  if (histories.some(({ statistics }) => statistics.covered > 0)) return [];
  const observed = sources.map(({ observed_at: at }) => Date.parse(at ?? '')).filter((at) => !Number.isNaN(at));
  const latest = Math.max(...observed);
  if (!Number.isFinite(latest) || (latest >= from && latest <= to)) return [];
  return [`last observed ${wireTime(latest)}: ${latest < from ? 'an earlier --from' : 'a later --to'} shows more`];
}

/** Lines beside each other look as if they could be compared. */
function unitsNote(sources: readonly KnownSource[], field: string): readonly string[] {
  const units = [...new Set(sources.map(unitOf))].filter((unit) => unit !== '').sort();
  if (field === 'available_count' || units.length < 2) return [];
  return [`prices by different units share this axis: ${units.join(', ')}; --store and --source choose`];
}

/** What was asked for, and what may be done where a chart is mostly holes. */
function footerOf(window: Window, histories: readonly ProductHistory[], interval: string): string {
  const { from, to } = window;
  const asked = `${wireTime(from)} to ${wireTime(to)}, a point every ${window.interval}`;
  // A source without any value is not sparse: it has no such field.
  const known = histories.map(({ statistics }) => statistics).filter(({ covered }) => covered > 0);
  const covered = known.reduce((sum, one) => sum + one.covered, 0);
  const sparse = covered * 2 < known.reduce((sum, one) => sum + one.points, 0);
  if (!sparse || histories.some(({ fill }) => fill === 'last')) return asked;
  const ways = interval === 'auto' && window.interval !== '7d' ? 'a longer --interval, or --fill last' : '--fill last';
  return `${asked}\nfew points have a value: ${ways} may show more`;
}
