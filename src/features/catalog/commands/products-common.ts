import { recordCommand } from '../../../cli/command.ts';
import type { RecordOutput } from '../../../output/types.ts';
import { openCatalog } from '../api.ts';
import { COUNT_FLAGS, checkCountedNames, withParams } from '../lists.ts';
import type { CommonCount } from '../schema.ts';
import { numberOf } from '../statistics.ts';

const COMMON_RECORD: RecordOutput<CommonCount> = {
  kind: 'record',
  columns: [
    { name: 'common', cell: (one) => one.common_products_count },
    { name: 'scope', cell: ({ scope }) => scope },
    { name: 'required', cell: (one) => numberOf(one.required_stores) ?? numberOf(one.required_regions) ?? undefined },
    { name: 'stores', cell: ({ stores }) => stores ?? undefined },
    { name: 'regions', cell: ({ regions }) => regions ?? undefined },
  ],
  id: (one) => String(one.common_products_count),
};

export const catalogProductsCommon = recordCommand({
  id: 'catalog products common',
  summary: 'Count the products that all stores, or all regions, have in common',
  description:
    'With --scope stores: the products that each of the stores sells (all stores where none is given), in the regions given. With --scope regions: those sold in each of the regions. REQUIRED is how many of them a product must be in. A name that no product has counts too, and then nothing is common: it is named, with exit status 5 if no other is given.',
  effect: 'read',
  service: 'catalog',
  flags: {
    scope: {
      type: 'choice',
      value: 'stores|regions',
      choices: ['stores', 'regions'],
      required: true,
      help: 'What is compared',
    },
    ...COUNT_FLAGS,
  },
  examples: [
    { run: 'svc catalog products common --scope stores', why: 'What every store sells' },
    { run: 'svc catalog products common --scope regions --region moscow --region tula', why: 'What two regions share' },
  ],
  output: COMMON_RECORD,
  async run({ scope, store, region, param }, ctx) {
    const catalog = openCatalog(ctx.target);
    const value = await catalog.common(withParams({ scope, store, region }, param));
    await checkCountedNames(catalog, { store, region }, value.common_products_count, ctx);
    return { value };
  },
});
