/** Corrupted samples of responses and files, and what no reader may do with them. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { SvcError } from '../../src/errors.ts';

export const PIECES = [
  ...[
    '',
    '\0',
    '\x1b[2J',
    '\x1b]52;c;AA==\x07',
    '\r',
    '\n',
    '\r\n',
    '\u202e',
    '\u2028',
    '\ufeff',
    '\ud800',
    '\u{e0041}',
    'é',
    '😀',
  ],
  ...[
    '"',
    '\\',
    '\\u0000',
    '\\ud800',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '=',
    '&',
    '%',
    '%2',
    '%ff',
    ';',
    "'",
    '`',
    '$(x)',
    '..',
    '/',
  ],
  ...[
    'null',
    'true',
    '0',
    '-1',
    '-0',
    '1e400',
    '1e-400',
    '12345678901234567',
    '0x10',
    'NaN',
    'Infinity',
    '1.7976931348623157e308',
  ],
  ...[
    '"__proto__":{"polluted":1},',
    '"constructor":{"prototype":{"polluted":1}},',
    '"toString":null,',
    '"id":"twice",',
    '"":"",',
  ],
  ...[
    '[]',
    '{}',
    '""',
    '"x"',
    '[[[[[[[[',
    '['.repeat(5_000),
    '{"a":'.repeat(2_000),
    'a'.repeat(3_000),
    ' '.repeat(3_000),
  ],
].map((text) => Buffer.from(text));

type Change =
  | { readonly kind: 'insert' | 'replace'; readonly at: number; readonly length: number; readonly piece: Buffer }
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'cut' | 'drop' | 'twice'; readonly at: number; readonly length: number };

/** A share of the whole, so that a change stays one whatever was changed before it. */
const place = fc.double({ min: 0, max: 1, noNaN: true });
const length = fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 60 }));
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('insert' as const, 'replace' as const),
    at: place,
    length,
    piece: fc.oneof(
      fc.constantFrom(...PIECES),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
    ),
  }),
  fc.record({ kind: fc.constant('flip' as const), at: place, bit: fc.nat({ max: 7 }) }),
  fc.record({ kind: fc.constantFrom('cut' as const, 'drop' as const, 'twice' as const), at: place, length }),
);

function spoilt(bytes: Buffer, one: Change): Buffer {
  const at = Math.floor(one.at * bytes.length);
  if (one.kind === 'flip') {
    const copy = Buffer.from(bytes);
    if (at < copy.length) copy[at] = (copy[at] as number) ^ (1 << one.bit);
    return copy;
  }
  const [before, rest] = [bytes.subarray(0, at), bytes.subarray(at)];
  if (one.kind === 'cut') return Buffer.from(before);
  const [here, after] = [rest.subarray(0, one.length), rest.subarray(one.length)];
  if (one.kind === 'insert') return Buffer.concat([before, one.piece, rest]);
  if (one.kind === 'replace') return Buffer.concat([before, one.piece, after]);
  return one.kind === 'drop' ? Buffer.concat([before, after]) : Buffer.concat([before, here, here, after]);
}

/** It cannot be written as a text: code that puts it into a message unchecked fails. */
const UNWRITABLE = { toString: null, valueOf: null };
const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(UNWRITABLE, [UNWRITABLE], [[UNWRITABLE], 'x'], {
    message: UNWRITABLE,
    code: UNWRITABLE,
    parameters: [UNWRITABLE],
  }),
);

/** One of the samples with a few changes, or a value of the same kind with other values, or any bytes at all. */
export function mutated(...samples: readonly (string | object)[]): fc.Arbitrary<Buffer> {
  const texts = samples.map((sample) => (typeof sample === 'string' ? sample : JSON.stringify(sample)));
  const objects = samples.filter((sample) => typeof sample === 'object');
  const changed = fc
    .tuple(fc.constantFrom(...texts), fc.array(change, { maxLength: 4 }))
    .map(([text, changes]) => changes.reduce(spoilt, Buffer.from(text)));
  const otherwise = fc
    .tuple(fc.constantFrom(...(objects.length > 0 ? objects : [{}])), fc.nat(), value)
    .map(([sample, which, other]) => {
      const names = Object.keys(sample);
      return Buffer.from(JSON.stringify({ ...sample, [names[which % names.length] ?? 'x']: other }));
    });
  const anything = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
  return objects.length > 0
    ? fc.oneof(
        { weight: 5, arbitrary: changed },
        { weight: 3, arbitrary: otherwise },
        { weight: 1, arbitrary: anything },
      )
    : fc.oneof({ weight: 7, arbitrary: changed }, { weight: 1, arbitrary: anything });
}

/** Of the processor's time: the machine may do other things meanwhile. */
const LONGEST_MS = 50;
const spentMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const PROTOTYPES = [Object.prototype, Array.prototype, String.prototype, Function.prototype];
const owned = (): readonly number[] => PROTOTYPES.map((one) => Reflect.ownKeys(one).length);
const WHOLE = owned();

/** What a reader gave, or how it refused: a failure of svc, in time, and nothing of the process changed. */
export function readOrRefused<T>(read: () => T): T | SvcError {
  for (let attempt = 1; ; attempt++) {
    const began = spentMs();
    let result: T | SvcError;
    try {
      result = read();
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      result = error;
    }
    const took = spentMs() - began;
    expect(owned()).toEqual(WHOLE);
    // The collection of garbage counts, too, but not three times in a row.
    if (took < LONGEST_MS) return result;
    if (attempt === 3) throw new Error(`took ${Math.round(took)} ms`);
  }
}

/** The same of what is awaited, where the time is the network's. */
export async function readOrRefusedLater<T>(read: () => Promise<T>): Promise<T | SvcError> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return error;
  } finally {
    expect(owned()).toEqual(WHOLE);
  }
}
