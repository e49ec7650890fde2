/** Values as programs print them. */
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valuesIn } from '../../../src/features/webhooks/captures/literals.ts';

const read = (text: string): unknown => [...valuesIn(text, 'in')].flatMap(({ values }) => values);
const text = fc.string({ unit: 'binary' });
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, false),
    fc.integer(),
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const object = fc.dictionary(text, value, { minKeys: 1, noNullPrototype: true });

describe('any object', () => {
  it('is read from a line of JSON with text before it', () => {
    fc.assert(
      fc.property(object, (one) => {
        expect(read(`INFO: ${JSON.stringify(one)}`)).toEqual([one]);
      }),
    );
  });

  it('is read as Node.js prints it', () => {
    const options = { depth: 9, maxArrayLength: null, maxStringLength: null };
    fc.assert(
      fc.property(object, (one) => {
        expect(read(`got ${inspect(one, options)}\nnext`)).toEqual([one]);
      }),
    );
  });
});

it.each<readonly [text: string, ...values: unknown[]]>([
  // Printed by Python 3.
  [
    `{'a': "it's", 'b': b'\\xff\\x00"\\'\\n', 'c': 'tab\\t\\\\ é \\xa0 \\x1b 😀', 'd': 'both \\' and "', 'e': None, 'f': [True, (1, 'x')]}`,
    {
      a: "it's",
      b: Buffer.from('ff0022270a', 'hex'),
      c: 'tab\t\\ é \xa0 \x1b 😀',
      d: 'both \' and "',
      e: null,
      f: [true, [1, 'x']],
    },
  ],
  ['{"a"=>nil, :b=>"x\\e\\xE6\\x97\\xA5"}', { a: null, b: 'x\x1b日' }],
  [
    'map[A:[application/json; x=y] B:[sha256=00] C:[1 2]]',
    { A: ['application/json; x=y'], B: ['sha256=00'], C: ['1 2'] },
  ],
  ['{a=[sha256=00], b=x y, c=sha256=00}', { a: ['sha256=00'], b: 'x y', c: 'sha256=00' }],
  ['{a=1, a=2, b=3}', { a: [1, 2], b: 3 }],
  ['[main] INFO {"a":1} and [2]', ['main'], { a: 1 }, [2]],
  ['<Buffer 7b 7d> in { b: <Buffer 7b 7d> }', { b: Buffer.from('{}') }],
  ['{"a": 1234567890123456789, "b": 007, "c": 1.50}', { a: '1234567890123456789', b: '007', c: '1.50' }],
])('%s', (printed, ...values) => {
  expect(read(`${printed}\n`)).toEqual(values);
});

it.each(['{', '[1,', "{'a': 'b\n'}", '{"a"', '{a: <Buffer 7b', ')', '{"a":}', 'x', ''])(
  'is no value: %j',
  (printed) => {
    expect(read(printed)).toEqual([]);
  },
);

it('finds the line on which each value begins', () => {
  const found = [...valuesIn('started\n\n{\n "a": 1\n}\n{"b":2}\nx {c: [\n3]} y\nend\n', 'in')];
  expect(found).toEqual([
    { line: 1, values: [], isAlone: false },
    { line: 3, values: [{ a: 1 }], isAlone: true },
    { line: 6, values: [{ b: 2 }], isAlone: true },
    { line: 7, values: [{ c: [3] }], isAlone: false },
    { line: 9, values: [], isAlone: false },
  ]);
  expect([...valuesIn('{\n "a": 1\n}\n', 'in')]).toEqual([{ line: undefined, values: [{ a: 1 }], isAlone: true }]);
});

describe('any text takes little time', () => {
  const gap = ' '.repeat(100_000);
  it.each(['[{', '[{\n', "{'", '{"a":[', '[1,\n', '{a={', '("', '<Buffer ', 'x\n', '<ref *1', '"\\x', 'a '])(
    'many of %j',
    (unit) => {
      read(unit.repeat(20_000));
      read(`[${unit.repeat(20_000)}`);
    },
  );

  it.each([
    `{"a":"b"${gap}`,
    `{a${gap}b`,
    `{"a"${gap}"b"${gap}`,
    `{a: b${gap}c`,
    `Headers${gap}{`,
    `{"${'\\'.repeat(100_000)}`,
  ])('with a gap', (one) => {
    expect(read(one)).toEqual([]);
  });

  it('which is refused if too much of it is read in vain', () => {
    expect(() => read('# a\n< {%\n'.repeat(10_000))).toThrow(
      expect.objectContaining({ code: 'file_unusable', message: 'in: too many brackets in it are never closed' }),
    );
  });

  it('of any characters', () => {
    const signs = fc.string({ unit: fc.constantFrom(...'[]{}()<>"\'`\\:=,+b \n'), maxLength: 200 });
    fc.assert(
      fc.property(signs, (one) => {
        try {
          read(one);
        } catch (error) {
          expect(error).toMatchObject({ code: 'file_unusable' });
        }
      }),
    );
  });
});
