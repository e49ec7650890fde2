import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { openCatalog } from '../api.ts';
import { BRANCH_LIST, BRANCH_TABLE, branchRows, categoryTree } from '../category-tree.ts';
import { CATEGORY_LIST } from '../columns.ts';
import { everyItem, LIST_FLAGS, listed, readingProblems, STORE_FLAG, UNDOCUMENTED } from '../lists.ts';
import { ofStore } from '../places.ts';

export const catalogCategoriesList = listCommand({
  id: 'catalog categories list',
  aliases: ['categories ls'],
  summary: 'List store categories',
  description: `PARENT is the SOURCE-UID of another category of the same store. --tree reads all pages and shows each category below its parent; one whose parent is missing is at the top. ${UNDOCUMENTED}`,
  details:
    'With --tree, JSON and YAML have the top categories, each with its children in "children". Other formats have one line per category, in the order of the tree, with "level" (0 at the top) and "path" (the titles from the top).',
  effect: 'read',
  service: 'catalog',
  flags: {
    store: STORE_FLAG,
    depth: { type: 'integer', min: 0, help: 'Only this level; 0 is the top (undocumented)' },
    parent: { type: 'string', value: 'source-uid', help: 'Only direct children of this category (undocumented)' },
    search: { type: 'string', value: 'text', help: 'Text in the title (undocumented)' },
    tree: { type: 'boolean', help: 'Show each category below its parent' },
    ...LIST_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    {
      run: 'svc catalog categories list --store fixprice --depth 0',
      why: 'List the top categories of one store',
    },
    {
      run: 'svc catalog categories list --store fixprice --tree',
      why: 'Show the categories of one store as a tree',
    },
  ],
  output: CATEGORY_LIST,
  outputOf: ({ tree }) => (tree ? BRANCH_LIST : CATEGORY_LIST),
  async run(input, ctx) {
    const { depth, parent, search } = input;
    const catalog = openCatalog(ctx.target);
    const categories = ofStore(catalog.categories, input.store, catalog);
    if (input.tree && (input.limit !== undefined || input.offset !== undefined)) {
      throw new SvcError('usage', '--tree reads all categories, and cannot be combined with --limit or --offset');
    }
    const query = { depth, parent_source_uid: parent, q: search };
    if (!input.tree) return listed(categories, query, input, ctx);
    const problems = readingProblems(ctx);
    const all = await everyItem((page) => categories({ ...query, ...page }), problems.report);
    const tree = categoryTree(all);
    const { code } = problems;
    if (ctx.wants.document) return { value: tree, as: CATEGORY_LIST, code };
    return { value: branchRows(tree), as: ctx.wants.table ? BRANCH_TABLE : BRANCH_LIST, code };
  },
});
