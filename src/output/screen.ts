/** A table on the whole terminal, drawn anew after each look at its rows. */
import type { OutStream } from '../context.ts';
import { SvcError } from '../errors.ts';
import { showTime } from './cells.ts';
import { escapeText } from './escape.ts';
import { shape } from './shape.ts';
import { layOut } from './table.ts';
import { painter } from './terminal.ts';
import type { Change, Column, OutputOptions, Snapshot, WatchOutput } from './types.ts';
import { shorten, wrap } from './width.ts';

const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[2K';
const CLEAR_BELOW = '\u001b[J';
/** The other screen, so that what stood on the terminal stands there again at the end; no cursor. */
const ENTER = '\u001b[?1049h\u001b[?25l';
/** Emptied first: some terminals that were resized meanwhile would take lines of it along. */
const LEAVE = `${HOME}${CLEAR_BELOW}\u001b[?25h\u001b[?1049l`;

/** Of a terminal that does not say how high it is. */
const USUAL_ROWS = 24;
/** Kept free below: a notice on standard error must not scroll the table. */
const FREE_ROWS = 2;
/** Changes told by name. */
const MOST_NAMED = 3;

const MARKS: Readonly<Record<Change<unknown>['event'], string>> = { added: '+', changed: '~', resolved: '-' };

/** Draws each snapshot, and the latest again when the terminal's size changes. */
export async function drawScreen(
  snapshots: AsyncIterable<Snapshot<unknown>>,
  output: WatchOutput<unknown>,
  options: OutputOptions,
  sink: OutStream,
): Promise<void> {
  const screen = new Screen(output, options, sink);
  const forget = sink.onResize?.(() => screen.redraw());
  await sink.write(ENTER);
  try {
    for await (const snapshot of snapshots) {
      await screen.show(snapshot);
      if (sink.closed) return;
    }
  } finally {
    forget?.();
    await screen.settled();
    await sink.write(LEAVE);
  }
}

class Screen {
  readonly #output: WatchOutput<unknown>;
  readonly #options: OutputOptions;
  readonly #sink: OutStream;
  #latest: Snapshot<unknown> | undefined;
  /** The latest look that showed something new, after the first. */
  #changed: Snapshot<unknown> | undefined;
  /** The latest of its changes that are worth a line: where rows change all the time only those that come and go. */
  #told: Pick<Snapshot<unknown>, 'at' | 'changes'> | undefined;
  #drawing: Promise<void> = Promise.resolve();

  constructor(output: WatchOutput<unknown>, options: OutputOptions, sink: OutStream) {
    this.#output = output;
    this.#options = options;
    this.#sink = sink;
  }

  get #isLive(): boolean {
    return this.#output.every === undefined;
  }

  async show(snapshot: Snapshot<unknown>): Promise<void> {
    const { at } = snapshot;
    const changes = this.#isLive ? snapshot.changes.filter(({ event }) => event !== 'changed') : snapshot.changes;
    if (this.#latest !== undefined && snapshot.changes.length > 0) this.#changed = snapshot;
    if (this.#latest !== undefined && changes.length > 0) this.#told = { at, changes };
    this.#latest = snapshot;
    this.redraw();
    await this.#drawing;
  }

  /** One drawing at a time; the failure of one is thrown by the next `show`. */
  redraw(): void {
    const snapshot = this.#latest;
    if (snapshot !== undefined) this.#drawing = this.#drawing.then(() => this.#draw(snapshot));
    this.#drawing.catch(() => {});
  }

  /** After this nothing is drawn any more. */
  async settled(): Promise<void> {
    await this.#drawing.catch(() => {});
  }

  async #draw(snapshot: Snapshot<unknown>): Promise<void> {
    const lines = await this.#lines(snapshot);
    const drawn = lines.map((line) => `${CLEAR_LINE}${line}\r\n`).join('');
    await this.#sink.write(`${HOME}${drawn}${CLEAR_BELOW}`);
  }

  async #lines(snapshot: Snapshot<unknown>): Promise<readonly string[]> {
    const width = this.#sink.columns ?? 80;
    const height = Math.max(1, (this.#sink.rows ?? USUAL_ROWS) - FREE_ROWS);
    const { list } = this.#output;
    const options: OutputOptions = { ...this.#options, width, now: snapshot.at };
    const { subject, cut } = await shape(snapshot.rows, list, options);
    if (subject.kind !== 'list') throw new SvcError('internal', 'a watched list is no list');
    const rows = subject.rows as readonly unknown[];
    const paint = await painter(options.color);
    const told = (texts: readonly string[]) =>
      texts.map((text, index) => paint(shorten(text, width), index === 0 ? 'strong' : 'dim'));

    const headings = [this.#heading(snapshot), ...this.#changes(width)];
    if (snapshot.error !== undefined) headings.push(...wrap(escapeText(snapshot.error), width).slice(0, MOST_NAMED));
    const footer = snapshot.footer === undefined ? [] : wrap(escapeText(snapshot.footer), width).slice(0, MOST_NAMED);
    // The headings, a blank line, the line of what is common, the table's header, the line of what is left out.
    const room = Math.max(0, height - headings.length - footer.length - 3 - (options.headers ? 1 : 0));
    const columns = [this.#marks(snapshot), ...subject.columns];
    const { lines, shared = [] } = await layOut({ ...subject, columns, rows: rows.slice(0, room) }, options);
    if (shared.length > 0) headings.push(escapeText(`common: ${shared.join(' ')}`));
    const hidden = cut + Math.max(0, rows.length - room);
    const below = hidden === 0 ? [] : [paint(shorten(`… ${hidden} more`, width), 'dim')];
    const last = footer.map((text) => paint(text, 'dim'));
    return [...[...told(headings), '', ...lines, ...below].slice(0, height - last.length), ...last];
  }

  #heading({ at, rows }: Snapshot<unknown>): string {
    const { noun, every } = this.#output;
    const count = `${rows.length} ${noun}${rows.length === 1 ? '' : 's'} at ${this.#time(at)}`;
    return every === undefined ? count : `${count}, again every ${every}`;
  }

  /** `16:03:05Z + NodeDown instance=node-07` */
  #changes(width: number): readonly string[] {
    if (this.#told === undefined) return this.#isLive ? [] : ['no change so far'];
    const { at, changes } = this.#told;
    const named = changes.slice(0, MOST_NAMED).map(({ event, row }) => {
      return shorten(`${this.#time(at)} ${event} ${escapeText(this.#output.title(row))}`, width);
    });
    const more = changes.length - named.length;
    return more === 0 ? named : [...named, `… and ${more} more changes`];
  }

  #marks({ changes }: Snapshot<unknown>): Column<unknown> {
    const marks = new Map(
      this.#changed?.changes === changes ? changes.map(({ event, row }) => [row, MARKS[event]]) : [],
    );
    return { name: '', cell: (row) => marks.get(row) ?? ' ' };
  }

  #time(at: number): string {
    const time = this.#options.time === 'local' ? 'local' : 'utc';
    return showTime(new Date(at).toISOString(), { time, now: at }).replace(/^.*T([\d:]+)\.?\d*/, '$1');
  }
}
