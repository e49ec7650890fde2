/** A chart as an SVG file, complete in itself. */
import type { ChartPicture, OutputOptions } from '../types.ts';

export async function drawSvg({ title }: ChartPicture, { time }: Pick<OutputOptions, 'time'>): Promise<string> {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1" data-time="${time}"><title>${title.replace(/[^\w ]/g, ' ')}</title></svg>\n`;
}
