/** Finds stores and regions in any case, and a region by each of its spellings. */
import { suggest } from '../../cli/lookup.ts';
import { type ErrorDetails, SvcError } from '../../errors.ts';
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
  checkNames('--region', names, unknown, all.flatMap(spellingsOf), report);
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
    const own = new Map(settlements.map((one) => [folded(regionOf(one)), regionOf(one) ?? name]));
    const [first = name, ...others] = own.values();
    if (others.length === 0) return first;
    const hint = 'use the normalized name of one of them: svc catalog settlements list shows it';
    throw new SvcError('invalid_value', `--region ${name} is several regions: ${[...own.values()].join(', ')}`, {
      hint,
    });
  });
  return [...new Map(names.map((name) => [folded(name), name])).values()];
}

function regionOf({ region, region_normalized }: Settlement): string | undefined {
  return region_normalized || region || undefined;
}

/** Says of a place which region it is in: the same text for each spelling of one region. */
export function regionLabels(all: readonly Settlement[]): (place: Place | null | undefined) => string | null {
  const byId = new Map(all.map((one) => [String(one.id), one]));
  const byName = new Map(all.flatMap((one) => spellingsOf(one).map((name) => [folded(name), one])));
  const labels = new Map<string, string>();
  return (place) => {
    const known = byId.get(String(place?.id)) ?? byName.get(folded(place?.region));
    const region = place?.region || (known && regionOf(known));
    if (!region) return null;
    const key = folded((known && regionOf(known)) ?? region);
    const label = labels.get(key) ?? region;
    labels.set(key, label);
    return label;
  };
}

/** Whether the service has anything of a store that no cursor names. */
type HasRows = (store: string) => Promise<boolean>;

export function hasRowsIn(ask: (query: PageQuery) => Promise<Page<unknown>>): HasRows {
  return async (parser_name) => (await ask({ parser_name, limit: 1 })).items.length > 0;
}

export function hasProducts(catalog: Pick<Catalog, 'count'>): HasRows {
  return async (store) => numberOf((await catalog.count({ store: [store] })).products_count) !== 0;
}

/** As the service writes them. Unknown names are reported; `not_found` if none is known. */
export async function findStores(
  catalog: Pick<Catalog, 'cursors'>,
  names: readonly string[],
  hasRows: HasRows,
  report: Report,
): Promise<readonly string[]> {
  if (names.length === 0) return [];
  const known = storesOf((await catalog.cursors()).items);
  const found = await Promise.all(
    [...new Set(names)].map(async (name) => {
      const spelled = spelledSo(known, name);
      return { name, spelled: spelled.length === 0 && (await hasRows(name)) ? [name] : spelled };
    }),
  );
  const unknown = found.filter(({ spelled }) => spelled.length === 0).map(({ name }) => name);
  checkNames('--store', names, unknown, known, report);
  // A product that all stores must share is in no unknown one: such a name is sent, too.
  return [...new Set(found.flatMap(({ name, spelled }) => (spelled.length === 0 ? [name] : spelled)))];
}

/** The name of one store as the service writes it. */
export async function findStore(catalog: Pick<Catalog, 'cursors'>, name: string, hasRows: HasRows): Promise<string> {
  const [store = name, ...others] = await findStores(catalog, [name], hasRows, () => {});
  if (others.length === 0) return store;
  throw new SvcError('invalid_value', `--store ${name} may be ${[store, ...others].join(' or ')}`, {
    hint: 'write it as the service does',
  });
}

/** The service knows only exact names. A name without rows is looked up and sent again. */
export function ofStore<Item>(
  ask: (query: PageQuery) => Promise<Page<Item>>,
  store: string | undefined,
  catalog: Pick<Catalog, 'cursors'>,
): (query: PageQuery) => Promise<Page<Item>> {
  if (store === undefined) return ask;
  let known: string | undefined;
  return async (query) => {
    const page = await ask({ ...query, parser_name: known ?? store });
    if (known !== undefined) return page;
    known = page.items.length > 0 ? store : await findStore(catalog, store, hasRowsIn(ask));
    return known === store ? page : ask({ ...query, parser_name: known });
  };
}

export function storesOf(rows: readonly { readonly parser_name?: string | null | undefined }[]): readonly string[] {
  return [...new Set(rows.flatMap(({ parser_name }) => parser_name ?? []))];
}

/** Two stores may differ in case alone. */
function spelledSo(known: readonly string[], name: string): readonly string[] {
  return known.includes(name) ? [name] : known.filter((one) => folded(one) === folded(name));
}

export function isNamed(names: readonly string[], name: string): boolean {
  return names.some((one) => folded(one) === folded(name));
}

type NameOption = '--store' | '--source' | '--region';

function checkNames(
  option: NameOption,
  given: readonly string[],
  unknown: readonly string[],
  known: readonly string[],
  report: Report,
): void {
  if (unknown.length > 0 && given.every((name) => unknown.includes(name))) throw unknownNames(option, unknown, known);
  const what = option === '--region' ? 'settlement' : 'source';
  for (const text of missingNames(option, unknown, known, what)) report({ text, incomplete: false });
}

export function unknownNames(option: NameOption, unknown: readonly string[], known: readonly string[]): SvcError {
  const [first = ''] = unknown;
  const [what, list] = option === '--region' ? ['settlement', 'settlements list'] : ['source', 'cursors'];
  return new SvcError('not_found', missingNames(option, unknown, known, what).join('; '), {
    hint: `svc catalog ${list} shows the names`,
    meant: pastable(first, suggest(first, known)),
  });
}

/** A name of the service in a line to paste, if a shell and svc can only take it for a name. */
export function pastable(typed: string, name: string | undefined): ErrorDetails['meant'] {
  if (name === undefined || !/^[\p{L}\p{N}][\p{L}\p{N} ._:-]*$/u.test(name)) return undefined;
  return { typed, meant: shellWord(name) };
}

const MOST_NAMED = 10;

/** A line for each name without rows: a typing error must not look like a missing price. */
export function missingNames(
  option: NameOption,
  given: readonly string[],
  known: Iterable<string>,
  what = 'source',
): readonly string[] {
  const names = [...new Set(known)].sort();
  const most = names.slice(0, MOST_NAMED).join(', ') + (names.length > MOST_NAMED ? ', …' : '');
  return given
    .filter((name) => !isNamed(names, name))
    .map((name) => `no ${what} has ${option} ${name}: there ${names.length === 0 ? 'is none' : `are ${most}`}`);
}
