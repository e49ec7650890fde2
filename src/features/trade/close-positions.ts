/** `trade close`: trades by their ids, all of a symbol, or everything that an account has open. */
import type { RunContext } from '../../cli/command.ts';
import type { Arguments, Flags, Input } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { hedges, hedgingText } from './accounts.ts';
import { closeTrade, openTrade } from './client.ts';
import { planCloseAll } from './close-whole.ts';
import { wantedAccount } from './order-account.ts';
import { CHANGE_FLAGS, checkAccount, checkedIds, missingIds } from './order-flags.ts';
import { type Closing, closeForm, marketForm } from './order-forms.ts';
import type { Awaited } from './order-ledger.ts';
import { checkOrderId, MARKET_TIMES, parseAmount, parsePips, timeInForce } from './order-rules.ts';
import { sideText } from './order-text.ts';
import type { Placed, PlannedRequest } from './placing.ts';
import type { Change } from './planned-requests.ts';
import type { Account, OpenPosition } from './schema.ts';
import type { Seen, TableCache } from './table-cache.ts';

export const CLOSE_ARGS = {
  trade: { help: 'Trade ids, as svc trade positions shows them', repeat: true, complete: 'trades' },
} as const satisfies Arguments;

export const CLOSE_FLAGS = {
  amount: {
    type: 'string',
    value: 'n',
    help: 'Only so much of the trade: thousands of forex, contracts of anything else',
  },
  symbol: { type: 'string', value: 'symbol', complete: 'symbols', help: 'Everything of this symbol in the account' },
  everything: { type: 'boolean', help: 'Everything that the account has open; its id has to be typed' },
  range: { type: 'string', value: 'pips', help: 'How far from the price of now it may be closed' },
  tif: {
    type: 'choice',
    choices: MARKET_TIMES,
    help: 'How long the closing order holds: GTC unless told, and with --range IOC',
  },
  'via-opposite': {
    type: 'boolean',
    help: 'In an account that does not hedge: by an order of the other side, without being asked',
  },
  wait: {
    type: 'duration',
    positive: true,
    help: 'Wait so long until it is closed, and show what was closed at which rate',
  },
  ...CHANGE_FLAGS,
} as const satisfies Flags;

export type CloseInput = Input<typeof CLOSE_ARGS, typeof CLOSE_FLAGS>;

export function closing(input: CloseInput, ctx: RunContext): Change {
  const ids = checkedIds(input.trade, (id) => checkOrderId(id, 'a trade id'));
  const { symbol, everything } = input;
  const ways = [ids.length > 0, symbol !== undefined, everything].filter((wanted) => wanted).length;
  if (ways !== 1) {
    const why = ways === 0 ? 'nothing to close is named' : 'only one of them can be meant';
    throw new SvcError('usage', `${why}: trade ids, --symbol <symbol>, or --everything`, {
      hint: 'svc trade positions shows what is open',
    });
  }
  const range = input.range === undefined ? undefined : parsePips(input.range, '--range');
  const tif = timeInForce(range === undefined ? 'AtMarket' : 'MarketRange', input.tif);
  const wanted = wantedAccount(input.account, ctx);
  const goesOn = (): boolean => true;
  if (ids.length === 0) {
    checkCloseAll(input, ctx);
    const what = symbol === undefined ? 'everything' : `all ${symbol}`;
    const plan = (cache: TableCache) => planCloseAll(symbol, wanted, tif, cache, ctx);
    return { question: `close ${what}?`, plan, goesOn, nothing: 'nothing of it is open: nothing was sent' };
  }
  const amount = input.amount === undefined ? undefined : parseAmount(input.amount, '--amount');
  if (amount !== undefined && ids.length > 1) throw new SvcError('usage', '--amount is of one trade');
  const closer = new Closer(
    { ids, amount, terms: { tif, range }, wanted, isNamed: input.account !== undefined },
    input,
    ctx,
  );
  return { question: `close ${ids.join(', ')}?`, plan: (cache) => closer.plan(cache), goesOn };
}

