/** The requests that read and subscribe (doc 3 §4; fields and rows that it does not show as seen on the public implementation). */

import type { TradeTrap } from '../traps.ts';
import type { Book } from './book.ts';
import type { CallCaps } from './call-caps.ts';
import { candles, MOST_CANDLES, periodOf } from './candles.ts';
import type { EngineSession } from './engine-session.ts';
import type { Form } from './form.ts';
import { INSTRUMENTS, type Instrument, rounded } from './instruments.ts';
import type { Market, Quote } from './market.ts';
import type { ModelName } from './outbox.ts';
import { Refused, tooOften, unfit } from './refusals.ts';
import {
  accountRow,
  closedRow,
  offerRow,
  orderRow,
  summaryRow,
  type TableRow,
  totalRow,
  tradeRow,
} from './table-rows.ts';
import { DAY_MS } from './trading-days.ts';

export interface TableRequestsOptions {
  readonly book: Book;
  readonly market: Market;
  readonly traps: ReadonlySet<TradeTrap>;
  readonly now: () => number;
  /** Undefined where every call is answered. */
  readonly caps: CallCaps | undefined;
}

/** Where the rows of each table are in an answer, and the number of the command that reads it. */
const MODELS: Readonly<Record<ModelName, { readonly rows: string; readonly cmd?: number }>> = {
  Offer: { rows: 'offers' },
  OpenPosition: { rows: 'open_positions', cmd: 44 },
  ClosedPosition: { rows: 'closed_positions', cmd: 118 },
  Order: { rows: 'orders', cmd: 46 },
  Summary: { rows: 'summary' },
  LeverageProfile: { rows: 'leverage_profile' },
  Account: { rows: 'accounts', cmd: 79 },
  Properties: { rows: 'properties' },
};
const SET_INSTRUMENTS = 24;

type Body = Readonly<Record<string, unknown>>;

