/** The only way to a remote service: an endpoint and its values in, the parsed response out. */
import { schemaProblem } from '../json-object.ts';
import { checkCredential } from './address.ts';
import { contentType } from './answers.ts';
import type { CallValues, Confirmed, Effect, Endpoint, EndpointShape, Parser, Plan, Proof } from './endpoint.ts';
import { ArrayItems, JsonFault, outerKind, parseJson, ShapeFault } from './json.ts';
import { readRows } from './rows.ts';
import { LENIENT_TYPES, Sender, type Sent, type ServiceRules } from './sender.ts';
import type { Target } from './target.ts';
import type { Response } from './transport.ts';

export type { ServiceRules } from './sender.ts';

export interface WholeAnswer {
  readonly status: number;
  /** Safe to show: without secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isJson: boolean;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Throws `credential_unusable` if the target's credential must not be sent to its address. Does not connect yet. */
export function openClient(target: Target, rules: ServiceRules): Client {
  checkCredential(target);
  return new Client(new Sender(target, rules));
}

interface Begun {
  readonly begin: Buffer;
  readonly rest: AsyncGenerator<Buffer, void, void> | undefined;
}

const LARGEST_CHECKED = 4 * 1024 * 1024;

export class Client {
  readonly #sender: Sender;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /** The service's clock minus ours, from the latest response with a date. */
  get clockSkewMs(): number | undefined {
    return this.#sender.clockSkewMs;
  }

  close(): Promise<void> {
    return this.#sender.close();
  }

  /** What a dry run shows of a request. */
  plan(endpoint: EndpointShape, values: CallValues = {}): Plan {
    return this.#sender.plan(endpoint, values);
  }

  /** The parsed response; `undefined` for an endpoint without one. */
  async call<T>(endpoint: Endpoint<T, 'read'>, values: CallValues = {}): Promise<T> {
    return this.#whole(endpoint, values);
  }

  /** The same for a write: sent once, and only planned in a dry run. */
  async send<T, E extends Exclude<Effect, 'read'>>(
    endpoint: Endpoint<T, E>,
    values: CallValues,
    ...[confirmed]: Proof<E>
  ): Promise<T | Plan> {
    return this.#sender.plans(endpoint) ? this.plan(endpoint, values) : this.#whole(endpoint, values, confirmed);
  }

  async #whole<T>(endpoint: Endpoint<T>, values: CallValues, confirmed?: Confirmed): Promise<T> {
    if (endpoint.item !== undefined) {
      const all: unknown[] = [];
      for await (const item of this.items(endpoint as unknown as Endpoint<readonly unknown[], 'read'>, values))
        all.push(item);
      return all as T;
    }
    const schema = loading(endpoint.answer);
    const sent = await this.#sender.send(endpoint, values, ({ body }) => body.whole(), confirmed);
    if (schema === undefined) return undefined as T;
    const value = this.#checked(sent, () => parseJson(sent.result), sent.result);
    const parser = await schema;
    const { data, omitted = [] } = this.#checked(sent, () => parsed(parser, value), sent.result);
    this.#sender.omit(endpoint, omitted);
    return data as T;
  }

  /** The items of an array, each as soon as its bytes have arrived. One that cannot be read is left out, unless all are such. */
  async *items<T>(endpoint: Endpoint<readonly T[], 'read'>, values: CallValues = {}): AsyncGenerator<T, void, void> {
    const schema = loading(endpoint.item);
    const sent = await this.#sender.send(endpoint, values, ({ body }) => body);
    const array = new ArrayItems(endpoint.largeItems);
    let [count, read] = [0, 0];
    let begin: Buffer | undefined;
    let firstFault: string | undefined;
    for await (const chunk of this.#explained(sent, sent.result)) {
      begin ??= chunk;
      let items = this.#checked(sent, () => array.push(chunk), begin);
      const parser = await schema;
      const { length } = items;
      if (parser !== undefined) {
        const { rows, omitted } = readRows(parser, items, 'item', count);
        this.#sender.omit(endpoint, omitted);
        firstFault ??= omitted[0];
        items = rows;
      }
      count += length;
      read += items.length;
      yield* items as readonly T[];
    }
    this.#checked(sent, () => array.finish());
    if (read === 0 && firstFault !== undefined) throw this.#sender.failure(new ShapeFault(firstFault), sent.exchange);
  }

