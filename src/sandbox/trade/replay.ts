/** The market of a recording: its ticks again, one after the other, faster or slower than they were. */
import { INSTRUMENTS, type Instrument } from './instruments.ts';
import { curvePrice, type Move, type PriceSource } from './market.ts';

export interface RecordedTick {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly symbol: string;
  readonly bid: number;
  readonly ask: number;
  readonly high: number | undefined;
  readonly low: number | undefined;
}

/** Symbols without a tick keep their price of the start. The last ticks stay when the recording is over. */
export function replayed(ticks: readonly RecordedTick[], speed: number, now: () => number): PriceSource {
  const known: ReadonlyMap<string, Instrument> = new Map(INSTRUMENTS.map((one) => [one.symbol, one]));
  const moves = ticks
    .flatMap(({ symbol, at, ...rates }): readonly (Move & { readonly at: number })[] => {
      const instrument = known.get(symbol);
      return instrument === undefined ? [] : [{ instrument, at, ...rates }];
    })
    // Streams of several connections may be mixed.
    .sort((one, other) => one.at - other.at);
  const [first] = moves;
  let startedAt: number | undefined;
  let next = 0;
  return {
    isOpen: () => true,
    start: () =>
      INSTRUMENTS.map((instrument) => {
        const own = moves.find((move) => move.instrument === instrument);
        return own ?? { instrument, bid: curvePrice(instrument, now()) };
      }),
    next() {
      startedAt ??= now();
      const until = (first?.at ?? 0) + (now() - startedAt) * speed;
      const begin = next;
      while ((moves[next]?.at ?? Number.POSITIVE_INFINITY) <= until) next++;
      return moves.slice(begin, next);
    },
  };
}
