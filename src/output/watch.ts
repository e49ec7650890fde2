/** Rows that are watched: a screen drawn anew on a terminal, changes as lines of JSON anywhere else. */
import type { OutStream } from '../context.ts';
import { SvcError } from '../errors.ts';
import { BatchWriter } from './batch-writer.ts';
import { shape } from './shape.ts';
import type { Glance, ListOutput, OutputOptions, WatchOutput } from './types.ts';

/** Refuses what cannot work before the first look, so that nothing is sent. */
export async function renderWatch(
  glances: AsyncIterable<Glance<unknown>>,
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
    const { drawGlances } = await import('./screen.ts');
    await drawGlances(glances, output, options, sink);
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
    const { appendChanges } = await import('./appended.ts');
    await appendChanges(glances, output.list, options, sink);
    return;
  }
  await writeChanges(glances, output, { ...options, format: 'ndjson' }, sink);
}

/** `{"event":"added","at":"…","alert":{…}}`, and `{"event":"unreachable","at":"…","reason":"…"}` */
async function writeChanges(
  glances: AsyncIterable<Glance<unknown>>,
  { noun }: WatchOutput<unknown>,
  options: OutputOptions,
  sink: OutStream,
): Promise<void> {
  const changes: ListOutput<unknown> = { kind: 'list', columns: [], id: () => '' };
  const { subject } = await shape(eachChange(glances, noun, sink), changes, options);
  const { renderNdjson } = await import('./ndjson.ts');
  const out = new BatchWriter(sink, true);
  await out.during(renderNdjson(subject, options, out));
}

async function* eachChange(
  glances: AsyncIterable<Glance<unknown>>,
  noun: string,
  sink: OutStream,
): AsyncGenerator<unknown> {
  for await (const { at: ms, changes, outage } of glances) {
    if (sink.closed) return;
    const at = new Date(ms).toISOString();
    const rows = changes.map(({ event, row }) => ({ event, at, [noun]: row }));
    // What changed was seen before the service was lost, or after it was back.
    if (outage?.event === 'recovered') yield { event: outage.event, at };
    yield* rows;
    if (outage?.event === 'unreachable') yield { event: outage.event, at, reason: outage.reason };
  }
}
