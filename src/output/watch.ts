/** Rows that are watched: a screen that is redrawn on a terminal, the changes as lines anywhere else. */
import type { OutStream } from '../context.ts';
import { SvcError } from '../errors.ts';
import { cellLine, cellTone, showTime } from './cells.ts';
import { escapeText } from './escape.ts';
import { renderNdjson } from './formats.ts';
import { drawLines, onFullScreen, USUAL_COLUMNS, USUAL_ROWS } from './full-screen.ts';
import { lineCell, printLine } from './lines.ts';
import { shape } from './shape.ts';
import { selectColumns } from './subject.ts';
import { layOut } from './table.ts';
import { painter, shorten, wrap } from './terminal.ts';
import type { Change, Column, ListOutput, OutputOptions, Snapshot, WatchOutput } from './types.ts';
import { BatchWriter } from './writer.ts';

type Snapshots = AsyncIterable<Snapshot<unknown>>;

/** Refuses what cannot work before the first snapshot, so that nothing is sent. */
export async function renderWatch(
  snapshots: Snapshots,
  output: WatchOutput<unknown>,
  options: OutputOptions,
  sink: OutStream,
): Promise<void> {
  const { format, query } = options;
  const name = output.every === undefined ? 'a watch' : '--watch';
  if (format !== 'table' && format !== 'wide' && format !== 'ndjson') {
    throw new SvcError('usage', `${name} does not apply to -o ${format}`, {
      hint: 'it draws a table on a terminal, and prints changes with -o ndjson or in a pipe',
    });
  }
  if (query !== undefined) throw new SvcError('usage', `${name} and --query cannot be used together`);
  if (sink.isTTY && format !== 'ndjson') return drawScreen(snapshots, output, options, sink);
  const appends = output.appends === true && format !== 'ndjson' && options.fields === undefined;
  const refused = (['sort', 'limit', 'columns'] as const).find(
    (option) => options[option] !== undefined && !(appends && option === 'columns'),
  );
  if (refused !== undefined) {
    throw new SvcError('usage', `${name} prints changes as they happen, so --${refused} does not apply`);
  }
  const out = new BatchWriter(sink, true);
  if (appends) await out.during(appendChanges(snapshots, output.list, options, out));
  else {
    const changes: ListOutput<unknown> = { kind: 'list', columns: [], id: () => '' };
    const ndjson: OutputOptions = { ...options, format: 'ndjson' };
    const { subject } = await shape(eachChange(snapshots, output.noun, sink), changes, ndjson);
    await out.during(renderNdjson(subject, ndjson, out));
  }
}

/** `{"event":"added","at":"…","alert":{…}}`, and `{"event":"unreachable","at":"…","reason":"…"}` */
async function* eachChange(snapshots: Snapshots, noun: string, sink: OutStream): AsyncGenerator<unknown> {
  for await (const { at: ms, changes, outage } of snapshots) {
    if (sink.closed) return;
    const at = new Date(ms).toISOString();
    // What changed was seen before the service was lost, or after it was back.
    if (outage?.event === 'recovered') yield { event: outage.event, at };
    yield* changes.map(({ event, row }) => ({ event, at, [noun]: row }));
    if (outage?.event === 'unreachable' || outage?.event === 'stale')
      yield { event: outage.event, at, reason: outage.reason };
  }
}

interface ChangeRow {
  readonly at: number;
  readonly change: Change<unknown>;
}

/** A line for each change: its time, its event, and the columns of the row. */
async function appendChanges(
  snapshots: Snapshots,
  list: ListOutput<unknown>,
  options: OutputOptions,
  out: BatchWriter,
): Promise<void> {
  const columns: readonly Column<ChangeRow>[] = [
    { name: 'at', cell: ({ at }) => showTime(new Date(at).toISOString(), { time: 'iso', now: at }) },
    { name: 'event', cell: ({ change }) => change.event },
    ...selectColumns(list, options).map(({ cell, ...column }) => ({
      ...column,
      cell: ({ change }: ChangeRow) => cell(change.row),
    })),
  ];
  const paint = await painter(options.color);
  const titles = columns.map(({ name }) => lineCell(escapeText(name.toUpperCase()), undefined));
  // They only grow: what was printed stays as it is.
  const grid = titles.map(({ width }, index) => ({
    width: Math.max(width, index === 1 ? 'resolved'.length : 0),
    align: columns[index]?.align,
  }));
  let headers = options.headers;
  for await (const { at, changes } of snapshots) {
    if (out.closed) return;
    const lines = changes.map((change) =>
      columns.map(({ cell }) => {
        const text = cell({ at, change });
        return lineCell(escapeText(cellLine(text, { ...options, now: at })), cellTone(text));
      }),
    );
    for (const cells of lines) {
      for (const [index, column] of grid.entries()) {
        column.width = Math.max(column.width, cells[index]?.width ?? 0);
      }
    }
    if (headers && lines.length > 0) lines.unshift(titles);
    headers &&= lines.length === 0;
    await out.writeRows(lines, (cells) => `${printLine(grid, cells, paint)}\n`);
  }
}

/** Free below the table: a notice on standard error must not scroll it. */
const FREE_ROWS = 2;
/** Changes, and lines of an error, above the table. */
const MOST_NAMED = 3;

const MARKS: Readonly<Record<Change<unknown>['event'], string>> = { added: '+', changed: '~', resolved: '-' };

