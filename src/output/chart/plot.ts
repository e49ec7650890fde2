/** The plot area: step lines of dots, with glyphs that identify the lines. */
import { glyphOf } from './legend.ts';
import { isPoint, type Stretch } from './stretches.ts';
import { DOTS } from './value-axis.ts';

/** Dot columns in a braille cell. */
const ACROSS = 2;
/** The bits of the dots from the top, in the left and the right column. */
const BITS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;
const BRAILLE = 0x2800;

/** Columns around an isolated value. */
const ALONE = 4;
/** The minimum distance of glyphs on a line. */
const GLYPH_DISTANCE = 12;

export interface PlotSize {
  readonly cells: number;
  readonly rows: number;
  readonly ascii: boolean;
}

export function columnsFor({ cells, ascii }: Omit<PlotSize, 'rows'>): number {
  return ascii ? cells : cells * ACROSS;
}

/** A drawn cell, or undefined. */
export type PlotRow = readonly ({ readonly text: string; readonly series: number } | undefined)[];

/** `dot` is the row of a value's dot, from the top. */
export function plot(
  all: readonly (readonly Stretch[])[],
  dot: (value: number) => number,
  size: PlotSize,
): readonly PlotRow[] {
  const field = new Field(size);
  const rowOf = (value: number): number => Math.floor(dot(value) / DOTS);
  const cellOf = (column: number): number => (size.ascii ? column : Math.floor(column / ACROSS));
  const points = all.map((stretches) => lonePoints(stretches, rowOf));
  // The first series is drawn on top.
  for (const [series, stretches] of [...all.entries()].reverse()) {
    for (const { column, low, high } of stretches.filter((one) => !points[series]?.includes(one)).flat()) {
      field.line(column, cellOf(column), dot(high), dot(low), series);
    }
  }
  // An isolated value would be a dot that is easily missed.
  for (const [series, stretches] of points.entries()) {
    for (const [first] of stretches)
      if (first !== undefined) field.put(rowOf(first.last), cellOf(first.column), series);
  }
  if (all.filter((stretches) => stretches.length > 0).length > 1) {
    const rows = all.map((one) => new Map(one.flat().map(({ column, last }) => [cellOf(column), rowOf(last)])));
    field.addGlyphs(rows);
  }
  return field.rows();
}

/** Isolated points, with nothing of their series nearby. */
function lonePoints(stretches: readonly Stretch[], rowOf: (value: number) => number): readonly Stretch[] {
  return stretches.filter((stretch, index) => {
    const [start, end] = [stretch[0]?.column ?? 0, stretch.at(-1)?.column ?? 0];
    const before = stretches[index - 1]?.at(-1)?.column ?? Number.NEGATIVE_INFINITY;
    const after = stretches[index + 1]?.[0]?.column ?? Number.POSITIVE_INFINITY;
    return isPoint(stretch, ACROSS, rowOf) && start - before > ALONE && after - end > ALONE;
  });
}

class Field {
  readonly #size: PlotSize;
  readonly #dots: Uint8Array;
  readonly #owner: Int32Array;
  /** The series whose glyph is in a cell. */
  readonly #glyphs = new Map<number, number>();

  constructor(size: PlotSize) {
    this.#size = size;
    this.#dots = new Uint8Array(size.cells * size.rows);
    this.#owner = new Int32Array(size.cells * size.rows).fill(-1);
  }

  /** From dot to dot, downwards. */
  line(column: number, cell: number, top: number, bottom: number, series: number): void {
    for (let dot = top; dot <= bottom; dot++) {
      const index = this.#index(Math.floor(dot / DOTS), cell);
      this.#dots[index] = (this.#dots[index] ?? 0) | (BITS[column % ACROSS]?.[dot % DOTS] ?? 0);
      this.#owner[index] = series;
    }
  }

  /** The first glyph in a cell stays. */
  put(row: number, cell: number, series: number): boolean {
    const index = this.#index(row, cell);
    if (this.#glyphs.has(index)) return false;
    this.#glyphs.set(index, series);
    return true;
  }

  /**
   * Spread over every series, at different places for each, so that lines with equal values are all visible. `all`: the row in which each line ends, by cell.
   */
  addGlyphs(all: readonly ReadonlyMap<number, number>[]): void {
    const distance = Math.max(GLYPH_DISTANCE, all.length * 3);
    for (const [series, rows] of all.entries()) {
      const first = Math.floor(((series + 0.5) * distance) / all.length);
      for (let cell = first; cell < this.#size.cells; cell += distance) {
        const row = rows.get(cell);
        if (row !== undefined) this.put(row, cell, series);
      }
    }
    // Short ones may have been missed.
    const seen = new Set(this.#glyphs.values());
    for (const [series, rows] of all.entries()) if (!seen.has(series)) this.#addSomewhere(rows, series);
  }

  /** On the line, or beside it if glyphs of others cover it. */
  #addSomewhere(rows: ReadonlyMap<number, number>, series: number): void {
    for (let away = 0; away < this.#size.cells; away++) {
      for (const [cell, row] of rows) {
        for (const beside of [cell + away, cell - away]) {
          const inside = beside >= 0 && beside < this.#size.cells;
          const blank = away === 0 || this.#owner[this.#index(row, beside)] === -1;
          if (inside && blank && this.put(row, beside, series)) return;
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
    const series = this.#owner[index] ?? -1;
    if (series < 0) return undefined;
    // Crossing lines of the same character could not be distinguished: each has its own.
    if (ascii) return { text: glyphOf(series, true), series };
    return { text: String.fromCharCode(BRAILLE + (this.#dots[index] ?? 0)), series };
  }

  #index(row: number, cell: number): number {
    return row * this.#size.cells + cell;
  }
}
