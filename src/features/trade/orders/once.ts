/** `--once <key>`: at most one order under a key. The journal has what became of it. */
import type { RunContext } from '../../../cli/command.ts';
import { ERROR_KINDS, type ErrorCode, SvcError } from '../../../errors.ts';
import { Plan } from '../../../http/endpoint.ts';
import {
  fieldsOf,
  isInFlight,
  type JournalEntry,
  journalAnswered,
  type OrderAnswered,
  readGatewayJournal,
  requireReadable,
} from '../../../store/order-journal.ts';
import type { FillReport } from './fills.ts';
import { type KeyClaim, type Outcome, type PlannedRequest, settlingHint } from './placing.ts';
import type { TableCache } from './table-cache.ts';

/** How a command is sent at most once. */
export interface Once {
  readonly key: string;
  /** The command as the user asked for it: of `--expires 2h` the text, not the time. */
  readonly asked: Readonly<Record<string, unknown>>;
  /** The account as given or set; undefined for the only one. */
  readonly account: string | undefined;
  /** The request of an earlier run. With `waits` it can be waited for. */
  again(entry: JournalEntry, cache: TableCache, waits: boolean): Promise<PlannedRequest>;
}

/** Throws if the key is not usable. */
export function checkedKey(key: string): string {
  if (/^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u.test(key)) return key;
  throw new SvcError('invalid_value', 'the key of --once must have 1 to 200 characters in one line');
}

/** Another process took the key since it was read. */
class KeyTaken extends SvcError {
  constructor(key: string) {
    super('key_conflict', `another process is sending an order with the key ${key}; nothing was sent`, { sent: 'no' });
  }
}

interface SendingOnce {
  readonly cache: TableCache;
  /** The order is waited for. */
  readonly waits: boolean;
  send(claim: KeyClaim): Promise<Plan | readonly Outcome[]>;
}

/**
 * Sends if nothing was sent with the key, or if what was sent was not executed. Otherwise returns what became of it, once another
 * process has its response. Throws `outcome_unknown` if that is not known, and `key_conflict` for another order.
 */
export async function sendOnce(
  once: Once,
  { cache, waits, send }: SendingOnce,
  ctx: RunContext,
): Promise<Plan | readonly Outcome[]> {
  const { key } = once;
  const deadline = ctx.now() + ctx.target.timeoutMs;
  for (;;) {
    const entry = await latestEntry(key, ctx);
    if (entry !== undefined) await checkSame(once, entry, cache, ctx);
    if (entry !== undefined && isInFlight(entry, ctx.now())) {
      // No longer than a request may take.
      if (ctx.now() >= deadline) throw unknownOutcome(entry, key, 'its sender still waits for the response');
      await ctx.sleep(PAUSE_MS, ctx.signal);
      continue;
    }
    if (entry !== undefined && !maySendAgain(entry)) return [await earlierOutcome(entry, once, { cache, waits }, ctx)];
    const claim = async (): Promise<void> => {
      if ((await latestEntry(key, ctx))?.id !== entry?.id) throw new KeyTaken(key);
    };
    const sent = await send({ key, claim });
    if (sent instanceof Plan || !sent.some(({ error }) => error instanceof KeyTaken)) return sent;
  }
}

const PAUSE_MS = 100;

async function latestEntry(key: string, ctx: RunContext): Promise<JournalEntry | undefined> {
  const journal = await readGatewayJournal(ctx.paths, ctx.target.baseUrl);
  requireReadable(ctx.paths, journal);
  return journal.entries.findLast(({ once }) => once === key);
}

/** It was not executed. A refusal of a rate limit or of the sign-in says nothing about the order. */
function maySendAgain({ outcome, error }: JournalEntry): boolean {
  if (outcome === 'refused') return (error?.code ?? 'refused') !== 'refused';
  return outcome === 'not_sent' || outcome === 'absent';
}

/** As the first run returned it, or as the user settled it. Throws what the first run threw. */
async function earlierOutcome(
  entry: JournalEntry,
  once: Once,
  { cache, waits }: Pick<SendingOnce, 'cache' | 'waits'>,
  ctx: RunContext,
): Promise<Outcome> {
  const { id, order_ids, at, outcome } = entry;
  const { key } = once;
  if (outcome === 'refused') throw refusedBefore(entry, key);
  if (!['accepted', 'filled', 'open', 'done'].includes(outcome)) {
    const why =
      entry.message ?? (outcome === 'unknown' ? 'svc ended before a response came' : `the journal says ${outcome}`);
    throw unknownOutcome(entry, key, why);
  }
  ctx.notice(`the key ${key} was used at ${at}: this is the outcome of that order; nothing is sent now`);
  if (order_ids.length === 0) ctx.notice(`${SETTLED_BY_HAND}: its id is not in the journal`);
  const report = (entry.report as FillReport | null) ?? (outcome === 'filled' ? settledAsFilled(entry) : undefined);
  const planned = await once.again(entry, cache, waits && report === undefined && order_ids.length > 0);
  const placed = { orderIds: order_ids, journalId: id, sentAt: Date.parse(at), error: undefined };
  return { planned, placed, ...(report && { report }) };
}

const SETTLED_BY_HAND = 'the outcome of that order is what you told svc trade journal settle';

/** Only the trades that the journal has, without their amounts. */
function settledAsFilled({ trade_ids }: JournalEntry): FillReport {
  const trades = trade_ids.map((trade_id) => ({ trade_id, amount_k: null, rate: null, time: null }));
  return { status: 'filled', reason: null, trades, closed_trades: [] };
}

/** Writes the trades of an order that was waited for, and for a repetition with its key how it ended. */
export async function keepReport({ planned, placed, report }: Outcome, ctx: RunContext): Promise<void> {
  if (placed === undefined || report === undefined) return;
  const { journalId: id, orderIds: order_ids } = placed;
  const trade_ids = [...new Set([...report.trades, ...report.closed_trades].map(({ trade_id }) => trade_id))];
  const isEnd = report.status !== 'pending' && report.status !== 'unknown';
  const ending: Pick<OrderAnswered, 'report'> =
    isEnd && planned.request.once !== undefined ? { report: { ...report } } : {};
  if (trade_ids.length === 0 && ending.report === undefined) return;
  try {
    await journalAnswered(ctx.paths, ctx, { id, outcome: 'accepted', order_ids, trade_ids, ...ending });
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    ctx.notice(`the end of the order could not be written to the journal: ${error.message}`);
  }
}

async function checkSame(once: Once, entry: JournalEntry, cache: TableCache, ctx: RunContext): Promise<void> {
  const { asked = {}, form } = entry;
  const names = [...new Set([...Object.keys(asked), ...Object.keys(once.asked)])].filter((name) => name !== 'account');
  const other = names.find((name) => fieldsOf({ of: asked[name] }) !== fieldsOf({ of: once.asked[name] }));
  if (other !== undefined) throw conflict(entry, once.key, other);
  const { account = null } = asked;
  if (account === (once.account ?? null) && entry.profile === ctx.settings.profile.name) return;
  const { accountId } = await cache.checkedAccount(once.account);
  if (accountId !== form['account_id']) throw conflict(entry, once.key, 'account');
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
