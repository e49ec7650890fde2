/**
 * The endpoints of doc 3 §4, part A. What the document does not show is as seen on the public implementation.
 * It knows nothing of how svc reads them.
 */
import { commonCount, productCount } from './counts.ts';
import { dynamics } from './dynamics.ts';
import { categoryItem, cursorItem, settlementItem, snapshotItem, sourceItem } from './items.ts';
import { contains } from './like.ts';
import type { Parameters } from './parameters.ts';
import { listedProducts } from './products.ts';
import type { Catalog, SourceRow } from './records.ts';
import { Refusal } from './refusal.ts';
import { type CatalogTrap, UNAVAILABLE } from './traps.ts';

/** Given what stands in the place of `{}` in its path, the answer. */
type Handler = (query: Parameters, given: string) => unknown;

interface Page {
  readonly limit: number;
  readonly offset: number;
}

export interface CatalogApiOptions {
  readonly catalog: () => Catalog;
  readonly traps: ReadonlySet<CatalogTrap>;
}

export class CatalogApi {
  readonly #options: CatalogApiOptions;
  /** In the order in which the service looks at them: the word `count` comes before the id of a product. */
  readonly #routes: Readonly<Record<string, Handler>> = {
    '/healthz': () => this.#health(),
    '/products': (query) => this.#products(query),
    '/products/count': (query) => this.#count(query),
    '/products/{}': (_, id) => this.#product(id),
    '/products/{}/sources': (query, id) => this.#sources(query, id),
    '/products/{}/snapshots': (query, id) => this.#snapshots(query, id),
    '/products/{}/dynamics': (query, id) => this.#dynamics(query, id),
    '/products/common/count': (query) => this.#commonCount(query),
    '/categories': (query) => this.#categories(query),
    '/categories/{}': (query, id) => this.#category(query, id),
    '/settlements': (query) => this.#settlements(query),
    '/settlements/{}': (query, id) => this.#settlement(query, id),
    '/sync/cursors': (query) => this.#cursors(query),
  };
  /** A client that pages asks for the same list again and again. */
  #listed:
    | { readonly key: string; readonly rows: readonly SourceRow[]; readonly items: readonly unknown[] }
    | undefined;
  #pages = 0;

  constructor(options: CatalogApiOptions) {
    this.#options = options;
  }

  /** What answers a path, which is decoded. */
  find(path: string): ((query: Parameters) => unknown) | undefined {
    for (const [pattern, handler] of Object.entries(this.#routes)) {
      const [before = '', after] = pattern.split('{}');
      if (after === undefined) {
        if (path === pattern) return (query) => handler(query, '');
        continue;
      }
      const given = path.slice(before.length, path.length - after.length);
      if (path.startsWith(before) && path.endsWith(after) && given !== '' && !given.includes('/')) {
        return (query) => handler(query, given);
      }
    }
    return undefined;
  }

  /** To be asked for after all that is refused without a look at the data. */
  #data(): Catalog {
    if (this.#options.traps.has('database-down')) throw new Refusal(500, undefined);
    return this.#options.catalog();
  }

  #health(): unknown {
    if (this.#options.traps.has('database-down')) throw new Refusal(503, UNAVAILABLE);
    return { status: 'ok' };
  }

  #products(query: Parameters): unknown {
    const page = paging(query);
    const filters = {
      q: query.text('q'),
      parser_name: query.text('parser_name'),
      category_id: query.integer('category_id'),
      settlement_id: query.integer('settlement_id'),
      brand: query.text('brand'),
      promo: query.flag('promo'),
      is_new: query.flag('is_new'),
      hit: query.flag('hit'),
      adult: query.flag('adult'),
      price_min: query.number('price_min'),
      price_max: query.number('price_max'),
    };
    const sort = query.text('sort') ?? 'observed_at_desc';
    query.check();
    const key = JSON.stringify([filters, sort], (_, value) => (typeof value === 'number' ? String(value) : value));
    if (this.#listed?.key !== key || this.#listed.rows !== this.#data().sources) {
      const items = listedProducts(() => this.#data().sources, filters, sort);
      this.#listed = { key, rows: this.#data().sources, items };
    }
    return this.#envelope(this.#listed.items, page);
  }

  #product(id: string): unknown {
    const [product] = listedProducts(() => this.#rowsOf(id), {}, 'observed_at_desc');
    if (product === undefined) throw new Refusal(404, 'product_not_found');
    return product;
  }

  #sources(query: Parameters, id: string): unknown {
    const page = paging(query);
    const direction = observedOrder(query);
    const rows = this.#rowsOf(id).toSorted((a, b) => direction * (a.observed_at - b.observed_at) || a.id - b.id);
    if (rows.length === 0) this.#mustKnow(id);
    return this.#envelope(rows, page, sourceItem);
  }

  #snapshots(query: Parameters, id: string): unknown {
    const page = paging(query);
    const [parser, source] = [query.text('parser_name'), query.text('source_id')];
    const direction = observedOrder(query);
    const rows = this.#data()
      .snapshots(id)
      .filter((row) => (!parser || row.parser_name === parser) && (!source || row.source_id === source))
      .toSorted((a, b) => direction * (a.observed_at - b.observed_at || a.id - b.id));
    if (rows.length === 0) this.#mustKnow(id);
    return this.#envelope(rows, page, snapshotItem);
  }

  #dynamics(query: Parameters, id: string): unknown {
    const request = {
      canonical_product_id: id,
      parser_name: query.required('parser_name'),
      source_id: query.required('source_id'),
      field: query.required('field'),
      date_from: query.required('date_from'),
      date_to: query.required('date_to'),
      interval: query.required('interval'),
    };
    query.check();
    const series = dynamics(request, () => this.#data().snapshots(id));
    return this.#options.traps.has('uneven-series') ? { ...series, values: series.values.slice(1) } : series;
  }

  #count(query: Parameters): unknown {
    return productCount(this.#data().sources, { stores: query.texts('store'), regions: query.texts('region') });
  }

  #commonCount(query: Parameters): unknown {
    // The service's own default is a word that it then refuses.
    const scope = query.text('scope') ?? 'all_stores';
    return commonCount(() => this.#data().sources, {
      scope,
      stores: query.texts('store'),
      regions: query.texts('region'),
    });
  }

  #categories(query: Parameters): unknown {
    const page = paging(query);
    const [parser, depth] = [query.text('parser_name'), query.integer('depth')];
    const [parent, q] = [query.text('parent_source_uid'), query.text('q')];
    query.check();
    const found = this.#data().categories.filter(
      (category) =>
        (!parser || category.parser_name === parser) &&
        (depth === undefined || category.depth === depth) &&
        (!parent || category.parent_source_uid === parent) &&
        (!q ||
          [category.title, category.title_normalized, category.alias, category.source_uid].some((text) =>
            contains(text, q),
          )),
    );
    return this.#envelope(found.toSorted(latestUpdateFirst), page, categoryItem);
  }

  #category(query: Parameters, given: string): unknown {
    const id = query.pathInteger('category_id', given);
    query.check();
    const found = this.#data().categories.find((category) => category.id === id);
    if (found === undefined) throw new Refusal(404, 'category_not_found');
    return categoryItem(found);
  }

  /** Country and region are compared as they are written, unlike in the counts. */
  #settlements(query: Parameters): unknown {
    const page = paging(query);
    const [country, region, q] = [query.text('country'), query.text('region'), query.text('q')];
    query.check();
    const found = this.#data().settlements.filter(
      (place) =>
        (!country || place.country === country) &&
        (!region || place.region === region) &&
        (!q || [place.name, place.alias, place.region, place.country].some((text) => contains(text, q))),
    );
    return this.#envelope(found.toSorted(latestUpdateFirst), page, settlementItem);
  }

  #settlement(query: Parameters, given: string): unknown {
    const id = query.pathInteger('settlement_id', given);
    query.check();
    const found = this.#data().settlements.find((place) => place.id === id);
    if (found === undefined) throw new Refusal(404, 'settlement_not_found');
    return settlementItem(found);
  }

  #cursors(query: Parameters): unknown {
    const parser = query.text('parser_name');
    const wanted = parser?.trim().toLowerCase();
    return {
      items: this.#data()
        .cursors.filter(({ parser_name }) => !parser || parser_name === wanted)
        .map(cursorItem),
    };
  }

  #rowsOf(id: string): readonly SourceRow[] {
    return this.#data().sources.filter((row) => row.canonical_product_id === id);
  }

  /** A product may be known from its snapshots alone. */
  #mustKnow(id: string): void {
    if (this.#rowsOf(id).length === 0 && this.#data().snapshots(id).length === 0) {
      throw new Refusal(404, 'product_not_found');
    }
  }

  #envelope<Row>(rows: readonly Row[], { limit, offset }: Page, item: (row: Row) => unknown = (row) => row): unknown {
    const { traps } = this.#options;
    const page = this.#pages++;
    const shift = traps.has('moving-total') ? ([-3, 5, 0][page % 3] ?? 0) : 0;
    const moved = traps.has('shifting-catalog') ? page % Math.max(1, rows.length) : 0;
    const listed = moved === 0 ? rows : [...rows.slice(-moved), ...rows.slice(0, -moved)];
    const items = listed.slice(offset, offset + limit).map(item);
    return { items, meta: { limit, offset, total: Math.max(0, rows.length + shift) } };
  }
}

function paging(query: Parameters): Page {
  return {
    limit: query.integer('limit', { ge: 1, le: 100 }) ?? 20,
    offset: query.integer('offset', { ge: 0 }) ?? 0,
  };
}

/** The last parameter that is read: whether the latest come first (-1) or last. */
function observedOrder(query: Parameters): 1 | -1 {
  const sort = query.text('sort') ?? 'observed_at_desc';
  query.check();
  if (sort === 'observed_at_desc') return -1;
  if (sort === 'observed_at_asc') return 1;
  throw new Refusal(400, `unsupported sort: ${sort}`);
}

interface Updated {
  readonly id: number;
  readonly updated_at: number;
}

function latestUpdateFirst(a: Updated, b: Updated): number {
  return b.updated_at - a.updated_at || a.id - b.id;
}
