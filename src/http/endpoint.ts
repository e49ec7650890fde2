/** An endpoint as data, and the request values made from it. Nothing here touches the network. */
import { SvcError } from '../errors.ts';

/** What a request can do to the service: it decides retries, confirmation and dry runs. */
export type Effect = 'read' | 'write' | 'destroy' | 'money';

/** What zod schemas offer and all that is asked of them: endpoints load their schema only when an answer is parsed. */
export interface Parser<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };
}

export interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string | undefined;
  readonly expected?: string | undefined;
}

/** `undefined` leaves the parameter out; an array repeats its key once per item. */
export type QueryValues = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export interface Endpoint<T, E extends Effect = Effect> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the service's base path, `{name}` for a parameter: `/silence/{silenceID}`. */
  readonly path: string;
  readonly effect: E;
  /** How a body is written. `text`, `json-text`: it is a string already. */
  readonly encoding?: 'json' | 'form' | 'text' | 'json-text';
  /** False for a read that must show the first answer as it is, such as a health check. */
  readonly retry?: false;
  /** No cache on the way may answer it. */
  readonly fresh?: true;
  /** The type that an answer is labelled with says nothing about it. */
  readonly mislabelled?: true;
  /** An item of its array may be as large as a whole response: one group may hold every alert. */
  readonly largeItems?: true;
  /** Its answers have ids above 2^53, which are parsed as texts. */
  readonly exactIntegers?: true;
  /** The answer's schema, or none where a success has no body. */
  readonly answer?: () => Promise<Parser<T>>;
  /** Instead of `answer`, where the answer is an array: the schema of one item, so that a long one is parsed as it arrives. */
  readonly item?: () => Promise<Parser<T extends readonly (infer Item)[] ? Item : never>>;
}

/** An endpoint of whatever answer: what building a request and explaining a failure need. */
export interface EndpointShape<E extends Effect = Effect> extends Omit<Endpoint<unknown, E>, 'answer' | 'item'> {
  readonly answer?: unknown;
  readonly item?: unknown;
}

export interface CallValues {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: QueryValues;
  /** A JSON value, or for `form` an object of field → string; an array repeats its field once per item. */
  readonly body?: unknown;
  /** Instead of the target's. */
  readonly timeoutMs?: number;
  /** Asks for a websocket, with these headers. */
  readonly upgrade?: Readonly<Record<string, string>>;
}

/** One request, complete: what is sent, what a dry run prints, and what the curl form is made of. */
export interface RequestValue {
  readonly method: string;
  readonly url: string;
  /** Names in lower case, credentials unredacted: print only what `redactHeaders` returns. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** `bytes`: the body is a Uint8Array, which is sent as it is, and so are the names of the headers. */
  readonly encoding: 'json' | 'form' | 'text' | 'json-text' | 'bytes';
  readonly effect: Effect;
  /** Only the live session that it is sent in makes it valid. */
  readonly inSession?: true | undefined;
}

declare const CONFIRMED: unique symbol;

/** The proof that a person or `--yes` confirmed what is sent. Only `ctx.confirm` makes one. */
export interface Confirmed {
  readonly [CONFIRMED]: true;
}

/** What a person confirms before it is sent. */
export type Guarded = 'destroy' | 'money';

/** What sending an endpoint's request takes beside its values. */
export type Proof<E extends Effect> = E extends Guarded ? [confirmed: Confirmed] : [];

/** What a dry run gives in place of an answer: the requests that would have been sent. */
export class Plan {
  readonly requests: readonly RequestValue[];

  constructor(requests: readonly RequestValue[]) {
    this.requests = requests;
  }
}

/** The answer to a write that only a real run comes to: in a dry run the command has ended with an earlier plan. */
export function answered<T>(answer: T): Exclude<T, Plan> {
  if (answer instanceof Plan) throw new SvcError('internal', 'a dry run came to a request that only a real run sends');
  return answer as Exclude<T, Plan>;
}

/** Inferred from the schema: `endpoint({ …, answer: async () => (await import('./schema.ts')).silence })`. */
export function endpoint<T = undefined>(declaration: Endpoint<T, 'read'>): Endpoint<T, 'read'>;
export function endpoint<T = undefined>(declaration: Endpoint<T, 'write'>): Endpoint<T, 'write'>;
export function endpoint<T = undefined>(declaration: Endpoint<T, 'destroy'>): Endpoint<T, 'destroy'>;
export function endpoint<T = undefined>(declaration: Endpoint<T, 'money'>): Endpoint<T, 'money'>;
export function endpoint<T>(declaration: Endpoint<T>): Endpoint<T> {
  return declaration;
}
