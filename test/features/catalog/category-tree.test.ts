import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { branchRows, type CategoryNode, categoryTree } from '../../../src/features/catalog/commands/categories-list.ts';
import type { Category } from '../../../src/features/catalog/schema.ts';

const one = (id: number, uid: string | null, parent: string | null = null, more: Partial<Category> = {}): Category => ({
  id,
  parser_name: 'fixprice',
  source_uid: uid,
  parent_source_uid: parent,
  title: `T${id}`,
  ...more,
});

/** `1(2(3) 4)` */
const drawn = (nodes: readonly CategoryNode[]): string =>
  nodes.map(({ id, children }) => `${id}${children.length === 0 ? '' : `(${drawn(children)})`}`).join(' ');

describe('the tree', () => {
  const trees: readonly (readonly [what: string, drawn: string, categories: readonly Category[]])[] = [
    ['parents may come after their children', '1(2(3))', [one(3, 'c', 'b'), one(2, 'b', 'a'), one(1, 'a')]],
    ['one whose parent is not there stands at the top', '1 2', [one(1, 'a'), one(2, 'b', 'gone')]],
    ['one that is its own parent stands at the top', '1', [one(1, 'a', 'a')]],
    ['a circle is cut, and nothing of it lost', '1(2(3))', [one(1, 'a', 'c'), one(2, 'b', 'a'), one(3, 'c', 'b')]],
    ['one without a uid is nobody’s parent', '1 2', [one(1, null), one(2, '', '')]],
    [
      'a uid means something within its store alone',
      '2(3) 1',
      [one(1, 'a'), one(2, 'a', null, { parser_name: 'chizhik' }), one(3, 'b', 'a', { parser_name: 'chizhik' })],
    ],
    [
      'neighbors are in the order of the store, then by title',
      '2 3 4 1',
      [
        one(1, 'a', null, { title: 'B' }),
        one(2, 'b', null, { sort_order: '1' }),
        one(3, 'c', null, { sort_order: 10 }),
        one(4, 'd', null, { title: 'A' }),
      ],
    ],
  ];
  test.each(trees)('%s', (_, expected, categories) => {
    expect(drawn(categoryTree(categories))).toBe(expected);
  });

  test('has each category once, below its parent if possible, with limited depth', () => {
    const uid = fc.integer({ min: 0, max: 8 }).map((n) => `u${n}`);
    const wild = fc.array(fc.record({ uid, parent: fc.option(uid) }), { maxLength: 30 });
    // A chain of any length, which recursion and JSON would stumble over.
    const chain = fc
      .nat(5000)
      .map((length) => Array.from({ length }, (_, n) => ({ uid: `u${n}`, parent: `u${n - 1}` })));
    fc.assert(
      fc.property(fc.oneof(wild, chain), (drafts) => {
        const categories = drafts.map(({ uid, parent }, id) => one(id, uid, parent));
        const rows = [...branchRows(categoryTree(categories))];
        expect(rows.map(({ id }) => id).sort()).toEqual(categories.map(({ id }) => id).sort());
        expect(rows.filter(({ level, path }) => level >= 64 || path.length !== level + 1)).toEqual([]);
        expect(rows.some(({ level }) => level === 0)).toBe(categories.length > 0);
        const above: unknown[] = [];
        const misplaced = rows.filter(({ level, source_uid: uid, parent_source_uid: parent }) => {
          above[level] = uid;
          return level > 0 && above[level - 1] !== parent;
        });
        expect(misplaced).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('preserves the fields of each category', () => {
    const [node] = categoryTree([one(1, 'a', null, { alias: 'x', more: { of: 1 } })]);
    expect(node).toEqual({ ...one(1, 'a', null, { alias: 'x', more: { of: 1 } }), children: [] });
  });

  test('a line has the titles from the root', () => {
    const rows = [...branchRows(categoryTree([one(1, 'a'), one(2, 'b', 'a', { title: null })]))];
    expect(rows.map(({ level, path }) => [level, path])).toEqual([
      [0, ['T1']],
      [1, ['T1', 'b']],
    ]);
    expect(rows[0]).not.toHaveProperty('children');
  });
});
