/** The order journal for a process that sends orders: what it knows of the journal, and what it still has to write. */
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { type LockContext, processName } from './lock.ts';
import {
  append,
  type Claim,
  type JournalEntry,
  journalPath,
  keyOf,
  type Line,
  linesOf,
  type OrderAnswered,
  type OrderSent,
  type ReadLine,
  readJournal,
  type Schemas,
  takeLine,
} from './order-journal.ts';
import { errorCode, fileFailure, openOwnFile } from './own-file.ts';
import type { SentOutcome } from './schemas.ts';

/** Where a sender writes an order. */
interface OrderJournal {
  /** Resolves with the id once the line is on disk. `claim` runs under the lock before the line is written, and may throw. */
  sent(
    order: Pick<OrderSent, 'command' | 'path' | 'form' | 'once' | 'asked' | 'clock_skew'>,
    claim?: () => Promise<void>,
  ): Promise<string>;
  /** Never rejects. */
  answered(
    id: string,
    outcome: SentOutcome,
    details: {
      readonly orderIds?: readonly string[];
      readonly message?: string;
      readonly error?: OrderAnswered['error'];
    },
  ): Promise<void>;
}

interface JournalOwner {
  readonly entries: RecentEntries;
  readonly profile: string;
  readonly gateway: URL;
  /** That an order was accepted is written later: the caller flushes `entries`. */
  readonly defers: boolean;
  notice(text: string): void;
}

export function openOrderJournal(
  { entries, profile, gateway, defers, notice }: JournalOwner,
  context: LockContext,
): OrderJournal {
  const { now, pid } = context;
  const at = (): string => new Date(now()).toISOString();
  return {
    async sent(order, claim) {
      const id = randomUUID();
      const owner = context.processName ?? processName(pid);
      await entries.write({ id, profile, base_url: gateway.href, ...order, owner }, context, claim);
      return id;
    },
    async answered(id, outcome, { orderIds, message, error }) {
      entries.later({ id, at: at(), outcome, order_ids: orderIds, message, error });
      if (!defers || outcome !== 'accepted') await entries.flush(context, notice);
    },
  };
}

type UnsentOrder = Omit<OrderSent, 'at'>;

interface WaitingOrder {
  readonly order: UnsentOrder;
  readonly claim: Claim | undefined;
  done(): void;
  failed(error: unknown): void;
}

/** Before the latest entry. */
const RECENT_MS = 600_000;

