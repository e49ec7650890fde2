/** What the fields of an order mean, and which of them are refused. */

import type { Book } from './book.ts';
import type { Form } from './form.ts';
import { INSTRUMENTS, type Instrument, amountK as inThousands, isForex, rounded } from './instruments.ts';
import type { Account, Exit } from './records.ts';
import { notDivisible, notInPool, refused, unfit } from './refusals.ts';
import { dayStart, nextDay } from './trading-days.ts';

/** By its id alone: a name is answered as if the amount were wrong. */
export function accountOf(form: Form, book: Book): Account {
  const given = form.text('account_id');
  const account = book.accounts.find(({ id }) => id === given);
  if (account !== undefined) return account;
  if (book.accounts.some(({ name }) => name === given)) throw notDivisible(10);
  throw notInPool(given, book.orders.size + book.trades.size + 1);
}

export function instrumentOf(symbol: string): Instrument {
  const instrument = INSTRUMENTS.find((one) => one.symbol === symbol);
  if (instrument === undefined) throw unfit('symbol', symbol);
  return instrument;
}

/** In thousands. */
export function amountOf(form: Form, name: string, account: Account, instrument: Instrument): number {
  const amount = Number(form.text(name));
  const step = isForex(instrument) ? account.step : 1;
  if (!Number.isInteger(amount) || amount <= 0 || amount % step !== 0) throw notDivisible(step);
  if (amount > instrument.maxQuantity) throw unfit(name, String(amount));
  return inThousands(instrument, amount);
}

/** A field that is left out buys. */
export function sideOf(form: Form, suffix = ''): boolean {
  return form.flag(`is_buy${suffix}`) ?? true;
}

/** Doc 3 §4: 1 follows every move, 10 and above are steps, 2 to 9 are refused. */
export function trailOf(form: Form, name: string): number {
  const step = form.number(name) ?? 0;
  if (step !== 0 && step !== 1 && !(Number.isInteger(step) && step >= 10)) {
    throw refused(20, 'The trailing step must be 1 or at least 10', [String(step)]);
  }
  return step;
}

export interface Around {
  readonly instrument: Instrument;
  readonly isBuy: boolean;
  /** The rate that distances are counted from. */
  readonly rate: number;
}

/** In pips it is a loss and so negative, on whichever side. */
export function stopOf(value: number | undefined, isInPips: boolean, trail: number, around: Around): Exit | undefined {
  if (value === undefined) return undefined;
  const { instrument, isBuy, rate } = around;
  const sign = isBuy ? 1 : -1;
  if (isInPips && value >= 0) throw refused(18, 'The Stop distance must be ', ['<', 0]);
  const at = isInPips ? rounded(rate + sign * value * instrument.pip, instrument.digits) : value;
  if ((at - rate) * sign >= 0) throw refused(18, 'The Stop distance must be ', ['<', 0]);
  return { rate: at, trail };
}

export function limitOf(value: number | undefined, isInPips: boolean, around: Around): Exit | undefined {
  if (value === undefined) return undefined;
  const { instrument, isBuy, rate } = around;
  const sign = isBuy ? 1 : -1;
  if (isInPips && value <= 0) throw refused(19, 'The Limit distance must be > 0', ['>', 0]);
  const at = isInPips ? rounded(rate + sign * value * instrument.pip, instrument.digits) : value;
  if ((at - rate) * sign <= 0) throw refused(19, 'The Limit distance must be > 0', ['>', 0]);
  return { rate: at, trail: 0 };
}

/** `YYYY-MM-DD hh:mm` in UTC, or a day, as whose start 17:00 in New York on the day before counts. DAY ends with the trading day. */
export function expiryOf(form: Form, timeInForce: string, now: number): number | undefined {
  if (timeInForce === 'DAY') return nextDay(dayStart(now));
  if (timeInForce !== 'GTD') return undefined;
  const text = form.text('expiration');
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}))?$/.exec(text) ?? [];
  const ms = Date.parse(`${day}T${time ?? '00:00'}:00Z`);
  const at = time === undefined && !Number.isNaN(ms) ? dayStart(ms) : ms;
  if (!(at > now)) throw unfit('expiration', text);
  return at;
}
