import { listCommand } from '../../../cli/command.ts';
import { type Catalog, openCatalog, type Page, type PageQuery } from '../api.ts';
import { SETTLEMENT_LIST } from '../columns.ts';
import { everyItem, LIST_FLAGS, listed, REGION_FLAG, type Report, readingProblems, UNDOCUMENTED } from '../lists.ts';
import { findRegions, isInside, type Region } from '../places.ts';
import type { Settlement } from '../schema.ts';

export const catalogSettlementsList = listCommand({
  id: 'catalog settlements list',
  aliases: ['settlements ls'],
  summary: 'List places where products are sold',
  description: `--region is REGION or NORMALIZED, in any case, and reads all pages. --country must match COUNTRY exactly. ${UNDOCUMENTED}`,
  effect: 'read',
  service: 'catalog',
  flags: {
    country: { type: 'string', help: 'Country, exact name (undocumented)' },
    region: REGION_FLAG,
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
    const catalog = openCatalog(ctx.target);
    const problems = readingProblems(ctx);
    const regions = await findRegions(catalog, region, problems.report);
    const settlements = regions.length === 0 ? catalog.settlements : inside(regions, catalog, problems.report);
    const found = await listed(settlements, { country, q: search }, input, ctx);
    return { ...found, code: () => found.code() ?? problems.code };
  },
});

/** The service compares regions exactly, so all settlements are read, and svc selects. */
function inside(regions: readonly Region[], { settlements }: Pick<Catalog, 'settlements'>, report: Report) {
  return async ({ limit, offset = 0, ...query }: PageQuery): Promise<Page<Settlement>> => {
    const all = await everyItem((page) => settlements({ ...query, ...page }), report);
    const items = all.filter((settlement) => isInside(regions, settlement));
    return { items: items.slice(offset, limit && offset + limit), total: items.length, size: undefined };
  };
}
