/** Numbers as gateways write them: a numeric string is a number, and null is none. */
import { NUMERIC } from '../../json-object.ts';

/** A number, or anything else as it is. */
export function numberOf(value: unknown): unknown {
  if (value === null) return undefined;
  return typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value;
}