function checkCloseAll({ amount, range, viaOpposite, everything, account }: CloseInput, ctx: RunContext): void {
  if (amount !== undefined || range !== undefined || viaOpposite) {
    throw new SvcError('usage', '--amount, --range and --via-opposite are of trades that are named by their ids');
  }
  if (everything && ctx.yes && !ctx.dryRun && account === undefined) {
    throw new SvcError(
      'confirmation_required',
      '--yes alone does not say of which account everything is to be closed; nothing was sent',
      {
        hint: 'name it on the command line: --account <id|name>',
      },
    );
  }
}

interface Closings {
  readonly ids: readonly string[];
  readonly amount: number | undefined;
  readonly terms: Closing;
  readonly wanted: string | undefined;
  /** The account was named on the command line. */
  readonly isNamed: boolean;
}

class Closer {
  readonly #closings: Closings;
  readonly #viaOpposite: boolean;

  constructor(closings: Closings, { viaOpposite }: CloseInput, ctx: RunContext) {
    this.#closings = closings;
    // Whoever is asked is told of it.
    this.#viaOpposite = viaOpposite || (ctx.interactive && !ctx.yes);
  }

  async plan(cache: TableCache): Promise<readonly PlannedRequest[]> {
    const { ids } = this.#closings;
    const seen = await cache.positions(has(ids));
    const missing = ids.filter((id) => seen !== undefined && !has([id])(seen.rows));
    if (missing.length > 0) {
      throw notOpen(missing);
    }
    const planned: PlannedRequest[] = [];
    for (const id of ids) planned.push(await this.#one(id, seen, cache));
    return planned;
  }

  async #one(id: string, seen: Seen<OpenPosition>, cache: TableCache): Promise<PlannedRequest> {
    const { amount: asked, wanted, isNamed } = this.#closings;
    const row = seen?.rows.find(({ tradeId }) => tradeId === id);
    const account = await this.#account(row, cache);
    if (account !== undefined && isNamed) checkAccount(`trade ${id}`, account, await cache.account(wanted));
    if (account !== undefined && hedges(account) === false) return this.#opposite(id, account, cache);
    const whole = row === undefined ? undefined : await cache.amountOf(row);
    const amount = asked ?? whole;
    if (amount === undefined) {
      throw new SvcError(
        seen === undefined ? 'limited' : 'guarded',
        `how much trade ${id} has could not be found out; nothing was sent`,
        {
          hint: 'say it with --amount <n>, or close all of its symbol with --symbol <symbol>',
        },
      );
    }
    checkAmount(id, amount, whole);
    const warnings = row === undefined ? [] : await cache.closedWarnings(row.currency);
    // As the tables count.
    const amountK = row?.amountK === undefined || whole === undefined ? undefined : (row.amountK * amount) / whole;
    const awaits = ({ orderIds, sentAt }: Placed): Awaited => {
      const { accountId } = account ?? {};
      return { orderIds, sentAt, tradeIds: [id], accountId, symbol: row?.currency, amountK };
    };
    return { ...this.#close(id, amount, row, account), warnings, awaits };
  }

  /** Undefined where neither the trade's row nor the command line tells. */
  async #account(row: OpenPosition | undefined, cache: TableCache): Promise<Account | undefined> {
    try {
      return await cache.account(row?.accountId ?? this.#closings.wanted);
    } catch (error) {
      if (error instanceof SvcError && (error.code === 'missing_value' || error.code === 'limited')) return undefined;
      throw error;
    }
  }

  #close(id: string, amount: number, row: OpenPosition | undefined, account: Account | undefined): PlannedRequest {
    const { terms } = this.#closings;
    const of = row === undefined ? '' : ` ${row.currency ?? ''}`;
    return {
      request: {
        endpoint: closeTrade,
        form: closeForm(id, amount, terms),
        command: 'close',
        what: `to close ${amount}${of} of trade ${id}`,
        makesOrder: true,
      },
      before: row && [row],
      accountId: account?.accountId,
      does: `Close ${amount}${of} of trade ${id}${row === undefined ? '' : ` (${sideText(row.isBuy)}, open at ${row.open ?? '?'}, ${row.grossPL ?? '?'} now)`} ${wayOf(terms)} in account ${account?.accountId ?? 'that could not be looked up'}`,
      tradeId: id,
    };
  }

