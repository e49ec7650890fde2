/** Every order that left this machine, as a line of JSON that is on disk before the order is sent: where to look after a lost response. */

import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, readSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { parseJsonText } from '../json-object.ts';
import { type LockContext, withLock } from './lock.ts';
import { errorCode, fileFailure, makeFolder, openOwnFile, readOwnFile } from './own-file.ts';
import type { OrderAnswered, OrderOutcome, OrderSent, SentOutcome } from './schemas.ts';

export type { OrderAnswered, OrderOutcome, OrderSent, SentOutcome };

/** Where a sender writes an order. */
export interface OrderJournal {
  /** Resolves with the id once the line is on disk. */
  sent(order: Pick<OrderSent, 'command' | 'path' | 'form'>): Promise<string>;
  /** Never rejects. */
  answered(
    id: string,
    outcome: SentOutcome,
    details: { readonly orderIds?: readonly string[]; readonly message?: string },
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
    async sent(order) {
      const id = randomUUID();
      await journal(paths, context, { id, at: at(), profile, base_url: gateway.href, ...order });
      return id;
    },
    async answered(id, outcome, { orderIds, message }) {
      const line = { id, at: at(), outcome, order_ids: orderIds, message };
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
}

/** Before the latest entry. */
const RECENT_MS = 600_000;

export function journalPath(paths: Paths): string {
  return join(paths.state, 'trade', 'orders.ndjson');
}

/** An order is on disk when this returns. Throws `file_unusable`: an order that cannot be journaled is not sent. */
export async function journal(paths: Paths, context: LockContext, line: OrderSent | OrderAnswered): Promise<void> {
  const path = journalPath(paths);
  await withLock(`${path}.lock`, context, () => {
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
  readonly #path: string;
  readonly #entries = new Map<string, JournalEntry>();
  #read = 0;

  constructor(paths: Paths) {
    this.#path = journalPath(paths);
  }

  async read(): Promise<readonly JournalEntry[]> {
    const schemas = await import('./schemas.ts');
    addLines(this.#entries, this.#added(), schemas);
    const entries = [...this.#entries.values()];
    const oldest = Date.parse(entries.at(-1)?.at ?? '') - RECENT_MS;
    for (const { id, at, outcome } of entries) {
      if (outcome !== 'unknown' && Date.parse(at) < oldest) this.#entries.delete(id);
    }
    return [...this.#entries.values()];
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
      entries.set(sent.id, { ...sent, base_url, ...open });
      continue;
    }
    const answered = answeredLine.safeParse(value).data;
    const entry = entries.get(answered?.id ?? '');
    if (answered === undefined || entry === undefined) continue;
    const { id, outcome, order_ids = entry.order_ids, trade_ids = entry.trade_ids, message = null, at } = answered;
    entries.set(id, { ...entry, outcome, order_ids, trade_ids, message, answered_at: at });
  }
}

/** An order of an unknown gateway may have gone to this one. */
export function mayBeOf(gateway: URL, { base_url }: Pick<JournalEntry, 'base_url'>): boolean {
  return base_url === null || withoutSlash(base_url) === withoutSlash(gateway.href);
}

/** An identical request whose outcome is unknown. */
export function isRepeat(
  { path, form }: Pick<OrderSent, 'path' | 'form'>,
  entry: Pick<JournalEntry, 'outcome' | 'path' | 'form'>,
): boolean {
  return entry.outcome === 'unknown' && entry.path === path && fieldsOf(entry.form) === fieldsOf(form);
}

/** In any order; undefined fields are not sent. */
function fieldsOf(form: OrderSent['form']): string {
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
