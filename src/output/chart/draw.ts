/** A chart in a terminal or a pipe: title, drawing and legend. */
import type { OutStream } from '../../context.ts';
import { escapeText } from '../escape.ts';
import type { Printed } from '../subject.ts';
import type { ChartPicture, OutputOptions } from '../types.ts';
import { shorten } from '../width.ts';
import { sparkline } from './sparkline.ts';

export async function drawChart(picture: ChartPicture, options: OutputOptions, sink: OutStream): Promise<Printed> {
  const width = picture.width ?? options.canvas;
  const lines = picture.series.map(({ name, values }) =>
    shorten(`${sparkline(values, Math.ceil(width / 2), picture.ascii ?? options.ascii)} ${escapeText(name)}`, width),
  );
  await sink.write(`${[shorten(escapeText(picture.title), width), ...lines].join('\n')}\n`);
  return { rows: lines.length };
}
