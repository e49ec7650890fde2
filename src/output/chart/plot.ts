/** The field of a chart: step lines of dots, and glyphs on them that tell whose they are. */
import { glyphOf } from './legend.ts';
import type { Run } from './runs.ts';
import { DOTS, type RowScale } from './value-axis.ts';

/** Columns of dots in a cell of braille. */
const ACROSS = 2;
/** The bit of each dot, from the top, of the left and of the right column. */
const BITS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const;
const BRAILLE = 0x2800;

/** What a cell of ASCII is part of. */
const LEVEL = 1;
const UPRIGHT = 2;
const CORNER = 4;

/** Columns around a value that stands alone. */
const ALONE = 4;
/** Glyphs on a line stand this far apart at least. */
const GLYPH_DISTANCE = 12;

export interface PlotSize {
  readonly cells: number;
  readonly rows: number;
  readonly ascii: boolean;
}

/** How many columns `runsOf` is to make for a field of that width. */
export function columnsFor({ cells, ascii }: Omit<PlotSize, 'rows'>): number {
  return ascii ? cells : cells * ACROSS;
}

/** A cell that is drawn on, or undefined. */
export interface PlotCell {
  readonly text: string;
  readonly series: number;
}

export type PlotRow = readonly (PlotCell | undefined)[];

export function plot(all: readonly (readonly Run[])[], { dot }: RowScale, size: PlotSize): readonly PlotRow[] {
  const field = new Field(size);
  const glyphs = new Glyphs(field, size, dot);
  const split = all.map((runs) => apart(runs, dot));
  // The first series lies on top.
  for (const [series, { lines }] of [...split.entries()].reverse()) {
    for (const { column, low, high } of lines) field.line(column, dot(high), dot(low), series);
  }
  for (const [series, { points }] of split.entries()) glyphs.addPoints(series, points);
  const several = all.filter((runs) => runs.length > 0).length > 1;
  if (several) glyphs.addAlong(all);
  return field.rows(several);
}

/** A value that stands alone would be a dot that nobody sees: it gets a glyph instead. */
function apart(
  runs: readonly Run[],
  dot: RowScale['dot'],
): { readonly lines: readonly Run[]; readonly points: readonly Run[] } {
  const lines: Run[] = [];
  const points: Run[] = [];
  for (let start = 0; start < runs.length; ) {
    let end = start + 1;
    while (end < runs.length && runs[end]?.fresh === false) end++;
    const stretch = runs.slice(start, end);
    const [first] = stretch;
    const last = stretch.at(-1);
    const alone =
      first !== undefined &&
      last !== undefined &&
      last.column - first.column < ACROSS &&
      first.column - (runs[start - 1]?.column ?? Number.NEGATIVE_INFINITY) > ALONE &&
      (runs[end]?.column ?? Number.POSITIVE_INFINITY) - last.column > ALONE &&
      stretch.every(
        ({ low, high }) => rowOf(dot, low) === rowOf(dot, first.low) && rowOf(dot, high) === rowOf(dot, first.low),
      );
    if (alone) points.push(first);
    else lines.push(...stretch);
    start = end;
  }
  return { lines, points };
}

class Field {
  readonly #size: PlotSize;
  readonly #dots: Uint8Array;
  readonly #owner: Int32Array;
  readonly #glyphs = new Map<number, PlotCell>();

  constructor(size: PlotSize) {
    this.#size = size;
    this.#dots = new Uint8Array(size.cells * size.rows);
    this.#owner = new Int32Array(size.cells * size.rows).fill(-1);
  }

  /** From dot to dot, downwards. */
  line(column: number, top: number, bottom: number, series: number): void {
    const { ascii, cells } = this.#size;
    const cell = ascii ? column : Math.floor(column / ACROSS);
    const ends = [Math.floor(top / DOTS), Math.floor(bottom / DOTS)];
    for (let dot = top; dot <= bottom; dot++) {
      const row = Math.floor(dot / DOTS);
      const index = row * cells + cell;
      const bit = ascii
        ? ends[0] === ends[1]
          ? LEVEL
          : ends.includes(row)
            ? CORNER
            : UPRIGHT
        : BITS[column % ACROSS]?.[dot % DOTS];
      this.#dots[index] = (this.#dots[index] ?? 0) | (bit ?? 0);
      this.#owner[index] = series;
    }
  }

