/** Names of stores and regions: a region is found in any case, and by each of its spellings. */
import { suggest } from '../../cli/lookup.ts';
import { SvcError } from '../../errors.ts';
import { shellWord } from '../../output/escape.ts';
import type { Catalog, Page, PageQuery } from './api.ts';
import { everyItem, type Report } from './lists.ts';
import type { Settlement, Source } from './schema.ts';
import { isBlank, numberOf } from './statistics.ts';

/** A region that was asked for. */
export interface Region {
  /** As it was typed. */
  readonly name: string;
  /** None if no settlement has it. */
  readonly settlements: readonly Settlement[];
  /** Their ids and spellings, by which a place is found to be in it. */
  readonly keys: ReadonlySet<string>;
}

type Place = NonNullable<Source['settlement']>;

function folded(name: string | null | undefined): string {
  return (name ?? '').trim().toLowerCase();
}

function spellingsOf({ region, region_normalized }: Settlement): readonly string[] {
  return [region, region_normalized].flatMap((one) => (one ? [one] : []));
}

function hasSpelling(settlement: Settlement, names: ReadonlySet<string>): boolean {
  return spellingsOf(settlement).some((one) => names.has(folded(one)));
}

/**
 * A region is the settlements that name it as their region or normalized region, and those that
 * share a spelling with them. Unknown names are reported; `not_found` if none is known.
 */
export async function findRegions(
  catalog: Pick<Catalog, 'settlements'>,
  names: readonly string[],
  report: Report,
): Promise<readonly Region[]> {
  if (names.length === 0) return [];
  const all = await everyItem((page) => catalog.settlements(page), report);
  const regions = [...new Set(names)].map((name): Region => {
    const named = all.filter((settlement) => hasSpelling(settlement, new Set([folded(name)])));
    const spellings = new Set(named.flatMap(spellingsOf).map(folded));
    const settlements = all.filter((settlement) => hasSpelling(settlement, spellings));
    const keys = settlements.flatMap((one) => [idKey(one), ...spellingsOf(one).map(folded)]);
    return { name, settlements, keys: new Set(keys) };
  });
  const unknown = regions.filter(({ settlements }) => settlements.length === 0).map(({ name }) => name);
  reportUnknown({ option: '--region', unknown, known: all.flatMap(spellingsOf) }, names, report);
  return regions;
}

/** No spelling begins so. */
function idKey({ id }: Pick<Settlement, 'id'>): string {
  return `\0${isBlank(id) ? '' : id}`;
}

/** Whether a place is in one of the regions. */
export function isInside(regions: readonly Region[], place: Place | null | undefined): boolean {
  if (!place) return false;
  const region = folded(place.region);
  return regions.some(({ keys }) => (!isBlank(place.id) && keys.has(idKey(place))) || keys.has(region));
}

/** All spellings, for a service that counts by one of them. An unknown name is sent, too. */
export function regionSpellings(regions: readonly Region[]): readonly string[] {
  const spellings = regions.flatMap(({ name, settlements }) =>
    settlements.length === 0 ? [name] : settlements.flatMap(spellingsOf),
  );
  return [...new Set(spellings)];
}

/** The one name that the service has for each region: a product must be in all of them. */
export function regionNames(regions: readonly Region[]): readonly string[] {
  const names = regions.map(({ name, settlements }) => {
    const [settlement] = settlements;
    return settlement?.region_normalized || settlement?.region || name;
  });
  return [...new Map(names.map((name) => [folded(name), name])).values()];
}

/** Unknown stores are reported; `not_found` if none is known. A store may have no cursor yet. */
export async function checkStores(
  catalog: Pick<Catalog, 'cursors' | 'count'>,
  names: readonly string[],
  report: Report,
): Promise<void> {
  if (names.length === 0) return;
  const known = storesOf((await catalog.cursors()).items);
  const unknown: string[] = [];
  for (const name of new Set(names)) {
    if (known.includes(name)) continue;
    // The count ignores case, and the lists do not.
    const isRespelled = known.some((one) => folded(one) === folded(name));
    const count = isRespelled ? 0 : numberOf((await catalog.count({ store: [name] })).products_count);
    if (count === 0) unknown.push(name);
  }
  reportUnknown({ option: '--store', unknown, known }, names, report);
}

/** The service answers an unknown store with an empty list. */
export function ofStore<Item>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
  store: string | undefined,
  catalog: Pick<Catalog, 'cursors' | 'count'>,
): (query: PageQuery) => Promise<Page<Item>> {
  if (store === undefined) return ask;
  return async (query) => {
    const page = await ask({ ...query, parser_name: store });
    if (page.items.length === 0 && !query.offset) await checkStores(catalog, [store], () => {});
    return page;
  };
}

export function storesOf(rows: readonly { readonly parser_name?: string | null | undefined }[]): readonly string[] {
  return [...new Set(rows.flatMap(({ parser_name }) => parser_name ?? []))];
}

interface UnknownNames {
  readonly option: '--store' | '--region' | '--source';
  readonly unknown: readonly string[];
  readonly known: readonly string[];
}

/** A typing error must not look like a missing price: throws `not_found` if no name is known. */
export function reportUnknown(names: UnknownNames, given: readonly string[], report: Report): void {
  if (names.unknown.length === 0) return;
  const text = unknownText(names);
  if (!given.every((name) => names.unknown.includes(name))) {
    report({ text, incomplete: false });
    return;
  }
  const [typed = ''] = names.unknown;
  throw new SvcError('not_found', text, { meant: pastable(typed, suggest(typed, names.known)) });
}

const MOST_NAMED = 10;

function unknownText({ option, unknown, known }: UnknownNames): string {
  const names = [...new Set(known)].sort();
  const more = names.length > MOST_NAMED ? ', …' : '';
  const there = names.length === 0 ? 'there is none' : `there are ${names.slice(0, MOST_NAMED).join(', ')}${more}`;
  return `nothing has ${unknown.map((name) => `${option} ${name}`).join(' or ')}: ${there}`;
}

/** A name of the service in a line to paste, if a shell and svc can only take it for a name. */
function pastable(typed: string, name: string | undefined) {
  if (name === undefined || !/^[\p{L}\p{N}][\p{L}\p{N} ._:-]*$/u.test(name)) return undefined;
  return { typed, meant: shellWord(name) };
}
