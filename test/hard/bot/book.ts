/** What the gateway of the bot test trades with: offers, accounts, orders and positions, as doc 3 part B describes them. */

export type Row = Record<string, string | number | boolean>;
export type Push = (model: string, row: Row, action?: 'I' | 'U' | 'D') => void;

/** A request that the gateway refuses: {code, message, parameters} (doc 3 §7). */
export class Refusal extends Error {
  readonly code: number;
  readonly parameters: readonly string[];

  constructor(code: number, message: string, parameters: readonly string[] = []) {
    super(message);
    this.code = code;
    this.parameters = parameters;
  }
}

/** What a request changed: the ids to answer with, and what happens to a market order a moment later. */
export interface Change {
  readonly orderIds: readonly string[];
  readonly later?: () => void;
}

type Form = Readonly<Record<string, string>>;

const SYMBOLS = [
  { symbol: 'EUR/USD', offerId: 1, price: 1.15, pip: 0.0001, ratePrecision: 5 },
  { symbol: 'USD/JPY', offerId: 2, price: 148.2, pip: 0.01, ratePrecision: 3 },
  { symbol: 'GBP/USD', offerId: 3, price: 1.33, pip: 0.0001, ratePrecision: 5 },
];

/** MMddyyyyHHmmssSSS, 17 characters (doc 3 §2). */
function stamp(ms: number): string {
  const [date = '', time = ''] = new Date(ms).toISOString().split('T');
  const [year = '', month = '', day = ''] = date.split('-');
  return `${month}${day}${year}${time.replace(/\D/g, '')}`;
}

export class Book {
  readonly offers = new Map<string, Row>();
  readonly accounts = new Map<string, Row>();
  readonly orders = new Map<string, Row>();
  readonly positions = new Map<string, Row>();
  readonly closed: Row[] = [];
  /** The order that each trade came from, by the clock of this process. */
  readonly fills: { readonly tradeId: string; readonly orderId: string; readonly at: number }[] = [];
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #push: Push;
  #lastOrder = 700_000_000;
  #lastTrade = 150_000_000;

  constructor(now: () => number, random: () => number, push: Push) {
    this.#now = now;
    this.#random = random;
    this.#push = push;
    for (const { symbol, offerId, price, pip, ratePrecision } of SYMBOLS) {
      this.offers.set(symbol, {
        ...{ t: 0, ratePrecision, offerId, fractionDigits: ratePrecision, pip, defaultSortOrder: offerId * 100 },
        ...{ currency: symbol, instrumentType: 1, valueDate: '', time: new Date(now()).toISOString() },
        ...{ sell: price, buy: price + pip, sellTradable: true, buyTradable: true, high: price, low: price },
        ...{ volume: 1, pipFraction: 0.1, spread: 1, mmr: 4, emr: 4, lmr: 4, pipCost: 0.1 },
      });
    }
    for (const accountId of ['731001', '731002']) {
      this.accounts.set(accountId, {
        ...{ t: 6, ratePrecision: 0, accountId, accountName: `00${accountId}`, balance: 1e6, equity: 1e6, mc: 'N' },
        ...{
          usableMargin: 1e6,
          usableMargin3: 1e6,
          usableMarginPerc: 100,
          usableMargin3Perc: 100,
          usdMr: 0,
          usdMr3: 0,
        },
        ...{ hedging: 'Y', dayPL: 0, grossPL: 0 },
      });
    }
  }

  rows(model: string): Row[] {
    if (model === 'Offer') return [...this.offers.values()];
    if (model === 'Order') return [...this.orders.values()];
    if (model === 'OpenPosition') return [...this.positions.values()];
    if (model === 'ClosedPosition') return this.closed.slice(-500);
    if (model === 'Account') return [...this.accounts.values()];
    return [];
  }