export class TableRequests {
  readonly #options: TableRequestsOptions;
  /** By method and path; each returns what stands beside `response`. */
  readonly handlers: Readonly<Record<string, (form: Form, session: EngineSession) => Body>> = {
    'GET /trading/get_model': (form) => this.#models(modelsOf(form)),
    'GET /trading/get_model/Accounts': () => this.#models(['Account']),
    'GET /trading/get_instruments': () => ({ data: { instrument: this.#instruments() } }),
    'GET /trading/permissions': () => ({ data: INSTRUMENTS.map(permission) }),
    'POST /subscribe': (form, { symbols }) => {
      const pairs = pairsOf(form);
      for (const { symbol } of pairs) symbols.add(symbol);
      return { pairs: pairs.map((pair) => subscribed(pair, this.#options.market.quote(pair))) };
    },
    'POST /unsubscribe': (form, { symbols }) => {
      const pairs = pairsOf(form).map(({ symbol }) => symbol);
      for (const symbol of pairs) symbols.delete(symbol);
      return { pairs };
    },
    'POST /trading/subscribe': (form, { models }) => {
      for (const model of modelsOf(form)) models.add(model);
      return {};
    },
    'POST /trading/unsubscribe': (form, { models }) => {
      for (const model of modelsOf(form)) models.delete(model);
      return {};
    },
    'POST /trading/update_subscriptions': (form) => {
      this.#count([SET_INSTRUMENTS]);
      const instrument = instrumentOf(form.text('symbol'), 'symbol');
      if (form.flag('visible') ?? true) this.#options.book.hidden.delete(instrument);
      else this.#options.book.hidden.add(instrument);
      return {};
    },
  };

  constructor(options: TableRequestsOptions) {
    this.#options = options;
  }

  /** Of `/candles/<offer id>/<period>`. */
  candles(offer: string, name: string, form: Form): Body {
    const { now } = this.#options;
    const instrument = INSTRUMENTS.find(({ offerId }) => String(offerId) === offer);
    const period = periodOf(name);
    const about = { instrument_id: offer, period_id: name, candles: [] };
    if (instrument === undefined) throw new Refused('Invalid instrument id.', about);
    if (period === undefined) throw new Refused('Invalid period id.', about);
    const num = form.number('num') ?? 0;
    if (!Number.isInteger(num) || num < 1 || num > MOST_CANDLES) throw new Refused('Invalid number of candles.', about);
    const [from, to] = [form.number('from'), form.number('to')];
    const isRange = from !== undefined || to !== undefined;
    const span = { from: (from ?? 0) * 1000, to: to === undefined ? now() + DAY_MS : to * 1000 };
    const isFar = period.days !== undefined && Math.min(span.to, now()) - span.from > period.days * DAY_MS;
    // the gateway's own spelling
    if (isRange && (span.from > span.to || isFar)) throw new Refused('Invalid from/to parameneters.', about);
    const most = !isRange ? num : period.days === undefined ? Number.POSITIVE_INFINITY : MOST_CANDLES;
    return { ...about, candles: candles(instrument, period, span, most, now()) };
  }

  #models(names: readonly ModelName[]): Body {
    this.#count(names.flatMap((name) => MODELS[name].cmd ?? []));
    return Object.fromEntries(names.map((name) => [MODELS[name].rows, this.#rows(name)]));
  }

  #count(cmds: readonly number[]): void {
    const [first] = cmds;
    if (first !== undefined && this.#options.traps.has('ora-20301')) throw tooOften(first);
    this.#options.caps?.take(cmds);
  }

  #rows(name: ModelName): readonly TableRow[] {
    const { book, market, traps } = this.#options;
    const trades = [...book.trades.values()];
    switch (name) {
      case 'Offer': {
        const tradable = !traps.has('market-closed');
        return book.offered.map((instrument) => ({
          ...offerRow(instrument, market),
          buyTradable: tradable,
          sellTradable: tradable,
        }));
      }
      case 'OpenPosition': {
        const rows = trades.map((trade) => tradeRow(trade, market));
        return [...rows, totalRow(1, rows, ['grossPL', 'usedMargin', 'com', 'roll'])];
      }
      case 'ClosedPosition': {
        const rows = book.closed.map(closedRow);
        return [...rows, totalRow(2, rows, ['grossPL', 'com', 'roll'])];
      }
      case 'Order':
        return [...book.orders.values()].map(orderRow);
      case 'Summary': {
        const held = INSTRUMENTS.filter((instrument) => trades.some((trade) => trade.instrument === instrument));
        const rows = held.map((instrument) => summaryRow(instrument, trades, market));
        return [...rows, totalRow(5, rows, ['grossPL', 'netPL', 'plBuy', 'plSell'])];
      }
      case 'Account': {
        const rows = book.accounts.map((account) => accountRow(account, trades, market));
        return [...rows, totalRow(6, rows, ['balance', 'equity', 'usableMargin', 'usdMr', 'grossPL', 'dayPL'])];
      }
      case 'LeverageProfile':
        return [{ profileId: '1', profileName: 'Sandbox', currencies: INSTRUMENTS.length }];
      case 'Properties':
        return [{ propertyName: 'BASE_CRNCY', propertyValue: 'USD' }];
    }
  }

  #instruments(): readonly Body[] {
    const { book } = this.#options;
    return INSTRUMENTS.map((instrument, index) => ({
      symbol: instrument.symbol,
      visible: !book.hidden.has(instrument),
      order: index + 1,
    }));
  }
}

/** As pushed, with two numbers more. */
function subscribed({ symbol, pip, digits }: Instrument, quote: Quote): Body {
  const { bid, ask, high, low, at } = quote;
  return {
    Updated: at,
    Rates: [bid, ask, high, low, rounded(bid - pip, digits), rounded(ask + pip, digits)],
    Symbol: symbol,
  };
}

function modelsOf(form: Form): readonly ModelName[] {
  const names = form.texts('models');
  if (names.length === 0) throw unfit('models', '');
  for (const name of names) if (!Object.hasOwn(MODELS, name)) throw unfit('models', name);
  return names as readonly ModelName[];
}

function pairsOf(form: Form): readonly Instrument[] {
  const names = form.texts('pairs');
  if (names.length === 0) throw new Refused('Missing pairs', { pairs: [] });
  return names.map((name) => instrumentOf(name, 'pairs'));
}

function instrumentOf(symbol: string, name: string): Instrument {
  const instrument = INSTRUMENTS.find((one) => one.symbol === symbol);
  if (instrument === undefined) throw unfit(name, symbol);
  return instrument;
}

function permission({ symbol, always }: Instrument): Body {
  const enabled = 'enabled';
  return {
    symbol,
    permissions: {
      createEntry: enabled,
      createMarket: enabled,
      changeEntry: enabled,
      createOCO: enabled,
      netStopLimit: always ? 'hidden' : 'disabled',
    },
  };
}
