/** Sends what trades: through the journal on this disk, with a look at the service where an answer is lost. */
import type { RunContext } from '../../cli/command.ts';
import { SvcError } from '../../errors.ts';
import { type Confirmed, Plan } from '../../http/endpoint.ts';
import { mayBeOf, openOrderJournal, readJournal } from '../../store/order-journal.ts';
import type { Trace } from './closing-traces.ts';
import type { TradingError } from './envelope.ts';
import type { FillWatch } from './fills.ts';
import type { AcceptedOrder, LostOrder } from './order-candidates.ts';
import type { Finding, OrderRequest, Placed, Placing } from './placing.ts';
import type { Account, Offer } from './schema.ts';
import type { SeenTables, TableReader } from './seen-tables.ts';
import { gatewayToken, openTradingSession, type TradingOptions, type TradingSession } from './trading-session.ts';

export interface SendingDetails {
  /** What to look for where the answer is lost: each order of the request. */
  readonly lost?: readonly LostOrder[];
  /** Where it changes what is there: how that is seen now. */
  readonly seen?: (tables: TableReader, sentAt: number) => Promise<Trace>;
  /** What a refusal is explained by. */
  readonly known?: KnownOrder;
  /** Is given the journal's id before the request leaves. */
  readonly journaled?: (id: string) => void;
}

export interface SendingOptions extends TradingOptions {
  /** `--wait`: how long pushes are watched where the answer is lost. */
  readonly wait?: number | undefined;
  /** It follows the session already. */
  readonly watch?: FillWatch | undefined;
}

/** One POST. Resolves for an order that was accepted, with its time by the gateway's clock; every other outcome is thrown. */
export async function sendOrder(
  request: OrderRequest,
  confirmed: Confirmed,
  open: TradingSession,
  details: SendingDetails,
  options: SendingOptions,
  ctx: RunContext,
  caller: Placing['session'] = open.session,
): Promise<Placed> {
  const { placeOrder } = await import('./placing.ts');
  const { exceededLimit } = await import('./counted-caller.ts');
  const { lost, seen, known } = details;
  const { paths, settings, target, notice } = ctx;
  const journal = openOrderJournal({ paths, profile: settings.profile.name, gateway: target.baseUrl, notice }, ctx);
  // Measured before it is sent, where possible: the answer may be a proxy's, with another clock.
  const measured = open.session.clockSkewMs;
  const skew = (): number => measured ?? open.session.clockSkewMs ?? 0;
  const earlier = options.watch?.tables.ids() ?? new Set();
  const placed = await placeOrder(request, {
    session: caller,
    confirmed,
    journal: {
      ...journal,
      async sent(order) {
        const id = await journal.sent(order);
        details.journaled?.(id);
        return id;
      },
    },
    now: ctx.now,
    explain: async (error, common) =>
      (await exceededLimit(error, open.budget)) ??
      (known === undefined ? common : explainRefusal(error, common, known)),
    ...(lost === undefined && seen === undefined
      ? {}
      : { investigate: (sentAt: number) => investigate(details, { sentAt, skew, earlier }, open, options, ctx) }),
  });
  return { ...placed, sentAt: placed.sentAt + skew() };
}

/** What a dry run shows of requests. Nothing is connected. */
export async function planOrders(requests: readonly OrderRequest[], ctx: RunContext): Promise<Plan> {
  const { openSession } = await import('./session.ts');
  const { checkForm } = await import('./order-forms.ts');
  const session = openSession(ctx.target, { token: () => gatewayToken(ctx), onNotice: ctx.notice });
  try {
    return new Plan(
      requests.flatMap(({ endpoint, form }) => {
        checkForm(endpoint.path, form);
        return session.plan(endpoint, { body: form }).requests;
      }),
    );
  } finally {
    await session.close();
  }
}

interface SendingTimes {
  readonly sentAt: number;
  /** The gateway's clock minus ours. */
  skew(): number;
  /** Ids of orders and positions that were seen before it was sent. */
  readonly earlier: ReadonlySet<string>;
}

/** Shorter than this no wait for pushes is: the gateway may be slow, and it has the order. */
const LEAST_WATCH_MS = 5_000;

/** Watches what is pushed until the request is found, and reads the tables at the beginning and at the end. */
async function investigate(
  details: SendingDetails,
  times: SendingTimes,
  open: TradingSession,
  { wait = 0, watch, ...options }: SendingOptions,
  ctx: RunContext,
): Promise<Finding> {
  const { watchFills } = await import('./fills.ts');
  const fills = watch ?? watchFills(ctx);
  let current = open;
  const opened: TradingSession[] = [];
  const refresh = async (): Promise<void> => {
    try {
      await fills.follow(current.session, current.unlimited);
      await fills.refresh();
    } catch (error) {
      if (!(error instanceof SvcError) || ctx.signal.aborted || opened.length > 0) throw error;
      // With the answer the session may be gone.
      current = await openTradingSession(ctx, { ...options, forOrder: true });
      opened.push(current);
      await refresh();
    }
  };
  const over = new AbortController();
  const late = ctx.sleep(Math.max(wait, LEAST_WATCH_MS), AbortSignal.any([ctx.signal, over.signal])).then(
    () => true,
    () => true,
  );
  try {
    await refresh();
    let isLate = false;
    for (;;) {
      const changed = fills.changed().then(() => false);
      const finding = await findingOf(details, times, fills.tables, ctx);
      if (finding.isDone || isLate || ctx.signal.aborted) return finding;
      isLate = await Promise.race([changed, late]);
      if (isLate) await refresh();
    }
  } finally {
    over.abort();
    for (const one of opened) await one.session.close();
  }
}

