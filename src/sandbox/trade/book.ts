/** Everything that the gateway knows of its accounts. */
import { INSTRUMENTS, type Instrument } from './instruments.ts';
import type { Account, ClosedTrade, Order, Trade } from './records.ts';

export class Book {
  readonly accounts: Account[] = [];
  readonly trades = new Map<string, Trade>();
  readonly closed: ClosedTrade[] = [];
  readonly orders = new Map<string, Order>();
  /** Not in the table of offers until they are shown. */
  readonly hidden = new Set<Instrument>();
  #lastOrder = 390_285_836;
  #lastTrade = 170_162_800;
  #lastGroup = 51_200;

  newOrderId(): string {
    this.#lastOrder++;
    return String(this.#lastOrder);
  }

  newTradeId(): string {
    this.#lastTrade++;
    return String(this.#lastTrade);
  }

  newGroup(): number {
    this.#lastGroup++;
    return this.#lastGroup;
  }

  get offered(): readonly Instrument[] {
    return INSTRUMENTS.filter((instrument) => !this.hidden.has(instrument));
  }

  groupOf({ ocoBulkId }: Order): readonly Order[] {
    return ocoBulkId === 0 ? [] : [...this.orders.values()].filter((order) => order.ocoBulkId === ocoBulkId);
  }
}
