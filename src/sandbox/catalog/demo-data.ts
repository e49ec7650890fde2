/** What the demo's stores sell, and where. What is odd here is odd in real catalogs. */
import type { Course } from './history.ts';

export type Place = keyof typeof PLACES;
export type Shelf = keyof typeof SHELVES;
type Store = (typeof STORES)[number];

/** Country, region, normalized region, name, normalized name, alias, latitude, longitude. */
export const PLACES = {
  moscow: ['RU', 'Moscow', 'moscow', 'Moscow', 'moscow', null, 55.7558, 37.6173],
  khimki: ['RU', 'Московская область', 'moscow oblast', 'Химки', 'khimki', 'himki', 55.8887, 37.43],
  spb: ['RU', 'Saint Petersburg', 'saint petersburg', 'Saint Petersburg', 'saint petersburg', 'spb', 59.9343, 30.3351],
  kazan: ['RU', 'Татарстан', 'tatarstan', 'Казань', 'kazan', null, 55.7961, 49.1064],
  lodz: ['PL', 'Łódzkie', 'lodzkie', 'Łódź', 'lodz', null, 51.7592, 19.456],
  osaka: ['JP', 'Ōsaka-fu', 'osaka', 'Ōsaka', 'osaka', '大阪市', 34.6937, 135.5023],
  // Its region was never normalized, and its position is unknown.
  torshavn: ['FO', 'Streymoy', null, 'Tórshavn', 'torshavn', null, null, null],
  // The region of Химки in another spelling.
  podolsk: ['RU', 'Moscow Oblast', 'moscow oblast', 'Podolsk', 'podolsk', null, 55.4242, 37.5547],
} as const;