async function findingOf(
  { lost, seen }: SendingDetails,
  { sentAt, skew, earlier }: SendingTimes,
  tables: SeenTables,
  ctx: RunContext,
): Promise<Finding & { readonly isDone: boolean }> {
  // The times in the tables are by the gateway's clock.
  const at = sentAt + skew();
  const trace = await seen?.(tables, at);
  const unread = [...tables.unread].map(
    ([model, { message }]) => `the table ${model} could not be looked at: ${message}`,
  );
  const texts = trace === undefined ? unread : [trace.text];
  if (lost === undefined) return { text: texts.join('; '), isDone: trace?.isDone === true };
  const { isFound, orderCandidates } = await import('./order-candidates.ts');
  const accepted = await acceptedOrders(skew(), ctx);
  const closed = tables.everyRow('ClosedPosition');
  const open = tables.rows('OpenPosition');
  const listed = new Set([...open, ...closed].map(({ tradeId }) => tradeId));
  const rows = {
    earlier,
    orders: tables.everyRow('Order'),
    // A snapshot may be older than a push.
    positions: [...open, ...tables.everyRow('OpenPosition').filter(({ tradeId }) => !listed.has(tradeId))],
    closed,
  };
  const byOrder = lost.map((order) => orderCandidates(order, at, rows, accepted));
  // Both of a pair may be of the same side.
  const named = byOrder.flat().filter(({ isTaken }) => !isTaken);
  const found = [...new Map(named.map((one) => [`${one.kind} ${one.id}`, one])).values()];
  if (found.length > 0) texts.push(`this may be it: ${found.map(({ text }) => text).join('; ')}`);
  else if (tables.unread.size === 0) {
    const what = trace === undefined ? 'nothing that fits' : 'no order of it, and no position that it opened,';
    texts.push(`${what} is to be seen there now, which is no proof`);
  }
  const isDone = trace?.isDone === true || lost.every((order, index) => isFound(order, byOrder[index] ?? []));
  return { text: texts.join('; '), ids: found.map(({ id }) => id), isDone };
}

/** Of this gateway: another one numbers its orders as it likes. Their times are by its clock. */
async function acceptedOrders(clockSkewMs: number, ctx: RunContext): Promise<readonly AcceptedOrder[]> {
  return (await readJournal(ctx.paths))
    .filter((entry) => entry.order_ids.length > 0 && mayBeOf(ctx.target.baseUrl, entry))
    .map((entry) => ({ ...entry, at: new Date(Date.parse(entry.at) + clockSkewMs).toISOString() }));
}

/** Doc 3 §7: the amount does not fit the step, or the account's name was passed as its id. */
const AMOUNT_OR_ACCOUNT = 3;
/** As seen on the public implementation: the account is not among those of the token, or its name was passed. */
const NOT_IN_POOL = 20001;

export interface KnownOrder {
  readonly amount: number;
  readonly symbol: string;
  /** As it was found by looking it up: its id is no name. */
  readonly account: Pick<Account, 'accountId' | 'accountName'>;
  readonly offer?: Pick<Offer, 'instrBaseUnitSize' | 'minQuantity'> | undefined;
}

/** The common reading with both causes named, and the one that it is. */
export function explainRefusal(
  { code, parameters, divisor }: TradingError,
  common: SvcError,
  { amount, symbol, account, offer }: KnownOrder,
): SvcError {
  const { accountId, accountName = 'without a name' } = account;
  const lookedUp = `account ${accountId} (${accountName}) was looked up and is an id`;
  const { more = {}, httpStatus, sent } = common;
  const known = { more, ...(httpStatus === undefined ? {} : { httpStatus }), ...(sent === undefined ? {} : { sent }) };
  if (code === AMOUNT_OR_ACCOUNT) {
    const named = /\d+/.exec(parameters?.[0] ?? '')?.[0] ?? divisor?.toString();
    const step = named ?? stepOf(offer);
    // A step that the amount fits is not the one that was meant.
    const fit =
      step === undefined || amount % Number(step) === 0
        ? ''
        : `: ${symbol} is traded in steps of ${step}${nearest(amount, Number(step))}`;
    return new SvcError(
      'refused',
      `${common.message}. Code 3 comes for an amount that does not fit the step, and for an account's name in place of its id; here it is the amount, as ${lookedUp}`,
      { hint: `give another amount${fit}`, ...known },
    );
  }
  if (code === NOT_IN_POOL) {
    return new SvcError(
      'refused',
      `${common.message}. Code 20001 comes for an account that the token may not trade with now, and for an account's name in place of its id; here it is the first, as ${lookedUp}`,
      {
        hint: 'svc trade accounts shows those of this token; it may be another one than was meant: svc trade status',
        ...known,
      },
    );
  }
  return common;
}

function stepOf(offer: KnownOrder['offer']): string | undefined {
  const step = offer?.instrBaseUnitSize;
  return step === undefined || step <= 1 ? undefined : String(step);
}

function nearest(amount: number, step: number): string {
  if (!Number.isInteger(step) || step <= 1) return '';
  const below = Math.floor(amount / step) * step;
  return below === 0 ? `, so ${step} at least` : `, so ${below} or ${below + step}`;
}
