/** `--once <key>`: at most one order under a key. The journal has what became of it. */
import type { RunContext } from '../../../cli/command.ts';
import { ERROR_KINDS, type ErrorCode, SvcError } from '../../../errors.ts';
import type { Plan } from '../../../http/endpoint.ts';
import { fieldsOf, isInFlight, type JournalEntry, journal } from '../../../store/order-journal.ts';
import { SeenTables } from '../tables/seen-tables.ts';
import type { FillReport } from './fills.ts';
import type { KeyClaim, Outcome, PlannedRequest } from './placing.ts';
import { declaringHint, recordSettled, settleEntries } from './settled-entries.ts';
import type { Settlement } from './settlement.ts';
import { fillsOf } from './state.ts';
import type { TableCache } from './table-cache.ts';

/** How a command is sent at most once. */
export interface Once {
  readonly key: string;
  /** The command as the user asked for it: of `--expires 2h` the text, not the time. */
  readonly asked: Readonly<Record<string, unknown>>;
  /** The account as given or set; undefined for the only one. */
  readonly account: string | undefined;
  /** The request of an earlier run. With `follows` it can be waited for. */
  again(entry: JournalEntry, cache: TableCache, follows: boolean): Promise<PlannedRequest>;
}

/** Throws if the key is not usable. */
export function checkedKey(key: string): string {
  if (/^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u.test(key)) return key;
  throw new SvcError('invalid_value', 'the key of --once must have 1 to 200 characters in one line');
}

/** Another process took the key since it was read. */
export class KeyTaken extends SvcError {
  constructor(key: string) {
    super('key_conflict', `another process is sending an order with the key ${key}; nothing was sent`, { sent: 'no' });
  }
}

export interface OnceOptions {
  readonly cache: TableCache;
  /** The outcome of an earlier run is followed to its end. */
  readonly follows: boolean;
}

/** Sends if nothing was sent with the key. Otherwise returns what became of that. */
export async function sendOnce<Sent extends Plan | readonly Outcome[]>(
  once: Once,
  options: OnceOptions,
  ctx: RunContext,
  send: (claim: KeyClaim) => Promise<Sent>,
): Promise<{ readonly sent: Sent } | { readonly earlier: Outcome }> {
  for (;;) {
    const { outcome, claim } = await earlierOutcome(once, options, ctx);
    if (outcome !== undefined) return { earlier: outcome };
    try {
      const sent = await send(claim);
      if (!Array.isArray(sent) || !sent.some(({ error }) => error instanceof KeyTaken)) return { sent };
    } catch (error) {
      if (!(error instanceof KeyTaken)) throw error;
    }
  }
}

type Earlier =
  | { readonly outcome: Outcome; readonly claim?: undefined }
  /** For an order that is to be sent. */
  | { readonly outcome?: undefined; readonly claim: KeyClaim };

