/** Rows that are watched: a redrawn screen on a terminal, the changes as lines elsewhere. */
import type { OutStream } from '../context.ts';
import { SvcError } from '../errors.ts';
import { showTime } from './cells.ts';
import { escapeText } from './escape.ts';
import { renderNdjson } from './formats.ts';
import { type Drawing, drawOnScreen, USUAL_COLUMNS } from './full-screen.ts';
import { shape } from './shape.ts';
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
  if ((sink.isTTY || options.isChosen) && format !== 'ndjson') return drawScreen(snapshots, output, options, sink);
  const refused = (['sort', 'limit', 'columns'] as const).find((option) => options[option] !== undefined);
  if (refused !== undefined) {
    throw new SvcError('usage', `${name} prints changes as they happen, so --${refused} does not apply`);
  }
  const out = new BatchWriter(sink, true);
  const changes: ListOutput<unknown> = { kind: 'list', columns: [], id: () => '' };
  const ndjson: OutputOptions = { ...options, format: 'ndjson' };
  const { subject } = await shape(eachChange(snapshots, output.noun, sink), changes, ndjson);
  await out.during(renderNdjson(subject, ndjson, out));
}

/** `{"event":"added","at":"…","alert":{…}}` or `{"event":"unreachable","at":"…",…}`. */
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

/** Changes, and lines of an error, above the table. */
const MOST_NAMED = 3;

const MARKS: Readonly<Record<Change<unknown>['event'], string>> = { added: '+', changed: '~', resolved: '-' };

/** What a redrawn table shows of a snapshot. */
interface Picture {
  readonly snapshot: Snapshot<unknown>;
  /** What changed since the picture before it. */
  readonly changes: readonly Change<unknown>[];
  /** The latest changes worth a line: where rows change all the time, those that come and go. */
  readonly named: Pick<Snapshot<unknown>, 'at' | 'changes'> | undefined;
  /** It differs from the picture before it in more than the age of the connection. */
  readonly isNew: boolean;
}

/** Draws each snapshot. A pipe and a dumb terminal get one picture below the other. */
async function drawScreen(
  snapshots: Snapshots,
  output: WatchOutput<unknown>,
  options: OutputOptions,
  sink: OutStream,
): Promise<void> {
  const isLive = output.every === undefined;
  const pictures = picturesOf(snapshots, isLive);
  if (sink.isTTY && !options.dumb) return drawOnScreen(drawingsOf(pictures, output, options), sink);
  const width = sink.isTTY ? USUAL_COLUMNS : Number.POSITIVE_INFINITY;
  let gap = '';
  for await (const picture of pictures) {
    if (sink.closed) return;
    if (isLive && !picture.isNew) continue;
    const size = { columns: sink.columns ?? width, rows: Number.POSITIVE_INFINITY };
    await sink.write(`${gap}${(await drawPicture(picture, size, output, options)).join('\n')}\n`);
    gap = '\n';
  }
}

async function* picturesOf(snapshots: Snapshots, isLive: boolean): AsyncGenerator<Picture, void, void> {
  let before: Snapshot<unknown> | undefined;
  let named: Picture['named'];
  for await (const snapshot of snapshots) {
    const changes = before === undefined ? [] : snapshot.changes;
    const worthy = isLive ? changes.filter(({ event }) => event !== 'changed') : changes;
    if (worthy.length > 0) named = { at: snapshot.at, changes: worthy };
    const isNew = before === undefined || changes.length > 0 || snapshot.error !== before.error;
    before = snapshot;
    yield { snapshot, changes, named, isNew };
  }
}

async function* drawingsOf(
  pictures: AsyncIterable<Picture>,
  output: WatchOutput<unknown>,
  options: OutputOptions,
): AsyncGenerator<Drawing, void, void> {
  for await (const picture of pictures) yield (size) => drawPicture(picture, size, output, options);
}

async function drawPicture(
  picture: Picture,
  { columns: width, rows: height }: Parameters<Drawing>[0],
  output: WatchOutput<unknown>,
  given: OutputOptions,
): Promise<readonly string[]> {
  const { snapshot, changes } = picture;
  const options: OutputOptions = { ...given, width, now: snapshot.at };
  const { subject, cut } = await shape(snapshot.rows, output.list, options);
  if (subject.kind !== 'list') throw new SvcError('internal', 'a watched value is not a list');
  const rows = subject.rows as readonly unknown[];
  const paint = await painter(options.color);
  const wrapped = (text: string): readonly string[] => wrap(escapeText(text), width).slice(0, MOST_NAMED);

  const headings = [describeRows(snapshot, output, options), ...describeChanges(picture, output, options)];
  if (snapshot.error !== undefined) headings.push(...wrapped(snapshot.error));
  const quit = `${options.endKey ?? 'Ctrl-C'} to quit`;
  const footer = wrapped(snapshot.footer === undefined ? quit : `${snapshot.footer}; ${quit}`);
  // For the headings, a blank line, common values, the table's header, the omitted rows, and a
  // notice on stderr.
  const space = Math.max(0, height - headings.length - footer.length - (options.headers ? 5 : 4));
  const columns = [markColumn(changes), ...subject.columns];
  const table = await layOut({ ...subject, columns, rows: rows.slice(0, space) }, options, space);
  const { lines, shared = [] } = table;
  if (shared.length > 0) headings.push(escapeText(`common: ${shared.join(' ')}`));
  const titles = headings.map((text, index) => paint(shorten(text, width), index === 0 ? 'strong' : 'dim'));
  const hidden = cut + rows.length - table.rows;
  const below = hidden === 0 ? [] : [paint(shorten(`… ${hidden} more`, width), 'dim')];
  const last = footer.map((text) => paint(text, 'dim'));
  const most = Math.max(0, Math.max(1, height - 1) - last.length);
  return [...[...titles, '', ...lines, ...below].slice(0, most), ...last];
}

/** `2 alerts at 16:03:05Z, again every 5s` */
function describeRows(
  { at, readAt = at, rows }: Snapshot<unknown>,
  { noun, every }: WatchOutput<unknown>,
  options: OutputOptions,
): string {
  const plural = `${noun}${rows.length === 1 ? '' : 's'}`;
  const count = readAt === null ? `no ${plural} read yet` : `${rows.length} ${plural} at ${clockText(readAt, options)}`;
  return every === undefined ? count : `${count}, again every ${every}`;
}

/** `16:03:05Z added NodeDown instance=node-07` */
function describeChanges(
  { snapshot, named }: Picture,
  { every, title }: WatchOutput<unknown>,
  options: OutputOptions,
): readonly string[] {
  if (named === undefined) return every === undefined || snapshot.readAt === null ? [] : ['no change yet'];
  const { at, changes } = named;
  const addedFirst = [...changes].sort((a, b) => Number(b.event === 'added') - Number(a.event === 'added'));
  const lines = addedFirst
    .slice(0, MOST_NAMED)
    .map(({ event, row }) => `${clockText(at, options)} ${event} ${escapeText(title(row))}`);
  const more = changes.length - lines.length;
  return more === 0 ? lines : [...lines, `… and ${more} more changes`];
}

function markColumn(changes: readonly Change<unknown>[]): Column<unknown> {
  const marks = new Map(changes.map(({ event, row }) => [row, MARKS[event]]));
  return { name: '', cell: (row) => marks.get(row) ?? ' ' };
}

function clockText(at: number, options: OutputOptions): string {
  const time = options.time === 'local' ? 'local' : 'utc';
  return showTime(new Date(at).toISOString(), { time, now: at }).replace(/^.*T([\d:]+)\.?\d*/, '$1');
}
