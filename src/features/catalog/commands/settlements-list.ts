import { listCommand } from '../../../cli/command.ts';
import { openCatalog } from '../api.ts';
import { SETTLEMENT_LIST } from '../columns.ts';
import { exactHint, LIST_FLAGS, listed, searchHint, UNDOCUMENTED } from '../lists.ts';

export const catalogSettlementsList = listCommand({
  id: 'catalog settlements list',
  aliases: ['settlements ls'],
  summary: 'List the places where products are sold',
  description: `--region and --country are compared exactly as they are written in REGION and COUNTRY; --region of the counts takes NORMALIZED too. ${UNDOCUMENTED}`,
  effect: 'read',
  service: 'catalog',
  flags: {
    country: { type: 'string', help: 'In this country, written exactly so (undocumented)' },
    region: { type: 'string', help: 'In this region, written exactly so (undocumented)' },
    search: { type: 'string', value: 'text', help: 'Part of the name (undocumented)' },
    ...LIST_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog settlements list --region Moscow', why: 'Those of one region' },
    { run: 'svc catalog settlements list --search kaz --columns id,name', why: 'The id of one' },
  ],
  output: SETTLEMENT_LIST,
  async run(input, ctx) {
    const { country, region, search } = input;
    const query = { country, region, q: search };
    return listed(
      openCatalog(ctx.target).settlements,
      query,
      input,
      ctx,
      searchHint(search) ?? exactHint({ region, country }),
    );
  },
});
