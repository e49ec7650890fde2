import { listCommand } from '../../../cli/command.ts';
import { formatDuration } from '../../../duration.ts';
import { timeCell } from '../../../output/cells.ts';
import type { ListOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { readingProblems, SOURCE_FLAGS, UNDOCUMENTED } from '../lists.ts';
import { reportUnknown, storesOf } from '../places.ts';
import type { Cursor } from '../schema.ts';

const CURSOR_LIST: ListOutput<Cursor> = {
  kind: 'list',
  columns: [
    { name: 'store', cell: (one) => one.parser_name },
    { name: 'ingested', cell: (one) => timeCell(one.ingested_at) },
    { name: 'product', cell: (one) => one.product_id, align: 'right' },
    { name: 'updated', cell: (one) => timeCell(one.updated_at) },
  ],
  id: (one) => one.parser_name ?? undefined,
  empty: 'no cursors',
};

export const catalogCursors = listCommand({
  id: 'catalog cursors',
  summary: 'Show how far the catalog has read each store',
  description: `One line per store; stores that were never read are missing. With --max-age, the exit status is 1 if a store has older data, and 11 if that is not known. ${UNDOCUMENTED}`,
  details:
    'With --max-age, ingested (ingested_at in JSON) is the time that counts. The stores with older data, and those without a time, are named on standard error.',
  effect: 'read',
  service: 'catalog',
  flags: {
    store: SOURCE_FLAGS.store,
    'max-age': { type: 'duration', positive: true, help: 'Exit 1 if a store has older data' },
  },
  exits: ['condition_false', 'not_known'],
  examples: [
    { run: 'svc catalog cursors --sort ingested', why: 'Show the store with the oldest data first' },
    { run: 'svc catalog cursors --max-age 6h', why: 'In a script: continue only if the data is fresh' },
  ],
  output: CURSOR_LIST,
  async run({ store, maxAge }, ctx) {
    const { items: cursors, total = cursors.length } = await openCatalog(ctx.target).cursors();
    const known = storesOf(cursors);
    const unknown = store.filter((name) => !known.includes(name));
    reportUnknown({ option: '--store', unknown, known }, store, readingProblems(ctx).report);
    const value = cursors.filter(({ parser_name }) => store.length === 0 || store.includes(parser_name ?? ''));
    if (maxAge === undefined) return { value };
    const timed = value.map(({ parser_name, ingested_at }) => ({ parser_name, at: Date.parse(ingested_at ?? '') }));
    const old = timed.filter(({ at }) => at < ctx.startedAt - maxAge);
    const untimed = timed.filter(({ at }) => Number.isNaN(at));
    if (old.length > 0) ctx.notice(`older than ${formatDuration(maxAge)}: ${storesOf(old).join(', ')}`);
    if (untimed.length > 0) ctx.notice(`the age is not known: ${storesOf(untimed).join(', ')}`);
    if (old.length > 0) return { value, code: 'condition_false' };
    if (total > cursors.length) ctx.notice(`the service returned ${cursors.length} of ${total} cursors`);
    const isKnown = untimed.length === 0 && value.length > 0 && total <= cursors.length && ctx.omitted.rows === 0;
    return { value, code: isKnown ? undefined : 'not_known' };
  },
});
