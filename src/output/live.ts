/** Rows that come over time, for people: each is a line of its own, printed when it is there. */
import { cellLine, cellTone } from './cells.ts';
import { escapeText } from './escape.ts';
import type { ListSubject, Printed, Subject } from './subject.ts';
import { GAP } from './table.ts';
import { displayWidth, type Painter, painter, wrap } from './terminal.ts';
import type { Cell, OutputOptions } from './types.ts';
import type { BatchWriter } from './writer.ts';

export async function renderLive(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  const { rows, live: cells = () => [], linesPerSecond } = subject as ListSubject;
  const paint = await painter(options.color);
  // A pipe gets every line.
  const most = options.width === undefined ? Number.POSITIVE_INFINITY : (linesPerSecond ?? Number.POSITIVE_INFINITY);
  const limiter = new LineRateLimiter(most, out);
  try {
    return { rows: await out.writeRows(rows, (row) => (limiter.isOver() ? '' : liveLine(cells(row), options, paint))) };
  } finally {
    limiter.end();
  }
}

/** Nothing where all cells are empty. What does not fit is below the beginning, and what is longer than a line is broken there. */
function liveLine(cells: readonly Cell[], options: OutputOptions, paint: Painter): string {
  const { width = Number.POSITIVE_INFINITY } = options;
  let text = '';
  // The cells taken on the last line so far.
  let taken = 0;
  for (const cell of cells) {
    const part = escapeText(cellLine(cell, options));
    if (part === '') continue;
    const tone = cellTone(cell);
    const needed = GAP.length + displayWidth(part);
    if (taken > 0 && taken + needed <= width) {
      text += GAP + paint(part, tone);
      taken += needed;
      continue;
    }
    const lines = taken === 0 && displayWidth(part) <= width ? [part] : wrap(part, Math.max(1, width - GAP.length));
    for (const line of lines) {
      text += (taken === 0 ? '' : `\n${GAP}`) + paint(line, tone);
      taken = (taken === 0 ? 0 : GAP.length) + displayWidth(line);
    }
  }
  return text === '' ? '' : `${text}\n`;
}

/** More lines a second than anybody reads: the rest of the second is one line that says how many there were. */
class LineRateLimiter {
  readonly #most: number;
  readonly #out: BatchWriter;
  #second = Number.NaN;
  #count = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(most: number, out: BatchWriter) {
    this.#most = most;
    this.#out = out;
  }

  isOver(): boolean {
    const now = performance.now();
    const second = Math.floor(now / 1000);
    if (second !== this.#second) {
      this.end();
      this.#second = second;
      this.#count = 0;
    }
    if (++this.#count <= this.#most) return false;
    this.#timer ??= setTimeout(() => this.end(), (second + 1) * 1000 - now);
    return true;
  }

  /** Reports the second that is over. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const more = this.#count - this.#most;
    this.#count = Math.min(this.#count, this.#most);
    if (more > 0 && !this.#out.closed) void this.#out.write(`… ${grouped(more)} more in this second\n`);
  }
}

/** `1 834` */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ' ');
}
