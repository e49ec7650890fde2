/** What the demo's stores sell, and where. What is odd here is odd in real catalogs. */

export type Place = keyof typeof PLACES;
export type Shelf = keyof typeof SHELVES;
type Store = (typeof STORES)[number];

/** Country, region, normalized region, name, alias. */
export const PLACES = {
  moscow: ['RU', 'Moscow', 'moscow', 'Moscow', null],
  khimki: ['RU', 'Московская область', 'moscow oblast', 'Химки', 'himki'],
  spb: ['RU', 'Saint Petersburg', 'saint petersburg', 'Saint Petersburg', 'spb'],
  kazan: ['RU', 'Татарстан', 'tatarstan', 'Казань', null],
  // Its region was never normalized.
  torshavn: ['FO', 'Streymoy', null, 'Tórshavn', null],
  // The region of Химки in another spelling.
  podolsk: ['RU', 'Moscow Oblast', 'moscow oblast', 'Podolsk', null],
} as const;

/** Title, the shelf it is part of, alias. */
export const SHELVES = {
  food: ['Food', null, null],
  dairy: ['Dairy & eggs', 'food', null],
  milk: ['Молоко и сливки', 'dairy', 'moloko'],
  drinks: ['Drinks', null, null],
  coffee: ['Coffee', 'drinks', 'kofe'],
  beer: ['Beer', 'drinks', null],
} as const;

export const STORES = ['chizhik', 'fixprice', 'perekrestok'] as const;

/** How the price of a product went: see COURSES. */
export type Course = 'wavy' | 'rising' | 'gaps';

export interface Offer {
  readonly store: Store;
  readonly places: readonly Place[];
  /** In the first place; every further place is a little dearer. */
  readonly price: number;
  readonly discount?: number;
  readonly loyal?: number;
  readonly stock?: number;
}

export interface DemoProduct {
  /** Without one, each store has its own id, and each day its own source: as the real writer works. */
  readonly id?: string;
  readonly title: string;
  readonly brand: string | null;
  readonly shelf: Shelf;
  readonly course: Course;
  /** Kilograms or litres. */
  readonly package?: readonly [number, 'KGM' | 'LTR'];
  readonly rating?: number;
  readonly flags?: Partial<Readonly<Record<'promo' | 'is_new' | 'hit' | 'adult', boolean>>>;
  readonly offers: readonly Offer[];
}

export const DEMO_PRODUCTS: readonly DemoProduct[] = [
  {
    id: '5c0f1a52-7d1e-4b86-9a37-0a7d0c3e9b11',
    title: 'Oat drink, barista, 1 l',
    brand: 'Green Milk',
    shelf: 'milk',
    course: 'wavy',
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
    id: '1d9c6f0e-52ab-4e0f-8f3d-6b1d2f7a4c02',
    title: 'Ground coffee, medium roast, 250 g',
    brand: 'Harbour',
    shelf: 'coffee',
    course: 'wavy',
    package: [0.25, 'KGM'],
    rating: 4.4,
    offers: [
      { store: 'perekrestok', places: ['moscow'], price: 389.99, loyal: 349.99, stock: 20 },
      { store: 'chizhik', places: ['kazan'], price: 369.99 },
    ],
  },
  {
    id: '2b7e4d18-0c3a-4f5d-a1b6-9e8d7c6b5a03',
    title: 'Butter 82.5 %, 180 g',
    brand: 'Луговое',
    shelf: 'dairy',
    course: 'gaps',
    package: [0.18, 'KGM'],
    rating: 4.6,
    offers: [
      { store: 'chizhik', places: ['moscow', 'kazan'], price: 189.99, stock: 9 },
      { store: 'perekrestok', places: ['khimki', 'podolsk'], price: 214.99, discount: 199.99 },
    ],
  },
  {
    title: 'Молоко 3,2 %, 930 мл',
    brand: 'Луговое',
    shelf: 'milk',
    course: 'rising',
    package: [0.93, 'LTR'],
    rating: 4.8,
    flags: { hit: true },
    offers: [
      { store: 'chizhik', places: ['moscow', 'khimki', 'kazan'], price: 84.99, stock: 140 },
      { store: 'perekrestok', places: ['moscow', 'khimki', 'spb'], price: 94.99, loyal: 89.99, stock: 60 },
    ],
  },
  {
    title: 'Pale lager 4.7 %, 0.5 l',
    brand: 'Brygga',
    shelf: 'beer',
    course: 'rising',
    package: [0.5, 'LTR'],
    flags: { adult: true, promo: true },
    offers: [{ store: 'perekrestok', places: ['moscow', 'spb'], price: 89.99, discount: 69.99, stock: 200 }],
  },
];
