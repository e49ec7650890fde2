/** Standard error, for a person. */
import type { Context } from '../context.ts';
import { formatNotice } from '../output/terminal.ts';
import type { Format } from '../output/types.ts';

/**
 * What people are told beside the value: stderr, escaped, in order. With `-o json` and `-o ndjson` notices wait for the end, and are
 * dropped if the command fails: stderr is then one line of JSON, which scripts rely on. A stream may never end, so its notices are
 * printed at once.
 */
export class Notices {
  readonly #context: Context;
  readonly #quiet: boolean;
  #held: string[] | undefined;
  #writes: Promise<void> = Promise.resolve();

  constructor(
    context: Context,
    { quiet, format, streams }: { readonly quiet: boolean; readonly format: Format; readonly streams: boolean },
  ) {
    this.#context = context;
    this.#quiet = quiet;
    if (!streams && (format === 'json' || format === 'ndjson')) this.#held = [];
  }

  say(text: string): void {
    if (!this.#quiet) this.warn(text);
  }

  warn(text: string): void {
    const line = formatNotice(text);
    if (this.#held === undefined) this.always(line);
    else this.#held.push(line);
  }

  /** From here on nothing is held back. */
  release(): void {
    for (const line of this.#held ?? []) this.always(line);
    this.#held = undefined;
  }

  always(line: string): void {
    this.#writes = this.#writes.then(() => this.#context.stderr.write(line));
  }

  flushed(): Promise<void> {
    return this.#writes;
  }
}
