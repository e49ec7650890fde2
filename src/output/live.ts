/** Rows that come over time, for people: each is a line of its own, printed when it is there. */
import type { BatchWriter } from './batch-writer.ts';
import { cellLine, cellTone } from './cells.ts';
import { painter } from './color.ts';
import { escapeText } from './escape.ts';
import type { ListSubject, Printed } from './subject.ts';
import type { OutputOptions } from './types.ts';

export async function writeLive(
  { rows, live: cells = () => [], linesPerSecond }: ListSubject,
  options: OutputOptions,
  out: BatchWriter,
): Promise<Printed> {
  const paint = await painter(options.color);
  const line = (row: unknown): string => {
    let text = '';
    for (const cell of cells(row)) {
      const part = escapeText(cellLine(cell, options));
      if (part !== '') text += `${text === '' ? '' : '  '}${paint(part, cellTone(cell))}`;
    }
    return text;
  };
  // A pipe loses nothing: what is left out is left out for eyes that could not follow.
  const flood =
    linesPerSecond === undefined || options.width === undefined ? undefined : new Flood(linesPerSecond, out);
  let count = 0;
  try {
    for await (const row of rows) {
      if (out.closed) break;
      count++;
      if (flood?.swallows() === true) continue;
      const text = line(row);
      if (text === '') continue;
      const full = out.write(`${text}\n`);
      if (full !== undefined) await full;
    }
  } finally {
    flood?.end();
  }
  return { rows: count };
}

/** More lines a second than anybody reads: the rest of the second is one line that says how many there were. */
class Flood {
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
    if (more > 0 && !this.#out.closed) this.#out.write(`… ${grouped(more)} more in this second\n`);
  }
}

/** `1 834` */
function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ' ');
}
