import { listCommand } from '../../../cli/command.ts';
import { openCatalog } from '../api.ts';
import { CATEGORY_LIST } from '../columns.ts';
import { exactHint, FOREIGN_STORE, LIST_FLAGS, listed, PARSER_NAME_FLAG, searchHint, UNDOCUMENTED } from '../lists.ts';

export const catalogCategoriesList = listCommand({
  id: 'catalog categories list',
  foreignOptions: FOREIGN_STORE,
  aliases: ['categories ls'],
  summary: 'List store categories',
  description: `PARENT is the SOURCE-UID of another category of the same store. svc catalog categories tree shows categories as a tree. ${UNDOCUMENTED}`,
  effect: 'read',
  service: 'catalog',
  flags: {
    'parser-name': PARSER_NAME_FLAG,
    depth: { type: 'integer', min: 0, help: 'Only this level; 0 is the top (undocumented)' },
    parent: { type: 'string', value: 'source-uid', help: 'Only direct children of this category (undocumented)' },
    search: { type: 'string', value: 'text', help: 'Text in the title (undocumented)' },
    ...LIST_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    {
      run: 'svc catalog categories list --parser-name fixprice --depth 0',
      why: 'List the top categories of one store',
    },
  ],
  output: CATEGORY_LIST,
  async run(input, ctx) {
    const { parserName, depth, parent, search } = input;
    const query = { parser_name: parserName, depth, parent_source_uid: parent, q: search };
    return listed(
      openCatalog(ctx.target).categories,
      query,
      input,
      ctx,
      searchHint(search) ?? exactHint({ 'parser-name': parserName }),
    );
  },
});
