/** Two readers of one command line: where the quick one has an answer, it is commander's. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitByCommander } from '../../src/cli/commander.ts';
import type { Flags } from '../../src/cli/flags.ts';
import { splitPlain } from '../../src/cli/parse.ts';

const FLAGS: Flags = {
  output: { type: 'string', short: 'o', help: '' },
  label: { type: 'string', repeat: true, help: '' },
  'older-than': { type: 'duration', help: '' },
  quiet: { type: 'boolean', short: 'q', help: '' },
  verbose: { type: 'boolean', short: 'v', help: '' },
  headers: { type: 'boolean', default: true, help: '' },
  watch: { type: 'optional-value', help: '' },
};

const token = fc.oneof(
  fc.constantFrom(
    ...['--output', '-o', '-ojson', '-o=json', '--output=json', '--output=', '--label', '--label=a=b', '--older-than'],
    ...[
      '--quiet',
      '-q',
      '-qv',
      '-qvo',
      '-qojson',
      '-vq',
      '--headers',
      '--no-headers',
      '--watch',
      '--',
      '-',
      '---',
      '--=',
      '',
    ],
    ...[
      '-1',
      '-5m',
      '--no-quiet',
      '--quiet=1',
      '--unknown',
      '-x',
      '-qx',
      '--__proto__',
      '--constructor',
      '--out',
      'list',
      'a=b',
    ],
  ),
  fc.string({ maxLength: 4 }),
);

describe('the quick reader of command lines', () => {
  it('answers as commander does, wherever it answers', () => {
    let answered = 0;
    fc.assert(
      fc.property(fc.array(token, { maxLength: 6 }), (tokens) => {
        const plain = splitPlain(FLAGS, tokens);
        if (plain === undefined) return;
        answered++;
        const { options, operands } = splitByCommander('things list', FLAGS, tokens);
        expect(new Map([...plain.options].sort())).toEqual(new Map([...options].sort()));
        expect(plain.operands).toEqual(operands);
      }),
      { numRuns: 3000 },
    );
    expect(answered).toBeGreaterThan(300);
  });

  it('answers for the usual lines', () => {
    expect(splitPlain(FLAGS, ['a', '-qojson', '--label', 'x=1', '--label=y=2', '--no-headers', '--', '-b'])).toEqual({
      options: new Map<string, unknown>([
        ['quiet', true],
        ['output', ['json']],
        ['label', ['x=1', 'y=2']],
        ['headers', false],
      ]),
      operands: ['a', '-b'],
    });
  });

  it.each([['--older-than', '-2h'], ['--unknown'], ['--quiet=1'], ['-1'], ['--output'], ['-q-'], ['-vq- ', 'x']])(
    'leaves %s to commander',
    (...tokens) => {
      expect(splitPlain(FLAGS, tokens)).toBeUndefined();
    },
  );
});
