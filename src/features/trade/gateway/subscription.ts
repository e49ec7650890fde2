/** The subscriptions of a session: made once, restored after each reconnect, and removed at the end. */
import { SvcError } from '../../../errors.ts';
import { openTrading, type Trading } from '../client.ts';
import type { ModelName } from '../models.ts';
import { isPassing } from './reconnecting.ts';
import type { Session } from './session.ts';

/** In the order of subscribing. */
export interface Wanted {
  readonly models: readonly ModelName[];
  readonly symbols: readonly string[];
}

interface Part {
  begin(trading: Trading): Promise<void>;
  end(trading: Trading): Promise<void>;
}

interface Options {
  /** Called instead of giving up the connection if the gateway refuses to restore one. */
  refused?(name: string, error: SvcError): void;
}

export class Subscription {
  readonly #session: Session;
  readonly #trading: Trading;
  readonly #options: Options;
  readonly #parts = new Map<string, Part>();
  #again: Promise<boolean> = Promise.resolve(true);

  constructor(session: Session, trading: Trading, options: Options = {}) {
    this.#session = session;
    this.#trading = trading;
    this.#options = options;
    session.onReconnect(async (restored) => {
      const done = this.#restore(openTrading(restored));
      this.#again = done.then(
        () => true,
        () => false,
      );
      await done;
    });
  }

  /** Models and symbols, in the order of subscribing. */
  get names(): readonly string[] {
    return [...this.#parts.keys()];
  }

  has(name: string): boolean {
    return this.#parts.has(name);
  }

  /** One request for each, in the place of all earlier ones. May be repeated. */
  async begin(wanted: Wanted): Promise<void> {
    this.#parts.clear();
    await this.add(wanted);
  }

  async add({ models, symbols }: Wanted): Promise<void> {
    const parts: readonly (readonly [string, Part])[] = [
      ...models.map((name) => [name, modelPart(name)] as const),
      ...symbols.map((symbol) => [symbol, pricePart(symbol)] as const),
    ];
    for (const [name, part] of parts) {
      // Before the response: if the connection is lost meanwhile, the subscription must be restored.
      this.#parts.set(name, part);
      await part.begin(this.#trading);
    }
  }

  /** The gateway may have ended it already: what it responds does not matter. */
  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const part = this.#parts.get(name);
      this.#parts.delete(name);
      if (this.#session.transport !== undefined) await part?.end(this.#trading).catch(() => {});
    }
  }

  /** After a gap: whether the new connection has the subscriptions. If not, another gap or the end follows. */
  restored(): Promise<boolean> {
    return this.#again;
  }

  /** If there is a connection that knows of them. Never rejects. */
  end(): Promise<void> {
    return this.remove(this.names);
  }

  async #restore(trading: Trading): Promise<void> {
    for (const [name, part] of this.#parts) {
      try {
        await part.begin(trading);
      } catch (error) {
        const { refused } = this.#options;
        if (refused === undefined || !(error instanceof SvcError) || isPassing(error)) throw error;
        this.#parts.delete(name);
        refused(name, error);
      }
    }
  }
}

function modelPart(name: ModelName): Part {
  return { begin: (trading) => trading.subscribeModel(name), end: (trading) => trading.unsubscribeModel(name) };
}

function pricePart(symbol: string): Part {
  return { begin: (trading) => trading.subscribePrices(symbol), end: (trading) => trading.unsubscribePrices(symbol) };
}
