/** A new signature in place of one that is too old for a receiver. */
import { HEADER_PREFIX, headerValues, type RawHeader } from '../delivery.ts';
import { signatureOf } from '../signature.ts';

export const TIMESTAMP = `${HEADER_PREFIX}Timestamp`;
const SIGNATURE = `${HEADER_PREFIX}Signature`;

/** The age of a delivery in seconds, by its own timestamp. */
export function ageOf(headers: readonly RawHeader[], nowS: number): number {
  return nowS - Number(headerValues(headers, TIMESTAMP)[0]);
}

/** The new values replace the old ones in their places, or come last. */
export function resigned(
  headers: readonly RawHeader[],
  key: string | Uint8Array,
  timestamp: string,
  body: Uint8Array,
): RawHeader[] {
  const values = new Map([
    [TIMESTAMP.toLowerCase(), [TIMESTAMP, timestamp]],
    [SIGNATURE.toLowerCase(), [SIGNATURE, signatureOf(key, timestamp, body)]],
  ] as const);
  const places = new Set(values.keys());
  const all = headers.flatMap(([name, value]): RawHeader[] => {
    const known = name.toLowerCase();
    if (!places.has(known)) return [[name, value]];
    const made = values.get(known);
    values.delete(known);
    // One that was there twice comes once.
    return made === undefined ? [] : [[name, made[1]]];
  });
  return [...all, ...values.values()];
}
