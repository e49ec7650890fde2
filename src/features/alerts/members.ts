/** An HA cluster as one client: a read goes to the next member if one is away, a write to one. */
import { SvcError } from '../../errors.ts';
import type { Client } from '../../http/client.ts';
import type { CallValues, Effect, Endpoint, Plan, Proof } from '../../http/endpoint.ts';

export type MemberClient = Pick<Client, 'call' | 'items' | 'raw' | 'send' | 'answer' | 'close' | 'clockSkewMs'>;

export interface Member {
  readonly host: string;
  readonly client: MemberClient;
}

/** Stays with the member that answered last. */
export class ClusterClient implements MemberClient {
  readonly #members: readonly Member[];
  readonly #warn: (text: string) => void;
  #at = 0;

  constructor(members: readonly Member[], warn: (text: string) => void) {
    this.#members = members;
    this.#warn = warn;
  }

  get clockSkewMs(): number | undefined {
    return this.#current.client.clockSkewMs;
  }

  async close(): Promise<void> {
    await Promise.all(this.#members.map(({ client }) => client.close()));
  }

  async call<T>(endpoint: Endpoint<T, 'read'>, values?: CallValues): Promise<T> {
    return this.#tried((client, retry) => client.call({ ...endpoint, ...retry }, values), isAway);
  }

  async raw<T>(endpoint: Endpoint<T, 'read'>, values?: CallValues): Promise<AsyncIterable<Uint8Array>> {
    return this.#tried((client, retry) => client.raw({ ...endpoint, ...retry }, values), isAway);
  }

  /** Only before the first item: those of two members would be read twice. */
  async *items<T>(endpoint: Endpoint<readonly T[], 'read'>, values?: CallValues): AsyncGenerator<T, void, void> {
    const { first, rest } = await this.#tried(async (client, retry) => {
      const items = client.items({ ...endpoint, ...retry }, values);
      return { first: await items.next(), rest: items };
    }, isAway);
    if (first.done) return;
    try {
      yield first.value;
      yield* rest;
    } finally {
      await rest.return();
    }
  }

  /** The next member gets it only if this one did not: it may have passed it on already. */
  async send<T, E extends Exclude<Effect, 'read'>>(
    endpoint: Endpoint<T, E>,
    values: CallValues,
    ...confirmed: Proof<E>
  ): Promise<T | Plan> {
    return this.#tried((client) => client.send(endpoint, values, ...confirmed), isUnsent);
  }

  async answer(...[endpoint, ...rest]: Parameters<Client['answer']>): ReturnType<Client['answer']> {
    const isRead = endpoint.effect === 'read';
    return this.#tried((client) => client.answer(endpoint, ...rest), isRead ? isAway : isUnsent);
  }

  get #current(): Member {
    return this.#members[this.#at] as Member;
  }

  async #tried<T>(
    work: (client: MemberClient, retry: { readonly retry?: false }) => Promise<T>,
    goesOn: (error: SvcError) => boolean,
  ): Promise<T> {
    for (let left = this.#members.length - 1; ; left--) {
      const { host, client } = this.#current;
      try {
        return await work(client, left > 0 ? { retry: false } : {});
      } catch (error) {
        if (left === 0 || !(error instanceof SvcError) || !goesOn(error)) throw error;
        this.#at = (this.#at + 1) % this.#members.length;
        this.#warn(`${host} is away, ${this.#current.host} is used instead: ${error.message}`);
      }
    }
  }
}

function isAway(error: SvcError): boolean {
  return error.isUnavailable;
}

function isUnsent(error: SvcError): boolean {
  return isAway(error) && error.sent === undefined;
}
