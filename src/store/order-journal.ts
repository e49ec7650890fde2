/** Every order that left this machine, as a line of JSON that is on disk before the order is sent: where to look after a lost response. */

import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { tryParseJson } from '../json-object.ts';
import { type LockContext, ownerLiveness, processName, UNKNOWN_OWNER_MS, withLock } from './lock.ts';
import { errorCode, fileFailure, openOwnFile, readOwnFile, writeAll } from './own-file.ts';
import type { OrderAnswered, OrderOutcome, OrderSent, SentOutcome } from './schemas.ts';

export type { OrderAnswered, OrderOutcome, OrderSent };

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
      const line = { id, at: at(), profile, base_url: gateway.href, ...order, owner };
      // However long the lock was waited for, it is not sent before this.
      const dated = async (): Promise<void> => {
        await claim?.();
        line.at = at();
      };
      await entries.write(line, context, dated);
      return id;
    },
    async answered(id, outcome, { orderIds, message, error }) {
      entries.later({ id, at: at(), outcome, order_ids: orderIds, message, error });
      if (!defers || outcome !== 'accepted') await entries.flush(context, notice);
    },
  };
}

/** The order and its outcome. */
export interface JournalEntry extends Omit<OrderSent, 'base_url'> {
  /** Null if the line does not say. */
  readonly base_url: string | null;
  readonly outcome: OrderOutcome;
  readonly order_ids: readonly string[];
  readonly trade_ids: readonly string[];
  readonly message: string | null;
  readonly answered_at: string | null;
  /** Of a refused request. */
  readonly error: OrderAnswered['error'] | null;
  /** Of an order that was waited for. */
  readonly report: OrderAnswered['report'] | null;
}

/** Before the latest entry. */
const RECENT_MS = 600_000;

export function journalPath(paths: Paths): string {
  return join(paths.state, 'trade', 'orders.ndjson');
}

type Line = OrderSent | OrderAnswered;
type Claim = () => Promise<void>;

/** An order is on disk when this returns. Throws `file_unusable`: an order that cannot be journaled is not sent. */
export async function journal(paths: Paths, context: LockContext, line: Line, claim?: Claim): Promise<void> {
  await append(paths, context, [line], { claim });
}

/** Where in which file the lines are. */
async function append(
  paths: Paths,
  context: LockContext,
  lines: readonly Line[],
  { claim, isSynced = false }: { readonly claim?: Claim | undefined; readonly isSynced?: boolean },
): Promise<{ readonly inode: number; readonly from: number; readonly to: number }> {
  const path = journalPath(paths);
  return withLock(`${path}.lock`, context, async () => {
    await claim?.();
    try {
      const file = openOwnFile(path, 'a+');
      try {
        const { ino: inode, size: from } = fstatSync(file);
        // A line cut off by a crash must not swallow this one.
        const text = `${endsLine(file, from) ? '' : '\n'}${lines.map((line) => `${JSON.stringify(line)}\n`).join('')}`;
        const bytes = Buffer.from(text);
        writeAll(file, bytes, null);
        // Without its outcome an order is unknown, which is safe; without its line it could be sent again.
        if (isSynced || lines.some((line) => 'form' in line)) fsyncSync(file);
        return { inode, from, to: from + bytes.length };
      } finally {
        closeSync(file);
      }
    } catch (error) {
      throw fileFailure(`cannot write ${path}`, error);
    }
  });
}

/** Oldest first. A line cut off by a crash is skipped. */
export async function readJournal(paths: Paths): Promise<readonly JournalEntry[]> {
  const path = journalPath(paths);
  let text: string;
  try {
    text = readOwnFile(path).toString();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw fileFailure(`cannot read ${path}`, error);
  }
  return journalEntries(text, await import('./schemas.ts'));
}

