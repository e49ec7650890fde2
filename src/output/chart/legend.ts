/** The legend below a chart: the names of the lines and facts about each. */
import { cellLine } from '../cells.ts';
import { escapeText } from '../escape.ts';
import { GAP } from '../fit.ts';
import { layOut } from '../table.ts';
import { type ColorLevel, displayWidth, painter, shorten, shortenMiddle, wrap } from '../terminal.ts';
import type { ChartFacts, ChartPicture, Column, OutputOptions } from '../types.ts';

/** In fewer cells every one is needed. */
const LEAST_INDENTED = 8;
/** The rest of a shortened name in a table. */
const LEAST_NAME = 8;

interface LegendStyle {
  readonly options: OutputOptions;
  /** The width of the chart; infinite if lines may have any length. */
  readonly width: number;
  /** Whether a name may be shortened, as on a terminal. */
  readonly shortens: boolean;
  readonly paint: SeriesPainter;
}

export async function legendLines({ facts, series }: ChartPicture, style: LegendStyle): Promise<readonly string[]> {
  const { options, width, paint } = style;
  // A single line needs no glyph.
  const glyphs = series.length > 1 ? series.map((_, index) => paint(glyphOf(index, options.ascii), index)) : undefined;
  if (facts === undefined) return glyphs === undefined ? [] : nameLines(series, glyphs, width);
  const columns = facts.columns.filter(({ wide }) => options.format === 'wide' || wide !== true);
  const most = width - (glyphs === undefined ? 0 : 1 + GAP.length);
  const table = async (shown: ChartFacts['columns']): Promise<readonly string[]> => {
    const list = { kind: 'list', rows: facts.rows, columns: shown, named: true, id: () => undefined } as const;
    return [...(await layOut(list, { ...options, columns: [], width: undefined })).lines];
  };
  const excess = (lines: readonly string[]): number => Math.max(0, ...lines.map(lineWidth)) - most;
  let lines = await table(columns);
  if (style.shortens && excess(lines) > 0)
    lines = await table(withFittingTitle(facts, columns, excess(lines), options));
  if (excess(lines) > 0) return blocks(facts.rows, columns, style, glyphs);
  if (glyphs === undefined) return lines;
  const heads = options.headers ? [' ', ...glyphs] : glyphs;
  return lines.map((line, index) => heads[index] + GAP + line);
}

/** Only names are shortened, and stay distinct. */
function withFittingTitle(
  { rows }: ChartFacts,
  columns: ChartFacts['columns'],
  excess: number,
  options: OutputOptions,
): ChartFacts['columns'] {
  const [title, ...others] = columns;
  const names = rows.map((row) => escapeText(cellLine(title?.cell(row), options)));
  const space = Math.max(0, ...names.map(displayWidth)) - excess;
  if (title === undefined || space < LEAST_NAME) return columns;
  const fitting = fittingNames(names, space);
  if (new Set(fitting).size < new Set(names).size) return columns;
  const shown = new Map(rows.map((row, index) => [row, fitting[index]]));
  return [{ ...title, cell: (row) => shown.get(row) }, ...others];
}

function lineWidth(line: string): number {
  return displayWidth(line.replace(/\x1b\[[\d;]*m/g, ''));
}

/** If a table is too wide: each series separately, with everything. */
async function blocks(
  rows: ChartFacts['rows'],
  [title, ...others]: ChartFacts['columns'],
  { options, width }: LegendStyle,
  glyphs: readonly string[] | undefined,
): Promise<readonly string[]> {
  const strong = await painter(options.color);
  const text = (column: Column<unknown> | undefined, row: unknown): string =>
    escapeText(cellLine(column?.cell(row), options));
  const indent = width < LEAST_INDENTED ? '' : GAP;
  const space = Math.max(1, width - indent.length);
  return rows.flatMap((row, series) => {
    const name = wrap(text(title, row), space).map((line, index) => {
      const marked = index === 0 ? `${glyphs?.[series]} ` : indent;
      const head = glyphs === undefined || indent === '' ? '' : marked;
      return head + strong(line, 'strong');
    });
    const parts = others.map((column) => [escapeText(column.name), text(column, row)] as const);
    const facts = parts.filter(([, value]) => value !== '').map((part) => part.join(' '));
    return [...name, ...flow(facts, space).map((line) => indent + line)];
  });
}

/** `● Store A  ▲ Store B` */
function nameLines(series: ChartPicture['series'], glyphs: readonly string[], width: number): readonly string[] {
  const entries = series.map(({ name }, index) => {
    return glyphs[index] + (width > 2 ? ` ${shorten(escapeText(name), width - 2)}` : '');
  });
  return flow(entries, width);
}

/** As many per line as fit, with two spaces between them; one that is too long is broken. */
function flow(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const joined = `${lines.at(-1) ?? ''}${GAP}${part}`;
    if (lines.length > 0 && lineWidth(joined) <= width) lines[lines.length - 1] = joined;
    else if (lineWidth(part) <= width) lines.push(part);
    else lines.push(...wrap(part, width));
  }
  return lines;
}

/** In `width` cells each. Names that would look the same lose their common beginning, or their middle, and not their end. */
export function fittingNames(names: readonly string[], width: number): readonly string[] {
  const ways = [shorten, shortenStart, shortenMiddle].map((way) => names.map((name) => way(name, width)));
  return names.map((name, index) => {
    const distinct = ways.find((cut) => names.every((other, at) => other === name || cut[at] !== cut[index]));
    return (distinct ?? ways[1])?.[index] ?? name;
  });
}

function shortenStart(name: string, width: number): string {
  const characters = [...name];
  while (characters.length > 0 && displayWidth(characters.join('')) > width - 1) characters.shift();
  return `…${characters.join('')}`;
}

const GLYPHS = [...'●▲■◆○△□◇★☆ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Without the glyphs of axes. */
const ASCII_GLYPHS = [...'*ox#@%&$=~ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

export function glyphOf(index: number, ascii: boolean): string {
  const glyphs = ascii ? ASCII_GLYPHS : GLYPHS;
  return glyphs[index % glyphs.length] ?? '';
}

/** Okabe and Ito's colors, which nearly everybody can distinguish, without those that disappear on white or black. */
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
