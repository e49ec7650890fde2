/** The emulated catalog with rows of a test's own, asked at the wire. */
import {
  type Catalog,
  type Category,
  EMPTY_CATALOG,
  type Micros,
  type Settlement,
  type Snapshot,
  type SourceRow,
} from '../../../src/sandbox/catalog/records.ts';
import {
  type CatalogEmulator,
  type CatalogEmulatorOptions,
  startCatalogEmulator,
} from '../../../src/sandbox/catalog/server.ts';
import { wire } from '../../support/alertmanager.ts';

export const NOON_MS = Date.UTC(2026, 1, 1, 12);
const NOON: Micros = NOON_MS * 1000;

interface TestCatalog extends CatalogEmulator, AsyncDisposable {
  /** The status and the raw body. */
  get(path: string): Promise<readonly [number, string]>;
  /** The parsed body of an answer that is 200. */
  json<T>(path: string): Promise<T>;
}

export async function startCatalog(options: Partial<CatalogEmulatorOptions> = {}): Promise<TestCatalog> {
  const emulator = await startCatalogEmulator({ now: () => NOON_MS, ...options });
  const get = async (path: string): Promise<readonly [number, string]> => {
    const { status, body } = await wire(emulator.url, path);
    return [status, body];
  };
  return {
    ...emulator,
    get,
    async json<T>(path: string) {
      const [status, body] = await get(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
      return JSON.parse(body) as T;
    },
    [Symbol.asyncDispose]: emulator.close,
  };
}

/** `snapshots` is a list here: those of all products. */
export function catalogOf(parts: Partial<Omit<Catalog, 'snapshots'>> & { snapshots?: readonly Snapshot[] }): Catalog {
  const { snapshots = [], ...rest } = parts;
  return {
    ...EMPTY_CATALOG,
    ...rest,
    snapshots: (id) => snapshots.filter(({ canonical_product_id }) => canonical_product_id === id),
  };
}

export function row(fields: Partial<SourceRow>): SourceRow {
  const id = fields.id ?? 1;
  return {
    id,
    canonical_product_id: 'p1',
    parser_name: 'chizhik',
    source_id: `receiver:run-1:${id}`,
    title_original: null,
    title_normalized_no_stopwords: null,
    brand: null,
    price: null,
    discount_price: null,
    loyal_price: null,
    price_unit: null,
    rating: null,
    promo: null,
    is_new: null,
    hit: null,
    adult: null,
    unit: null,
    available_count: null,
    package_quantity: null,
    package_unit: null,
    observed_at: NOON,
    image_urls: [],
    category: null,
    settlement: null,
    ...fields,
  };
}

export function snapshot(fields: Partial<Snapshot>): Snapshot {
  return {
    id: 1,
    canonical_product_id: 'p1',
    parser_name: 'chizhik',
    source_id: 'receiver:run-1:1',
    price_unit: 'RUB',
    price: null,
    discount_price: null,
    loyal_price: null,
    available_count: null,
    valid_from_at: null,
    valid_to_at: null,
    observed_at: NOON,
    ...fields,
  };
}

export function settlement(fields: Partial<Settlement>): Settlement {
  return {
    id: 1,
    country: 'RU',
    region: 'Moscow',
    region_normalized: 'moscow',
    name: 'Moscow',
    settlement_type: 'city',
    alias: null,
    updated_at: NOON,
    ...fields,
  };
}

export function category(fields: Partial<Category>): Category {
  return {
    id: 1,
    parser_name: 'chizhik',
    source_uid: '10-food',
    parent_source_uid: null,
    title: 'Food',
    alias: null,
    depth: 0,
    sort_order: 0,
    updated_at: NOON,
    ...fields,
  };
}

/** Microseconds of a time as people write it. */
export function at(text: string): Micros {
  return Date.parse(text) * 1000;
}