/** Title, the shelf it is part of, alias. */
export const SHELVES = {
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

export const STORES = ['chizhik', 'fixprice', 'perekrestok'] as const;

export interface Offer {
  readonly store: Store;
  readonly places: readonly (Place | null)[];
  /** In the first place; every further place is a little dearer. */
  readonly price: number | null;
  readonly discount?: number;
  readonly loyal?: number;
  readonly stock?: number;
  /** RUB by default. */
  readonly currency?: string;
}

export interface DemoProduct {
  /** Made from the title by default. */
  readonly id?: string;
  readonly title: string | null;
  readonly brand: string | null;
  readonly shelf: Shelf | null;
  readonly course: Course;
  /** Kilograms or litres. */
  readonly package?: readonly [number, 'KGM' | 'LTR'];
  readonly rating?: number;
  readonly flags?: Partial<Readonly<Record<'promo' | 'is_new' | 'hit' | 'adult', boolean>>>;
  readonly offers: readonly Offer[];
  /** One source for each place, with a long past and one id, unlike the real writer's. */
  readonly lasting?: true;
  /** Only its snapshots exist, not its row. */
  readonly snapshotsOnly?: true;
}

function about(title: string | null, brand: string | null, shelf: Shelf | null, course: Course) {
  return { title, brand, shelf, course };
}

export const DEMO_PRODUCTS: readonly DemoProduct[] = [
  {
    ...about('Oat drink, barista, 1 l', 'Green Milk', 'milk', 'wavy'),
    id: '5c0f1a52-7d1e-4b86-9a37-0a7d0c3e9b11',
    lasting: true,
    package: [1, 'LTR'],
    rating: 4.7,
    flags: { hit: true },
    offers: [
      { store: 'chizhik', places: ['moscow', 'khimki'], price: 104.99, stock: 31 },
      // Members pay less than the discount, which the service's price_from does not show.
      { store: 'perekrestok', places: ['moscow', 'spb'], price: 129.99, discount: 116.99, loyal: 99.99, stock: 12 },
      { store: 'fixprice', places: ['moscow', 'torshavn'], price: 109 },
    ],
  },
  {
    ...about('Ground coffee, medium roast, 250 g', 'Harbour', 'coffee', 'spike'),
    id: '1d9c6f0e-52ab-4e0f-8f3d-6b1d2f7a4c02',
    lasting: true,
    package: [0.25, 'KGM'],
    rating: 4.4,
    offers: [
      { store: 'perekrestok', places: ['moscow'], price: 389.99, loyal: 349.99, stock: 20 },
      { store: 'chizhik', places: ['kazan'], price: 369.99 },
    ],
  },
  {
    ...about('Butter 82.5 %, 180 g', 'Луговое', 'dairy', 'gaps'),
    id: '2b7e4d18-0c3a-4f5d-a1b6-9e8d7c6b5a03',
    lasting: true,
    package: [0.18, 'KGM'],
    rating: 4.6,
    offers: [
      { store: 'chizhik', places: ['moscow', 'kazan'], price: 189.99, stock: 9 },
      { store: 'perekrestok', places: ['khimki', 'podolsk'], price: 214.99, discount: 199.99 },
    ],
  },
  {
    ...about('Instant chicory, 100 g', 'Harbour', 'coffee', 'discontinued'),
    id: '3f8a5e29-1d4b-4a6e-b2c7-0f9e8d7c6b04',
    lasting: true,
    package: [0.1, 'KGM'],
    offers: [{ store: 'fixprice', places: ['moscow', 'lodz'], price: 129, stock: 0 }],
  },
  {
    ...about('Tea & honey No. 2, 50 % less sugar', 'Травы', 'tea', 'steady'),
    id: 'tea & honey #2 (50%)',
    lasting: true,
    offers: [{ store: 'perekrestok', places: ['moscow'], price: 159.99 }],
  },
  {
    ...about('Молоко 3,2 %, 930 мл', 'Луговое', 'milk', 'rising'),
    package: [0.93, 'LTR'],
    rating: 4.8,
    flags: { hit: true },
    offers: [
      { store: 'chizhik', places: ['moscow', 'khimki', 'kazan'], price: 84.99, stock: 140 },
      { store: 'perekrestok', places: ['moscow', 'khimki', 'spb'], price: 94.99, loyal: 89.99, stock: 60 },
    ],
  },
  {
    ...about('柿の種 rice crackers, 6 × 30 g', '浪花屋', 'sweets', 'wavy'),
    lasting: true,
    package: [0.18, 'KGM'],
    offers: [
      { store: 'fixprice', places: ['osaka'], price: 248, currency: 'JPY', stock: 44 },
      { store: 'perekrestok', places: ['moscow'], price: 319.99 },
    ],
  },
  {
    ...about(null, null, null, 'steady'),
    id: '6e1d9a47-3b5f-4c80-9d2e-5f4a3b2c1d06',
    lasting: true,
    offers: [{ store: 'fixprice', places: [null], price: null, stock: 3 }],
  },
  {
    ...about('Pale lager 4.7 %, 0.5 l', 'Brygga', 'beer', 'steady'),
    package: [0.5, 'LTR'],
    flags: { adult: true, promo: true },
    offers: [{ store: 'perekrestok', places: ['moscow', 'spb'], price: 89.99, discount: 69.99, stock: 200 }],
  },
  ...(
    [
      ['Kefir 1 %, 900 g', 'Луговое', 'dairy', 'chizhik', 'moscow', 79.99],
      ['Semi-hard cheese 45 %, 200 g', 'Alpina', 'cheese', 'perekrestok', 'moscow', 239.99],
      ['Smoked cheese, braided, 130 g', 'Alpina', 'cheese', 'chizhik', 'kazan', 149.99],
      ['Rye bread, sliced, 300 g', null, 'bakery', 'chizhik', 'moscow', 39.99],
      ['Crispbread, 200 g', null, 'bakery', 'perekrestok', 'spb', 89.99],
      ['Wheat buns, 6 pcs', null, 'bakery', 'chizhik', 'khimki', 64.99],
      ['Pistachio spread, 200 g', 'Cremissimo', 'sweets', 'perekrestok', 'moscow', 499.99],
      ['Dark chocolate 72 %, 90 g', 'Noir', 'sweets', 'perekrestok', 'spb', 169.99],
      ['Green tea, 25 bags', 'Травы', 'tea', 'fixprice', 'moscow', 99],
      ['Earl Grey, loose, 100 g', 'Harbour', 'tea', 'perekrestok', 'khimki', 219.99],
      ['Coffee beans, dark roast, 1 kg', 'Harbour', 'coffee', 'perekrestok', 'moscow', 1449.99],
      ['Alcohol-free wheat beer, 0.45 l', 'Brygga', 'beer', 'chizhik', 'moscow', 74.99],
      ['Sponge cloths, 5 pcs', 'Home +', 'household', 'fixprice', 'torshavn', 55],
      ['Dish soap, lemon, 500 ml', 'Home +', 'household', 'fixprice', 'osaka', 99],
      ['Żurek, soup concentrate, 480 ml', 'Kuchnia Łódzka', 'food', 'fixprice', 'lodz', 109],
    ] as const
  ).map(([title, brand, shelf, store, place, price]): DemoProduct => {
    return { title, brand, shelf, course: 'rising', offers: [{ store, places: [place], price }] };
  }),
  {
    ...about('Advent calendar', 'Noir', 'sweets', 'discontinued'),
    id: '4a9b6f3a-2e5c-4b7f-83d8-1a0f9e8d7c05',
    lasting: true,
    snapshotsOnly: true,
    offers: [{ store: 'fixprice', places: ['moscow'], price: 299 }],
  },
];
