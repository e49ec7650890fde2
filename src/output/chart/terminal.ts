/** A chart in a terminal or a pipe: title, field, axes and legend. */
import { escapeText } from '../escape.ts';
import { painter, wrap } from '../terminal.ts';
import type { ChartPicture, OutputOptions } from '../types.ts';
import { legendLines, type SeriesPainter, seriesPainter } from './legend.ts';
import { columnsFor, drawPlot, type PlotRow } from './plot.ts';
import { position, rangeIn, stretchesOf, titleOf, type Window } from './stretches.ts';
import { instantText, newContexts, type ShownTime, timeTicks, windowText, zoneNames } from './time-axis.ts';
import { rowScale } from './value-axis.ts';

const USUAL_HEIGHT = 15;
const LEAST_HEIGHT = 3;
/** A narrower plot shows nothing. */
const LEAST_CELLS = 10;
/** Spaces between two texts. */
const GAP = 2;

export async function chartLines(picture: ChartPicture, options: OutputOptions): Promise<readonly string[]> {
  const width = Math.max(1, picture.width ?? options.canvas);
  const { ascii } = options;
  const strong = await painter(options.color);
  const paint = await seriesPainter(options.color);
  const title = titleOf(picture);
  const heading = title === '' ? [] : wrap(escapeText(title), width).map((line) => strong(line, 'strong'));
  const time: ShownTime = options.time === 'local' ? 'local' : (picture.zone ?? 'utc');
  const field = fieldLines(picture, { width, ascii, time, paint });
  // A pipe without --width and -o wide get every figure in full.
  const isFitted = options.format !== 'wide' && (picture.width ?? options.width) !== undefined;
  const legend = await legendLines(picture, {
    options,
    width: isFitted ? width : Number.POSITIVE_INFINITY,
    paint,
  });
  return [...heading, ...field, ...(legend.length > 0 ? ['', ...legend] : [])];
}

interface FieldStyle {
  readonly width: number;
  readonly ascii: boolean;
  readonly time: ShownTime;
  readonly paint: SeriesPainter;
}

function fieldLines(picture: ChartPicture, { width, ascii, time, paint }: FieldStyle): readonly string[] {
  const { series } = picture;
  const [low, high] = rangeIn(picture);
  if (low > high) return wrap(`no values ${windowText(picture, time)}`, width);

  const rows = Math.max(LEAST_HEIGHT, Math.floor(picture.height ?? USUAL_HEIGHT));
  const scale = rowScale(low, high, rows);
  // As wide as the name of the zone beside the time axis.
  const margin = Math.max(3, ...scale.labels.map((label) => label?.length ?? 0));
  const cells = width - margin - 2;
  if (cells < LEAST_CELLS) return wrap('too narrow for a chart', width);

  const all = series.map((one) => stretchesOf(one, picture, columnsFor({ cells, ascii })));
  const drawn = drawPlot(all, scale.dotOf, { cells, rows, ascii });
  const edges = ascii ? { plain: '|', labeled: '+' } : { plain: '│', labeled: '┤' };
  const field = drawn.map((row, index) => {
    const label = scale.labels[index];
    const edge = label === undefined ? edges.plain : edges.labeled;
    return `${(label ?? '').padStart(margin)} ${edge}${rowText(row, paint)}`;
  });
  const without = series.filter((_one, index) => all[index]?.length === 0).map(({ name }) => escapeText(name));
  return [
    ...field,
    ...axisLines(picture, time, { width, margin: margin + 1, ascii }),
    ...(without.length === 0 ? [] : wrap(`no values: ${without.join(', ')}`, width)),
  ];
}

/** Adjacent cells of one series are painted together. */
function rowText(row: PlotRow, paint: SeriesPainter): string {
  const pieces: { text: string; readonly series: number | undefined }[] = [];
  for (const cell of row.slice(0, row.findLastIndex((one) => one !== undefined) + 1)) {
    const last = pieces.at(-1);
    if (last !== undefined && last.series === cell?.series) last.text += cell?.text ?? ' ';
    else pieces.push({ text: cell?.text ?? ' ', series: cell?.series });
  }
  return pieces.map(({ text, series }) => (series === undefined ? text : paint(text, series))).join('');
}

interface AxisSize {
  /** The width of the complete chart. */
  readonly width: number;
  /** The column of the axes' corner. */
  readonly margin: number;
  readonly ascii: boolean;
}

export function axisLines(window: Window, time: ShownTime, { width, margin, ascii }: AxisSize): readonly string[] {
  const cells = width - margin - 1;
  const ticks = timeTicks(window, time, { length: cells, gap: GAP + 1 }).map((tick) => {
    const cell = margin + 1 + Math.min(cells - 1, Math.floor(position(tick.at, window) * cells));
    const start = Math.max(0, Math.min(width - tick.text.length, cell - Math.floor((tick.text.length - 1) / 2)));
    return { ...tick, cell, start };
  });
  const axis = Array.from({ length: cells }, (): string => (ascii ? '-' : '─'));
  for (const { cell } of ticks) axis[cell - margin - 1] = ascii ? '+' : '┬';
  const zone = zoneNames(window, time);
  // Beside the axis if there is space, else in the last line.
  const beside = zone.length < margin;
  const corner = `${(beside ? `${zone} ` : '').padStart(margin)}${ascii ? '+' : '└'}${axis.join('')}`;

  const shown = selectFitting(ticks.length === 0 ? findEnds(window, time, margin, width) : ticks, width);
  const below = placeContexts(
    ticks.filter((tick) => shown.includes(tick)),
    width,
  );
  const last = placeLabels(selectFitting(beside ? below : withZone(below, zone, width), width));
  const named =
    beside || last.includes(zone) ? [last] : [placeLabels(selectFitting(below, width)), ...wrap(zone, width)];
  return [corner, placeLabels(shown), ...named].filter((line) => line !== '');
}

/** The labels of a window without space for two ticks. */
function findEnds(window: Window, time: ShownTime, margin: number, width: number): readonly Label[] {
  const [from, to] = [instantText(window.from, time), instantText(window.to, time)];
  const first = { start: Math.min(margin, Math.max(0, width - from.length)), text: from };
  return from === to ? [first] : [first, { start: width - to.length, text: to }];
}

interface Label {
  readonly start: number;
  readonly text: string;
}

/** If two labels are too close, the first moves left or is omitted. */
function placeContexts(ticks: readonly (Label & { readonly context: string })[], width: number): readonly Label[] {
  const labels = newContexts(ticks).map(({ start, context }) => ({
    start: Math.min(start, width - context.length),
    text: context,
  }));
  const [first, second] = labels;
  if (first === undefined || second === undefined) return labels;
  const start = Math.min(first.start, second.start - GAP - first.text.length);
  return start < 0 ? labels.slice(1) : [{ ...first, start }, ...labels.slice(1)];
}

/** At the left if there is space, else at the right. */
function withZone(labels: readonly Label[], zone: string, width: number): readonly Label[] {
  const [first] = labels;
  if (first === undefined || first.start >= zone.length + GAP) return [{ start: 0, text: zone }, ...labels];
  return [...labels, { start: width - zone.length, text: zone }];
}

/** Omits labels that would touch the previous one or be outside. */
function selectFitting<T extends Label>(labels: readonly T[], width: number): readonly T[] {
  let free = 0;
  return labels.filter(({ start, text }) => {
    if (start < free || start + text.length > width) return false;
    free = start + text.length + GAP;
    return true;
  });
}

function placeLabels(labels: readonly Label[]): string {
  return labels.reduce((line, { start, text }) => line.padEnd(start) + text, '');
}
