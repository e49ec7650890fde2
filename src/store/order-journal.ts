/** Every order that left this machine, as a line of JSON that is on disk before the order is sent: where to look after a lost response. */

import { closeSync, fstatSync, fsyncSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Paths } from '../context.ts';
import { tryParseJson } from '../json-object.ts';
import { type LockContext, ownerLiveness, UNKNOWN_OWNER_MS, withLock } from './lock.ts';
import { errorCode, fileFailure, openOwnFile, readOwnFile, writeAll } from './own-file.ts';
import type { OrderAnswered, OrderOutcome, OrderSent } from './schemas.ts';

export type { OrderAnswered, OrderOutcome, OrderSent };

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

export function journalPath(paths: Paths): string {
  return join(paths.state, 'trade', 'orders.ndjson');
}

export type Line = OrderSent | OrderAnswered;
export type Claim = () => Promise<void>;

/** An order is on disk when this returns. Throws `file_unusable`: an order that cannot be journaled is not sent. */
export async function journal(paths: Paths, context: LockContext, line: Line, claim?: Claim): Promise<void> {
  await append(paths, context, () => [line], { claim });
}

/** Where in which file the lines are. */
export async function append(
  paths: Paths,
  context: LockContext,
  linesAt: (at: string) => readonly Line[],
  { claim, isSynced = false }: { readonly claim?: Claim | undefined; readonly isSynced?: boolean },
): Promise<{ readonly inode: number; readonly from: number; readonly to: number }> {
  const path = journalPath(paths);
  return withLock(`${path}.lock`, context, async () => {
    await claim?.();
    const lines = linesAt(new Date(context.now()).toISOString());
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

export type Schemas = typeof import('./schemas.ts');

export function journalEntries(text: string, schemas: Schemas): readonly JournalEntry[] {
  const entries = new Map<string, JournalEntry>();
  for (const line of linesOf(text, schemas)) takeLine(entries, line);
  return [...entries.values()];
}

/** Lines of early versions have no address. */
export type ReadLine = (Omit<OrderSent, 'base_url'> & { readonly base_url?: string | undefined }) | OrderAnswered;

/** Lines that cannot be read are skipped. */
export function linesOf(text: string, { sentLine, answeredLine }: Schemas): readonly ReadLine[] {
  return text.split('\n').flatMap((line) => {
    // After the last line.
    if (line === '') return [];
    const value = tryParseJson(line);
    return sentLine.safeParse(value).data ?? answeredLine.safeParse(value).data ?? [];
  });
}

export function takeLine(entries: Map<string, JournalEntry>, line: ReadLine): void {
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

export function keyOf(key: string, gateway: string | null): string {
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
