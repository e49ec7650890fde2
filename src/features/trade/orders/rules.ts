/** Rules for the values of an order that do not depend on the gateway's state. */
import type { RunContext } from '../../../cli/command.ts';
import { SvcError } from '../../../errors.ts';
import { exact, fixedText } from '../../../output/decimal.ts';

export type Side = 'buy' | 'sell';

/** A stop or limit: a distance in pips or a price. The text is as typed, to lose no digit. */
export interface Distance {
  readonly unit: 'pips' | 'price';
  readonly text: string;
  readonly value: number;
}

/** A number above zero without an exponent, sent as typed. */
export interface Decimal {
  readonly text: string;
  readonly value: number;
}

const DECIMAL = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;

function invalid(message: string, hint?: string): SvcError {
  return new SvcError('invalid_value', message, hint === undefined ? {} : { hint });
}

function parseDecimal(text: string): Decimal | undefined {
  const value = Number(text);
  return DECIMAL.test(text) && value > 0 && Number.isFinite(value) ? { text, value } : undefined;
}

/** Without the exponent that small numbers have as strings. */
export function withoutExponent(value: number): string {
  const text = String(value);
  const [digits = '', exponent] = text.split('e-');
  if (exponent === undefined) return text;
  const decimals = (digits.split('.')[1] ?? '').length + Number(exponent);
  return value.toFixed(Math.min(decimals, 100));
}

/** A price above 0: `--rate`, or the option named by `flag`. */
export function parseRate(text: string, flag = '--rate'): Decimal {
  const rate = parseDecimal(text);
  if (rate !== undefined) return rate;
  throw invalid(`${flag}: ${JSON.stringify(text)} is not a price above 0`, 'write it like 1.1605');
}

/** `--range`: the maximum distance from the rate. */
export function parsePips(text: string, flag: string): Decimal {
  const pips = parseDecimal(text.replace(/\s*pips?$/, ''));
  if (pips !== undefined) return pips;
  throw invalid(`${flag}: ${JSON.stringify(text)} is not a number of pips above 0`, 'write it like 5 or 5pips');
}

/** `--stop` and `--limit`: `40pips`, always without a sign, or a price. */
export function parseDistance(text: string, flag: '--stop' | '--limit'): Distance {
  const [, signed = '', digits = '', pips] = /^([+-]?)(.*?)(\s*pips?)?$/s.exec(text) ?? [];
  if (signed !== '' && parseDecimal(digits) !== undefined) {
    // In pips the sign means loss or gain, not up or down: it follows from the option.
    const meant = pips === undefined ? `${digits}pips, or a price` : `${digits}pips`;
    throw invalid(`${flag}: ${JSON.stringify(text)} must have no sign`, `write ${meant}`);
  }
  const number = parseDecimal(digits);
  if (number !== undefined) return { unit: pips === undefined ? 'price' : 'pips', ...number };
  if (signed === '' && /^0+(\.0+)?$/.test(digits)) {
    throw invalid(`${flag}: 0 is not a distance or a price`, `omit ${flag} for none`);
  }
  throw invalid(`${flag}: ${JSON.stringify(text)} is neither pips nor a price`, 'write it like 40pips or 1.1605');
}

/** The options that attach a stop and a limit to an order. */
interface ExitInput {
  readonly stop?: string | undefined;
  readonly limit?: string | undefined;
  readonly trail?: string | undefined;
}

export interface Exits {
  readonly stop: Distance | undefined;
  readonly limit: Distance | undefined;
  readonly trail: number | undefined;
}

export function parseExits({ stop, limit, trail }: ExitInput): Exits {
  const exits: Exits = {
    stop: stop === undefined ? undefined : parseDistance(stop, '--stop'),
    limit: limit === undefined ? undefined : parseDistance(limit, '--limit'),
    trail: trail === undefined ? undefined : parseTrail(trail),
  };
  if (exits.trail !== undefined && exits.stop === undefined) {
    throw new SvcError('missing_value', '--trail needs a stop: pass --stop <pips|price>');
  }
  return exits;
}

interface TypedPrices {
  readonly rate?: Decimal | undefined;
  readonly stop?: Distance | undefined;
  readonly limit?: Distance | undefined;
}

/** A rate with more decimals than the rates of its symbol would be refused, or rounded. */
export function checkPrecision(
  { rate, stop, limit }: TypedPrices,
  { currency, ratePrecision }: { readonly currency?: string | undefined; readonly ratePrecision?: number | undefined },
): void {
  const prices = { '--rate': rate, '--stop': stop, '--limit': limit };
  for (const [flag, price] of Object.entries(prices)) {
    if (price === undefined || ratePrecision === undefined || ('unit' in price && price.unit === 'pips')) continue;
    const { digits, decimals } = exact(price.text.includes('.') ? price.text.replace(/\.?0+$/, '') : price.text);
    if (decimals <= ratePrecision) continue;
    const nearestBelow = digits / 10n ** BigInt(decimals - ratePrecision);
    const [lower, upper] = [nearestBelow, nearestBelow + 1n].map((rate) =>
      fixedText(Number(`${rate}e-${ratePrecision}`), ratePrecision),
    );
    const why = `${flag}: ${price.text} has ${decimals} decimals, and rates of ${currency ?? 'this symbol'} have ${ratePrecision}`;
    throw invalid(`${why}; nothing was sent`, `the nearest rates are ${lower} and ${upper}`);
  }
}

interface ExitPrices {
  readonly side: Side;
  readonly stop?: Distance | undefined;
  readonly limit?: Distance | undefined;
}

