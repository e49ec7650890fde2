/** Several symbols and periods in one call of `trade candles`. */
import type { RunContext } from '../../../cli/command.ts';
import { splitList } from '../../../cli/flags.ts';
import { type ErrorCode, SvcError } from '../../../errors.ts';
import type { TradingOptions } from '../gateway/trading-session.ts';
import type { Candle } from '../schema.ts';
import { foldedSymbol } from '../symbols.ts';
import { type CandleInput, candleRange, type OpenReading, openReading } from './options.ts';
import { findPeriod, type Period } from './periods.ts';
import { CandleSession } from './reading.ts';

/** The candles of one symbol and one period. */
export interface CandleSet {
  readonly symbol: string;
  readonly period: Period;
}

/** A year of all periods of several symbols is a few hundred requests. */
const MOST_SETS = 100;

/** Each symbol with each period, as given, without duplicates. */
export function candleSets({
  symbol,
  period,
}: {
  readonly symbol: string;
  readonly period: string;
}): readonly CandleSet[] {
  const symbols = [...new Map(splitList(symbol).map((one) => [foldedSymbol(one), one])).values()];
  const periods = [...new Set(splitList(period).map(findPeriod))];
  if (symbols.includes('')) throw new SvcError('invalid_value', `"${symbol}" has an empty symbol`);
  if (symbols.length * periods.length > MOST_SETS) {
    throw new SvcError('invalid_value', `at most ${MOST_SETS} symbols times periods`);
  }
  return symbols.flatMap((one) => periods.map((each) => ({ symbol: one, period: each })));
}

/** `{symbol}-{period}.csv`: EURUSD-H1.csv. */
export function pathOf(
  option: string,
  path: string,
  { symbol, period }: CandleSet,
  sets: readonly CandleSet[],
): string {
  const needed = [
    ...(sets.some((one) => one.symbol !== symbol) ? ['{symbol}'] : []),
    ...(sets.some((one) => one.period !== period) ? ['{period}'] : []),
  ].filter((part) => !path.includes(part));
  if (needed.length > 0) {
    throw new SvcError(
      'usage',
      `${option}: each of them has a file of its own, so the name needs ${needed.join(' and ')}`,
      {
        hint: `such as ${option} '{symbol}-{period}.csv'`,
      },
    );
  }
  return path
    .replaceAll('{symbol}', foldedSymbol(symbol).replace(/[^A-Z0-9.]/g, '_'))
    .replaceAll('{period}', period.name);
}

/** Failures of one of several, after which the others are read. Those of the connection, the token or the caps concern all. */
const OF_ONE = new Set<ErrorCode>([
  'not_found',
  'refused',
  'bad_answer',
  'server_error',
  'timeout',
  'answer_too_large',
  'file_unusable',
  'guarded',
]);

/** Reads one set after the other over one session, and remembers how it went. */
export class CandleSets {
  readonly session: CandleSession;
  readonly #sets: readonly CandleSet[];
  readonly #ctx: RunContext;
  #codes: ErrorCode[] = [];
  #failed = 0;

  constructor(sets: readonly CandleSet[], options: TradingOptions, ctx: RunContext) {
    this.session = new CandleSession(ctx, options);
    this.#sets = sets;
    this.#ctx = ctx;
  }

  /** The exit status of all. */
  code(): ErrorCode | undefined {
    return this.#codes.includes('partly_done') ? 'partly_done' : this.#codes[0];
  }

  note(code: ErrorCode | undefined): void {
    if (code !== undefined) this.#codes.push(code);
  }

  /** Throws if the only one fails, or all of them. */
  async *each<T>(work: (set: CandleSet) => AsyncIterable<T>): AsyncGenerator<T, void, void> {
    try {
      for (const set of this.#sets) {
        try {
          yield* work(set);
        } catch (error) {
          const isOne = error instanceof SvcError && OF_ONE.has(error.code) && !this.#ctx.signal.aborted;
          if (!isOne || ++this.#failed === this.#sets.length) throw error;
          this.#ctx.warn(`${set.symbol} ${set.period.name}: ${error.message}`);
          // Others exist.
          if (error.code !== 'not_found') this.note('partly_done');
        }
      }
    } finally {
      await this.session.end();
    }
  }

  /** The candles of all, batch by batch. */
  batches(
    input: Omit<CandleInput, 'symbol'> & { readonly gaps: boolean; readonly failOnGap: boolean },
    done: (opened: OpenReading) => void = () => {},
  ): AsyncGenerator<{ readonly opened: OpenReading; readonly candles: readonly Candle[] }, void, void> {
    const { session } = this;
    const ctx = this.#ctx;
    const note = (code: ErrorCode | undefined): void => this.note(code);
    return this.each(async function* ({ symbol, period }) {
      const range = candleRange({ ...input, symbol }, period, undefined, ctx);
      const opened = await openReading({ ...input, symbol }, { ...range, period }, session, ctx);
      for await (const { candles } of opened.reading.batches()) yield { opened, candles };
      opened.reading.report();
      note(opened.reading.code(input.failOnGap));
      done(opened);
    });
  }
}
