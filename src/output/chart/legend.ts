/** What stands below a chart: whose line is whose, and the facts about each. */
import { cellLine } from '../cells.ts';
import { escapeText } from '../escape.ts';
import { layOut } from '../table.ts';
import { type ColorLevel, displayWidth, painter, shorten, wrap } from '../terminal.ts';
import type { ChartFacts, ChartPicture, ChartSeries, Column, OutputOptions } from '../types.ts';

/** In fewer cells every one is needed. */
const LEAST_INDENTED = 8;
/** What is left of a shortened name in a table. */
const LEAST_NAME = 8;

export interface LegendStyle {
  readonly options: OutputOptions;
  readonly ascii: boolean;
  /** That of the chart; undefined where lines may be as long as they are. */
  readonly width: number | undefined;
  /** Whether a name may be shortened, as on a terminal. */
  readonly shortens: boolean;
  readonly paint: SeriesPainter;
  /** Whether the lines have glyphs. */
  readonly glyphs: boolean;
}

export async function legendLines(picture: ChartPicture, style: LegendStyle): Promise<readonly string[]> {
  const { facts, series } = picture;
  if (facts === undefined) return style.glyphs ? nameLines(series, style) : [];
  const shown = facts.columns.filter(({ wide }) => style.options.format === 'wide' || wide !== true);
  const glyphs = new Map(facts.rows.map((row, index) => [row, glyphOf(index, style.ascii)]));
  const glyph: Column<unknown> = { name: '', cell: (row) => glyphs.get(row) };
  const table = async (columns: readonly Column<unknown>[], width: number | undefined) => {
    const all = style.glyphs ? [glyph, ...columns] : columns;
    return layOut(
      { kind: 'list', rows: facts.rows, columns: all, named: true, id: () => undefined },
      { ...style.options, columns: [], ascii: style.ascii, width },
    );
  };
  const most = style.shortens ? style.width : undefined;
  const columns = most === undefined ? shown : await withFittingTitle(shown, facts.rows, most, style, table);
  const { lines: laidOut, dropped = [] } = await table(columns, most);
  const lines = [...laidOut];
  if (dropped.length > 0 || lines.some((line) => isTooWide(line, style))) return blocks(facts, shown, style);
  if (!style.glyphs) return lines;
  const header = style.options.headers ? 1 : 0;
  return lines.map((line, index) => (index < header ? line : colored(line, index - header, style)));
}

type Table = (columns: readonly Column<unknown>[], width: undefined) => Promise<{ readonly lines: Iterable<string> }>;

/** Only the names give way, and stay different from each other. */
async function withFittingTitle(
  columns: readonly Column<unknown>[],
  rows: ChartFacts['rows'],
  most: number,
  { options, ascii }: LegendStyle,
  table: Table,
): Promise<readonly Column<unknown>[]> {
  const [title, ...others] = columns;
  const { lines } = await table(columns, undefined);
  const excess = Math.max(0, ...[...lines].map(lineWidth)) - most;
  if (title === undefined || excess <= 0) return columns;
  const names = rows.map((row) => escapeText(cellLine(title.cell(row), { ...options, ascii })));
  const room = Math.max(...names.map(displayWidth)) - excess;
  if (room < LEAST_NAME) return columns;
  const fitting = fittingNames(names, room);
  const shown = new Map(rows.map((row, index) => [row, fitting[index]]));
  return [{ ...title, cell: (row) => shown.get(row) }, ...others];
}

function isTooWide(line: string, { width }: LegendStyle): boolean {
  return width !== undefined && lineWidth(line) > width;
}

function lineWidth(line: string): number {
  return displayWidth(line.replace(/\x1b\[[\d;]*m/g, ''));
}

/** The first character is the glyph. */
function colored(line: string, series: number, { paint }: LegendStyle): string {
  return paint(line.slice(0, 1), series) + line.slice(1);
}

/** Where a table is too wide: each series by itself, nothing left out. */
async function blocks(
  { rows }: ChartFacts,
  [title, ...others]: readonly Column<unknown>[],
  style: LegendStyle,
): Promise<readonly string[]> {
  const strong = await painter(style.options.color);
  const width = style.width ?? Number.POSITIVE_INFINITY;
  const text = (column: Column<unknown> | undefined, row: unknown): string =>
    escapeText(cellLine(column?.cell(row), { ...style.options, ascii: style.ascii }));
  const indent = width < LEAST_INDENTED ? '' : '  ';
  const room = Math.max(1, width - indent.length);
  return rows.flatMap((row, series) => {
    const name = wrap(text(title, row), room).map((line, index) => {
      const glyph = style.paint(glyphOf(series, style.ascii), series);
      const head = !style.glyphs || indent === '' ? '' : index === 0 ? `${glyph} ` : indent;
      return head + strong(line, 'strong');
    });
    const parts = others
      .map((column) => ({ name: escapeText(column.name), value: text(column, row) }))
      .filter(({ value }) => value !== '')
      .map((part) => `${part.name} ${part.value}`);
    return [...name, ...flow(parts, room).map((line) => indent + line)];
  });
}

/** As many in a line as fit, two blanks between them; one that is too long goes on below. */
function flow(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const part of parts) {
    if (line !== '' && displayWidth(line) + 2 + displayWidth(part) <= width) line += `  ${part}`;
    else {
      if (line !== '') lines.push(line);
      const [last = '', ...before] = [...wrap(part, width)].reverse();
      lines.push(...before.reverse());
      line = last;
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** `● Store A  ▲ Store B` */
function nameLines(series: readonly ChartSeries[], { ascii, width, paint }: LegendStyle): readonly string[] {
  const most = width ?? Number.POSITIVE_INFINITY;
  const lines: string[] = [];
  let taken = 0;
  for (const [index, { name }] of series.entries()) {
    const glyph = paint(glyphOf(index, ascii), index);
    const text = most > 2 ? ` ${shorten(escapeText(name), most - 2)}` : '';
    const entry = glyph + text;
    const needed = 1 + displayWidth(text);
    if (lines.length > 0 && taken + 2 + needed <= most) {
      lines[lines.length - 1] += `  ${entry}`;
      taken += 2 + needed;
    } else {
      lines.push(entry);
      taken = needed;
    }
  }
  return lines;
}

/** In `width` cells each. Names that would look the same lose their beginning, which they share, and not their end. */
export function fittingNames(names: readonly string[], width: number): readonly string[] {
  const cut = names.map((name) => shorten(name, width));
  return names.map((name, index) => {
    const taken = names.some((other, at) => other !== name && cut[at] === cut[index]);
    return taken ? shortenStart(name, width) : (cut[index] ?? name);
  });
}

function shortenStart(name: string, width: number): string {
  const characters = [...name];
  let taken = 1;
  let start = characters.length;
  while (start > 0 && taken + displayWidth(characters[start - 1] ?? '') <= width) {
    start--;
    taken += displayWidth(characters[start] ?? '');
  }
  return `…${characters.slice(start).join('')}`;
}

const GLYPHS = [...'●▲■◆○△□◇★☆ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Without those that axes are made of. */
const ASCII_GLYPHS = [...'*ox#@%&$=~ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

export function glyphOf(index: number, ascii: boolean): string {
  const glyphs = ascii ? ASCII_GLYPHS : GLYPHS;
  return glyphs[index % glyphs.length] ?? '';
}

/** Okabe and Ito's colours, which nearly everybody can tell apart, without those that a white or a black screen swallows. */
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
