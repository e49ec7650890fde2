/** Pushes on the socket after a subscription (doc 3 §6): an event's name and a string of JSON. */
import { exactNumbers, isObject, tryParseJson } from '../../../json-object.ts';
import { isModelName, MODELS, type ModelName, numberOf } from '../models.ts';

export interface Price {
  readonly kind: 'price';
  readonly symbol: string;
  /** Milliseconds since 1970. */
  readonly at: number | undefined;
  readonly bid: number;
  readonly ask: number;
  /** Of the session. */
  readonly high: number | undefined;
  readonly low: number | undefined;
  readonly record: PushedRecord;
}

export interface RowPush {
  readonly kind: 'row';
  readonly model: ModelName;
  /** Insert, update, delete; a record without an action is an update. */
  readonly action: 'I' | 'U' | 'D';
  /** Undefined if the table has no key, or the record lacks it. */
  readonly key: string | undefined;
  /** An update may have only the changed fields. */
  readonly record: PushedRecord;
}

/** Neither a price nor a row of a known table: any JSON value. */
interface OtherPush {
  readonly kind: 'other';
  readonly record: unknown;
}

export type Push = Price | RowPush | OtherPush;
export type PushedRecord = Readonly<Record<string, unknown>>;

const TABLES = new Map<unknown, ModelName>();
for (const { table, name } of Object.values(MODELS)) if (table !== undefined) TABLES.set(table, name);

/** Undefined for a payload that is not JSON, which does occur. */
export function readPush(name: string, payload: string): Push | undefined {
  const record = tryParseJson(exactNumbers(payload));
  if (record === undefined) return undefined;
  if (!isObject(record)) return { kind: 'other', record };
  const { t, Rates: rates } = record;
  const model = isModelName(name) ? name : TABLES.get(numberOf(t));
  if (model !== undefined) return rowPush(model, record);
  if (Array.isArray(rates)) return price(name, rates, record);
  return { kind: 'other', record };
}

function rowPush(model: ModelName, record: PushedRecord): RowPush {
  const { key: field } = MODELS[model];
  const key = field === undefined ? undefined : record[field];
  const { action } = record;
  return {
    kind: 'row',
    model,
    action: action === 'I' || action === 'D' ? action : 'U',
    key: typeof key === 'string' || typeof key === 'number' ? String(key) : undefined,
    record,
  };
}

const FIRST_MILLISECONDS = 1e11;
/** The range of `Date`. */
const LAST_INSTANT = 8.64e15;

/** Older gateways use seconds. Undefined for what is not a time. */
function inMilliseconds(time: unknown): number | undefined {
  if (typeof time !== 'number') return undefined;
  const ms = time < FIRST_MILLISECONDS ? time * 1000 : time;
  return Math.abs(ms) > LAST_INSTANT ? undefined : ms;
}

function price(name: string, rates: readonly unknown[], record: PushedRecord): Price | OtherPush {
  const [bid, ask, high, low] = rates.map(numberOf);
  // 0 and 0 are no quote.
  if (typeof bid !== 'number' || typeof ask !== 'number' || (bid === 0 && ask === 0)) return { kind: 'other', record };
  const { Symbol: symbol } = record;
  return {
    kind: 'price',
    symbol: typeof symbol === 'string' ? symbol : name,
    at: inMilliseconds(numberOf(record['Updated'])),
    bid,
    ask,
    high: typeof high === 'number' ? high : undefined,
    low: typeof low === 'number' ? low : undefined,
    record,
  };
}
