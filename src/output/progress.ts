/** What standard error shows of work that takes long: a bar, or a spinner. Only ever on a terminal, and on one line of it. */
import type { OutStream } from '../context.ts';
import { shorten } from './terminal.ts';

const CLEAR = '\r\u001b[K';

export interface Progress {
  /** One more is done. */
  step(): void;
  /** Takes the line away again. */
  clear(): void;
}

/** What is over sooner needs no bar. */
const PATIENCE_MS = 300;
const REDRAW_MS = 100;
const BAR = 24;

/** A bar on one line of a terminal; nothing elsewhere. */
export function progressBar(total: number, out: OutStream, now: () => number): Progress {
  if (!out.isTTY || total < 2) return { step() {}, clear() {} };
  const began = now();
  let done = 0;
  let drawn: number | undefined;
  const write = (text: string): void => {
    out.write(text).catch(() => {}); // standard error is gone
  };
  return {
    step() {
      // The total may have been an estimate.
      done = Math.min(total, done + 1);
      const time = now();
      if (time - began < PATIENCE_MS || (drawn !== undefined && time - drawn < REDRAW_MS)) return;
      drawn = time;
      const full = Math.floor((done / total) * BAR);
      const count = `${done}/${total}`;
      const bar = (out.columns ?? 80) > BAR + count.length + 4 ? `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ` : '';
      write(`\r${bar}${count}\u001b[K`);
    },
    clear() {
      if (drawn !== undefined) write(CLEAR);
      drawn = undefined;
    },
  };
}

/** A request that is answered sooner needs no spinner. */
const SPINNER_MS = 500;
const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';
const ASCII_FRAMES = '|/-\\';

/** `⠋ alerts.example.com:9093  3 s`: what is waited for, and how long. */
export class Spinner {
  readonly #out: OutStream;
  readonly #frames: string;
  readonly #now: () => number;
  #host = '';
  #waits = 0;
  #began = 0;
  #frame = 0;
  #timer: NodeJS.Timeout | undefined;
  #isDrawn = false;
  #isPaused = false;
  #isOver = false;

  constructor(out: OutStream, now: () => number, ascii: boolean) {
    this.#out = out;
    this.#now = now;
    this.#frames = ascii ? ASCII_FRAMES : FRAMES;
  }

  /** Something of this host is waited for until what this returns is called, once. */
  begin(host: string): () => void {
    this.#host = host;
    this.#waits++;
    if (this.#timer === undefined && !this.#isOver) {
      this.#began = this.#now();
      // The wait for one request after another is one wait. The spinner alone is no reason for the process to live.
      this.#timer = setInterval(() => this.#tick(), REDRAW_MS).unref();
    }
    return () => {
      this.#waits--;
    };
  }

  /** Takes the line away, to be drawn again while the wait goes on. */
  clear(): void {
    if (this.#isDrawn) this.#write(CLEAR);
    this.#isDrawn = false;
  }

  /** Draws nothing until what this returns is called. */
  pause(): () => void {
    this.clear();
    this.#isPaused = true;
    return () => {
      this.#isPaused = false;
    };
  }

  /** For good: something else is on the screen. */
  end(): void {
    this.#isOver = true;
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.clear();
  }

  #tick(): void {
    if (this.#waits === 0) this.#stop();
    const elapsed = this.#now() - this.#began;
    if (this.#waits === 0 || this.#isPaused || elapsed < SPINNER_MS) return;
    const frame = this.#frames[this.#frame++ % this.#frames.length];
    const text = `${frame} ${this.#host}  ${Math.round(elapsed / 1000)} s`;
    this.#write(`\r${shorten(text, (this.#out.columns ?? 80) - 1)}\u001b[K`);
    this.#isDrawn = true;
  }

  #write(text: string): void {
    this.#out.write(text).catch(() => {}); // standard error is gone
  }
}
