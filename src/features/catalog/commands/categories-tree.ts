import { listCommand } from '../../../cli/command.ts';
import type { Column, ListOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { listed, PARAM_FLAG, UNDOCUMENTED } from '../catalog-lists.ts';
import { type BranchRow, branchRows, categoryTree, titleOf } from '../category-tree.ts';
import { CATEGORY_LIST } from '../columns.ts';
import type { Category } from '../schema.ts';

/** For programs: the title alone, and how deep it is. */
const BRANCH_LIST: ListOutput<BranchRow> = {
  kind: 'list',
  columns: branchColumns(titleOf),
  id: ({ id }) => String(id),
  empty: 'no categories',
};

/** For people: the deeper, the further in. Blanks are understood in every locale. */
const BRANCH_TABLE: ListOutput<BranchRow> = {
  ...BRANCH_LIST,
  columns: branchColumns((row) => '  '.repeat(row.level) + titleOf(row)),
};

export const catalogCategoriesTree = listCommand({
  id: 'catalog categories tree',
  summary: 'Show the categories of each store below each other',
  description: `All categories are read, 100 a request. JSON and YAML have the top ones, each with what is below it in "children"; other formats have one line a category, in the order of the tree, with "level" (0 at the top) and "path" (the titles from the top). One whose parent is not there stands at the top. ${UNDOCUMENTED}`,
  effect: 'read',
  service: 'catalog',
  flags: {
    'parser-name': { type: 'string', value: 'store', complete: 'stores', help: 'Of this store (undocumented)' },
    param: PARAM_FLAG,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog categories tree --parser-name fixprice', why: 'How one store sorts its products' },
    { run: "svc catalog categories tree -o json --query '[].title'", why: 'The top of each store' },
  ],
  output: BRANCH_LIST,
  async run({ parserName, param }, ctx) {
    const everything = { limit: undefined, offset: undefined, all: true, param };
    const { value, code } = await listed(
      openCatalog(ctx.target).categories,
      { parser_name: parserName },
      everything,
      ctx,
    );
    const categories: Category[] = [];
    for await (const one of value) categories.push(one);
    const tree = categoryTree(categories);
    if (ctx.wants.document) return { value: tree, as: CATEGORY_LIST, code };
    return ctx.wants.table ? { value: branchRows(tree), as: BRANCH_TABLE, code } : { value: branchRows(tree), code };
  },
});

function branchColumns(title: (row: BranchRow) => string): readonly Column<BranchRow>[] {
  return [
    { name: 'store', cell: (row) => row.parser_name },
    { name: 'title', cell: title, flex: true },
    { name: 'id', cell: ({ id }) => id, align: 'right' },
    { name: 'source-uid', cell: (row) => row.source_uid, flex: true },
    { name: 'level', cell: ({ level }) => level, align: 'right', wide: true },
    { name: 'path', cell: ({ path }) => path.join(' / '), wide: true },
  ];
}
