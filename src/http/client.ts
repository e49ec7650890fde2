/** The only way to a remote service: an endpoint and its values in, the parsed response out. */
import { schemaProblem } from '../json-object.ts';
import type { CallValues, Confirmed, Effect, Endpoint, EndpointShape, Plan, Proof } from './endpoint.ts';
import { ArrayItems, JsonFault, outerKind, parseJson, readRows, ShapeFault } from './json.ts';
import { contentType, LARGEST_FIRST, LENIENT_TYPES, type Response, Sender } from './sender.ts';

export type { ServiceRules } from './sender.ts';

export interface WholeAnswer {
  readonly status: number;
  /** Safe to show: without secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isJson: boolean;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export class Client extends Sender {
  /** The parsed response; `undefined` for an endpoint without one. */
  async call<T>(endpoint: Endpoint<T, 'read'>, values: CallValues = {}): Promise<T> {
    return this.#exchange(endpoint, values);
  }

  /** The same for a write: sent once, and only planned in a dry run. */
  async send<T, E extends Exclude<Effect, 'read'>>(
    endpoint: Endpoint<T, E>,
    values: CallValues,
    ...[confirmed]: Proof<E>
  ): Promise<T | Plan> {
    return this.plans(endpoint) ? this.plan(endpoint, values) : this.#exchange(endpoint, values, confirmed);
  }

  async #exchange<T>(endpoint: Endpoint<T>, values: CallValues, confirmed?: Confirmed): Promise<T> {
    if (endpoint.item !== undefined) {
      const all: unknown[] = [];
      const list = endpoint as unknown as Endpoint<readonly unknown[], 'read'>;
      for await (const item of this.items(list, values)) all.push(item);
      return all as T;
    }
    const [schema, response] = await Promise.all([
      endpoint.answer?.(),
      this.request(endpoint, values, 'all', confirmed),
    ]);
    if (schema === undefined) return undefined as T;
    try {
      const value = parseJson(response.start);
      const outcome = schema.safeParse(value);
      if (!outcome.success) throw new ShapeFault(schemaProblem(outcome.error.issues, value, ': '));
      for (const row of outcome.omitted ?? []) this.omit(endpoint, row);
      return outcome.data;
    } catch (error) {
      throw this.explain(error, response);
    }
  }

  /** Each item as soon as its bytes have arrived. Throws if no item can be read. */
  async *items<T>(endpoint: Endpoint<readonly T[], 'read'>, values: CallValues = {}): AsyncGenerator<T, void, void> {
    const [schema, response] = await Promise.all([endpoint.item?.(), this.request(endpoint, values, 'none')]);
    const array = new ArrayItems(endpoint.largeItems);
    let [count, read] = [0, 0];
    let start: Buffer | undefined;
    let firstFault: string | undefined;
    try {
      for await (const chunk of response.exchange) {
        start ??= chunk;
        const items = array.push(chunk) as readonly T[];
        const { rows, omitted } = schema ? readRows(schema, items, 'item', count) : { rows: items, omitted: [] };
        for (const row of omitted) this.omit(endpoint, row);
        firstFault ??= omitted[0];
        count += items.length;
        read += rows.length;
        yield* rows;
      }
      array.finish();
      if (read === 0 && firstFault !== undefined) throw new ShapeFault(firstFault);
    } catch (error) {
      throw this.explain(error, response, start);
    }
  }

  /**
   * The bytes of a JSON response. Up to 4 MiB are checked before the first is returned; a longer
   * response is checked while it is read.
   */
  async raw<T>(endpoint: Endpoint<T, 'read'>, values: CallValues = {}): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.request(endpoint, values, 'first');
    try {
      checkKind(response.start, endpoint.item !== undefined);
      if (isComplete(response)) parseJson(response.start);
    } catch (error) {
      throw this.explain(error, response);
    }
    return this.#bytesOf(response, true);
  }

  /** A success of any type, unchanged; if its headers say JSON, it is checked as for `raw`. */
  async answer(
    endpoint: EndpointShape,
    values: CallValues,
    confirmed: Confirmed | undefined,
  ): Promise<WholeAnswer | Plan> {
    if (this.plans(endpoint)) return this.plan(endpoint, values);
    const response = await this.request({ ...endpoint, mislabeled: true }, values, 'first', confirmed);
    try {
      const isJson = isJsonAnswer(response);
      const headers = this.shownHeaders(response);
      return { status: response.status, headers, isJson, bytes: this.#bytesOf(response, isJson) };
    } catch (error) {
      throw this.explain(error, response);
    }
  }

  /** Of a response too long to check first, at least the end must be that of a JSON value. */
  async *#bytesOf(response: Response, isJson: boolean): AsyncGenerator<Uint8Array> {
    let last = response.start;
    if (last.length > 0) yield last;
    if (isComplete(response)) return;
    try {
      for await (const chunk of response.exchange) {
        if (!isBlank(chunk)) last = chunk;
        yield chunk;
      }
      if (isJson && !/[\]}]\s*$/.test(last.toString('latin1', Math.max(0, last.length - 64))))
        throw new JsonFault('its end is missing');
    } catch (error) {
      throw this.explain(error, response);
    }
  }
}

function isComplete({ start }: Response): boolean {
  return start.length <= LARGEST_FIRST;
}

/** By its label if that is JSON, otherwise by its content. Throws if the label JSON is wrong. */
function isJsonAnswer(response: Response): boolean {
  const { headers, start } = response;
  const type = contentType(headers);
  if (start.length === 0) return false; // a success without a body, whatever its headers say
  const labeled = /[/+]json$/.test(type);
  if (!labeled && !LENIENT_TYPES.has(type)) return false;
  try {
    if (isComplete(response)) parseJson(start);
    else checkKind(start, false);
    return labeled || outerKind(start) !== '';
  } catch (error) {
    if (labeled) throw error;
    return false;
  }
}

function checkKind(start: Buffer, isArray: boolean): void {
  const kind = outerKind(start);
  if (kind === '[' || (kind === '{' && !isArray)) return;
  if (kind === '{') throw new ShapeFault('it is an object, not an array');
  throw new JsonFault(isArray ? 'it is not a JSON array' : 'it is not a JSON object');
}

function isBlank(chunk: Buffer): boolean {
  return /^\s*$/.test(chunk.toString('latin1', 0, 64)) && chunk.toString('latin1').trim() === '';
}
