/** What must hold of an order's values whatever the gateway's state is: a value that breaks one of these is wrong by itself. */
import { SvcError } from '../../errors.ts';

export type Side = 'buy' | 'sell';

/** Where a stop or a limit is: so many pips away, or at a price. The text is as it was typed, so that no digit is lost. */
export interface Distance {
  readonly unit: 'pips' | 'price';
  readonly text: string;
  readonly value: number;
}

/** Above zero and without an exponent: a number that is sent as it was typed. */
export interface Decimal {
  readonly text: string;
  readonly value: number;
}

const DECIMAL = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;

function invalid(message: string, hint?: string): SvcError {
  return new SvcError('invalid_value', message, hint === undefined ? {} : { hint });
}

function decimal(text: string): Decimal | undefined {
  const value = Number(text);
  return DECIMAL.test(text) && value > 0 && Number.isFinite(value) ? { text, value } : undefined;
}

/** As a field takes it: without the exponent that small ones have as texts. */
export function plainText(value: number): string {
  const text = String(value);
  const [digits = '', exponent] = text.split('e-');
  if (exponent === undefined) return text;
  const decimals = (digits.split('.')[1] ?? '').length + Number(exponent);
  return value.toFixed(Math.min(decimals, 100));
}

/** `--rate`. */
export function parseRate(text: string, flag = '--rate'): Decimal {
  const rate = decimal(text);
  if (rate !== undefined) return rate;
  throw invalid(`${flag}: ${JSON.stringify(text)} is not a price above 0`, 'write it like 1.1605');
}

/** `--range`: how far from its rate an order may be filled. */
export function parsePips(text: string, flag: string): Decimal {
  const pips = decimal(text.replace(/\s*pips?$/, ''));
  if (pips !== undefined) return pips;
  throw invalid(`${flag}: ${JSON.stringify(text)} is not a number of pips above 0`, 'write it like 5 or 5pips');
}

/** `--stop` and `--limit`: `40pips`, always without a sign, or a price. */
export function parseDistance(text: string, flag: '--stop' | '--limit'): Distance {
  const [, signed = '', digits = '', pips] = /^([+-]?)(.*?)(\s*pips?)?$/s.exec(text) ?? [];
  if (signed !== '' && decimal(digits) !== undefined) {
    // In pips the sign tells loss from gain, and not up from down: it follows from the option.
    const meant = pips === undefined ? `${digits}pips, or a price` : `${digits}pips`;
    throw invalid(`${flag}: ${JSON.stringify(text)} has a sign, which follows from the option`, `write ${meant}`);
  }
  const number = decimal(digits);
  if (number !== undefined) return { unit: pips === undefined ? 'price' : 'pips', ...number };
  if (signed === '' && /^0+(\.0+)?$/.test(digits)) {
    throw invalid(`${flag}: 0 is no distance and no price`, `leave ${flag} out for none`);
  }
  throw invalid(`${flag}: ${JSON.stringify(text)} is neither pips nor a price`, 'write it like 40pips or 1.1605');
}

/** One field says for both of them whether they are in pips. */
export function checkSameUnit(stop: Distance | undefined, limit: Distance | undefined): void {
  if (stop === undefined || limit === undefined || stop.unit === limit.unit) return;
  throw new SvcError('usage', 'one of --stop and --limit is in pips, the other a price: an order takes one kind', {
    hint: 'write both in pips, or both as prices',
  });
}

/** What follows the price is a stop. */
export function checkTrailed({
  stop,
  trail,
}: {
  readonly stop?: Distance | undefined;
  readonly trail?: number | undefined;
}): void {
  if (trail !== undefined && stop === undefined) {
    throw new SvcError('missing_value', '--trail is of a stop: pass --stop <pips|price> as well');
  }
}

interface ExitPrices {
  readonly side: Side;
  readonly stop?: Distance | undefined;
  readonly limit?: Distance | undefined;
}

/** `code` is that of a rate which only the gateway knows. */
export function checkExitPrices(
  exits: ExitPrices,
  rate: number,
  code: 'invalid_value' | 'guarded' = 'invalid_value',
): void {
  checkNotPips(exits, rate, code);
  checkPriceSides(exits, rate, code);
}

/** On which side of the rate a stop's or a limit's price is. */
export function checkPriceSides(
  { side, stop, limit }: ExitPrices,
  rate: number,
  code: 'invalid_value' | 'guarded' = 'invalid_value',
): void {
  const check = (price: Distance | undefined, flag: string, above: boolean): void => {
    if (price?.unit !== 'price' || (above ? price.value > rate : price.value < rate)) return;
    throw new SvcError(
      code,
      `${flag}: ${price.text} is ${price.value === rate ? 'at' : above ? 'below' : 'above'} the rate ${rate}, and of a ${side} it is ${above ? 'above' : 'below'}`,
    );
  };
  check(stop, '--stop', side === 'sell');
  check(limit, '--limit', side === 'buy');
}

