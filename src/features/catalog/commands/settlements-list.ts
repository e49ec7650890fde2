import { listCommand } from '../../../cli/command.ts';
import { openCatalog } from '../api.ts';
import { SETTLEMENT_LIST } from '../columns.ts';
import { exactHint, LIST_FLAGS, listed, searchHint, UNDOCUMENTED } from '../lists.ts';

export const catalogSettlementsList = listCommand({
  id: 'catalog settlements list',
  aliases: ['settlements ls'],
  summary: 'List places where products are sold',
  description: `--region and --country must match REGION and COUNTRY exactly. The --region of svc catalog products count also accepts NORMALIZED. ${UNDOCUMENTED}`,
  effect: 'read',
  service: 'catalog',
  flags: {
    country: { type: 'string', help: 'Country, exact name (undocumented)' },
    region: { type: 'string', help: 'Region, exact name (undocumented)' },
    search: { type: 'string', value: 'text', help: 'Text in the name (undocumented)' },
    ...LIST_FLAGS,
  },
  exits: ['partly_done'],
  examples: [
    { run: 'svc catalog settlements list --region Moscow', why: 'List the places of one region' },
    { run: 'svc catalog settlements list --search kaz --columns id,name', why: 'Find the id of a place' },
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