/** The latest entries and those with an unknown outcome, for a process that asks often: only what others added to the file is read. */
export class RecentEntries {
  readonly #paths: Paths;
  readonly #path: string;
  readonly #entries = new Map<string, JournalEntry>();
  /** By gateway and key of `--once`, of all time: the id of the latest entry. */
  readonly #keys = new Map<string, string>();
  #inode: number | undefined;
  /** As much of the file is known. */
  #read = 0;
  #later: readonly OrderAnswered[] = [];
  #isUnsynced = false;
  #schemas: Schemas | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(paths: Paths) {
    this.#paths = paths;
    this.#path = journalPath(paths);
  }

  async read(): Promise<readonly JournalEntry[]> {
    this.#schemas ??= await import('./schemas.ts');
    for (const line of linesOf(this.#added(), this.#schemas)) this.#take(line);
    for (const line of this.#later) this.#take(line);
    const entries = [...this.#entries.values()];
    const oldest = Date.parse(entries.at(-1)?.at ?? '') - RECENT_MS;
    for (const { id, at, outcome } of entries) {
      if (Date.parse(at) >= oldest) break;
      if (outcome !== 'unknown') this.#entries.delete(id);
    }
    return [...this.#entries.values()];
  }

  /** The latest with this key at the gateway, of any age. */
  async latest(key: string, gateway: URL): Promise<JournalEntry | undefined> {
    await this.read();
    const id = this.#keys.get(keyOf(key, gateway.href));
    if (id === undefined) return undefined;
    return this.#entries.get(id) ?? (await readJournal(this.#paths)).find((entry) => entry.id === id);
  }

  /** An outcome that `read` returns now, and that is written with the next order or by `flush`. */
  later(line: OrderAnswered): void {
    this.#later = [...this.#later, line];
  }

  /** As `journal`. */
  write(line: OrderSent, context: LockContext, claim: Claim | undefined): Promise<void> {
    return this.#write([line], context, { claim });
  }

  /** Writes what was left for later, whatever interrupts the command. Never rejects. */
  async flush(context: LockContext, notice: (text: string) => void, isLast = false): Promise<void> {
    const { sleep, now, random, pid, processName } = context;
    const uninterrupted = { sleep, now, random, pid, processName, signal: new AbortController().signal };
    try {
      await this.#write([], uninterrupted, { isSynced: isLast });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const outcomes = [...new Set(this.#later.map(({ outcome }) => outcome))].join(', ');
      notice(`the outcome (${outcomes}) could not be written to the journal: ${error.message}`);
    }
  }

  /** One after the other: nobody waits for a lock that this process itself holds. */
  #write(lines: readonly Line[], context: LockContext, how: Parameters<typeof append>[3]): Promise<void> {
    const written = this.#writing.then(async () => {
      const later = this.#later;
      const all = [...later, ...lines];
      if (all.length === 0 && !(how.isSynced && this.#isUnsynced)) return;
      const { inode, from, to } = await append(this.#paths, context, all, how);
      this.#isUnsynced = lines.length === 0 && !how.isSynced;
      this.#later = this.#later.filter((line) => !later.includes(line));
      if (from !== this.#read || (from > 0 && inode !== this.#inode)) return;
      // Nobody else has written since.
      this.#inode = inode;
      this.#read = to;
      for (const line of all) this.#take(line);
    });
    this.#writing = written.catch(() => {});
    return written;
  }

  #take(line: ReadLine): void {
    takeLine(this.#entries, line);
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

type Schemas = typeof import('./schemas.ts');

export function journalEntries(text: string, schemas: Schemas): readonly JournalEntry[] {
  const entries = new Map<string, JournalEntry>();
  for (const line of linesOf(text, schemas)) takeLine(entries, line);
  return [...entries.values()];
}

/** Lines of early versions have no address. */
type ReadLine = (Omit<OrderSent, 'base_url'> & { readonly base_url?: string | undefined }) | OrderAnswered;

/** Lines that cannot be read are skipped. */
function linesOf(text: string, { sentLine, answeredLine }: Schemas): readonly ReadLine[] {
  return text.split('\n').flatMap((line) => {
    const value = tryParseJson(line);
    return sentLine.safeParse(value).data ?? answeredLine.safeParse(value).data ?? [];
  });
}

function takeLine(entries: Map<string, JournalEntry>, line: ReadLine): void {
  if ('form' in line) {
    const { base_url = null } = line;
    const open = { outcome: 'unknown', order_ids: [], trade_ids: [], message: null, answered_at: null } as const;
    entries.set(line.id, { ...line, base_url, ...open, error: null, report: null });
    return;
  }
  const entry = entries.get(line.id);
  if (entry === undefined) return;
  const { id, outcome, order_ids = entry.order_ids, trade_ids = entry.trade_ids, message = null, at } = line;
  const { error = null, report = entry.report } = line;
  entries.set(id, { ...entry, outcome, order_ids, trade_ids, message, answered_at: at, error, report });
}

function keyOf(key: string, gateway: string | null): string {
  return `${withoutSlash(gateway ?? '')} ${key}`;
}

/** An order of an unknown gateway may have gone to this one. */
export function mayBeOf(gateway: URL, { base_url }: Pick<JournalEntry, 'base_url'>): boolean {
  const { href } = gateway;
  return base_url === null || base_url === href || withoutSlash(base_url) === withoutSlash(href);
}

/** Its sender is alive and has not written what became of it. */
export function isInFlight({ outcome, answered_at, owner, at }: JournalEntry, now: number): boolean {
  if (outcome !== 'unknown' || answered_at !== null || owner === undefined) return false;
  const liveness = ownerLiveness(owner);
  return liveness === 'alive' || (liveness === 'unknown' && now - Date.parse(at) < UNKNOWN_OWNER_MS);
}

/** An identical request whose outcome is unknown. What was asked for is the same even if `2h` now means another time. */
export function isRepeat(
  { path, form, asked }: Pick<OrderSent, 'path' | 'form' | 'asked'>,
  entry: Pick<JournalEntry, 'outcome' | 'path' | 'form' | 'asked'>,
): boolean {
  if (entry.outcome !== 'unknown' || entry.path !== path) return false;
  if (fieldsOf(entry.form) === fieldsOf(form)) return true;
  if (asked === undefined || entry.asked === undefined) return false;
  return fieldsOf(asked) === fieldsOf(entry.asked) && form['account_id'] === entry.form['account_id'];
}

/** In any order; undefined fields are not sent. */
export function fieldsOf(form: OrderSent['form']): string {
  const fields = Object.entries(form).filter(([, value]) => value !== undefined);
  return JSON.stringify(fields.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function withoutSlash(address: string): string {
  return address.replace(/\/$/, '');
}

function endsLine(file: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}
