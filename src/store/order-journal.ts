/** Every order that left this machine, a line of JSON each on disk before it is sent: what to look at when an answer is lost. */

import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { parseJsonText } from '../json-object.ts';
import { type LockContext, withLock } from './lock.ts';
import { errorCode, fileFailure, makeFolder, openOwnFile, readOwnFile } from './own-file.ts';
import type { OrderAnswered, OrderOutcome, OrderSent, SentOutcome } from './schemas.ts';

export type { OrderAnswered, OrderOutcome, OrderSent, SentOutcome };

/** What a sender writes an order to. */
export interface OrderJournal {
  /** The line is on the disk when this resolves with its id. */
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
      // An interruption must not keep the truth from the disk.
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

/** The two lines in one. */
export interface JournalEntry extends Omit<OrderSent, 'base_url'> {
  /** Null where the line does not tell. */
  readonly base_url: string | null;
  readonly outcome: OrderOutcome;
  readonly order_ids: readonly string[];
  readonly trade_ids: readonly string[];
  readonly message: string | null;
  readonly answered_at: string | null;
}

export function journalPath(paths: Paths): string {
  return join(paths.state, 'trade', 'orders.ndjson');
}

/** The line is on the disk when this returns. Throws `file_unusable`: what cannot be written down is not sent. */
export async function journal(paths: Paths, context: LockContext, line: OrderSent | OrderAnswered): Promise<void> {
  const path = journalPath(paths);
  await withLock(`${path}.lock`, context, () => {
    try {
      makeFolder(dirname(path));
      const file = openOwnFile(path, 'a+');
      try {
        // A line that a crash cut short must not swallow this one.
        writeWhole(file, `${endsLine(path) ? '' : '\n'}${JSON.stringify(line)}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      throw fileFailure(`cannot write ${path}`, error);
    }
  });
}

/** The oldest first. A line that a crash cut short is left out. */
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

export function journalEntries(
  text: string,
  { sentLine, answeredLine }: typeof import('./schemas.ts'),
): readonly JournalEntry[] {
  const entries = new Map<string, JournalEntry>();
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
  return [...entries.values()];
}

/** An order that may have gone to any gateway may have gone to this one. */
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

/** In whatever order; what is undefined is not sent. */
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

function endsLine(path: string): boolean {
  const bytes = readOwnFile(path);
  return bytes.length === 0 || bytes.at(-1) === 0x0a;
}

function writeWhole(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
