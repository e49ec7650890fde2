/** A product with a past at three stores. */
import { answer } from '../../../support/servers.ts';
import type { Observation } from '../reference-dynamics.ts';
import { type Asked, NOW } from './misbehaving.ts';

const DAY_MS = 86_400_000;

/** So many days before now, in microseconds. */
export const ago = (days: number): number => (NOW - days * DAY_MS) * 1000;

/** A value that lasts from one day to another. */
export const lasting = (from: number, to: number, value: number | null): Observation => ({
  observed: ago(to),
  value,
  valid: [ago(from), ago(to)],
});

/** A value that was seen, and nothing is known of before and after. */
export const seen = (days: number, value: number): Observation => ({ observed: ago(days), value });

export interface Place {
  readonly parser_name: string;
  readonly source_id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly past: readonly Observation[];
}

const place = (parser: string, source: string, fields: Place['fields'], past: readonly Observation[]): Place => ({
  parser_name: parser,
  source_id: source,
  fields: { title_original: 'Milk 3.2 %, 930 ml', price_unit: 'RUB', unit: 'PCE', observed_at: at(1), ...fields },
  past,
});

export const at = (days: number): string => new Date(NOW - days * DAY_MS).toISOString();

const MOSCOW = { id: 1, name: 'Moscow', region: 'Moscow', country: 'RU' };
const KAZAN = { id: 2, name: 'Казань', region: 'Татарстан', country: 'RU' };

const SETTLEMENTS = [MOSCOW, { ...KAZAN, region_normalized: 'tatarstan' }];

export const FIXPRICE = place('fixprice', 'receiver:run-1:1', { price: 99, settlement: MOSCOW }, [
  lasting(40, 21, 80),
  lasting(21, 14, null),
  lasting(14, 9, 120),
  lasting(9, 0, 99),
]);
export const CHIZHIK = place(
  'chizhik',
  'r:2',
  { price: 110, discount_price: 95, loyal_price: 89.9, settlement: KAZAN },
  [lasting(30, 12, 100), seen(6.5, 240), lasting(5, 0, 110)],
);
export const CHIZHIK_MOSCOW = place('chizhik', 'r:3', { price: 105, settlement: MOSCOW, observed_at: at(20) }, [
  seen(27, 90),
  seen(20, 105),
]);
export const PLACES: readonly Place[] = [FIXPRICE, CHIZHIK, CHIZHIK_MOSCOW];

function snapshot({ fields }: Place, { observed, value, valid }: Observation): object {
  const [valid_from_at, valid_to_at] = (valid ?? [null, null]).map((time) => time && iso(time));
  return {
    price: value,
    discount_price: value,
    loyal_price: value,
    available_count: value,
    price_unit: fields['price_unit'],
    valid_from_at,
    valid_to_at,
    observed_at: iso(observed),
  };
}

/** To the microsecond. */
const iso = (micros: number): string =>
  `${new Date(Math.floor(micros / 1e6) * 1000).toISOString().slice(0, 19)}.${String(micros % 1e6).padStart(6, '0')}Z`;

interface Shop {
  readonly places?: readonly Place[];
  /** Only its snapshots are left. */
  readonly gone?: boolean;
}

export const detail = (status: number, text: string): string => answer(status, JSON.stringify({ detail: text }));

/** What the service makes of all items: the page that the query asks for. */
export const pagesFor =
  (query: URLSearchParams) =>
  (items: readonly object[]): object => {
    const [limit, offset] = [Number(query.get('limit') ?? 20), Number(query.get('offset') ?? 0)];
    return { items: items.slice(offset, offset + limit), meta: { limit, offset, total: items.length } };
  };

const PRODUCTS = [{ canonical_product_id: 'p1', title: 'Milk' }];

const NOT_FOUND = detail(404, 'product_not_found');

const keysOf = ({ parser_name, source_id }: Place) => ({ canonical_product_id: 'p1', parser_name, source_id });

function snapshotsOf(places: readonly Place[], query: URLSearchParams): readonly object[] {
  const isWanted = (name: string, value: string): boolean => (query.get(name) ?? value) === value;
  return places
    .filter(({ parser_name, source_id }) => isWanted('parser_name', parser_name) && isWanted('source_id', source_id))
    .flatMap((from) => from.past.map((past) => ({ ...keysOf(from), ...snapshot(from, past) })))
    .map((one, id) => ({ id, ...one }));
}

function answerOf({ places = PLACES, gone = false }: Shop, { path, query }: Asked): object | string {
  const [, , id, what] = path.split('/');
  const page = pagesFor(query);
  if (path === '/sync/cursors') return { items: places.map(({ parser_name }) => ({ parser_name })) };
  if (id === undefined) return page(path === '/settlements' ? SETTLEMENTS : PRODUCTS);
  if (id !== 'p1') return what === undefined ? NOT_FOUND : page([]);
  if (what === undefined) return gone ? NOT_FOUND : { canonical_product_id: id };
  if (what === 'snapshots') return page(snapshotsOf(places, query));
  return page(gone ? [] : places.map((one) => ({ ...keysOf(one), ...one.fields })));
}

/** Answers for the product `p1`. */
export function shop(given: Shop = {}): (asked: Asked) => object | string {
  return (asked) => answerOf(given, asked);
}
