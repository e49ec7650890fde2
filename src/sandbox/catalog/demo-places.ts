/** Where the demo's stores are, and how each of them sorts its goods. */
import { DAY, HOUR, type Micros } from './instants.ts';
import type { Category, Settlement } from './records.ts';

export type Place = keyof typeof PLACES;
export type Shelf = keyof typeof SHELVES;
export type Store = keyof typeof STORES;

/** Country, region, the region normalised, name, the name normalised, alias, latitude, longitude. */
const PLACES = {
  moscow: ['RU', 'Moscow', 'moscow', 'Moscow', 'moscow', null, 55.7558, 37.6173],
  khimki: ['RU', 'Московская область', 'moscow oblast', 'Химки', 'khimki', 'himki', 55.8887, 37.43],
  petersburg: [
    'RU',
    'Saint Petersburg',
    'saint petersburg',
    'Saint Petersburg',
    'saint petersburg',
    'spb',
    59.9343,
    30.3351,
  ],
  kazan: ['RU', 'Татарстан', 'tatarstan', 'Казань', 'kazan', null, 55.7961, 49.1064],
  lodz: ['PL', 'Łódzkie', 'lodzkie', 'Łódź', 'lodz', null, 51.7592, 19.456],
  osaka: ['JP', 'Ōsaka-fu', 'osaka', 'Ōsaka', 'osaka', '大阪市', 34.6937, 135.5023],
  // its region was never normalised, and nobody knows where it is
  torshavn: ['FO', 'Streymoy', null, 'Tórshavn', 'torshavn', null, null, null],
} as const;

/** Title, the shelf it is part of, alias. */
const SHELVES = {
  food: ['Food', null, null],
  dairy: ['Dairy & eggs', 'food', null],
  milk: ['Молоко и сливки', 'dairy', 'moloko'],
  cheese: ['Cheese', 'dairy', null],
  bakery: ['Bakery', 'food', null],
  sweets: ['Sweets & snacks', 'food', null],
  drinks: ['Drinks', null, null],
  tea: ['Tea', 'drinks', 'chaj'],
  coffee: ['Coffee', 'drinks', 'kofe'],
  beer: ['Beer', 'drinks', null],
  household: ['Household', null, null],
} as const;

/** How the parser of each store makes the uid of a shelf. */
const STORES = {
  chizhik: (shelf: string, number: number) => `${number * 10}-${shelf}`,
  fixprice: (_: string, number: number) => String(2000 + number),
  perekrestok: (shelf: string) => `c/${shelf}`,
} as const;

export const STORE_NAMES = Object.keys(STORES) as readonly Store[];

export function demoSettlements(now: Micros): Readonly<Record<Place, Settlement>> {
  const entries = Object.entries(PLACES).map(([place, fields], index) => {
    const [country, region, region_normalized, name, name_normalized, alias, latitude, longitude] = fields;
    const settlement: Settlement = {
      id: index + 1,
      country,
      region,
      region_normalized,
      name,
      name_normalized,
      settlement_type: 'city',
      alias,
      latitude,
      longitude,
      updated_at: now - (index + 1) * 5 * HOUR,
    };
    return [place, settlement];
  });
  return Object.fromEntries(entries);
}

export function demoCategories(now: Micros): readonly Category[] {
  const shelves = Object.entries(SHELVES);
  return STORE_NAMES.flatMap((parser_name, store) =>
    shelves.map(([shelf, [title, parent, alias]], index): Category => {
      const uid = (name: string): string =>
        STORES[parser_name](name, shelves.findIndex(([known]) => known === name) + 1);
      return {
        id: store * 100 + index + 1,
        parser_name,
        source_uid: uid(shelf),
        parent_source_uid: parent === null ? null : uid(parent),
        title,
        title_normalized: title.toLowerCase(),
        alias,
        depth: depthOf(parent),
        sort_order: index,
        updated_at: now - store * DAY - index * HOUR,
      };
    }),
  );
}

export function categoryOf(categories: readonly Category[], store: Store, shelf: Shelf): Category | null {
  return categories.find(({ parser_name, title }) => parser_name === store && title === SHELVES[shelf][0]) ?? null;
}

function depthOf(parent: Shelf | null): number {
  return parent === null ? 0 : 1 + depthOf(SHELVES[parent][1]);
}
