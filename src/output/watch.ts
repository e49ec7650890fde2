/** Rows that are watched: a screen that is redrawn on a terminal, changes as lines of JSON anywhere else. */
import type { OutStream } from '../context.ts';
import { SvcError } from '../errors.ts';
import { BatchWriter } from './batch-writer.ts';
import { cellLine, showTime } from './cells.ts';
import { escapeText } from './escape.ts';
import { shape } from './shape.ts';
import { selectColumns } from './subject.ts';
import type { Change, Column, ListOutput, OutputOptions, Snapshot, WatchOutput } from './types.ts';
import { displayWidth } from './width.ts';

/** Refuses what cannot work before the first look, so that nothing is sent. */
export async function renderWatch(
  snapshots: AsyncIterable<Snapshot<unknown>>,
  output: WatchOutput<unknown>,
  options: OutputOptions,
  sink: OutStream,
): Promise<void> {
  const { format, query } = options;
  const name = output.every === undefined ? 'a watch' : '--watch';
  if (format !== 'table' && format !== 'wide' && format !== 'ndjson') {
    throw new SvcError('usage', `${name} has no meaning with -o ${format}`, {
      hint: 'it draws a table on a terminal, and prints changes with -o ndjson or in a pipe',
    });
  }
  if (query !== undefined) throw new SvcError('usage', `${name} and --query cannot be used together`);
  if (sink.isTTY && format !== 'ndjson') {
    const { drawScreen } = await import('./screen.ts');
    await drawScreen(snapshots, output, options, sink);
    return;
  }
  const appends = output.appends === true && format !== 'ndjson' && options.fields === undefined;
  const refused = (['sort', 'limit', ...(appends ? [] : (['columns'] as const))] as const).find(
    (option) => options[option] !== undefined,
  );
  if (refused !== undefined) {
    throw new SvcError('usage', `${name} prints changes here as they come, so --${refused} has no meaning`);
  }
  if (appends) {
    await appendChanges(snapshots, output.list, options, sink);
    return;
  }
  await writeChanges(snapshots, output, { ...options, format: 'ndjson' }, sink);
}

/** `{"event":"added","at":"…","alert":{…}}`, and `{"event":"unreachable","at":"…","reason":"…"}` */
async function writeChanges(
  snapshots: AsyncIterable<Snapshot<unknown>>,
  { noun }: WatchOutput<unknown>,
  options: OutputOptions,
  sink: OutStream,
): Promise<void> {
  const changes: ListOutput<unknown> = { kind: 'list', columns: [], id: () => '' };
  const { subject } = await shape(eachChange(snapshots, noun, sink), changes, options);
  const { renderNdjson } = await import('./json.ts');
  const out = new BatchWriter(sink, true);
  await out.during(renderNdjson(subject, options, out));
}

async function* eachChange(
  snapshots: AsyncIterable<Snapshot<unknown>>,
  noun: string,
  sink: OutStream,
): AsyncGenerator<unknown> {
  for await (const { at: ms, changes, outage } of snapshots) {
    if (sink.closed) return;
    const at = new Date(ms).toISOString();
    const rows = changes.map(({ event, row }) => ({ event, at, [noun]: row }));
    // What changed was seen before the service was lost, or after it was back.
    if (outage?.event === 'recovered') yield { event: outage.event, at };
    yield* rows;
    if (outage?.event === 'unreachable') yield { event: outage.event, at, reason: outage.reason };
  }
}

const GAP = '  ';

/** What became of the row, as a column of its own. */
interface ChangeRow {
  readonly at: number;
  readonly change: Change<unknown>;
}

async function appendChanges(
  snapshots: AsyncIterable<Snapshot<unknown>>,
  list: ListOutput<unknown>,
  options: OutputOptions,
  sink: OutStream,
): Promise<void> {
  const out = new BatchWriter(sink, true);
  const columns: readonly Column<ChangeRow>[] = [
    { name: 'at', cell: ({ at }) => showTime(new Date(at).toISOString(), { time: 'iso', now: at }) },
    { name: 'event', cell: ({ change }) => change.event },
    ...selectColumns(list, options).map(({ cell, ...column }) => ({
      ...column,
      cell: ({ change }: ChangeRow) => cell(change.row),
    })),
  ];
  const titles = columns.map(({ name }) => escapeText(name.toUpperCase()));
  // They only grow: what was printed stays as it is.
  const widths = titles.map(displayWidth);
  grow(widths, 1, 'resolved');
  let begun = !options.headers;
  try {
    for await (const { at, changes } of snapshots) {
      if (out.closed) break;
      const lines = changes.map((change) =>
        columns.map(({ cell }) => escapeText(cellLine(cell({ at, change }), { ...options, now: at }))),
      );
      for (const cells of lines) for (const [index, text] of cells.entries()) grow(widths, index, text);
      if (lines.length > 0 && !begun) lines.unshift(titles);
      begun ||= lines.length > 0;
      for (const cells of lines) {
        const full = out.write(`${aligned(cells, columns, widths)}\n`);
        if (full !== undefined) await full;
      }
    }
  } finally {
    await out.end();
  }
}

function grow(widths: number[], index: number, text: string): void {
  widths[index] = Math.max(widths[index] ?? 0, displayWidth(text));
}

function aligned(cells: readonly string[], columns: readonly Column<ChangeRow>[], widths: readonly number[]): string {
  return cells
    .map((text, index) => {
      const blanks = ' '.repeat(Math.max(0, (widths[index] ?? 0) - displayWidth(text)));
      return columns[index]?.align === 'right' ? blanks + text : text + blanks;
    })
    .join(GAP)
    .trimEnd();
}
