import { listCommand } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import type { Column, ListOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { CATEGORY_LIST } from '../columns.ts';
import { everyItem, LIST_FLAGS, listed, readingProblems, STORE_FLAG, UNDOCUMENTED } from '../lists.ts';
import { ofStore } from '../places.ts';
import type { Category } from '../schema.ts';
import { compare, isBlank, numberOf } from '../statistics.ts';

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

/** For programs: the title alone, and how deep it is. */
export const BRANCH_LIST: ListOutput<BranchRow> = {
  kind: 'list',
  columns: branchColumns(titleOf),
  id: ({ id }) => String(id),
  empty: 'no categories',
};

/** For people: the deeper, the further in. Blanks are understood in every locale. */
export const BRANCH_TABLE: ListOutput<BranchRow> = {
  ...BRANCH_LIST,
  columns: branchColumns((row) => '  '.repeat(row.level) + titleOf(row)),
};

function branchColumns(title: (row: BranchRow) => string): readonly Column<BranchRow>[] {
  return [
    { name: 'store', cell: (row) => row.parser_name },
    { name: 'title', cell: title, shrinks: true },
    { name: 'id', cell: ({ id }) => id, align: 'right' },
    { name: 'source-uid', cell: (row) => row.source_uid, shrinks: true },
    { name: 'level', cell: ({ level }) => level, align: 'right', wide: true },
    { name: 'path', cell: ({ path }) => path.join(' / '), wide: true },
  ];
}

/** `parent_source_uid` names the `source_uid` of another category of the same `parser_name`. */
export type CategoryNode = Category & { readonly children: readonly CategoryNode[] };

/** Deeper categories are at the top again, so that no printer has to follow more levels. */
const DEEPEST = 64;

/**
 * Each category once. One whose parent is missing, or which is its own ancestor, is at the top.
 * Siblings are in the store's order, and by title if it has none.
 */
export function categoryTree(categories: readonly Category[]): readonly CategoryNode[] {
  const sorted = [...categories].sort(inOrder);
  const known = indexByUid(sorted);
  const below = new Map<Category, Category[]>();
  const tops: Category[] = [];
  for (const one of sorted) {
    const parent = isBlank(one.parent_source_uid) ? undefined : known.get(keyOf(one, one.parent_source_uid));
    if (parent === undefined || parent === one) tops.push(one);
    else if (!below.get(parent)?.push(one)) below.set(parent, [one]);
  }
  const placed = new Set<Category>();
  const late: Category[] = [];
  const node = (one: Category, depth: number): CategoryNode => {
    placed.add(one);
    const children = below.get(one) ?? [];
    if (depth === DEEPEST) {
      late.push(...children);
      return { ...one, children: [] };
    }
    return { ...one, children: children.filter((child) => !placed.has(child)).map((child) => node(child, depth + 1)) };
  };
  const roots: CategoryNode[] = [];
  const plant = (one: Category): void => {
    if (!placed.has(one)) roots.push(node(one, 1));
  };
  for (const one of tops) plant(one);
  while (late.length > 0) plant(late.shift() as Category);
  // What is left belongs to circles.
  for (const one of sorted) plant(one);
  return roots;
}

function indexByUid(categories: readonly Category[]): ReadonlyMap<string, Category> {
  const known = new Map<string, Category>();
  for (const one of categories) {
    if (isBlank(one.source_uid)) continue;
    const other = known.get(keyOf(one, one.source_uid));
    // Of two with the same uid the older one has the smaller id.
    if (other === undefined || Number(one.id) < Number(other.id)) known.set(keyOf(one, one.source_uid), one);
  }
  return known;
}

type BranchRow = Category & {
  /** 0 at the top. */
  readonly level: number;
  /** The titles from the top down, its own the last. */
  readonly path: readonly string[];
};

/** The tree line by line, each category right above what is below it. */
export function* branchRows(nodes: readonly CategoryNode[], path: readonly string[] = []): Generator<BranchRow> {
  for (const { children, ...one } of nodes) {
    const own = [...path, titleOf(one as Category)];
    yield { ...(one as Category), level: path.length, path: own };
    yield* branchRows(children, own);
  }
}

function titleOf({ title, source_uid: uid, id }: Category): string {
  return title || String(isBlank(uid) ? id : uid);
}

function keyOf({ parser_name: store }: Category, uid: unknown): string {
  return JSON.stringify([store ?? null, String(uid)]);
}

function inOrder(a: Category, b: Category): number {
  return (
    compare(a.parser_name ?? '', b.parser_name ?? '') ||
    compare(numberOf(a.sort_order) ?? Number.MAX_VALUE, numberOf(b.sort_order) ?? Number.MAX_VALUE) ||
    compare(titleOf(a), titleOf(b)) ||
    compare(String(a.id), String(b.id))
  );
}
