/** A catalog of a few products that a test writes down: what each store asked on which day, answered as the service would. */
import { type Asked, NOW } from './misbehaving.ts';
import { detail, pagesFor } from './shop.ts';

const DAY_MS = 86_400_000;

export interface Price {
  /** Days before now. */
  readonly ago: number;
  readonly price: number | null;
  readonly discount_price?: number | null;
  readonly loyal_price?: number | null;
}

export interface Shelf {
  readonly product: string;
  readonly store: string;
  readonly place: string;
  readonly unit?: string;
  /** The oldest first; the last is the price now. */
  readonly prices: readonly Price[];
}

export const isoAgo = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();

/** Every shelf is one source with all of its snapshots. */
export function market(shelves: readonly Shelf[]): (asked: Asked) => object | string {
  const rows = shelves.map((shelf, index) => ({ ...shelf, source_id: `s${index}` }));
  return ({ path, query }) => {
    const [, , id, what] = path.split('/');
    const page = pagesFor(query);
    const own = rows.filter(({ product }) => product === id);
    const listed = rows.filter(({ store }) => (query.get('parser_name') ?? store) === store);
    const ids = [...new Set(listed.map(({ product }) => product))];
    if (path === '/settlements') return page(rows.map(({ place }) => ({ id: place, name: place, region: place })));
    if (path === '/products/count') return { products_count: 0 };
    if (path === '/sync/cursors')
      return { items: [...new Set(rows.map(({ store }) => store))].map((parser_name) => ({ parser_name })) };
    if (id === undefined) return page(ids.map((one) => ({ canonical_product_id: one, title: `Title ${one}` })));
    if (what === undefined) return own.length > 0 ? { canonical_product_id: id } : detail(404, 'product_not_found');
    const keys = ({ store, source_id }: (typeof rows)[number]) => ({
      canonical_product_id: id,
      parser_name: store,
      source_id,
      price_unit: 'RUB',
    });
    if (what === 'snapshots') {
      const wanted = own.filter(({ store }) => (query.get('parser_name') ?? store) === store);
      const all = wanted.flatMap((row) =>
        row.prices.map(({ ago, ...price }) => ({ ...keys(row), ...price, observed_at: isoAgo(ago) })),
      );
      return page(all.map((one, index) => ({ id: index, ...one })));
    }
    return page(
      own.map((row) => {
        const { ago, ...price } = row.prices.at(-1) ?? { ago: 0, price: null };
        return {
          ...keys(row),
          ...price,
          unit: row.unit ?? 'PCE',
          title_original: `Title ${id}`,
          settlement: { id: row.place, name: row.place, region: row.place },
          observed_at: isoAgo(ago),
        };
      }),
    );
  };
}
