/** How old, or how far ahead, the timestamp of a delivery may be: the option of all that verify. */
import { parseDuration } from '../../cli/duration.ts';
import { SvcError } from '../../errors.ts';
import { TOLERANCE_S } from './signature.ts';

/** Seconds, or undefined for `none`. A bare number is seconds, as in the header itself. */
export function parseTolerance(text: string): number | undefined {
  if (text === 'none') return undefined;
  const seconds = /^\d{1,15}$/.test(text) ? Number(text) : parseDuration(text) / 1000;
  if (Number.isInteger(seconds)) return seconds;
  throw new SvcError('invalid_value', `"${text}" is not a whole number of seconds`, {
    hint: 'timestamps have no fraction: write 300, 5m or none',
  });
}

export const TOLERANCE_FLAG = {
  type: 'string',
  value: '300|5m|none',
  default: String(TOLERANCE_S),
  help: 'How far a timestamp may be from the clock, in both directions; none to ignore it',
  check: (text: string) => {
    parseTolerance(text);
  },
} as const;
