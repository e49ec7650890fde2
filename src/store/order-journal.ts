/** Every order that left this machine, as a line of JSON that is on disk before the order is sent: where to look after a lost response. */

import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { parseJsonText } from '../json-object.ts';
import { type LockContext, lockOwner, ownerLiveness, UNKNOWN_OWNER_MS, withLock } from './lock.ts';
import { errorCode, fileFailure, makeFolder, openOwnFile, readOwnFile } from './own-file.ts';
import type { OrderAnswered, OrderOutcome, OrderSent, SentOutcome } from './schemas.ts';

export type { OrderAnswered, OrderOutcome, OrderSent, SentOutcome };

/** Where a sender writes an order. */
export interface OrderJournal {
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
  readonly paths: Paths;
  readonly profile: string;
  readonly gateway: URL;
  notice(text: string): void;
}

export function openOrderJournal(
  { paths, profile, gateway, notice }: JournalOwner,
  context: LockContext,
): OrderJournal {
  const { sleep, now, random, pid } = context;
  const at = (): string => new Date(now()).toISOString();
  return {
    async sent(order, claim) {
      const id = randomUUID();
      const { nonce: _, ...owner } = lockOwner(pid);
      await journal(paths, context, { id, at: at(), profile, base_url: gateway.href, ...order, owner }, claim);
      return id;
    },
    async answered(id, outcome, { orderIds, message, error }) {
      const line = { id, at: at(), outcome, order_ids: orderIds, message, error };
      // An interruption must not prevent the outcome from being written.
      const uninterrupted = { sleep, now, random, pid, signal: new AbortController().signal };
      try {
        await journal(paths, uninterrupted, line);
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        notice(`the outcome (${outcome}) could not be written to the journal: ${error.message}`);
      }
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

/** An order is on disk when this returns. Throws `file_unusable`: an order that cannot be journaled is not sent. */
export async function journal(
  paths: Paths,
  context: LockContext,
  line: OrderSent | OrderAnswered,
  claim?: () => Promise<void>,
): Promise<void> {
  const path = journalPath(paths);
  await withLock(`${path}.lock`, context, async () => {
    await claim?.();
    try {
      makeFolder(dirname(path));
      const file = openOwnFile(path, 'a+');
      try {
        // A line cut off by a crash must not swallow this one.
        writeWhole(file, `${endsLine(file) ? '' : '\n'}${JSON.stringify(line)}\n`);
        // Without its outcome an order is unknown, which is safe; without its line it could be sent again.
        if ('form' in line) fsyncSync(file);
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

/** The latest entries and those with an unknown outcome, for a process that asks often: only lines that were added are read. */
export class RecentEntries {
  readonly #paths: Paths;
  readonly #path: string;
  readonly #entries = new Map<string, JournalEntry>();
  /** By gateway and key of `--once`, of all time: the id of the latest entry. */
  readonly #keys = new Map<string, string>();
  #read = 0;

  constructor(paths: Paths) {
    this.#paths = paths;
    this.#path = journalPath(paths);
  }

  async read(): Promise<readonly JournalEntry[]> {
    const schemas = await import('./schemas.ts');
    addLines(this.#entries, this.#added(), schemas);
    const entries = [...this.#entries.values()];
    const oldest = Date.parse(entries.at(-1)?.at ?? '') - RECENT_MS;
    for (const { id, at, outcome, once, base_url } of entries) {
      if (once !== undefined) this.#keys.set(keyOf(once, base_url), id);
      if (outcome !== 'unknown' && Date.parse(at) < oldest) this.#entries.delete(id);
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

  /** Whole lines only. */
  #added(): string {
    try {
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
  addLines(entries, text, schemas);
  return [...entries.values()];
}

function addLines(entries: Map<string, JournalEntry>, text: string, { sentLine, answeredLine }: Schemas): void {
  for (const line of text.split('\n')) {
    const value = parsed(line);
    const sent = sentLine.safeParse(value).data;
    if (sent !== undefined) {
      const { base_url = null } = sent;
      const open = { outcome: 'unknown', order_ids: [], trade_ids: [], message: null, answered_at: null } as const;
      entries.set(sent.id, { ...sent, base_url, ...open, error: null, report: null });
      continue;
    }
    const answered = answeredLine.safeParse(value).data;
    const entry = entries.get(answered?.id ?? '');
    if (answered === undefined || entry === undefined) continue;
    const { id, outcome, order_ids = entry.order_ids, trade_ids = entry.trade_ids, message = null, at } = answered;
    const { error = null, report = entry.report } = answered;
    entries.set(id, { ...entry, outcome, order_ids, trade_ids, message, answered_at: at, error, report });
  }
}

function keyOf(key: string, gateway: string | null): string {
  return `${withoutSlash(gateway ?? '')} ${key}`;
}

/** An order of an unknown gateway may have gone to this one. */
export function mayBeOf(gateway: URL, { base_url }: Pick<JournalEntry, 'base_url'>): boolean {
  return base_url === null || withoutSlash(base_url) === withoutSlash(gateway.href);
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

function parsed(line: string): unknown {
  try {
    return parseJsonText(line);
  } catch {
    return undefined;
  }
}

function endsLine(file: number): boolean {
  const { size } = fstatSync(file);
  const last = Buffer.alloc(1);
  return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === 0x0a);
}

function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