  /** Moves every price, and fills the entry orders that it reached. */
  tick(): void {
    for (const offer of this.offers.values()) {
      const pip = Number(offer['pip']);
      const sell = Number(offer['sell']) + (this.#random() - 0.5) * pip;
      const digits = Number(offer['fractionDigits']);
      Object.assign(offer, { sell: Number(sell.toFixed(digits)), buy: Number((sell + pip).toFixed(digits)) });
      Object.assign(offer, { time: new Date(this.#now()).toISOString() });
      this.#push(
        'Offer',
        { t: 0, offerId: offer['offerId'] ?? 0, sell: offer['sell'] ?? 0, buy: offer['buy'] ?? 0 },
        'U',
      );
      for (const order of this.orders.values()) {
        if (order['isEntryOrder'] !== true || order['currency'] !== offer['currency']) continue;
        const isBuy = order['isBuy'] === true;
        const price = Number(isBuy ? offer['buy'] : offer['sell']);
        const rate = Number(isBuy ? order['buy'] : order['sell']);
        const isAtOrBelow = order['type'] === (isBuy ? 'LE' : 'SE');
        if (isAtOrBelow ? price <= rate : price >= rate) this.#fill(String(order['orderId']));
      }
    }
  }

  /** Doc 3 §4: what one POST does. Undefined for a path that does not exist. */
  apply(path: string, form: Form): Change | undefined {
    if (path === '/trading/open_trade') return this.#openTrade(form);
    if (path === '/trading/create_entry_order') return this.#createEntry(form);
    if (path === '/trading/close_trade') return this.#closeTrade(form);
    if (path === '/trading/delete_order') return this.#deleteOrder(form);
    if (path === '/trading/change_order') return this.#changeOrder(form);
    if (path === '/trading/change_trade_stop_limit') return this.#changeTradeStop(form);
    if (path === '/trading/close_all_for_symbol') return this.#closeAll(form);
    return undefined;
  }

  #openTrade(form: Form): Change {
    this.#need(form, ['account_id', 'symbol', 'is_buy', 'amount', 'order_type', 'time_in_force']);
    if (form['order_type'] === 'AtMarket' && Number(form['rate'] ?? 0) !== 0) throw new Refusal(4, 'rate must be 0');
    const orderId = this.#insert(form, 'OM', 2, 0);
    return { orderIds: [orderId], later: () => this.#fill(orderId) };
  }

  #createEntry(form: Form): Change {
    this.#need(form, ['account_id', 'symbol', 'is_buy', 'rate', 'amount', 'order_type', 'time_in_force']);
    const rate = Number(form['rate']);
    if (!(rate > 0)) throw new Refusal(4, 'rate must be above 0');
    const offer = this.#offer(form);
    const isBuy = form['is_buy'] === 'true';
    const isBelow = rate < Number(isBuy ? offer['buy'] : offer['sell']);
    return { orderIds: [this.#insert(form, isBelow === isBuy ? 'LE' : 'SE', 1, rate)] };
  }

  /** The checks of doc 3 §4 and §7 that every order goes through. */
  #need(form: Form, names: readonly string[]): void {
    for (const name of names) if ((form[name] ?? '') === '') throw new Refusal(4, `${name} is missing`, [name]);
    if (!['true', 'false'].includes(form['is_buy'] ?? 'true')) throw new Refusal(4, 'is_buy must be true or false');
    for (const name of ['trailing_step', 'trailing_stop_step']) {
      const step = Number(form[name] ?? 0);
      if (step !== 0 && step !== 1 && step < 10)
        throw new Refusal(5, 'The trailing step must be 1 or at least 10', ['10']);
    }
    if (form['is_in_pips'] !== 'true') return;
    if (Number(form['stop'] ?? -1) >= 0) throw new Refusal(18, 'The Stop distance must be ', ['<', '0']);
    if (Number(form['limit'] ?? 1) <= 0) throw new Refusal(19, 'The Limit distance must be > 0', ['>', '0']);
  }

  #offer(form: Form): Row {
    const offer = this.offers.get(form['symbol'] ?? '');
    if (offer === undefined) throw new Refusal(1, 'The specified symbol does not exist');
    return offer;
  }

  #amount(form: Form): number {
    const amount = Number(form['amount']);
    // Also the answer to an account's name in place of its id (doc 3 §7).
    const isKnown = form['account_id'] === undefined || this.accounts.has(form['account_id']);
    if (!(Number.isInteger(amount) && amount > 0 && isKnown)) {
      throw new Refusal(3, 'Amount should be divisible by 10', ['10']);
    }
    return amount;
  }

  #insert(form: Form, type: string, status: number, rate: number): string {
    const amountK = this.#amount(form);
    const { ratePrecision = 5 } = this.#offer(form);
    const accountId = form['account_id'] ?? '';
    const isBuy = form['is_buy'] === 'true';
    const orderId = String(++this.#lastOrder);
    const row: Row = {
      ...{ t: 3, ratePrecision, orderId, tradeId: String(++this.#lastTrade), time: stamp(this.#now()) },
      ...{ accountName: `00${accountId}`, accountId, timeInForce: form['time_in_force'] ?? 'GTC', expireDate: '' },
      ...{
        currency: form['symbol'] ?? '',
        isBuy,
        buy: isBuy ? rate : 0,
        sell: isBuy ? 0 : rate,
        type,
        status,
        amountK,
      },
      ...{ currencyPoint: amountK / 10, stopMove: 0, stop: 0, stopRate: 0, limit: 0, limitRate: 0 },
      ...{ isEntryOrder: status === 1, ocoBulkId: 0, isNetQuantity: false, isLimitOrder: type === 'LE' },
      ...{ isStopOrder: type === 'SE', isELSOrder: false, stopPegBaseType: -1, limitPegBaseType: -1, range: 0 },
    };
    this.orders.set(orderId, row);
    this.#push('Order', row, 'I');
    return orderId;
  }

  /** In one to three trades: one market order can produce several trade ids (doc 3 §2, rule 3). */
  #fill(orderId: string): void {
    const order = this.orders.get(orderId);
    if (order === undefined) return;
    this.orders.delete(orderId);
    const amountK = Number(order['amountK']);
    const offer = this.offers.get(String(order['currency'])) ?? {};
    const isBuy = order['isBuy'] === true;
    const open = Number(isBuy ? offer['buy'] : offer['sell']);
    const parts = Math.min(amountK, this.#random() < 0.8 ? 1 : 2 + Math.floor(this.#random() * 2));
    for (let part = 0, left = amountK; part < parts; part++) {
      const tradeId = part === 0 ? String(order['tradeId']) : String(++this.#lastTrade);
      const size = part === parts - 1 ? left : Math.max(1, Math.floor(amountK / parts));
      left -= size;
      // Doc 3 §2 rule 2: the trade id is available through the Order table.
      this.#push('Order', { ...order, tradeId, status: 6 }, 'U');
      const row: Row = {
        ...{ t: 1, ratePrecision: order['ratePrecision'] ?? 5, tradeId, accountName: order['accountName'] ?? '' },
        ...{ accountId: order['accountId'] ?? '', roll: 0, com: 0, open, valueDate: '', grossPL: 0, close: open },
        ...{ visiblePL: 0, isDisabled: false, currency: order['currency'] ?? '', isBuy, amountK: size },
        ...{ currencyPoint: size / 10, time: stamp(this.#now()), usedMargin: size, stop: 0, stopMove: 0, limit: 0 },
      };
      this.positions.set(tradeId, row);
      this.fills.push({ tradeId, orderId, at: performance.now() });
      this.#push('OpenPosition', row, 'I');
    }
    this.#push('Order', { ...order, status: 9 }, 'D');
  }

  #closeTrade(form: Form): Change {
    this.#need(form, ['trade_id', 'amount', 'order_type', 'time_in_force']);
    const position = this.positions.get(form['trade_id'] ?? '');
    if (position === undefined) throw new Refusal(1, 'The specified trade does not exist');
    const amount = this.#amount(form);
    if (amount > Number(position['amountK'])) throw new Refusal(6, 'Amount is more than the amount of the trade');
    return this.#closeOrder(position, amount);
  }

  #closeOrder(position: Row, amount: number): Change {
    const tradeId = String(position['tradeId']);
    const isBuy = position['isBuy'] !== true;
    const form = {
      ...{ account_id: String(position['accountId']), symbol: String(position['currency']), is_buy: String(isBuy) },
      ...{ amount: String(amount), time_in_force: 'GTC' },
    };
    const orderId = this.#insert(form, 'CM', 2, 0);
    const order: Row = { ...this.orders.get(orderId), tradeId };
    this.orders.set(orderId, order);
    const later = (): void => {
      this.orders.delete(orderId);
      const left = Number(this.positions.get(tradeId)?.['amountK'] ?? 0) - amount;
      if (left < 0) {
        this.#push('Order', { ...order, status: 3 }, 'D');
        return;
      }
      const offer = this.offers.get(String(position['currency'])) ?? {};
      const { t: _, time, accountId: __, isDisabled: ___, usedMargin: ____, ...same } = position;
      const close = Number(isBuy ? offer['buy'] : offer['sell']);
      const row: Row = { t: 2, ...same, amountK: amount, close, openTime: time ?? '', closeTime: stamp(this.#now()) };
      this.#push('Order', { ...order, status: 6 }, 'U');
      this.closed.push(row);
      if (left === 0) this.positions.delete(tradeId);
      else position['amountK'] = left;
      this.#push('OpenPosition', { t: 1, tradeId, amountK: left }, left === 0 ? 'D' : 'U');
      this.#push('ClosedPosition', row, 'I');
      this.#push('Order', { ...order, status: 9 }, 'D');
    };
    return { orderIds: [orderId], later };
  }

  #closeAll(form: Form): Change {
    const isOfSymbol = form['forSymbol'] !== 'false';
    const changes = [...this.positions.values()]
      .filter((row) => row['accountId'] === form['account_id'])
      .filter((row) => !isOfSymbol || row['currency'] === form['symbol'])
      .map((row) => this.#closeOrder(row, Number(row['amountK'])));
    const later = (): void => {
      for (const change of changes) change.later?.();
    };
    return { orderIds: changes.flatMap(({ orderIds }) => orderIds), later };
  }

  #waiting(form: Form): Row {
    const order = this.orders.get(form['order_id'] ?? '');
    if (order === undefined) throw new Refusal(1, 'The specified order does not exist');
    return order;
  }

  #deleteOrder(form: Form): Change {
    const order = this.#waiting(form);
    this.orders.delete(String(order['orderId']));
    this.#push('Order', { ...order, status: 3 }, 'D');
    return { orderIds: [] };
  }

  #changeOrder(form: Form): Change {
    const order = this.#waiting(form);
    const rate = Number(form['rate']);
    Object.assign(order, order['isBuy'] === true ? { buy: rate } : { sell: rate });
    if (form['amount'] !== undefined) order['amountK'] = this.#amount({ amount: form['amount'] });
    this.#push('Order', order, 'U');
    return { orderIds: [] };
  }

  #changeTradeStop(form: Form): Change {
    const position = this.positions.get(form['trade_id'] ?? '');
    if (position === undefined) throw new Refusal(1, 'The specified trade does not exist');
    Object.assign(
      position,
      form['is_stop'] === 'true' ? { stop: Number(form['rate']) } : { limit: Number(form['rate']) },
    );
    this.#push('OpenPosition', position, 'U');
    return { orderIds: [] };
  }
}