  setGlyph(row: number, cell: number, series: number): void {
    this.#glyphs.set(row * this.#size.cells + cell, { text: glyphOf(series, this.#size.ascii), series });
  }

  isGlyph(row: number, cell: number): boolean {
    return this.#glyphs.has(row * this.#size.cells + cell);
  }

  isBlank(row: number, cell: number): boolean {
    return this.#owner[row * this.#size.cells + cell] === -1 && !this.isGlyph(row, cell);
  }

  rows(several: boolean): readonly PlotRow[] {
    const { cells, rows } = this.#size;
    return Array.from({ length: rows }, (_row, row) =>
      Array.from({ length: cells }, (_cell, cell) => this.#cell(row * cells + cell, several)),
    );
  }

  #cell(index: number, several: boolean): PlotCell | undefined {
    const glyph = this.#glyphs.get(index);
    if (glyph !== undefined) return glyph;
    const series = this.#owner[index] ?? -1;
    if (series < 0) return undefined;
    const dots = this.#dots[index] ?? 0;
    if (!this.#size.ascii) return { text: String.fromCharCode(BRAILLE + dots), series };
    // Lines of characters that cross could not be told apart: each is made of its own.
    if (several) return { text: glyphOf(series, true), series };
    return { text: (dots & CORNER) > 0 ? '+' : (dots & UPRIGHT) > 0 ? '|' : '-', series };
  }
}

class Glyphs {
  readonly #field: Field;
  readonly #size: PlotSize;
  readonly #dot: RowScale['dot'];
  /** The series that have one. */
  readonly #seen = new Set<number>();

  constructor(field: Field, size: PlotSize, dot: RowScale['dot']) {
    this.#field = field;
    this.#size = size;
    this.#dot = dot;
  }

  addPoints(series: number, points: readonly Run[]): void {
    for (const { column, last } of points) this.#putIfFree(rowOf(this.#dot, last), this.#cellOf(column), series);
  }

  /** Every series at distances, each at others than the rest, so that lines on the same values are all seen. */
  addAlong(all: readonly (readonly Run[])[]): void {
    const distance = Math.max(GLYPH_DISTANCE, all.length * 3);
    for (const [series, runs] of all.entries()) {
      const rows = this.#lastRows(runs);
      const first = Math.floor(((series + 0.5) * distance) / all.length);
      for (let cell = first; cell < this.#size.cells; cell += distance) {
        const row = rows.get(cell);
        if (row !== undefined) this.#putIfFree(row, cell, series);
      }
    }
    // Those that are short may have been missed.
    for (const [series, runs] of all.entries()) {
      if (!this.#seen.has(series)) this.#addSomewhere(series, this.#lastRows(runs));
    }
  }

  /** On the line, or where others have taken all of it, beside it. */
  #addSomewhere(series: number, rows: ReadonlyMap<number, number>): void {
    for (const [cell, row] of rows) {
      if (this.#putIfFree(row, cell, series)) return;
    }
    for (let away = 1; away < this.#size.cells; away++) {
      for (const [cell, row] of rows) {
        for (const beside of [cell + away, cell - away]) {
          if (beside < 0 || beside >= this.#size.cells || !this.#field.isBlank(row, beside)) continue;
          this.#putIfFree(row, beside, series);
          return;
        }
      }
    }
  }

  /** The first glyph in a cell stays. */
  #putIfFree(row: number, cell: number, series: number): boolean {
    if (this.#field.isGlyph(row, cell)) return false;
    this.#field.setGlyph(row, cell, series);
    this.#seen.add(series);
    return true;
  }

  /** Where the line stands at the end of each cell. */
  #lastRows(runs: readonly Run[]): ReadonlyMap<number, number> {
    return new Map(runs.map(({ column, last }) => [this.#cellOf(column), rowOf(this.#dot, last)]));
  }

  #cellOf(column: number): number {
    return this.#size.ascii ? column : Math.floor(column / ACROSS);
  }
}

function rowOf(dot: RowScale['dot'], value: number): number {
  return Math.floor(dot(value) / DOTS);
}
