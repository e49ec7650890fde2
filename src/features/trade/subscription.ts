/** The subscriptions of a session: made once, restored after each reconnect, and removed at the end. */
import { openTrading, type Trading } from './client.ts';
import type { ModelName } from './models.ts';
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
  #parts: Part[] = [];
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

  /** One request for each. May be repeated. */
  async begin({ models, symbols }: Wanted): Promise<void> {
    const parts: readonly Part[] = [
      ...models.map((name) => ({
        begin: (trading: Trading) => trading.subscribeModel(name),
        end: (trading: Trading) => trading.unsubscribeModel(name),
      })),
      ...symbols.map((symbol) => ({
        begin: (trading: Trading) => trading.subscribePrices(symbol),
        end: (trading: Trading) => trading.unsubscribePrices(symbol),
      })),
    ];
    this.#parts = [];
    for (const part of parts) {
      // Before the response: if the connection is lost meanwhile, the subscription must be restored.
      this.#parts.push(part);
      await part.begin(this.#trading);
    }
  }

  /** After a gap: whether the new connection has the subscriptions. If not, another gap or the end follows. */
  restored(): Promise<boolean> {
    return this.#again;
  }

  /** If there is a connection that knows of them. Never rejects. */
  async end(): Promise<void> {
    const parts = this.#parts;
    this.#parts = [];
    for (const part of parts) {
      if (this.#session.transport === undefined) return;
      await part.end(this.#trading).catch(() => {}); // whatever fails, the subscription ends with the session
    }
  }

  async #restore(trading: Trading): Promise<void> {
    for (const part of this.#parts) await part.begin(trading);
  }
}