/** A whole number that is nowhere near the rate is a distance without its unit: `--stop 40`. */
function checkNotPips({ stop, limit }: ExitPrices, rate: number, code: 'invalid_value' | 'guarded'): void {
  for (const [flag, price] of [
    ['--stop', stop],
    ['--limit', limit],
  ] as const) {
    if (price?.unit !== 'price' || !/^\d{1,4}$/.test(price.text)) continue;
    if (price.value <= 2 * rate && price.value >= rate / 2) continue;
    const hint = `did you mean ${flag} ${price.text}pips? Write a price with decimals: ${price.text}.0`;
    throw new SvcError(code, `${flag}: ${price.text} is nowhere near the rate ${rate}; nothing was sent`, { hint });
  }
}

/** Doc 3 §4: 1 is a dynamic trailing stop, 10 and above a fixed one, 2 to 9 are refused. */
export const DYNAMIC_TRAIL = 1;
const LEAST_TRAIL = 10;
const TRAIL_RULE = `a trailing stop is "dynamic", or a whole number from ${LEAST_TRAIL} on`;

/** `--trail` and `--trail-entry`: the value of the field. */
export function parseTrail(text: string, flag = '--trail'): number {
  if (text === 'dynamic') return DYNAMIC_TRAIL;
  const steps = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
  if (steps >= LEAST_TRAIL) return steps;
  throw invalid(
    `${flag}: ${JSON.stringify(text)} is none: ${TRAIL_RULE}`,
    text === '1' ? `write ${flag} dynamic` : undefined,
  );
}

/** Amounts are whole: thousands of forex, contracts of anything else. */
export function parseAmount(text: string, name = 'the amount'): number {
  const amount = /^[1-9]\d*$/.test(text) ? Number(text) : 0;
  if (amount > 0 && Number.isSafeInteger(amount)) return amount;
  throw invalid(
    `${name} ${JSON.stringify(text)} is not a whole number above 0`,
    'of forex it counts thousands (5 is 5,000), of anything else contracts',
  );
}

export type OrderType = 'AtMarket' | 'MarketRange' | 'Entry' | 'RangeEntry';
export const TIMES_IN_FORCE = ['GTC', 'DAY', 'IOC', 'FOK', 'GTD'] as const;
export type TimeInForce = (typeof TIMES_IN_FORCE)[number];

/** Of an order at market: it waits for no time. */
export const MARKET_TIMES = ['GTC', 'DAY', 'IOC', 'FOK'] as const satisfies readonly TimeInForce[];

/** The first is what an order has where none is told. AtMarket and GTC: doc 3 §4; the others as seen on the public implementation. */
const IN_FORCE: Readonly<Record<OrderType, readonly TimeInForce[]>> = {
  AtMarket: MARKET_TIMES,
  MarketRange: ['IOC', 'FOK'],
  Entry: ['GTC', 'DAY', 'GTD', 'IOC', 'FOK'],
  RangeEntry: ['GTC', 'DAY', 'GTD', 'IOC', 'FOK'],
};

const TYPE_LABELS: Readonly<Record<OrderType, string>> = {
  AtMarket: 'an order at market',
  MarketRange: 'an order at market within a range',
  Entry: 'an entry order',
  RangeEntry: 'an entry order with a range',
};

/** What an order has that is told this much, or nothing, of how long it holds. */
export function timeInForce(type: OrderType, wanted: TimeInForce | undefined, expires = false): TimeInForce {
  const possible = IN_FORCE[type];
  if (expires && wanted !== undefined && wanted !== 'GTD') {
    throw new SvcError('usage', `--expires goes with --tif GTD, not with ${wanted}`);
  }
  const tif = wanted ?? (expires ? 'GTD' : (possible[0] ?? 'GTC'));
  if (!possible.includes(tif)) {
    throw invalid(`--tif ${tif} is not for ${TYPE_LABELS[type]}: that takes ${possible.join(', ')}`);
  }
  if (tif === 'GTD' && !expires) {
    throw new SvcError('missing_value', '--tif GTD needs the time: pass --expires <time>');
  }
  return tif;
}

/** `2026-11-20 12:00`, UTC, as the field `expiration` is written (seen on the public implementation): the minute that has begun. */
export function expiration(at: number, now: number): string {
  const minute = Math.floor(at / 60_000) * 60_000;
  if (minute <= now) throw invalid(`--expires: ${new Date(at).toISOString()} is not in the future`);
  return new Date(minute).toISOString().slice(0, 16).replace('T', ' ');
}

/** What an entry order waits for: a price that is worse than the one of now, or a better one. */
export type EntryKind = 'stop entry' | 'limit entry';

export function entryKind(
  side: Side,
  rate: number,
  { bid, ask }: { readonly bid: number; readonly ask: number },
): EntryKind {
  return (side === 'buy' ? rate > ask : rate < bid) ? 'stop entry' : 'limit entry';
}

/** A rounded number such as `123.0` is another order to the gateway, or none. */
export function checkOrderId(text: string, what = 'an order id'): void {
  if (/^\d+$/.test(text)) return;
  throw new SvcError('invalid_value', `${JSON.stringify(text)} is not ${what}, which is made of digits alone`);
}
