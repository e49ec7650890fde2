/** Every order, on disk before it is sent: where to look after a lost response. */
import { randomUUID } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, ftruncateSync, readSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Paths } from '../context.ts';
import { SvcError } from '../errors.ts';
import { tryParseJson } from '../json-object.ts';
import { type LockContext, processLiveness, processName, withLock } from './lock.ts';
import {
  endOfLastLine,
  errorCode,
  fileFailure,
  openOwnFile,
  readOwnFile,
  syncDirectory,
  writeAll,
} from './own-file.ts';
import type { OrderAnswered, OrderOutcome, OrderSent } from './schemas.ts';

export type { OrderAnswered, OrderOutcome, OrderSent };

type Schemas = typeof import('./schemas.ts');

/** The order and its outcome. */
export interface JournalEntry extends OrderSent {
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

/** Runs under the journal's lock before a line is written, and may throw. */
export type Claim = () => Promise<void>;

/** The time is that of the write. */
type Untimed = Omit<OrderSent, 'at'> | Omit<OrderAnswered, 'at'>;

/** Returns the id once the line is on disk. Throws `file_unusable`: then nothing is sent. */
export async function journalSent(
  paths: Paths,
  context: LockContext,
  request: Omit<OrderSent, 'id' | 'at' | 'owner'>,
  claim?: Claim,
): Promise<string> {
  const id = randomUUID();
  const owner = context.processName ?? processName(context.pid);
  await append(paths, context, { id, ...request, owner }, claim);
  return id;
}

/** Writes what became of a request. */
export async function journalAnswered(
  paths: Paths,
  context: LockContext,
  answer: Omit<OrderAnswered, 'at'>,
  claim?: Claim,
): Promise<void> {
  await append(paths, context, answer, claim);
}

async function append(paths: Paths, context: LockContext, entry: Untimed, claim?: Claim): Promise<void> {
  const path = journalPath(paths);
  await withLock(`${path}.lock`, context, async (lock) => {
    await claim?.();
    const line = { at: new Date(context.now()).toISOString(), ...entry };
    try {
      const file = openOwnFile(path, 'a+');
      try {
        const { size } = fstatSync(file);
        lock.check();
        removeCutLine(file, size);
        writeAll(file, Buffer.from(`${JSON.stringify(line)}\n`), null);
        // Without its outcome an order is unknown, which is safe; without its line, sent again.
        if ('form' in line) fsyncSync(file);
        if (size === 0) syncDirectory(dirname(path));
      } finally {
        closeSync(file);
      }
    } catch (error) {
      throw fileFailure(`cannot write ${path}`, error);
    }
  });
}

/** Entries are oldest first. */
export interface Journal {
  readonly entries: readonly JournalEntry[];
  /** Numbers of lines that svc did not write so, except a last one that a crash cut off: unsent. */
  readonly unreadable: readonly number[];
}

export async function readJournal(paths: Paths): Promise<Journal> {
  const path = journalPath(paths);
  let text: string;
  try {
    text = readOwnFile(path).toString();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { entries: [], unreadable: [] };
    throw fileFailure(`cannot read ${path}`, error);
  }
  return parseJournal(text, await import('./schemas.ts'));
}

/** The entries of one gateway. An unreadable line may be of any. */
export async function readGatewayJournal(paths: Paths, gateway: URL): Promise<Journal> {
  const { entries, unreadable } = await readJournal(paths);
  return { entries: entries.filter((entry) => isSentTo(gateway, entry)), unreadable };
}

/** What cannot be decided without the unreadable lines, as a sentence. */
export function unreadableLines(paths: Paths, { unreadable }: Journal): string {
  const lines = unreadable.length === 1 ? `line ${unreadable[0]}` : `lines ${unreadable.join(', ')}`;
  return `${journalPath(paths)}: ${lines} cannot be read and may be of an order`;
}

/** Throws `file_unusable` if there are unreadable lines: what they say may decide. */
export function requireReadable(paths: Paths, journal: Journal): void {
  if (journal.unreadable.length === 0) return;
  throw new SvcError('file_unusable', `${unreadableLines(paths, journal)}; nothing was sent`, {
    hint: 'restore the file, or look at the gateway what became of your orders and then remove those lines',
    sent: 'no',
  });
}

export function parseJournal(text: string, { sentLine, answeredLine }: Schemas): Journal {
  const entries = new Map<string, JournalEntry>();
  const unreadable: number[] = [];
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (line === '') continue;
    const value = tryParseJson(line);
    const sent = sentLine.safeParse(value).data;
    const answer = sent === undefined ? answeredLine.safeParse(value).data : undefined;
    if (sent !== undefined) entries.set(sent.id, { ...sent, ...UNANSWERED });
    else if (answer !== undefined) takeAnswer(entries, answer);
    else if (index < lines.length - 1) unreadable.push(index + 1);
  }
  return { entries: [...entries.values()], unreadable };
}

const UNANSWERED = {
  outcome: 'unknown',
  order_ids: [],
  trade_ids: [],
  message: null,
  answered_at: null,
  error: null,
  report: null,
} as const;

function takeAnswer(entries: Map<string, JournalEntry>, answer: OrderAnswered): void {
  const entry = entries.get(answer.id);
  if (entry === undefined) return;
  const { id, outcome, order_ids = entry.order_ids, trade_ids = entry.trade_ids, message = null, at } = answer;
  const { error = null, report = entry.report } = answer;
  entries.set(id, { ...entry, outcome, order_ids, trade_ids, message, answered_at: at, error, report });
}

export function isSentTo({ href }: URL, { base_url }: Pick<JournalEntry, 'base_url'>): boolean {
  return withoutSlash(base_url) === withoutSlash(href);
}

/** A sender that this machine cannot examine may still wait for a response for so long. */
const UNKNOWN_SENDER_MS = 60_000;

/** Its sender is certainly alive, and has not written what became of it. */
export function isBeingSent({ outcome, answered_at, owner }: JournalEntry): boolean {
  const isOpen = outcome === 'unknown' && answered_at === null;
  return isOpen && owner !== undefined && processLiveness(owner) === 'alive';
}

/** Whether a sender may still await the response: it may be alive, and the request is not old. */
export function mayBeAwaited(entry: JournalEntry, now: number): boolean {
  const { outcome, answered_at, owner, at } = entry;
  if (outcome !== 'unknown' || answered_at !== null || owner === undefined) return false;
  const liveness = processLiveness(owner);
  return liveness === 'alive' || (liveness === 'unknown' && now - Date.parse(at) < UNKNOWN_SENDER_MS);
}

/** An identical request with an unknown outcome, even if `2h` now means another time. */
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

/** A line that a crash cut off was not sent, and must not swallow the next one. */
function removeCutLine(file: number, size: number): void {
  const end = endOfLastLine(file, size);
  if (end === size) return;
  const tail = Buffer.alloc(size - end);
  readSync(file, tail, 0, tail.length, end);
  if (tryParseJson(tail.toString()) === undefined) ftruncateSync(file, end);
  else writeAll(file, Buffer.from('\n'), null);
}
