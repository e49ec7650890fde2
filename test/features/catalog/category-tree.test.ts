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

describe('the tree of categories', () => {
  test('is built from parents and children in any order', () => {
    expect(drawn(categoryTree([one(3, 'c', 'b'), one(2, 'b', 'a'), one(1, 'a')]))).toBe('1(2(3))');
    // A parent that is not there, or the category itself, is none, and a circle is cut.
    expect(drawn(categoryTree([one(1, 'a'), one(2, 'b', 'gone')]))).toBe('1 2');
    expect(drawn(categoryTree([one(1, 'a', 'a')]))).toBe('1');
    expect(drawn(categoryTree([one(1, 'a', 'c'), one(2, 'b', 'a'), one(3, 'c', 'b')]))).toBe('1(2(3))');
    expect(drawn(categoryTree([one(1, null), one(2, '', '')]))).toBe('1 2');
    const elsewhere = { parser_name: 'chizhik' };
    const stores = [one(1, 'a'), one(2, 'a', null, elsewhere), one(3, 'b', 'a', elsewhere)];
    expect(drawn(categoryTree(stores))).toBe('2(3) 1');
  });

  test('has neighbors in the order of the store, then by title', () => {
    const neighbors = [
      one(1, 'a', null, { title: 'B' }),
      one(2, 'b', null, { sort_order: '1' }),
      one(3, 'c', null, { sort_order: 10 }),
      one(4, 'd', null, { title: 'A' }),
    ];
    expect(drawn(categoryTree(neighbors))).toBe('2 3 4 1');
  });

  test('has each category once, below its parent if possible, with limited depth', () => {
    const uid = fc.integer({ min: 0, max: 8 }).map((n) => `u${n}`);
    const wild = fc.array(fc.record({ uid, parent: fc.option(uid) }), { maxLength: 30 });
    // A chain of any length, which recursion and JSON would stumble over.
    const chain = fc
      .nat(2000)
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
      { numRuns: 40 },
    );
  });

  test('names a category without a title by its uid or its id', () => {
    const rows = [
      ...branchRows(categoryTree([one(1, 'a'), one(2, 'b', 'a', { title: null }), one(3, '', '', { title: '' })])),
    ];
    expect(rows.map(({ path }) => path)).toEqual(expect.arrayContaining([['T1'], ['T1', 'b'], ['3']]));
  });
});
