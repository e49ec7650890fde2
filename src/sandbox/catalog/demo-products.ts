/** What the demo's stores sell. */
import type { Place, Shelf, Store } from './demo-places.ts';
import type { Course } from './history.ts';

export interface Offer {
  readonly store: Store;
  readonly places: readonly (Place | null)[];
  /** In the first place; the others differ by a little. */
  readonly price: number | null;
  readonly discount?: number;
  readonly loyal?: number;
  readonly stock?: number;
  /** RUB if not said. */
  readonly currency?: string;
}

export interface DemoProduct {
  /** Made from the title if not said. */
  readonly id?: string;
  readonly title: string | null;
  readonly brand: string | null;
  readonly shelf: Shelf | null;
  readonly course: Course;
  /** Kilograms or litres in a package. */
  readonly package?: readonly [number, 'KGM' | 'LTR'];
  readonly rating?: number;
  readonly composition?: string;
  readonly flags?: {
    readonly promo?: boolean;
    readonly is_new?: boolean;
    readonly hit?: boolean;
    readonly adult?: boolean;
  };
  readonly offers: readonly Offer[];
  /** It has one source in each place, with a long past, and one id in all stores. The others are written as the real writer does. */
  readonly lasting?: true;
  /** Its snapshots are there, and nothing else: the row is gone. */
  readonly snapshotsOnly?: true;
}

const CHIZHIK = 'chizhik';
const FIXPRICE = 'fixprice';
const PEREKRESTOK = 'perekrestok';

