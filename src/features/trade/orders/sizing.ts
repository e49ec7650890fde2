/** The amount of an order from the money that its stop may lose, in exact decimal arithmetic. */
import { SvcError } from '../../../errors.ts';
import { type Exact, exact, fixedText, minus, ratio, times } from '../../../output/decimal.ts';
import type { Account, Offer } from '../schema.ts';
import { isForex, pipValueOf } from '../symbols.ts';
import { checkExitPrices, type Distance, type Side } from './rules.ts';

/** `--risk`: money, or a part of the account's equity. */
export interface Risk {
  readonly unit: 'percent' | 'money';
  readonly text: string;
}

export type Sizing = ReturnType<typeof sizeOf>;

function sizingFailure(why: string, hint?: string): SvcError {
  return new SvcError('invalid_value', `--risk: ${why}; nothing was sent`, hint === undefined ? {} : { hint });
}

/** `1%`, or `100` in the account's currency. */
export function parseRisk(text: string): Risk {
  const [, digits = '', percent = ''] = /^((?:0|[1-9]\d*)(?:\.\d+)?)\s*(%?)$/.exec(text) ?? [];
  if (/[1-9]/.test(digits) && (percent === '' || Number(digits) <= 100)) {
    return { unit: percent === '' ? 'money' : 'percent', text: digits };
  }
  throw new SvcError('invalid_value', `--risk: ${JSON.stringify(text)} is neither a part of the equity nor money`, {
    hint: 'write it like 1% or 100',
  });
}

export interface SizingTerms {
  readonly risk: Risk;
  readonly side: Side;
  readonly stop: Distance;
  /** The rate at which it is filled, as text if it was typed. */
  readonly rate: string | number | undefined;
}

/** Throws if something needed is unknown, or the risk is too small for the smallest amount. */
export function sizeOf({ risk, side, stop, rate }: SizingTerms, account: Account, offer: Offer) {
  const pipValue = pipValueOf(offer);
  if (pipValue === undefined) {
    throw sizingFailure(
      `the gateway does not say what a pip of ${offer.currency} is worth (pipCost, instrBaseUnitSize)`,
    );
  }
  const money = moneyAtRisk(risk, account);
  const [away, pip] = stopDistance(stop, side, rate, offer);
  // An amount of 1 loses this, divided by the size of a pip.
  const lossOfOne = times(away, exact(pipValue));
  const lossOf = (amount: number): number => Number(ratio(times(lossOfOne, exact(amount)), pip, 2)) / 100;
  const step = BigInt(Math.max(1, Math.trunc(offer.instrBaseUnitSize ?? 1)));
  const amount = Number((ratio(times(money, pip), lossOfOne) / step) * step);

  const moneyText = (Number(ratio(money, exact(1), 2)) / 100).toFixed(2);
  const stopPips = Number(ratio(away, pip, 1)) / 10;
  const available = moneyText + partOfEquity(risk, account);
  const each = `${stopPips} pips x ${pipValue} for ${unitOf(offer)}`;
  const smallest = Math.max(1, offer.minQuantity ?? 1);
  if (amount < smallest) {
    throw sizingFailure(
      `${available} is too little: ${each} lose ${lossOf(smallest)} with the smallest amount`,
      'pass a larger risk or a nearer stop',
    );
  }
  if (!Number.isSafeInteger(amount)) throw sizingFailure('the amount is too large');
  const rounding = step > 1n ? `rounded down to a multiple of ${step}` : 'rounded down';
  // Money is in the account's currency.
  return {
    amount,
    risk: Number(moneyText),
    risk_percent: risk.unit === 'percent' ? Number(risk.text) : null,
    equity: account.equity ?? null,
    stop_pips: stopPips,
    // For an amount of 1.
    pip_value_of_one: pipValue,
    // What the stop loses with this amount.
    loss: lossOf(amount),
    arithmetic: `${available} / (${each}) = ${amount}, ${rounding}`,
  };
}

function partOfEquity({ unit, text }: Risk, { equity = 0 }: Account): string {
  return unit === 'percent' ? ` (${text}% of equity ${fixedText(equity, 2)})` : '';
}

function unitOf(offer: Offer): string {
  return isForex(offer) ? `1,000 ${offer.currency.split('/')[0]}` : '1 contract';
}

function moneyAtRisk({ unit, text }: Risk, { accountId, equity }: Account): Exact {
  const part = exact(text);
  if (unit === 'money') return part;
  if (equity === undefined || equity <= 0) {
    throw sizingFailure(`the equity of account ${accountId} is ${equity ?? 'unknown'}`, 'pass --risk as money');
  }
  return times({ ...part, decimals: part.decimals + 2 }, exact(equity));
}

/** `away / pip` is the distance in pips. */
function stopDistance(
  stop: Distance,
  side: Side,
  rate: string | number | undefined,
  { pip, currency }: Offer,
): readonly [away: Exact, pip: Exact] {
  if (stop.unit === 'pips') return [exact(stop.text), exact(1)];
  if (rate === undefined || !pip)
    throw sizingFailure(`the rate of ${currency} is unknown (buy, sell, pip)`, 'pass --stop in pips');
  checkExitPrices({ side, stop }, Number(rate));
  const away = side === 'buy' ? minus(exact(rate), exact(stop.text)) : minus(exact(stop.text), exact(rate));
  return [away, exact(pip)];
}