/** Draws each snapshot, and the latest again when the terminal's size changes. A dumb terminal gets one picture below the other. */
async function drawScreen(
  snapshots: Snapshots,
  output: WatchOutput<unknown>,
  options: OutputOptions,
  sink: OutStream,
): Promise<void> {
  const screen = new Screen(output, options, sink);
  if (options.dumb) {
    for await (const snapshot of snapshots) {
      if (sink.closed) return;
      await screen.show(snapshot);
    }
    return;
  }
  await onFullScreen(sink, { redraw: () => screen.redraw(), drawn: () => screen.settled() }, async () => {
    for await (const snapshot of snapshots) {
      await screen.show(snapshot);
      if (sink.closed) return;
    }
  });
}

class Screen {
  readonly #output: WatchOutput<unknown>;
  readonly #options: OutputOptions;
  readonly #sink: OutStream;
  #latest: Snapshot<unknown> | undefined;
  /** The latest snapshot that had something new, after the first. */
  #changed: Snapshot<unknown> | undefined;
  /** The latest of its changes that are worth a line: where rows change all the time only those that come and go. */
  #named: Pick<Snapshot<unknown>, 'at' | 'changes'> | undefined;
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
    if (this.#latest !== undefined && changes.length > 0) this.#named = { at, changes };
    const isNew = this.#latest === undefined || snapshot.changes.length > 0 || snapshot.error !== this.#latest.error;
    this.#latest = snapshot;
    // Below each other, pictures that differ in the connection's age alone are noise.
    if (this.#options.dumb && this.#isLive && !isNew) return;
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
    if (this.#options.dumb) return this.#sink.write(`${lines.join('\n')}\n\n`);
    await this.#sink.write(drawLines(lines));
  }

  async #lines(snapshot: Snapshot<unknown>): Promise<readonly string[]> {
    const width = this.#sink.columns ?? USUAL_COLUMNS;
    const { dumb, endKey = 'Ctrl-C' } = this.#options;
    const height = dumb ? Number.POSITIVE_INFINITY : Math.max(1, (this.#sink.rows ?? USUAL_ROWS) - FREE_ROWS);
    const options: OutputOptions = { ...this.#options, width, now: snapshot.at };
    const { subject, cut } = await shape(snapshot.rows, this.#output.list, options);
    if (subject.kind !== 'list') throw new SvcError('internal', 'a watched value is not a list');
    const rows = subject.rows as readonly unknown[];
    const paint = await painter(options.color);
    const wrapped = (text: string): readonly string[] => wrap(escapeText(text), width).slice(0, MOST_NAMED);

    const headings = [this.#heading(snapshot), ...this.#changes(snapshot, width)];
    if (snapshot.error !== undefined) headings.push(...wrapped(snapshot.error));
    const footer = wrapped([snapshot.footer, `${endKey} to quit`].filter((part) => part !== undefined).join('; '));
    // The headings, a blank line, the line of what is common, the table's header, the line of what is left out.
    const space = Math.max(0, height - headings.length - footer.length - 3 - (options.headers ? 1 : 0));
    const columns = [this.#marks(snapshot), ...subject.columns];
    const layOutRows = async (sorted: readonly unknown[]) =>
      layOut({ ...subject, columns, rows: sorted.slice(0, space) }, options, space);
    const isUrgent = (row: unknown): boolean => snapshot.urgent?.rows.has(row) === true;
    let table = await layOutRows(rows);
    let cutRows = rows.slice(table.rows);
    if (cutRows.some(isUrgent)) {
      const urgentFirst = [...rows.filter(isUrgent), ...rows.filter((row) => !isUrgent(row))];
      table = await layOutRows(urgentFirst);
      cutRows = urgentFirst.slice(table.rows);
    }
    const { lines, shared = [] } = table;
    if (shared.length > 0) headings.push(escapeText(`common: ${shared.join(' ')}`));
    const titles = headings.map((text, index) => paint(shorten(text, width), index === 0 ? 'strong' : 'dim'));
    const hidden = cut + cutRows.length;
    const urgent = cutRows.filter(isUrgent).length;
    const more = `… ${hidden} more${urgent === 0 ? '' : `, ${urgent} of them ${escapeText(snapshot.urgent?.name ?? '')}`}`;
    const below = hidden === 0 ? [] : [paint(shorten(more, width), urgent === 0 ? 'dim' : 'bad')];
    const last = footer.map((text) => paint(text, 'dim'));
    return [...[...titles, '', ...lines, ...below].slice(0, Math.max(0, height - last.length)), ...last];
  }

  #heading({ at, readAt = at, rows }: Snapshot<unknown>): string {
    const { noun, every } = this.#output;
    const plural = `${noun}${rows.length === 1 ? '' : 's'}`;
    const count = readAt === null ? `no ${plural} read yet` : `${rows.length} ${plural} at ${this.#time(readAt)}`;
    return every === undefined ? count : `${count}, again every ${every}`;
  }

  /** `16:03:05Z + NodeDown instance=node-07` */
  #changes({ readAt }: Snapshot<unknown>, width: number): readonly string[] {
    if (this.#named === undefined) return this.#isLive || readAt === null ? [] : ['no change yet'];
    const { at, changes } = this.#named;
    const addedFirst = [...changes].sort((a, b) => Number(b.event === 'added') - Number(a.event === 'added'));
    const named = addedFirst.slice(0, MOST_NAMED).map(({ event, row }) => {
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
