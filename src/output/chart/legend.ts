/** The legend below a chart: a table with facts about each line. */
import { GAP } from '../lines.ts';
import { layOut } from '../table.ts';
import type { ColorLevel } from '../terminal.ts';
import type { ChartPicture, Column, OutputOptions } from '../types.ts';

interface LegendStyle {
  readonly options: OutputOptions;
  /** The width of the chart; infinite if lines may have any length. */
  readonly width: number;
  readonly paint: SeriesPainter;
}

export async function legendLines(
  { facts, series }: ChartPicture,
  { options, width, paint }: LegendStyle,
): Promise<readonly string[]> {
  // A single line needs no glyph.
  const glyphs = series.length > 1 ? series.map((_, index) => paint(glyphOf(index, options.ascii), index)) : undefined;
  const space = glyphs === undefined ? width : width - 1 - GAP.length;
  if (space < 1) return [];
  const columns = (facts.columns as readonly Column<unknown>[]).filter(
    ({ wide }) => options.format === 'wide' || wide !== true,
  );
  const list = { kind: 'list', rows: facts.rows, columns, named: true, id: () => undefined } as const;
  const { lines } = await layOut(list, { ...options, columns: undefined, width: space });
  const heads = glyphs && (options.headers ? [' ', ...glyphs] : glyphs);
  return lines.map((line, index) => (heads === undefined ? line : heads[index] + GAP + line));
}

const GLYPHS = [...'●▲■◆○△□◇★☆ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** The glyphs of axes are not among them. */
const ASCII_GLYPHS = [...'*ox#@%&$=~ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

export function glyphOf(index: number, ascii: boolean): string {
  const glyphs = ascii ? ASCII_GLYPHS : GLYPHS;
  return glyphs[index % glyphs.length] ?? '';
}

/** Okabe and Ito's, which nearly all eyes distinguish, less those that white or black hides. */
const COLORS = ['#56b4e9', '#e69f00', '#009e73', '#cc79a7', '#d55e00', '#0072b2'] as const;
const FEW_COLORS = ['cyan', 'yellow', 'green', 'magenta', 'red', 'blueBright'] as const;

export type SeriesPainter = (text: string, series: number) => string;

export async function seriesPainter(level: ColorLevel): Promise<SeriesPainter> {
  if (level === 0) return (text) => text;
  const { Chalk } = await import('chalk');
  const chalk = new Chalk({ level });
  const styles = level === 1 ? FEW_COLORS.map((name) => chalk[name]) : COLORS.map((color) => chalk.hex(color));
  return (text, series) => styles[series % styles.length]?.(text) ?? text;
}
