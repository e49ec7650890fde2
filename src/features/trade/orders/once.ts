/** `--once <key>`: at most one order under a key. The journal has what became of it. */
import type { RunContext } from '../../../cli/command.ts';
import { ERROR_KINDS, type ErrorCode, SvcError } from '../../../errors.ts';
import {
  fieldsOf,
  type JournalEntry,
  mayBeAwaited,
  readGatewayJournal,
  requireReadable,
} from '../../../store/order-journal.ts';
import type { FillReport } from './fills.ts';
import type { OrderTables } from './order-tables.ts';
import { type KeyClaim, type Placed, recordOutcome, settlingHint } from './placing.ts';

/** The order as the user asked for it, with the account as given or set. */
type Asked = Readonly<Record<string, unknown>>;

/** Another process took the key since it was read. */
export class KeyTaken extends SvcError {
  constructor(key: string) {
    super('key_conflict', `another process is sending an order with the key ${key}; nothing was sent`, { sent: 'no' });
  }
}

const PAUSE_MS = 100;

/**
 * The latest order with the key, once it has its response. Throws `outcome_unknown` if that takes
 * longer than a request may, and `key_conflict` for an order with other terms.
 */
export async function readEarlier(
  key: string,
  asked: Asked,
  tables: OrderTables,
  ctx: RunContext,
): Promise<JournalEntry | undefined> {
  const deadline = ctx.now() + ctx.target.timeoutMs;
  for (;;) {
    const entry = await latestEntry(key, ctx);
    if (entry === undefined) return undefined;
    // Before anything else is awaited: meanwhile the sender may write its outcome and end.
    const isAwaited = mayBeAwaited(entry, ctx.now());
    await checkSame(key, asked, entry, tables, ctx);
    if (!isAwaited) return entry;
    if (ctx.now() >= deadline) throw unknownOutcome(entry, key, 'its sender still waits for the response');
    await ctx.sleep(PAUSE_MS, ctx.signal);
  }
}

/** For the journal, which takes the order only if `entry` is still the latest with the key. */
export function claimOf(key: string, entry: JournalEntry | undefined, ctx: RunContext): KeyClaim {
  const claim = async (): Promise<void> => {
    if ((await latestEntry(key, ctx))?.id !== entry?.id) throw new KeyTaken(key);
  };
  return { key, claim };
}

async function latestEntry(key: string, ctx: RunContext): Promise<JournalEntry | undefined> {
  const journal = await readGatewayJournal(ctx.paths, ctx.target.baseUrl);
  requireReadable(ctx.paths, journal);
  return journal.entries.findLast(({ once }) => once === key);
}

/** It was not executed. Other refusals, as of a rate limit or the sign-in, say nothing about it. */
export function maySendAgain({ outcome, error }: JournalEntry): boolean {
  if (outcome === 'refused') return (error?.code ?? 'refused') !== 'refused';
  return outcome === 'not_sent' || outcome === 'absent';
}

/** Throws what the first run threw. */
export function requireAccepted(entry: JournalEntry, key: string, ctx: RunContext): void {
  const { order_ids, at, outcome, message } = entry;
  if (outcome === 'refused') throw refusedBefore(entry, key);
  if (!['accepted', 'filled', 'open', 'done'].includes(outcome)) {
    const why = outcome === 'unknown' ? 'svc ended before a response came' : `the journal says ${outcome}`;
    throw unknownOutcome(entry, key, message ?? why);
  }
  ctx.notice(`the key ${key} was used at ${at}: this is the outcome of that order; nothing is sent now`);
  if (order_ids.length > 0) return;
  ctx.notice('the outcome of that order is what you told svc trade journal settle: its id is not in the journal');
}

/** How it ended, as the first run found or the user settled: then with trade ids but no amounts. */
export function reportOf({ report, outcome, trade_ids }: JournalEntry): FillReport | undefined {
  if (report !== null && report !== undefined) return report as unknown as FillReport;
  if (outcome !== 'filled') return undefined;
  const trades = trade_ids.map((trade_id) => ({ trade_id, amount_k: null, rate: null, time: null }));
  return { status: 'filled', reason: null, trades, closed_trades: [] };
}

/** Writes the trades of an awaited order; with a key, also its end, which a repetition returns. */
export async function recordReport(
  { orderIds: order_ids, journalId: id }: Pick<Placed, 'orderIds' | 'journalId'>,
  report: FillReport,
  key: string | undefined,
  ctx: RunContext,
): Promise<void> {
  const trade_ids = [...new Set([...report.trades, ...report.closed_trades].map(({ trade_id }) => trade_id))];
  const isEnd = report.status !== 'pending' && report.status !== 'unknown';
  const end = isEnd && key !== undefined ? { ...report } : undefined;
  if (trade_ids.length === 0 && end === undefined) return;
  await recordOutcome({ id, outcome: 'accepted', order_ids, trade_ids, report: end }, ctx);
}

async function checkSame(
  key: string,
  asked: Asked,
  entry: JournalEntry,
  tables: OrderTables,
  ctx: RunContext,
): Promise<void> {
  const { asked: earlier = {}, form } = entry;
  const names = new Set([...Object.keys(earlier), ...Object.keys(asked)]);
  names.delete('account');
  const other = [...names].find((name) => fieldsOf({ of: earlier[name] }) !== fieldsOf({ of: asked[name] }));
  if (other !== undefined) throw conflict(entry, key, other);
  const account = asked['account'] as string | undefined;
  if (earlier['account'] === account && entry.profile === ctx.settings.profile.name) return;
  const { accountId } = await tables.account(account);
  if (accountId !== form['account_id']) throw conflict(entry, key, 'account');
}

function conflict({ id, at }: JournalEntry, key: string, name: string): SvcError {
  const message = `the key ${key} was used at ${at} for an order with another ${name} (journal ${id}); nothing was sent`;
  return new SvcError('key_conflict', message, { hint: 'use another key', sent: 'no', more: { journal_id: id } });
}

function refusedBefore({ id, at, message, error }: JournalEntry, key: string): SvcError {
  const { code, hint, more } = error ?? { code: 'refused' };
  const known: ErrorCode = Object.hasOwn(ERROR_KINDS, code) ? (code as ErrorCode) : 'refused';
  const text = `${message ?? 'the order was refused'} (at ${at}, with the key ${key}; nothing was sent now)`;
  const fields = more as Readonly<Record<string, string | number>> | undefined;
  return new SvcError(known, text, {
    hint: hint ?? 'use another key for another try',
    more: { ...fields, journal_id: id },
  });
}

function unknownOutcome(entry: JournalEntry, key: string, why: string): SvcError {
  const { id, at, order_ids } = entry;
  const message = `the outcome of the order of ${at} with the key ${key} is unknown: ${why}; nothing was sent now`;
  return new SvcError('outcome_unknown', message, {
    hint: settlingHint(id),
    sent: 'maybe',
    more: { journal_id: id, order_id: order_ids.length === 0 ? undefined : order_ids.join(' ') },
  });
}
