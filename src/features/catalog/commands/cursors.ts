import { listCommand } from '../../../cli/command.ts';
import type { ListOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { timeCell } from '../columns.ts';
import { PARAM_FLAG, PARSER_NAME_FLAG, UNDOCUMENTED, withParams } from '../lists.ts';
import type { Cursor } from '../schema.ts';

const CURSOR_LIST: ListOutput<Cursor> = {
  kind: 'list',
  columns: [
    { name: 'store', cell: (one) => one.parser_name },
    { name: 'ingested', cell: (one) => timeCell(one.ingested_at) },
    { name: 'product', cell: (one) => one.product_id, align: 'right' },
    { name: 'updated', cell: (one) => timeCell(one.updated_at) },
  ],
  id: (one) => one.parser_name,
  empty: 'no cursors',
};

export const catalogCursors = listCommand({
  id: 'catalog cursors',
  summary: 'Show how far the catalog has read each store',
  description: `One line per store; stores that were never read are missing. ${UNDOCUMENTED}`,
  effect: 'read',
  service: 'catalog',
  flags: {
    'parser-name': PARSER_NAME_FLAG,
    param: PARAM_FLAG,
  },
  examples: [{ run: 'svc catalog cursors --sort ingested', why: 'Show the store with the oldest data first' }],
  output: CURSOR_LIST,
  async run({ parserName, param }, ctx) {
    return { value: await openCatalog(ctx.target).cursors(withParams({ parser_name: parserName }, param)) };
  },
});