/** Waits for another process that sends with the key, and settles what a killed one left. Throws `key_conflict` for another order. */
export async function earlierOutcome(once: Once, options: OnceOptions, ctx: RunContext): Promise<Earlier> {
  const { key } = once;
  const { cache, follows } = options;
  /** `after`: the journal id of an earlier try that the gateway did not execute. */
  const free = (after: string | undefined): Earlier => ({
    claim: {
      key,
      async claim() {
        const latest = await cache.journal.latest(key, ctx.target.baseUrl);
        if (latest?.id !== after) throw new KeyTaken(key);
      },
    },
  });
  const deadline = ctx.now() + ctx.target.timeoutMs;
  for (let isFirst = true; ; isFirst = false) {
    const entry = await cache.journal.latest(key, ctx.target.baseUrl);
    if (entry === undefined) return free(undefined);
    if (isFirst) await checkSame(once, entry, cache, ctx);
    const { id, at, outcome, error } = entry;
    const failed = async (error: SvcError): Promise<Earlier> => {
      const planned = await once.again(entry, cache, false);
      const placed = { orderIds: entry.order_ids, journalId: id, sentAt: Date.parse(at), error };
      return { outcome: { planned, placed, error } };
    };
    const unknown = (why: string, settled?: Settlement): Promise<Earlier> =>
      failed(stillUnknown(entry, key, why, settled));
    switch (outcome) {
      case 'accepted':
      case 'open':
      case 'filled':
      case 'done':
        ctx.notice(`the key ${key} was used at ${at}: this is the outcome of that order; nothing is sent now`);
        return { outcome: await outcomeOf(entry, once, cache, follows) };
      case 'not_sent':
      case 'absent':
        return free(id);
      case 'refused':
        // Any other refusal, such as that of a rate limit, says nothing of the order.
        return (error?.code ?? 'refused') === 'refused' ? failed(refusedBefore(entry, key)) : free(id);
      case 'unknown': {
        const isSent = isInFlight(entry, ctx.now());
        if ((isSent || cache.searched.has(id)) && ctx.now() < deadline) {
          await ctx.sleep(PAUSE_MS, ctx.signal);
          continue;
        }
        if (isSent) return unknown('its sender still waits for the response');
        const left = await settleAgain(entry, cache, ctx);
        if (left === undefined) continue;
        const { waitMs, evidence } = left;
        if (waitMs === undefined) return unknown(evidence, left);
        if (ctx.now() + waitMs >= deadline) return unknown(evidence);
        await ctx.sleep(waitMs, ctx.signal);
        continue;
      }
      default:
        return unknown(`the journal has the outcome "${outcome satisfies never}"`);
    }
  }
}

const PAUSE_MS = 100;

/** Writes the outcome to the journal. Returns what is known if that is not enough. */
async function settleAgain(entry: JournalEntry, cache: TableCache, ctx: RunContext): Promise<Settlement | undefined> {
  const tables = new SeenTables();
  const [one] = await settleEntries([entry], await cache.open(), ctx, tables);
  if (one === undefined) throw new SvcError('internal', 'an entry was not settled');
  const { settled } = one;
  if (settled.outcome === 'unknown') return settled;
  const report = settled.outcome === 'filled' ? filledReport(fillsOf(settled.tradeIds ?? [], tables)) : undefined;
  await recordSettled(entry.id, settled, ctx, { report });
  return undefined;
}

export function filledReport(trades: FillReport['trades']): FillReport {
  return { status: 'filled', reason: null, trades, closedTrades: [] };
}

/** As the first run returned it. */
async function outcomeOf(entry: JournalEntry, once: Once, cache: TableCache, follows: boolean): Promise<Outcome> {
  const { id, order_ids, trade_ids, at, outcome } = entry;
  const stored = entry.report as FillReport | null;
  const unlisted = trade_ids.map((tradeId) => ({ tradeId, amountK: null, rate: null, time: null }));
  const report = stored ?? (outcome === 'filled' ? filledReport(unlisted) : undefined);
  const planned = await once.again(entry, cache, follows && report === undefined);
  const placed = { orderIds: order_ids, journalId: id, sentAt: Date.parse(at), error: undefined };
  return { planned, placed, ...(report && { report }) };
}

/** Keeps how an order ended, for a repetition with its key. */
export async function keepReport({ planned, placed, report }: Outcome, ctx: RunContext): Promise<void> {
  if (planned.request.once === undefined || placed === undefined || report === undefined) return;
  if (report.status === 'pending' || report.status === 'unknown') return;
  const { journalId: id, orderIds: order_ids } = placed;
  const at = new Date(ctx.now()).toISOString();
  const trade_ids = report.trades.map(({ tradeId }) => tradeId);
  try {
    await journal(ctx.paths, ctx, { id, at, outcome: 'accepted', order_ids, trade_ids, report: { ...report } });
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

/** `settled`: what repeating the command will not change. */
function stillUnknown({ id, at, order_ids }: JournalEntry, key: string, why: string, settled?: Settlement): SvcError {
  return new SvcError('outcome_unknown', `the outcome of the order of ${at} with the key ${key} is unknown: ${why}`, {
    hint: settled === undefined ? 'repeat the command later' : declaringHint(id, settled.candidates),
    sent: 'maybe',
    more: {
      journal_id: id,
      order_id: order_ids.length === 0 ? undefined : order_ids.join(' '),
      candidates: settled?.candidates?.map((one) => one.id).join(' '),
    },
  });
}
