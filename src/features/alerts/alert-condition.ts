/** What `alerts check` asks: how many alerts there may be. */
import { SvcError } from '../../errors.ts';

export interface Bounds {
  readonly min: number;
  /** Null for no limit. */
  readonly max: number | null;
}

/** Without any bound none may be there; `expect` is for alerts that always fire, to show that alerting works. */
export function checkedBounds({
  min,
  max,
  expect,
}: {
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly expect: boolean;
}): Bounds {
  if (expect && min !== undefined) throw new SvcError('usage', '--expect and --min both say how many there must be');
  const least = min ?? (expect ? 1 : 0);
  const most = max ?? (min === undefined && !expect ? 0 : null);
  if (most !== null && least > most) {
    throw new SvcError('usage', `at least ${least} and at most ${most} can never hold`);
  }
  return { min: least, max: most };
}

export function holds(count: number, { min, max }: Bounds): boolean {
  return count >= min && (max === null || count <= max);
}

/** `none`, `at least 1`, `at most 3`, `2 to 5`. */
export function boundsText({ min, max }: Bounds): string {
  if (max === 0) return 'none';
  if (max === null) return `at least ${min}`;
  if (min === max) return `exactly ${min}`;
  return min === 0 ? `at most ${max}` : `${min} to ${max}`;
}

/** Whether a condition has held without a break for long enough. */
export class Stability {
  readonly #lengthMs: number;
  #since: number | undefined;

  constructor(lengthMs: number) {
    this.#lengthMs = lengthMs;
  }

  /** A look that brought no answer breaks it, too: nobody knows what happened meanwhile. */
  reached(holding: boolean, now: number): boolean {
    if (!holding) {
      this.#since = undefined;
      return false;
    }
    this.#since ??= now;
    return now - this.#since >= this.#lengthMs;
  }
}