export const DEMO_PRODUCTS: readonly DemoProduct[] = [
  {
    id: '5c0f1a52-7d1e-4b86-9a37-0a7d0c3e9b11',
    title: 'Oat drink, barista, 1 l',
    lasting: true,
    brand: 'Green Milk',
    shelf: 'milk',
    course: 'wavy',
    package: [1, 'LTR'],
    rating: 4.7,
    composition: 'Water, oats (10 %), rapeseed oil, salt',
    flags: { hit: true },
    offers: [
      { store: CHIZHIK, places: ['moscow', 'khimki'], price: 104.99, stock: 31 },
      // members pay less than the discount: the service's price_from does not see it
      {
        store: PEREKRESTOK,
        places: ['moscow', 'petersburg'],
        price: 129.99,
        discount: 116.99,
        loyal: 99.99,
        stock: 12,
      },
      { store: FIXPRICE, places: ['moscow', 'torshavn'], price: 109 },
    ],
  },
  {
    id: '1d9c6f0e-52ab-4e0f-8f3d-6b1d2f7a4c02',
    title: 'Ground coffee, medium roast, 250 g',
    lasting: true,
    brand: 'Harbour',
    shelf: 'coffee',
    course: 'spike',
    package: [0.25, 'KGM'],
    rating: 4.4,
    offers: [
      { store: PEREKRESTOK, places: ['moscow'], price: 389.99, loyal: 349.99, stock: 20 },
      { store: CHIZHIK, places: ['kazan'], price: 369.99 },
    ],
  },
  {
    id: '2b7e4d18-0c3a-4f5d-a1b6-9e8d7c6b5a03',
    title: 'Butter 82.5 %, 180 g',
    lasting: true,
    brand: 'Луговое',
    shelf: 'dairy',
    course: 'gaps',
    package: [0.18, 'KGM'],
    rating: 4.6,
    offers: [
      { store: CHIZHIK, places: ['moscow', 'kazan'], price: 189.99, stock: 9 },
      { store: PEREKRESTOK, places: ['khimki'], price: 214.99, discount: 199.99 },
    ],
  },
  {
    id: '3f8a5e29-1d4b-4a6e-b2c7-0f9e8d7c6b04',
    title: 'Instant chicory, 100 g',
    lasting: true,
    brand: 'Harbour',
    shelf: 'coffee',
    course: 'discontinued',
    package: [0.1, 'KGM'],
    rating: 3.9,
    offers: [{ store: FIXPRICE, places: ['moscow', 'lodz'], price: 129, stock: 0 }],
  },
  {
    id: 'tea & honey #2 (50%)',
    title: 'Tea & honey No. 2, 50 % less sugar',
    lasting: true,
    brand: 'Травы',
    shelf: 'tea',
    course: 'steady',
    rating: 4.1,
    offers: [{ store: PEREKRESTOK, places: ['moscow'], price: 159.99 }],
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
      { store: CHIZHIK, places: ['moscow', 'khimki', 'kazan'], price: 84.99, stock: 140 },
      { store: PEREKRESTOK, places: ['moscow', 'khimki', 'petersburg'], price: 94.99, loyal: 89.99, stock: 60 },
    ],
  },
  {
    title: '柿の種 rice crackers, 6 × 30 g',
    lasting: true,
    brand: '浪花屋',
    shelf: 'sweets',
    course: 'wavy',
    package: [0.18, 'KGM'],
    rating: 4.9,
    offers: [
      { store: FIXPRICE, places: ['osaka'], price: 248, currency: 'JPY', stock: 44 },
      { store: PEREKRESTOK, places: ['moscow'], price: 319.99 },
    ],
  },
  {
    title: 'Żurek, soup concentrate, 480 ml',
    brand: 'Kuchnia Łódzka',
    shelf: 'food',
    course: 'steady',
    package: [0.48, 'LTR'],
    offers: [{ store: FIXPRICE, places: ['lodz'], price: 7.49, currency: 'PLN', stock: 18 }],
  },
  {
    title: 'Rye bread, sliced, 300 g',
    brand: null,
    shelf: 'bakery',
    course: 'stock',
    package: [0.3, 'KGM'],
    rating: 4.3,
    offers: [
      { store: CHIZHIK, places: ['moscow', 'khimki'], price: 39.99, stock: 24 },
      { store: PEREKRESTOK, places: ['petersburg'], price: 46.99, stock: 15 },
    ],
  },
  {
    id: '6e1d9a47-3b5f-4c80-9d2e-5f4a3b2c1d06',
    title: null,
    lasting: true,
    brand: null,
    shelf: null,
    course: 'steady',
    offers: [{ store: FIXPRICE, places: [null], price: null, stock: 3 }],
  },
  {
    title: 'Pale lager 4.7 %, 0.5 l',
    brand: 'Brygga',
    shelf: 'beer',
    course: 'falling',
    package: [0.5, 'LTR'],
    rating: 3.8,
    flags: { adult: true, promo: true },
    offers: [{ store: PEREKRESTOK, places: ['moscow', 'petersburg'], price: 89.99, discount: 69.99, stock: 200 }],
  },
  {
    title: 'Sponge cloths, 5 pcs',
    lasting: true,
    brand: 'Home +',
    shelf: 'household',
    course: 'points',
    offers: [{ store: FIXPRICE, places: ['moscow', 'lodz', 'torshavn'], price: 55 }],
  },
  {
    title: 'Pistachio spread, 200 g',
    brand: 'Cremissimo',
    shelf: 'sweets',
    course: 'new',
    package: [0.2, 'KGM'],
    flags: { is_new: true, promo: true },
    offers: [{ store: PEREKRESTOK, places: ['moscow'], price: 499.99, discount: 449.99, loyal: 429.99, stock: 30 }],
  },
  ...(
    [
      ['Kefir 1 %, 900 g', 'Луговое', 'dairy', 'rising', CHIZHIK, 'moscow', 79.99],
      ['Semi-hard cheese 45 %, 200 g', 'Alpina', 'cheese', 'wavy', PEREKRESTOK, 'moscow', 239.99],
      ['Smoked cheese, braided, 130 g', 'Alpina', 'cheese', 'steady', CHIZHIK, 'kazan', 149.99],
      ['Wheat buns, 6 pcs', null, 'bakery', 'steady', CHIZHIK, 'khimki', 64.99],
      ['Dark chocolate 72 %, 90 g', 'Noir', 'sweets', 'rising', PEREKRESTOK, 'petersburg', 169.99],
      ['Green tea, 25 bags', 'Травы', 'tea', 'falling', FIXPRICE, 'moscow', 99],
      ['Earl Grey, loose, 100 g', 'Harbour', 'tea', 'steady', PEREKRESTOK, 'khimki', 219.99],
      ['Coffee beans, dark roast, 1 kg', 'Harbour', 'coffee', 'rising', PEREKRESTOK, 'moscow', 1449.99],
      ['Alcohol-free wheat beer, 0.45 l', 'Brygga', 'beer', 'steady', CHIZHIK, 'moscow', 74.99],
      ['Dish soap, lemon, 500 ml', 'Home +', 'household', 'steady', FIXPRICE, 'osaka', 99],
    ] as const
  ).map(
    ([title, brand, shelf, course, store, place, price]): DemoProduct => ({
      title,
      brand,
      shelf,
      course,
      offers: [{ store, places: [place], price }],
    }),
  ),
  {
    id: '4a9b6f3a-2e5c-4b7f-83d8-1a0f9e8d7c05',
    title: 'Advent calendar',
    lasting: true,
    brand: 'Noir',
    shelf: 'sweets',
    course: 'discontinued',
    offers: [{ store: FIXPRICE, places: ['moscow'], price: 299 }],
    snapshotsOnly: true,
  },
];