  /**
   * The bytes of a JSON response. Up to 4 MiB they are checked completely before the first is returned; in a longer response, a broken end is detected while it
   * is read.
   */
  async raw<T>(endpoint: Endpoint<T, 'read'>, values: CallValues = {}): Promise<AsyncIterable<Uint8Array>> {
    const isArray = endpoint.item !== undefined;
    const { bytes } = await this.#begun(endpoint, values, undefined, ({ begin, rest }) => {
      checkKind(begin, isArray);
      if (rest === undefined) parseJson(begin);
      return true;
    });
    return bytes;
  }

  /** A successful response of any type, unchanged; if its headers say JSON, it is checked as for `raw`. */
  async answer(
    endpoint: EndpointShape,
    values: CallValues,
    confirmed: Confirmed | undefined,
  ): Promise<WholeAnswer | Plan> {
    if (this.#sender.plans(endpoint)) return this.plan(endpoint, values);
    return this.#begun({ ...endpoint, mislabeled: true }, values, confirmed, isJsonAnswer);
  }

  /** Checks the beginning of a response before returning any of it. `check` says whether it is JSON. */
  async #begun(
    endpoint: EndpointShape,
    values: CallValues,
    confirmed: Confirmed | undefined,
    check: (begun: Begun, response: Response) => boolean,
  ): Promise<WholeAnswer> {
    const sent = await this.#sender.send(endpoint, values, beginning, confirmed);
    const { response, result } = sent;
    const { begin, rest } = result;
    try {
      const isJson = this.#checked(sent, () => check(result, response), begin);
      const bytes = rest === undefined ? once(begin) : this.#long(sent, begin, rest, isJson);
      return { status: response.status, headers: this.#sender.shownHeaders(response), isJson, bytes };
    } catch (error) {
      await rest?.return();
      throw error;
    }
  }

  /** A response too long to check first: at least its end must be that of a JSON value. */
  async *#long(
    sent: Sent<unknown>,
    begin: Buffer,
    rest: AsyncIterable<Buffer>,
    isJson: boolean,
  ): AsyncGenerator<Uint8Array> {
    let last: Buffer = begin;
    yield begin;
    for await (const chunk of this.#explained(sent, rest)) {
      if (!isBlank(chunk)) last = chunk;
      yield chunk;
    }
    if (isJson && !/[\]}]\s*$/.test(last.toString('latin1', Math.max(0, last.length - 64))))
      throw this.#sender.failure(new JsonFault('its end is missing'), sent.exchange);
  }

  /** The chunks, with a broken end explained to the user. */
  async *#explained({ exchange }: Sent<unknown>, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
    try {
      yield* chunks;
    } catch (error) {
      throw this.#sender.failure(error, exchange);
    }
  }

  /** `begin`: the first bytes of the response, which may say what is wrong. */
  #checked<R>({ exchange, response }: Sent<unknown>, check: () => R, begin?: Buffer): R {
    try {
      return check();
    } catch (error) {
      if (begin === undefined || !(error instanceof JsonFault)) throw this.#sender.failure(error, exchange);
      const said = this.#sender.saidInstead(response, begin);
      if (said !== '') error.message += `, but says: ${said}`;
      throw this.#sender.failure(error, exchange);
    }
  }
}

/** Reads as much of a response as is checked before any of it is returned. */
async function beginning({ body }: Response): Promise<Begun> {
  const rest = body[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  for (let size = 0; size <= LARGEST_CHECKED; ) {
    const next = await rest.next();
    if (next.done) return { begin: Buffer.concat(chunks), rest: undefined };
    chunks.push(next.value);
    size += next.value.length;
  }
  return { begin: Buffer.concat(chunks), rest };
}

/** Loads a schema while the request is in progress. */
function loading(schema: (() => Promise<Parser<unknown>>) | undefined): Promise<Parser<unknown>> | undefined {
  const parser = schema?.();
  parser?.catch(() => {}); // thrown where it is awaited
  return parser;
}

function parsed(parser: Parser<unknown>, value: unknown) {
  const outcome = parser.safeParse(value);
  if (outcome.success) return outcome;
  throw new ShapeFault(schemaProblem(outcome.error.issues, value, ': '));
}

/** By its label if that says JSON, by its content if it is labeled otherwise. Throws if the label JSON is wrong. */
function isJsonAnswer({ begin, rest }: Begun, { headers }: Response): boolean {
  const type = contentType(headers);
  if (begin.length === 0) return false; // a success without a body, whatever its headers say
  const labeled = /[/+]json$/.test(type);
  if (!labeled && !LENIENT_TYPES.has(type)) return false;
  try {
    if (rest === undefined) parseJson(begin);
    else checkKind(begin, false);
    return labeled || outerKind(begin) !== '';
  } catch (error) {
    if (labeled) throw error;
    return false;
  }
}

function checkKind(begin: Buffer, isArray: boolean): void {
  const kind = outerKind(begin);
  if (kind === '[' || (kind === '{' && !isArray)) return;
  if (kind === '{') throw new ShapeFault('it is an object, not an array');
  throw new JsonFault(isArray ? 'it is not a JSON array' : 'it is not a JSON object');
}

function isBlank(chunk: Buffer): boolean {
  return /^\s*$/.test(chunk.toString('latin1', 0, 64)) && chunk.toString('latin1').trim() === '';
}

async function* once(bytes: Buffer): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
