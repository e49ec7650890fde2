/** What is pushed, and to whom: also the traps that pushes have. */

import { HOSTILE, hostile, type TradeTrap } from '../traps.ts';
import type { EngineServer } from './engine-server.ts';
import type { EngineSession } from './engine-session.ts';

export type ModelName =
  | 'Offer'
  | 'OpenPosition'
  | 'ClosedPosition'
  | 'Order'
  | 'Summary'
  | 'LeverageProfile'
  | 'Account'
  | 'Properties';

/** Fields that clients compare or count with. */
export const HOSTILE_KEPT = /^(?:\w*[iI]d|\w*[tT]ime|\w+Date|action|hedging)$/;
const FLOOD = 1000;

export class Outbox {
  readonly #engine: EngineServer;
  readonly #traps: ReadonlySet<TradeTrap>;
  #held: (() => void)[] | undefined;

  constructor(engine: EngineServer, traps: ReadonlySet<TradeTrap>) {
    this.#engine = engine;
    this.#traps = traps;
  }

  /** Runs something and keeps back what it pushes, until that is released. */
  collect<T>(run: () => T): { readonly result: T; readonly release: () => void } {
    const held: (() => void)[] = [];
    this.#held = held;
    try {
      const result = run();
      return {
        result,
        release: () => {
          for (const push of held) push();
        },
      };
    } finally {
      this.#held = undefined;
    }
  }

  wants(model: ModelName): boolean {
    return this.#sessions().some(({ models }) => models.has(model));
  }

  row(model: ModelName, record: object): void {
    this.#push(model, record, ({ models }) => models.has(model));
  }

  price(symbol: string, record: object): void {
    const times = this.#traps.has('flood') ? FLOOD : 1;
    const name = this.#traps.has('hostile-gateway') ? symbol + HOSTILE : symbol;
    for (let count = 0; count < times; count++) this.#push(name, record, ({ symbols }) => symbols.has(symbol));
  }

  /** To all who listen to anything. */
  rubbish(): void {
    for (const session of this.#sessions()) {
      const [name] = [...session.models, ...session.symbols];
      if (name !== undefined) this.#emit(session, name, 'this is no JSON');
    }
  }

  #sessions(): readonly EngineSession[] {
    return [...this.#engine.sessions.values()].filter(({ connected }) => connected);
  }

  #push(name: string, record: object, listens: (session: EngineSession) => boolean): void {
    const told = this.#traps.has('hostile-gateway') ? hostile(record, HOSTILE_KEPT) : record;
    const payload = JSON.stringify(told);
    const send = (): void => {
      for (const session of this.#sessions()) if (listens(session)) this.#emit(session, name, payload);
    };
    if (this.#held === undefined) send();
    else this.#held.push(send);
  }

  #emit(session: EngineSession, name: string, payload: string): void {
    if (this.#traps.has('no-push')) return;
    session.emit(name, payload);
  }
}
