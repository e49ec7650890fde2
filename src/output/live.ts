/** Rows that come over time, for people: each is a line of its own, printed when it is there. */
import type { BatchWriter } from './batch-writer.ts';
import { cellLine, cellTone } from './cells.ts';
import { escapeText } from './escape.ts';
import { batchesOf, type ListSubject, type Printed, type Subject } from './subject.ts';
import { painter } from './terminal.ts';
import type { OutputOptions } from './types.ts';
import { displayWidth, wrap } from './width.ts';

/** Between two cells, and before what goes on below. */
const GAP = '  ';

export async function renderLive(subject: Subject, options: OutputOptions, out: BatchWriter): Promise<Printed> {
  const { rows, live: cells = () => [], linesPerSecond } = subject as ListSubject;
  const paint = await painter(options.color);
  const { width } = options;
  const line = (row: unknown): string => {
    let text = '';
    // The cells taken on the last line so far.
    let taken = 0;
    for (const cell of cells(row)) {
      const part = escapeText(cellLine(cell, options));
      if (part === '') continue;
      const tone = cellTone(cell);
      if (width === undefined) {
        text += `${text === '' ? '' : GAP}${paint(part, tone)}`;
        continue;
      }
      if (taken > 0 && taken + GAP.length + displayWidth(part) <= width) {
        text += GAP + paint(part, tone);
        taken += GAP.length + displayWidth(part);
        continue;
      }
      // What does not fit stands below the beginning, and what is longer than a line is broken there.
      for (const broken of wrap(part, Math.max(1, taken === 0 ? width : width - GAP.length))) {
        text += (taken === 0 ? '' : `\n${GAP}`) + paint(broken, tone);
        taken = (taken === 0 ? 0 : GAP.length) + displayWidth(broken);
      }
    }
    return text;
  };
  // A pipe loses nothing: what is left out is left out for eyes that could not follow.
  const flood =
    linesPerSecond === undefined || options.width === undefined ? undefined : new LineRateLimiter(linesPerSecond, out);
  let count = 0;
  try {
    for await (const batch of batchesOf(rows)) {
      for (const row of batch) {
        if (out.closed) return { rows: count };
        count++;
        if (flood?.swallows() === true) continue;
        const text = line(row);
        if (text === '') continue;
        const full = out.write(`${text}\n`);
        if (full !== undefined) await full;
      }
    }
  } finally {
    flood?.end();
  }
  return { rows: count };
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

  swallows(): boolean {
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

  /** Tells of the second that is over. */
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
