/** The plot area: step lines of dots, with glyphs that identify the lines. */
import { glyphOf } from './legend.ts';
import { isPoint, type Stretch } from './stretches.ts';
import { DOTS_PER_ROW } from './value-axis.ts';

/** Columns of dots in a braille cell; without braille, a cell is one column. */
const DOTS_ACROSS = 2;
/** The bits of a braille character: its dots from the top, in the left and the right column. */
const BITS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;
const BRAILLE = 0x2800;

/** An isolated point has more than so many empty columns on each side. */
const ISOLATION = 4;
/** Cells between two glyphs on a line, at least. */
const GLYPH_DISTANCE = 12;

export interface PlotSize {
  readonly cells: number;
  readonly rows: number;
  readonly ascii: boolean;
}

export function columnsFor({ cells, ascii }: Omit<PlotSize, 'rows'>): number {
  return ascii ? cells : cells * DOTS_ACROSS;
}

/** The cells of a row; undefined where nothing is drawn. */
export type PlotRow = readonly ({ readonly text: string; readonly series: number } | undefined)[];

/** `dotOf` counts rows of dots from the top. */
export function drawPlot(
  stretchesOfSeries: readonly (readonly Stretch[])[],
  dotOf: (value: number) => number,
  size: PlotSize,
): readonly PlotRow[] {
  const grid = new Grid(size);
  const rowOf = (value: number): number => Math.floor(dotOf(value) / DOTS_PER_ROW);
  const isolated = stretchesOfSeries.map((stretches) => isolatedPoints(stretches, rowOf));
  // The first series is drawn last, and so on top.
  for (const [series, stretches] of [...stretchesOfSeries.entries()].reverse()) {
    const lines = stretches.filter((stretch) => !isolated[series]?.includes(stretch));
    for (const { column, low, high } of lines.flat()) grid.drawLine(column, dotOf(high), dotOf(low), series);
  }
  // A glyph marks an isolated point, because a single dot is easily missed.
  for (const [series, points] of isolated.entries()) {
    for (const [run] of points) {
      if (run !== undefined) grid.putGlyph(rowOf(run.last), grid.cellOf(run.column), series);
    }
  }
  if (stretchesOfSeries.filter((stretches) => stretches.length > 0).length > 1) {
    const lines = stretchesOfSeries.map(
      (stretches) => new Map(stretches.flat().map(({ column, last }) => [grid.cellOf(column), rowOf(last)])),
    );
    grid.spreadGlyphs(lines);
  }
  return grid.rows();
}

/** Stretches that would be a single dot, and have nothing of their series nearby. */
function isolatedPoints(stretches: readonly Stretch[], rowOf: (value: number) => number): readonly Stretch[] {
  return stretches.filter((stretch, index) => {
    const [start, end] = [stretch[0]?.column ?? 0, stretch.at(-1)?.column ?? 0];
    const before = stretches[index - 1]?.at(-1)?.column ?? Number.NEGATIVE_INFINITY;
    const after = stretches[index + 1]?.[0]?.column ?? Number.POSITIVE_INFINITY;
    return isPoint(stretch, DOTS_ACROSS, rowOf) && start - before > ISOLATION && after - end > ISOLATION;
  });
}

/** By cell: the row in which a line leaves it. */
type LineRows = ReadonlyMap<number, number>;

class Grid {
  readonly #size: PlotSize;
  readonly #dots: Uint8Array;
  /** The series that was drawn last in a cell; -1 for none. */
  readonly #series: Int32Array;
  /** The series whose glyph is in a cell. */
  readonly #glyphs = new Map<number, number>();

  constructor(size: PlotSize) {
    this.#size = size;
    this.#dots = new Uint8Array(size.cells * size.rows);
    this.#series = new Int32Array(size.cells * size.rows).fill(-1);
  }

  cellOf(column: number): number {
    return this.#size.ascii ? column : Math.floor(column / DOTS_ACROSS);
  }

  /** `top` and `bottom` are rows of dots. */
  drawLine(column: number, top: number, bottom: number, series: number): void {
    for (let dot = top; dot <= bottom; dot++) {
      const index = this.#index(Math.floor(dot / DOTS_PER_ROW), this.cellOf(column));
      this.#dots[index] = (this.#dots[index] ?? 0) | (BITS[column % DOTS_ACROSS]?.[dot % DOTS_PER_ROW] ?? 0);
      this.#series[index] = series;
    }
  }

  /** False if the cell has a glyph already, which stays. */
  putGlyph(row: number, cell: number, series: number): boolean {
    const index = this.#index(row, cell);
    if (this.#glyphs.has(index)) return false;
    this.#glyphs.set(index, series);
    return true;
  }

  /** Each series has its glyphs elsewhere, so that lines with equal values are all visible. */
  spreadGlyphs(lines: readonly LineRows[]): void {
    const distance = Math.max(GLYPH_DISTANCE, lines.length * 3);
    for (const [series, rows] of lines.entries()) {
      const first = Math.floor(((series + 0.5) * distance) / lines.length);
      for (let cell = first; cell < this.#size.cells; cell += distance) {
        const row = rows.get(cell);
        if (row !== undefined) this.putGlyph(row, cell, series);
      }
    }
    // A short line may lie between two places.
    const marked = new Set(this.#glyphs.values());
    for (const [series, rows] of lines.entries()) if (!marked.has(series)) this.#addGlyphNear(rows, series);
  }

  /** On the line, or beside it if glyphs of others cover it. */
  #addGlyphNear(rows: LineRows, series: number): void {
    for (let away = 0; away < this.#size.cells; away++) {
      for (const [cell, row] of rows) {
        for (const beside of [cell + away, cell - away]) {
          const inside = beside >= 0 && beside < this.#size.cells;
          const blank = away === 0 || this.#series[this.#index(row, beside)] === -1;
          if (inside && blank && this.putGlyph(row, beside, series)) return;
        }
      }
    }
  }

  rows(): readonly PlotRow[] {
    const { cells, rows } = this.#size;
    return Array.from({ length: rows }, (_row, row) =>
      Array.from({ length: cells }, (_cell, cell) => this.#cell(this.#index(row, cell))),
    );
  }

  #cell(index: number): PlotRow[number] {
    const { ascii } = this.#size;
    const glyph = this.#glyphs.get(index);
    if (glyph !== undefined) return { text: glyphOf(glyph, ascii), series: glyph };
    const series = this.#series[index] ?? -1;
    if (series < 0) return undefined;
    // Lines that cross must differ, so each series is drawn with its own character.
    if (ascii) return { text: glyphOf(series, true), series };
    return { text: String.fromCharCode(BRAILLE + (this.#dots[index] ?? 0)), series };
  }

  #index(row: number, cell: number): number {
    return row * this.#size.cells + cell;
  }
}
