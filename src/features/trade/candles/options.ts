/** Turns the options of `trade candles` into a request. */
import type { RunContext } from '../../../cli/command.ts';
import type { Instant } from '../../../cli/flags.ts';
import { SvcError } from '../../../errors.ts';
import type { BegunFile } from '../../../store/appended-file.ts';
import type { TradingSession } from '../gateway/trading-session.ts';
import { FOREX, findOffer } from '../symbols.ts';
import { knownOffers } from '../tables/trading-offers.ts';
import { type CandleTarget, checkSameRequest, resumePointOf } from './file.ts';
import type { Period } from './periods.ts';
import { timeText } from './reader.ts';
import { CandleReading, type CandleRequest, type CandleSession } from './reading.ts';

export interface CandleInput {
  readonly symbol: string;
  readonly offerId: string | undefined;
  readonly from: Instant | undefined;
  readonly to: Instant | undefined;
  readonly last: number | undefined;
  readonly includePartial: boolean;
}

export interface OpenReading {
  readonly reading: CandleReading;
  readonly request: CandleRequest;
}

export type CandleRange = Pick<CandleRequest, 'from' | 'to' | 'last' | 'includePartial' | 'now' | 'untilNow'>;

const USUAL_LAST = 100;
const DAY_MS = 86_400_000;
/** The time that may pass between parsing a relative time and reading the clock. */
const SAME_MOMENT_MS = 5000;

/** A resumed file keeps its range: `-30d` means what it meant at the start. */
export function candleRange(
  { from, to, last = USUAL_LAST, includePartial }: CandleInput,
  period: Period,
  begun: BegunFile | undefined,
  ctx: Pick<RunContext, 'now'>,
): CandleRange {
  const now = begun?.begunAt ?? ctx.now();
  const resumed = (given: Instant | undefined, name: 'from' | 'to'): number | undefined => {
    const before = Date.parse(String(begun?.request[name]));
    if (begun === undefined || Number.isNaN(before)) return given?.ms;
    const isAsFar = given !== undefined && Math.abs(ctx.now() - given.ms - (now - before)) < SAME_MOMENT_MS;
    return given === undefined || isAsFar ? before : given.ms;
  };
  const start = resumed(from, 'from');
  // The unfinished day has a time in the future.
  const end = resumed(to, 'to') ?? now + 1 + (includePartial && period.ms >= DAY_MS ? period.ms : 0);
  if (start !== undefined && start > now) throw new SvcError('invalid_value', '--from is in the future');
  if (start !== undefined && start >= end) throw new SvcError('invalid_value', '--from must be before --to');
  return {
    from: start === undefined ? undefined : Math.max(0, Math.ceil(start / 1000)),
    to: Math.ceil(end / 1000),
    last,
    includePartial,
    now,
    untilNow: begun === undefined && end >= now,
  };
}

/** As stored beside a file. */
export function rangeTexts({ from, to }: CandleRange): Readonly<Record<string, string>> {
  return { ...(from === undefined ? {} : { from: timeText(from) }), to: timeText(to) };
}

/** Offer ids differ from host to host. */
async function candleOffer(
  { symbol, offerId }: CandleInput,
  open: TradingSession,
): Promise<Pick<CandleRequest, 'symbol' | 'offerId' | 'isForex'>> {
  if (offerId !== undefined) return { symbol, offerId, isForex: isPair(symbol) };
  const { currency, offerId: id, instrumentType } = findOffer(await knownOffers(open), symbol);
  if (id === undefined) {
    throw new SvcError('bad_answer', `the gateway's offer of ${currency} has no id`, { hint: 'pass --offer-id' });
  }
  return {
    symbol: currency,
    offerId: String(id),
    isForex: instrumentType === undefined ? isPair(currency) : instrumentType === FOREX,
  };
}

/** Two currencies, neither of them a metal. */
function isPair(symbol: string): boolean {
  return /^(?!X(?:AU|AG|PT|PD))[A-Z]{3}\/[A-Z]{3}$/.test(symbol);
}

export async function openReading(
  input: CandleInput & { readonly gaps: boolean; readonly failOnGap: boolean },
  { period, ...range }: CandleRange & Pick<CandleRequest, 'period'>,
  session: CandleSession,
  ctx: RunContext,
  target?: CandleTarget,
): Promise<OpenReading> {
  const offer = await candleOffer(input, await session.open());
  if ((input.gaps || input.failOnGap) && !offer.isForex) {
    const option = input.gaps ? '--gaps' : '--fail-on-gap';
    throw new SvcError('invalid_value', `${option}: trading hours are only known for forex, not for ${offer.symbol}`);
  }
  if (target !== undefined) checkSameRequest(target, { symbol: offer.symbol, offerId: offer.offerId });
  const before = target === undefined ? undefined : resumePointOf(target);
  const from = before === undefined ? range.from : (before.last ?? before.through + 1);
  const request = { ...range, ...offer, period, from };
  return { request, reading: new CandleReading(request, session, ctx, before) };
}
