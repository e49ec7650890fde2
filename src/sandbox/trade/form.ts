/**
 * The parameters of a request, and its refusals. The codes 1, 3, 18, 19, 20001 and 20301 are of doc
 * 3 §7 or the public implementation; the others are the sandbox's own.
 */
import { Refusal } from '../http.ts';
import type { Account, Book, Exit } from './book.ts';
import { findInstrument, type Instrument, inThousands, isForex, roundRate } from './instruments.ts';
import { dayStart, nextDay } from './trading-days.ts';

/** `error` is a sentence, or JSON in a text; `beside` is what the response contains beside it. */
export function refusal(error: string, beside: object = { data: {} }): Refusal {
  return new Refusal(200, { response: { executed: false, error }, ...beside });
}

export function errorText(code: number, message: string, parameters: readonly (string | number)[] = []): string {
  return JSON.stringify({ code, message, parameters });
}

export function refused(...error: Parameters<typeof errorText>): Refusal {
  return refusal(errorText(...error));
}

export function invalid(name: string, value: string): Refusal {
  return refused(2, `Invalid parameter ${name}`, [name, value]);
}

export class Form {
  readonly #values: URLSearchParams;

  constructor(values: URLSearchParams) {
    this.#values = values;
  }

  /** Undefined if it is missing or empty. */
  optional(name: string): string | undefined {
    return this.#values.get(name) || undefined;
  }

  text(name: string): string {
    const value = this.optional(name);
    if (value === undefined) throw refused(2, `Missing parameter ${name}`, [name]);
    return value;
  }

  texts(name: string): readonly string[] {
    return this.#values.getAll(name);
  }

  number(name: string): number | undefined {
    return this.optional(name) === undefined ? undefined : this.requiredNumber(name);
  }

  requiredNumber(name: string): number {
    const text = this.text(name);
    if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw invalid(name, text);
    return Number(text);
  }

  flag(name: string, otherwise: boolean): boolean {
    const text = this.optional(name) ?? String(otherwise);
    // Python's clients send True and False.
    if (!/^(?:[Tt]rue|[Ff]alse)$/.test(text)) throw invalid(name, text);
    return text.toLowerCase() === 'true';
  }

  /** The first choice if it is missing: the vendor's samples leave it out. */
  oneOf(name: string, choices: readonly [string, ...string[]]): string {
    const text = this.optional(name) ?? choices[0];
    if (!choices.includes(text)) throw invalid(name, text);
    return text;
  }

  instrument(name = 'symbol'): Instrument {
    return instrumentOf(this.text(name), name);
  }

  /** By its id: for a name, the gateway answers as if the amount were wrong. */
  account({ accounts }: Book): Account {
    const given = this.text('account_id');
    const account = accounts.find(({ id }) => id === given);
    if (account !== undefined) return account;
    if (accounts.some(({ name }) => name === given)) throw notDivisible(10);
    const text = ` Account is not in pool. Skip request for acct ${given}\n`;
    // The other shape of an error: `text` instead of `message`.
    throw refusal(
      JSON.stringify({ type: 5, sessionId: 'SANDBOX', requestId: 'Request-1', text, code: 20001, stack: '' }),
    );
  }

  amount({ step: forexStep }: Account, instrument: Instrument): number {
    const amount = Number(this.text('amount'));
    const step = isForex(instrument) ? forexStep : 1;
    if (!Number.isInteger(amount) || amount <= 0 || amount % step !== 0) throw notDivisible(step);
    if (amount > instrument.maxQuantity) throw invalid('amount', String(amount));
    return inThousands(instrument, amount);
  }

  /** Doc 3 §4: 1 follows every move, 10 and above are steps, 2 to 9 are refused. */
  trail(name: string): number {
    const step = this.number(name) ?? 0;
    if (step !== 0 && step !== 1 && !(Number.isInteger(step) && step >= 10)) {
      throw refused(20, 'The trailing step must be 1 or at least 10', [String(step)]);
    }
    return step;
  }

  /** In UTC; a day starts at 17:00 in New York on the day before. DAY ends with the trading day. */
  expiry(timeInForce: string, now: number): number | undefined {
    if (timeInForce === 'DAY') return nextDay(dayStart(now));
    if (timeInForce !== 'GTD') return undefined;
    const text = this.text('expiration');
    const [, day, time] = /^(\d{4}-\d{2}-\d{2})(?: (\d{2}:\d{2}))?$/.exec(text) ?? [];
    const ms = Date.parse(`${day}T${time ?? '00:00'}:00Z`);
    const at = time === undefined && !Number.isNaN(ms) ? dayStart(ms) : ms;
    if (!(at > now)) throw invalid('expiration', text);
    return at;
  }
}

export function instrumentOf(symbol: string, name: string): Instrument {
  const instrument = findInstrument(symbol);
  if (instrument === undefined) throw invalid(name, symbol);
  return instrument;
}

function notDivisible(step: number): Refusal {
  return refused(3, `Amount should be divisible by ${step}`, [String(step)]);
}

/** What a stop and a limit count from. */
export interface Base {
  readonly instrument: Instrument;
  readonly isBuy: boolean;
  readonly rate: number;
}

/** A stop is a loss: in pips it is negative on both sides. */
export function stopAt(value: number | undefined, isInPips: boolean, base: Base, trail: number): Exit | undefined {
  if (value === undefined) return undefined;
  const rate = exitRate(value, isInPips, base);
  if (gainAt(rate, base) >= 0) throw refused(18, 'The Stop distance must be ', ['<', 0]);
  return { rate, trail };
}

export function limitAt(value: number | undefined, isInPips: boolean, base: Base): Exit | undefined {
  if (value === undefined) return undefined;
  const rate = exitRate(value, isInPips, base);
  if (gainAt(rate, base) <= 0) throw refused(19, 'The Limit distance must be > 0', ['>', 0]);
  return { rate, trail: 0 };
}

function exitRate(value: number, isInPips: boolean, { instrument, isBuy, rate }: Base): number {
  if (!isInPips) return value;
  return roundRate(instrument, rate + (isBuy ? 1 : -1) * value * instrument.pip);
}

function gainAt(exit: number, { isBuy, rate }: Base): number {
  return isBuy ? exit - rate : rate - exit;
}