/** The latest entries and those with an unknown outcome, for a process that asks often: only what others added to the file is read. */
export class RecentEntries {
  readonly #paths: Paths;
  readonly #path: string;
  readonly #entries = new Map<string, JournalEntry>();
  /** The ids of those whose outcome is unknown. */
  readonly #unknown = new Set<string>();
  #latestAt = '';
  /** By gateway and key of `--once`, of all time: the id of the latest entry. */
  readonly #keys = new Map<string, string>();
  #inode: number | undefined;
  /** As much of the file is known. */
  #read = 0;
  #later: readonly OrderAnswered[] = [];
  #isUnsynced = false;
  #schemas: Schemas | undefined;
  #orders: WaitingOrder[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(paths: Paths) {
    this.#paths = paths;
    this.#path = journalPath(paths);
  }

  async read(): Promise<readonly JournalEntry[]> {
    await this.#update();
    return [...this.#entries.values()];
  }

  /** Those with an unknown outcome. */
  async unknown(): Promise<readonly JournalEntry[]> {
    await this.#update();
    return [...this.#unknown].flatMap((id) => this.#entries.get(id) ?? []);
  }

  async #update(): Promise<void> {
    this.#schemas ??= await import('./schemas.ts');
    for (const line of linesOf(this.#added(), this.#schemas)) this.#take(line);
    for (const line of this.#later) this.#take(line);
    const oldest = Date.parse(this.#latestAt) - RECENT_MS;
    for (const { id, at, outcome } of this.#entries.values()) {
      if (Date.parse(at) >= oldest) break;
      if (outcome !== 'unknown') this.#entries.delete(id);
    }
  }

  /** The latest with this key at the gateway, of any age. */
  async latest(key: string, gateway: URL): Promise<JournalEntry | undefined> {
    await this.#update();
    const id = this.#keys.get(keyOf(key, gateway.href));
    if (id === undefined) return undefined;
    return this.#entries.get(id) ?? (await readJournal(this.#paths)).find((entry) => entry.id === id);
  }

  /** An outcome that `read` returns now, and that is written with the next order or by `flush`. */
  later(line: OrderAnswered): void {
    this.#later = [...this.#later, line];
  }

  /** As `journal`, with the time of the writing: it is not sent before. What waits at the same time is synced together. */
  write(order: UnsentOrder, context: LockContext, claim: Claim | undefined): Promise<void> {
    return new Promise((done, failed) => {
      this.#orders.push({ order, claim, done, failed });
      void this.#turn(() => this.#writeOrders(context));
    });
  }

  /** One with a claim alone: it has to know all that were written before. */
  async #writeOrders(context: LockContext): Promise<void> {
    const claimed = this.#orders.findIndex(({ claim }) => claim !== undefined);
    const group = this.#orders.splice(0, claimed === -1 ? this.#orders.length : Math.max(claimed, 1));
    const [first] = group;
    if (first === undefined) return;
    try {
      await this.#append((at) => group.map(({ order }) => ({ ...order, at })), context, { claim: first.claim });
      for (const { done } of group) done();
    } catch (error) {
      for (const { failed } of group) failed(error);
    }
  }

  /** Writes what was left for later, whatever interrupts the command. Never rejects. */
  async flush(context: LockContext, notice: (text: string) => void, isLast = false): Promise<void> {
    const { sleep, now, random, pid, processName } = context;
    const uninterrupted = { sleep, now, random, pid, processName, signal: new AbortController().signal };
    try {
      await this.#turn(async () => {
        if (this.#later.length === 0 && !(isLast && this.#isUnsynced)) return;
        await this.#append(() => [], uninterrupted, { isSynced: isLast });
        this.#isUnsynced = !isLast;
      });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const outcomes = [...new Set(this.#later.map(({ outcome }) => outcome))].join(', ');
      notice(`the outcome (${outcomes}) could not be written to the journal: ${error.message}`);
    }
  }

  /** One after the other: nobody waits for a lock that this process itself holds. */
  #turn(work: () => Promise<void>): Promise<void> {
    const done = this.#writing.then(work);
    this.#writing = done.catch(() => {});
    return done;
  }

  /** With what was left for later. */
  async #append(
    linesAt: (at: string) => readonly Line[],
    context: LockContext,
    how: Parameters<typeof append>[3],
  ): Promise<void> {
    const later = this.#later;
    let all: readonly Line[] = [];
    const allAt = (at: string): readonly Line[] => {
      all = [...later, ...linesAt(at)];
      return all;
    };
    const { inode, from, to } = await append(this.#paths, context, allAt, how);
    this.#isUnsynced = false;
    this.#later = this.#later.filter((line) => !later.includes(line));
    if (from !== this.#read || (from > 0 && inode !== this.#inode)) return;
    // Nobody else has written since.
    this.#inode = inode;
    this.#read = to;
    for (const line of all) this.#take(line);
  }

  #take(line: ReadLine): void {
    takeLine(this.#entries, line);
    if (this.#entries.get(line.id)?.outcome === 'unknown') this.#unknown.add(line.id);
    else this.#unknown.delete(line.id);
    if ('form' in line) this.#latestAt = line.at;
    if ('form' in line && line.once !== undefined) this.#keys.set(keyOf(line.once, line.base_url ?? null), line.id);
  }

  /** Whole lines only. */
  #added(): string {
    try {
      const { ino, size } = statSync(this.#path, { throwIfNoEntry: false }) ?? { ino: undefined, size: 0 };
      // Another file is there now.
      if (ino !== this.#inode || size < this.#read) this.#read = 0;
      this.#inode = ino;
      if (size === this.#read) return '';
      const file = openOwnFile(this.#path, 'r');
      try {
        const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - this.#read));
        const added = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, this.#read));
        const end = added.lastIndexOf(0x0a) + 1;
        this.#read += end;
        return added.toString('utf8', 0, end);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return '';
      throw fileFailure(`cannot read ${this.#path}`, error);
    }
  }
}