  /** What is more than is there would open something: so only by what is there now, and never by more of it. */
  async #opposite(id: string, account: Account, cache: TableCache): Promise<PlannedRequest> {
    const { accountId, hedging } = account;
    const why = `account ${accountId} does not hedge (${hedgingText(hedging)}): there trade ${id} is closed by an order of the other side, and that takes what is open longest first`;
    if (!this.#viaOpposite) {
      throw new SvcError('guarded', `${why}; nothing was sent`, {
        hint: 'confirm that with --via-opposite, or close all of the symbol with --symbol <symbol>',
      });
    }
    const { row, rows } = await freshRow(id, cache);
    const { currency: symbol, isBuy, amountK: wholeK = 0 } = row;
    const whole = (await cache.amountOf(row)) ?? 0;
    if (symbol === undefined || isBuy === undefined || whole <= 0) {
      throw new SvcError('guarded', `${why}, and its side or its amount is not told; nothing was sent`);
    }
    const amount = this.#closings.amount ?? whole;
    checkAmount(id, amount, whole);
    const side = isBuy ? 'sell' : 'buy';
    const order = { accountId, symbol, side, amountK: (wholeK * amount) / whole, amount, hedges: false } as const;
    const { terms } = this.#closings;
    return {
      request: {
        endpoint: openTrade,
        form: marketForm({ accountId, symbol, side, amount, ...terms }),
        command: 'close',
        what: `to ${side} ${amount} ${symbol}, which closes trade ${id}`,
        makesOrder: true,
      },
      before: rows,
      known: { amount, symbol, account },
      accountId,
      // What is gone by now would be opened on the other side.
      recheck: async (cache) => {
        const now = await cache.amountOf((await freshRow(id, cache)).row);
        checkAmount(id, amount, now ?? 0);
      },
      awaits: ({ orderIds: [orderId = ''], sentAt }) => ({ ...order, orderId, sentAt }),
      warnings: await cache.closedWarnings(symbol),
      does: `${side === 'buy' ? 'Buy' : 'Sell'} ${amount} ${symbol} ${wayOf(terms)}, as ${why} (it is a ${sideText(isBuy)} of ${row.amountK}K, open at ${row.open ?? '?'}, ${row.grossPL ?? '?'} now)`,
      tradeId: id,
    };
  }
}

function checkAmount(id: string, amount: number, whole: number | undefined): void {
  if (whole === undefined || amount <= whole) return;
  throw new SvcError('guarded', `trade ${id} has ${whole}, and ${amount} of it cannot be closed; nothing was sent`);
}

function notOpen(ids: readonly string[]): SvcError {
  return missingIds('open trade', ids, 'it may be closed: svc trade positions, svc trade positions --closed');
}

async function freshRow(
  id: string,
  cache: TableCache,
): Promise<{ readonly row: OpenPosition; readonly rows: readonly OpenPosition[] }> {
  const seen = await cache.positions(() => false);
  const row = seen?.isFresh ? seen.rows.find(({ tradeId }) => tradeId === id) : undefined;
  if (seen !== undefined && row !== undefined) return { row, rows: seen.rows };
  if (seen?.isFresh) throw notOpen([id]);
  throw new SvcError(
    'limited',
    `whether trade ${id} is still open cannot be looked at now, and an order of the other side would open something if it is not; nothing was sent`,
    {
      hint: 'close all of its symbol, which opens nothing: --symbol <symbol>',
    },
  );
}

function has(ids: readonly string[]): (rows: readonly OpenPosition[]) => boolean {
  return (rows) => ids.every((id) => rows.some(({ tradeId }) => tradeId === id));
}

function wayOf({ range }: Closing): string {
  return range === undefined ? 'at market' : `within ${range.text} pips`;
}
