import { listCommand } from '../../../cli/command.ts';
import { PARAM_FLAG, UNDOCUMENTED, withParams } from '../catalog-lists.ts';
import { CURSOR_LIST } from '../columns.ts';

export const catalogCursors = listCommand({
  id: 'catalog cursors',
  summary: 'How far the catalog has read each store',
  description: `One line a store; nothing where the catalog has never read one. ${UNDOCUMENTED}`,
  effect: 'read',
  service: 'catalog',
  flags: {
    'parser-name': { type: 'string', value: 'store', complete: 'stores', help: 'Of this store (undocumented)' },
    param: PARAM_FLAG,
  },
  examples: [{ run: 'svc catalog cursors --sort ingested', why: 'The store that is furthest behind first' }],
  output: CURSOR_LIST,
  async run({ parserName, param }, ctx) {
    const { openCatalog } = await import('../client.ts');
    return { value: await openCatalog(ctx.target).cursors(withParams({ parser_name: parserName }, param)) };
  },
});
