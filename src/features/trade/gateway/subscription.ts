/** The subscriptions of a session: made once, restored after each reconnect, and removed at the end. */
import { openTrading, type Trading } from '../client.ts';
import type { ModelName } from '../models.ts';
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

export class Subscription {
  readonly #session: Session;
  readonly #trading: Trading;
  #begun: Part[] = [];
  #again: Promise<boolean> = Promise.resolve(true);

  constructor(session: Session, trading: Trading) {
    this.#session = session;
    this.#trading = trading;
    session.onReconnect(async (restored) => {
      const done = this.#restore(openTrading(restored));
      this.#again = done.then(
        () => true,
        () => false,
      );
      await done;
    });
  }

  /** One request for each, in the place of all earlier ones. May be repeated. */
  async begin({ models, symbols }: Wanted): Promise<void> {
    this.#begun = [];
    for (const part of [...models.map(modelPart), ...symbols.map(pricePart)]) {
      // Before the response: if the connection is lost meanwhile, the subscription must be restored.
      this.#begun.push(part);
      await part.begin(this.#trading);
    }
  }

  /** After a gap: whether the new connection has the subscriptions. If not, another gap or the end follows. */
  restored(): Promise<boolean> {
    return this.#again;
  }

  /** The gateway may have ended them already: what it responds does not matter. Never rejects. */
  async end(): Promise<void> {
    for (const part of this.#begun.splice(0)) {
      if (this.#session.transport !== undefined) await part.end(this.#trading).catch(() => {});
    }
  }

  async #restore(trading: Trading): Promise<void> {
    for (const part of this.#begun) await part.begin(trading);
  }
}

function modelPart(name: ModelName): Part {
  return { begin: (trading) => trading.subscribeModel(name), end: (trading) => trading.unsubscribeModel(name) };
}

function pricePart(symbol: string): Part {
  return { begin: (trading) => trading.subscribePrices(symbol), end: (trading) => trading.unsubscribePrices(symbol) };
}
