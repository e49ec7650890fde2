/** Amounts of bytes as people write them: `2MiB`, `512 KiB`, `1048576`. */
import { SvcError } from '../../errors.ts';

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
};

/** Throws `invalid_value`. */
export function parseByteSize(text: string): number {
  const [, count, unit = ''] = /^(\d{1,12}) ?([a-z]*)$/i.exec(text) ?? [];
  const factor = UNITS[unit.toLowerCase()];
  if (count === undefined || factor === undefined) {
    throw new SvcError('invalid_value', `"${text}" is not an amount of bytes`, {
      hint: 'write it like 2MiB or 512KiB',
    });
  }
  return Number(count) * factor;
}
