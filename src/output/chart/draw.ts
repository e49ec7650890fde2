/** A chart in a terminal or a pipe: title, field, axes and legend. */
import type { OutStream } from '../../context.ts';
import { painter } from '../color.ts';
import { escapeText } from '../escape.ts';
import type { Printed } from '../subject.ts';
import type { ChartPicture, OutputOptions } from '../types.ts';
import { wrap } from '../width.ts';
import { axisLines } from './axis-lines.ts';
import { legendLines } from './legend.ts';
import { type SeriesPainter, seriesPainter } from './palette.ts';
import { columnsFor, type PlotRow, plot } from './plot.ts';
import { rangeOf, runsOf } from './runs.ts';
import { sparkLines } from './spark-lines.ts';
import { type ShownTime, windowText } from './time-axis.ts';
import { rowScale } from './value-axis.ts';

const USUAL_HEIGHT = 15;
const LEAST_HEIGHT = 3;
/** A narrower field shows nothing: a line of bars does. */
const LEAST_CELLS = 10;

export async function drawChart(picture: ChartPicture, options: OutputOptions, sink: OutStream): Promise<Printed> {
  const lines = await chartLines(picture, options);
  if (lines.length > 0) await sink.write(`${lines.join('\n')}\n`);
  return { rows: lines.length };
}

export async function chartLines(picture: ChartPicture, options: OutputOptions): Promise<readonly string[]> {
  const width = Math.max(1, picture.width ?? options.canvas);
  const ascii = picture.ascii === true || options.ascii;
  if (picture.style === 'sparkline') return sparkLines(picture, { width, ascii });

  const strong = await painter(options.color);
  const paint = await seriesPainter(options.color);
  const time: ShownTime = options.time === 'local' ? 'local' : 'utc';
  const title = [picture.title, picture.unit].filter((part) => part !== undefined && part !== '').join(', ');
  const heading = title === '' ? [] : wrap(escapeText(title), width).map((line) => strong(line, 'strong'));
  const field = fieldLines(picture, { width, ascii, time, paint });
  const legend = await legendLines(picture, {
    options,
    ascii,
    width: options.format === 'wide' ? undefined : width,
    shortens: picture.width !== undefined || options.width !== undefined,
    paint,
    glyphs: picture.series.length > 1,
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
  const { series, from, to } = picture;
  const window = { from, to };
  const [low, high] = rangeOf(series.map((one) => runsOf(one, window, 1)));
  if (low > high) return wrap(`no values ${windowText(window, time)}`, width);

  const rows = Math.max(LEAST_HEIGHT, Math.floor(picture.height ?? USUAL_HEIGHT));
  const scale = rowScale(low, high, rows);
  // As wide as the name of the zone beside the time axis.
  const margin = Math.max(3, ...scale.labels.map((label) => label?.length ?? 0));
  const cells = width - margin - 2;
  if (cells < LEAST_CELLS) return sparkLines(picture, { width, ascii });

  const all = series.map((one) => runsOf(one, window, columnsFor({ cells, ascii })));
  const field = plot(all, scale, { cells, rows, ascii }).map((row, index) => {
    const label = scale.labels[index];
    const edge = label === undefined ? (ascii ? '|' : '│') : ascii ? '+' : '┤';
    return `${(label ?? '').padStart(margin)} ${edge}${rowText(row, paint)}`;
  });
  const without = series.filter((_one, index) => all[index]?.length === 0).map(({ name }) => escapeText(name));
  return [
    ...field,
    ...axisLines(window, time, { width, margin: margin + 1, ascii }),
    ...(without.length === 0 ? [] : wrap(`no values: ${without.join(', ')}`, width)),
  ];
}

/** Neighbours of one series are painted together. */
function rowText(row: PlotRow, paint: SeriesPainter): string {
  let text = '';
  let piece = '';
  let owner: number | undefined;
  const flush = (): void => {
    text += owner === undefined ? piece : paint(piece, owner);
    piece = '';
  };
  let end = row.length;
  while (end > 0 && row[end - 1] === undefined) end--;
  for (const cell of row.slice(0, end)) {
    if (cell?.series !== owner) flush();
    owner = cell?.series;
    piece += cell?.text ?? ' ';
  }
  flush();
  return text;
}
