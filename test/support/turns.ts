/** Long tables of cases: the long suites run all of them, `npm test` some for each command, in turn. */

export const IS_HARD = process.env['SVC_HARD'] !== undefined;

/** So many of them, beginning where the one before ended; all of them in the long suites. */
export function inTurn<T>(all: readonly T[], at: number, count: number): readonly T[] {
  if (IS_HARD || count >= all.length) return all;
  return Array.from({ length: count }, (_, index) => all[(at * count + index) % all.length] as T);
}

/** Every nth of them; all of them in the long suites. */
export function oneIn<T>(count: number, all: readonly T[]): readonly T[] {
  return IS_HARD ? all : all.filter((_, index) => index % count === 0);
}
