/** Writes to standard output, and gathers small texts into writes worth a system call. */
import { setImmediate } from 'node:timers/promises';
import type { OutStream } from '../context.ts';
import { batchesOf, type Rows } from './types.ts';

const BATCH = 65_536;

export class BatchWriter {
  readonly #sink: OutStream;
  readonly #live: boolean;
  #text = '';
  #scheduled: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** `live`: text is written in the same turn of the event loop, for rows that arrive over time. */
  constructor(sink: OutStream, live = false) {
    this.#sink = sink;
    this.#live = live;
  }

  /** A promise only where the reader must be waited for. */
  write(text: string): Promise<void> | undefined {
    this.#text += text;
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#text.length >= BATCH) return this.#flush();
    if (this.#live) this.#scheduled ??= this.#flushSoon();
    return undefined;
  }

  /** The text of each row that has one, until the reader goes away. Returns how many there were. */
  async writeRows<Row>(rows: Rows<Row>, textOf: (row: Row, index: number) => string | undefined): Promise<number> {
    let count = 0;
    for await (const batch of batchesOf(rows)) {
      for (const row of batch) {
        // The reader went away: what produces rows should stop.
        if (this.#sink.closed) return count;
        const text = textOf(row, count);
        if (text === undefined) continue;
        count++;
        const full = this.write(text);
        if (full !== undefined) await full;
      }
    }
    return count;
  }

  /** Ends after the work. Where that fails, rows that arrived over time go out all the same. */
  async during<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (!this.#live) this.#text = '';
      throw error;
    } finally {
      await this.#end();
    }
  }

  async #end(): Promise<void> {
    await this.#scheduled;
    await this.#flush();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #flush(): Promise<void> {
    const text = this.#text;
    this.#text = '';
    if (text !== '') await this.#sink.write(text);
  }

  /** Also what comes while a slow reader is waited for, up to the size that `write` waits for. */
  async #flushSoon(): Promise<void> {
    try {
      do {
        await setImmediate();
        await this.#flush();
      } while (this.#text !== '');
    } catch (error) {
      this.#failure = { error };
    }
    this.#scheduled = undefined;
  }
}
