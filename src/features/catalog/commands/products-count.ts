import { recordCommand } from '../../../cli/command.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { COUNT_FLAGS, readingProblems } from '../lists.ts';
import { checkStores, findRegions, regionSpellings } from '../places.ts';
import type { Count } from '../schema.ts';

const COUNT_RECORD: RecordOutput<Count> = {
  kind: 'record',
  columns: [
    { name: 'products', cell: (one) => one.products_count },
    { name: 'stores', cell: ({ stores }) => stores ?? undefined },
    { name: 'regions', cell: ({ regions }) => regions ?? undefined },
  ],
  id: (one) => String(one.products_count),
};

export const catalogProductsCount = recordCommand({
  id: 'catalog products count',
  summary: 'Count the products of stores and regions',
  description:
    'Counts distinct products of any given store in any given region (default: all). A region is every spelling of it, raw or normalized, in any case. An unknown store or region is reported; exit status 5 if no other is given.',
  effect: 'read',
  service: 'catalog',
  flags: COUNT_FLAGS,
  examples: [
    { run: 'svc catalog products count', why: 'Count all products' },
    {
      run: 'svc catalog products count --store fixprice --store chizhik -q',
      why: 'Print only the number for two stores',
    },
  ],
  output: COUNT_RECORD,
  async run({ store, region }, ctx) {
    const catalog = openCatalog(ctx.target);
    const problems = readingProblems(ctx);
    await checkStores(catalog, store, problems.report);
    const regions = await findRegions(catalog, region, problems.report);
    const value = await catalog.count({ store, region: regionSpellings(regions) });
    return { value, code: problems.code };
  },
});
