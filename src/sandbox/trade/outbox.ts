/** What is pushed, to whom, and with which traps. A push follows the response to its cause. */
import { HOSTILE, hostile, type TradeTrap } from '../traps.ts';
import type { EngineServer } from './engine-server.ts';

export type TableRow = Readonly<Record<string, unknown>>;

/** Fields that clients compare or count with. */
export const NOT_HOSTILE = /^(?:\w*[iI]d|\w*[tT]ime|\w+Date|action|hedging)$/;

export class Outbox {
  readonly #engine: EngineServer;
  readonly #traps: ReadonlySet<TradeTrap>;

  constructor(engine: EngineServer, traps: ReadonlySet<TradeTrap>) {
    this.#engine = engine;
    this.#traps = traps;
  }

  wants(model: string): boolean {
    return this.#engine.connected.some(({ subscriptions }) => subscriptions.has(model));
  }

  pushRow(model: string, record: TableRow): void {
    this.#push(model, model, record);
  }

  pushPrice(symbol: string, record: TableRow): void {
    const event = this.#traps.has('hostile-gateway') ? symbol + HOSTILE : symbol;
    this.#push(symbol, event, record);
  }

  #push(subscription: string, event: string, record: TableRow): void {
    if (this.#traps.has('no-push')) return;
    const payload = JSON.stringify(this.#traps.has('hostile-gateway') ? hostile(record, NOT_HOSTILE) : record);
    setImmediate(() => {
      for (const session of this.#engine.connected) {
        if (session.subscriptions.has(subscription)) session.emit(event, payload);
      }
    });
  }
}
