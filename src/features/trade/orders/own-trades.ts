/** Which trades a lost order opened, where nothing but amounts and times tells them from those of other orders. */
import type { OpenPosition } from '../schema.ts';
import { isSince, tableTime } from '../tables/table-time.ts';

const TINY = 1e-9;
const SUM_TINY = 1e-6;

export interface Trade extends Pick<OpenPosition, 'tradeId' | 'orderId' | 'open' | 'ratePrecision'> {
  readonly time: string | undefined;
  readonly amountK: number;
}

/** Another order of about the same time, which may have opened what the lost one seems to have opened. */
export interface Rival {
  readonly at: number;
  readonly amountK: number;
  readonly ids: readonly string[];
  readonly isAccepted: boolean;
}

/** An attempt to say which order opened which trades: each all of its amount, or nothing. */
interface Explanation {
  readonly own: readonly Trade[];
  readonly foreign: number;
  readonly unused: readonly Rival[];
}

interface Puzzle {
  /** What the lost order opened in all. */
  readonly wholes: readonly number[];
  isOwn(row: Trade): boolean;
  /** It may belong to an order that svc does not know. */
  isForeign(row: Trade): boolean;
  /** How many are left to try. */
  steps: number;
}

const MOST_STEPS = 20_000;

/** The trades that the lost order opened. Disputed if it may have opened none of them. Undefined if no explanation is found. */
export function ownTrades(
  trades: readonly Trade[],
  rivals: readonly Rival[],
  equals: number,
  rules: Omit<Puzzle, 'steps'>,
): { readonly trades: readonly Trade[]; readonly isDisputed: boolean } | undefined {
  // With the oldest first, rivals of the same amount that may have opened it may have opened all later ones, too.
  const sorted = [...trades].sort(
    (one, other) => (tableTime(one.time) ?? Infinity) - (tableTime(other.time) ?? Infinity),
  );
  const puzzle = { ...rules, steps: MOST_STEPS };
  const all = [...explanations(sorted, rivals, equals, puzzle)];
  if (all.length === 0 || puzzle.steps <= 0) return undefined;
  const least = Math.min(...all.map(({ foreign }) => foreign));
  const best = all.filter(({ foreign }) => foreign === least);
  const [first] = best;
  const any = new Set(best.flatMap(({ own }) => own));
  // Of one explanation, the parts of each order are together.
  const own = best.length === 1 && first !== undefined ? first.own : sorted.filter((row) => any.has(row));
  return { trades: own, isDisputed: best.some((one) => mayOwnNothing(one, puzzle)) };
}

function mayOwnNothing({ own, foreign, unused }: Explanation, { wholes }: Puzzle): boolean {
  if (own.length === 0) return true;
  const isPart = ({ amountK }: Trade): boolean => !wholes.some((whole) => isAmount(amountK, whole));
  if (foreign > 0 && own.some(isPart)) return true;
  return unused.some(
    ({ isAccepted, at, amountK }) =>
      isAccepted && own.some((row) => isSince(row.time, at) && row.amountK <= amountK + TINY),
  );
}

function* explanations(
  [first, ...rest]: readonly Trade[],
  rivals: readonly Rival[],
  equals: number,
  puzzle: Puzzle,
): Generator<Explanation> {
  if (first === undefined) {
    yield { own: [], foreign: 0, unused: rivals };
    return;
  }
  const without = (group: readonly Trade[]) => rest.filter((row) => !group.includes(row));
  const tried = new Set<string>();
  for (const rival of rivals) {
    const kind = `${rival.amountK} ${rival.isAccepted}`;
    if (tried.has(kind) || !isSince(first.time, rival.at)) continue;
    tried.add(kind);
    const others = rivals.filter((one) => one !== rival);
    for (const group of groups(rest, rival.amountK - first.amountK, puzzle)) {
      yield* explanations(without(group), others, equals, puzzle);
    }
  }
  if (equals > 0 && puzzle.isOwn(first)) {
    for (const whole of puzzle.wholes) {
      for (const group of groups(rest.filter(puzzle.isOwn), whole - first.amountK, puzzle)) {
        for (const one of explanations(without(group), rivals, equals - 1, puzzle)) {
          yield { ...one, own: [first, ...group, ...one.own] };
        }
      }
    }
  }
  if (!puzzle.isForeign(first)) return;
  for (const one of explanations(rest, rivals, equals, puzzle)) yield { ...one, foreign: one.foreign + 1 };
}

/** All choices of trades that add up to the amount. */
function* groups(trades: readonly Trade[], amountK: number, puzzle: Puzzle): Generator<readonly Trade[]> {
  puzzle.steps -= 1;
  if (puzzle.steps <= 0) return;
  if (Math.abs(amountK) < SUM_TINY) yield [];
  if (amountK < SUM_TINY) return;
  for (const [index, row] of trades.entries()) {
    for (const more of groups(trades.slice(index + 1), amountK - row.amountK, puzzle)) yield [row, ...more];
  }
}

export function isAmount(one: number, other: number): boolean {
  return Math.abs(one - other) < TINY;
}
