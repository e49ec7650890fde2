import { recordCommand } from '../../../cli/command.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { COUNT_FLAGS, readingProblems } from '../lists.ts';
import { checkStores, findRegions, regionNames, regionSpellings } from '../places.ts';
import type { CommonCount } from '../schema.ts';
import { countIn, numberOf } from '../statistics.ts';

const COMMON_RECORD: RecordOutput<CommonCount> = {
  kind: 'record',
  columns: [
    { name: 'common', cell: countIn },
    { name: 'scope', cell: ({ scope }) => scope },
    { name: 'required', cell: (one) => numberOf(one.required_stores) ?? numberOf(one.required_regions) ?? undefined },
    { name: 'stores', cell: ({ stores }) => stores ?? undefined },
    { name: 'regions', cell: ({ regions }) => regions ?? undefined },
  ],
  id: (one) => String(countIn(one)),
};

export const catalogProductsCommon = recordCommand({
  id: 'catalog products common',
  summary: 'Count products that all stores or regions share',
  description:
    '--scope stores counts the products that every given store sells (default: every store). --scope regions counts the products sold in every given region. REQUIRED is the number of stores or regions that a product must be in. An unknown name is reported; exit status 5 if no other is given.',
  effect: 'read',
  service: 'catalog',
  flags: {
    scope: {
      type: 'choice',
      value: 'stores|regions',
      choices: ['stores', 'regions'],
      required: true,
      help: 'What must share the products',
    },
    ...COUNT_FLAGS,
  },
  examples: [
    { run: 'svc catalog products common --scope stores', why: 'Count what every store sells' },
    {
      run: 'svc catalog products common --scope regions --region moscow --region tula',
      why: 'Count what two regions share',
    },
  ],
  output: COMMON_RECORD,
  async run({ scope, store, region }, ctx) {
    const catalog = openCatalog(ctx.target);
    const problems = readingProblems(ctx);
    const regions = await findRegions(catalog, region, problems.report);
    await checkStores(catalog, store, problems.report);
    // A product must be in each region, but not in each spelling of it.
    const names = scope === 'regions' ? regionNames(regions) : regionSpellings(regions);
    const value = await catalog.common({ scope, store, region: names });
    return { value, code: problems.code };
  },
});