/** Prices must be on the right side of the rate. `code`: `guarded` if only the gateway knows it. */
export function checkExitPrices(
  { side, stop, limit }: ExitPrices,
  rate: number,
  code: 'invalid_value' | 'guarded' = 'invalid_value',
): void {
  for (const [flag, price] of Object.entries({ '--stop': stop, '--limit': limit })) {
    if (price?.unit !== 'price') continue;
    const { text, value } = price;
    // A whole number far from the rate is a distance without its unit: `--stop 40`.
    if (/^\d{1,4}$/.test(text) && (value > 2 * rate || value < rate / 2)) {
      const hint = `did you mean ${flag} ${text}pips? Write a price with decimals: ${text}.0`;
      throw new SvcError(code, `${flag}: ${text} is too far from the rate ${rate}; nothing was sent`, { hint });
    }
    const isAbove = (flag === '--limit') === (side === 'buy');
    if (isAbove ? value > rate : value < rate) continue;
    throw new SvcError(code, `${flag}: ${text} must be ${isAbove ? 'above' : 'below'} the rate ${rate} for a ${side}`);
  }
}

/** Doc 3 §4: 1 is a dynamic trailing stop, 10 and above a fixed one, 2 to 9 are refused. */
export const DYNAMIC_TRAIL = 1;
const LEAST_TRAIL = 10;
const TRAIL_RULE = `1 or "dynamic" follows every price, and ${LEAST_TRAIL} or more follows in such steps; the gateway rejects 2 to 9`;

/** `--trail`: the value of the field. */
export function parseTrail(text: string): number {
  if (text === 'dynamic' || text === String(DYNAMIC_TRAIL)) return DYNAMIC_TRAIL;
  const steps = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
  if (steps >= LEAST_TRAIL) return steps;
  throw invalid(`--trail: invalid value ${JSON.stringify(text)}: ${TRAIL_RULE}`);
}

/** Amounts are whole: thousands of forex, contracts of anything else. */
export function parseAmount(text: string, name = 'the amount'): number {
  const amount = /^[1-9]\d*$/.test(text) ? Number(text) : 0;
  if (amount > 0 && Number.isSafeInteger(amount)) return amount;
  throw invalid(
    `${name} ${JSON.stringify(text)} is not a whole number above 0`,
    'forex amounts are in thousands (5 is 5,000), all others in contracts',
  );
}

export const TIMES_IN_FORCE = ['GTC', 'DAY', 'IOC', 'FOK', 'GTD'] as const;
export type TimeInForce = (typeof TIMES_IN_FORCE)[number];

/** For a market order, which has no expiry. */
export const MARKET_TIMES = ['GTC', 'DAY', 'IOC', 'FOK'] as const satisfies readonly TimeInForce[];

/** The first is the default. AtMarket, GTC: doc 3 §4; others as in the public implementation. */
const ORDER_TYPES = {
  AtMarket: { label: 'a market order', times: MARKET_TIMES },
  MarketRange: { label: 'a market order with --range', times: ['IOC', 'FOK'] },
  Entry: { label: 'an entry order', times: TIMES_IN_FORCE },
  RangeEntry: { label: 'an entry order with --range', times: TIMES_IN_FORCE },
} as const satisfies Record<string, { readonly label: string; readonly times: readonly TimeInForce[] }>;
export type OrderType = keyof typeof ORDER_TYPES;

export function chooseTimeInForce(type: OrderType, wanted: TimeInForce | undefined, expires = false): TimeInForce {
  const { label, times } = ORDER_TYPES[type];
  if (expires && wanted !== undefined && wanted !== 'GTD') {
    throw new SvcError('usage', `--expires needs --tif GTD, not ${wanted}`);
  }
  const tif = wanted ?? (expires ? 'GTD' : times[0]);
  if (!(times as readonly TimeInForce[]).includes(tif)) {
    throw invalid(`--tif ${tif} is not valid for ${label}: use ${times.join(', ')}`);
  }
  if (tif === 'GTD' && !expires) throw new SvcError('missing_value', '--tif GTD needs --expires <time>');
  return tif;
}

/** The field `expiration` of a time in milliseconds: `2026-11-20 12:00`, UTC, rounded down. */
export function expirationText(at: number, now: number): string {
  const minute = Math.floor(at / 60_000) * 60_000;
  if (minute <= now) throw invalid(`--expires: ${new Date(at).toISOString()} is not in the future`);
  return new Date(minute).toISOString().slice(0, 16).replace('T', ' ');
}

/** The key of `--once` is one line of text. */
export function checkOnceKey(key: string): void {
  if (/^[^\p{Cc}\p{Zl}\p{Zp}]{1,200}$/u.test(key)) return;
  throw invalid('the key of --once must have 1 to 200 characters in one line');
}

/** The gateway takes a rounded number such as `123.0` for another order, or none. */
export function checkOrderId(text: string, what = 'an order id', hint?: string): void {
  if (/^\d+$/.test(text)) return;
  throw new SvcError('invalid_value', `${JSON.stringify(text)} is not ${what}: use digits only`, { hint });
}

/** The refusal above `trade.maxOrder`. Closes, cancels and cuts of pending orders have no limit. */
export function maxOrderFailure(amount: number, symbol: string, { settings }: RunContext): SvcError | undefined {
  const max = settings.get('trade.maxOrder');
  if (max === undefined || amount <= Number(max)) return undefined;
  return new SvcError(
    'over_limit',
    `the amount ${amount} of ${symbol} is above trade.maxOrder (${max}); nothing was sent`,
    {
      hint: 'pass a smaller amount, or change the limit: svc config set trade.maxOrder <amount>',
      more: { setting: 'trade.maxOrder', limit: Number(max), value: amount },
    },
  );
}
