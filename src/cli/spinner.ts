/** Shows on standard error that something is waited for. */
import type { OutStream } from '../context.ts';
import { shorten } from '../output/terminal.ts';

const CLEAR = '\r\u001b[K';

const REDRAW_MS = 100;

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
  /** In milliseconds since 1970. */
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
      // Waits in a row are one wait. The spinner alone is no reason for the process to live.
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

  /** Draws nothing any more, because something else is on the screen. */
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
