import { describe, expect, it } from 'vitest';
import { listCommand } from '../../src/cli/command.ts';
import { commandPath, parseInput } from '../../src/cli/parse.ts';
import type { SvcError } from '../../src/errors.ts';

const NOW = Date.UTC(2026, 10, 20, 12);

const sample = listCommand({
  id: 'things list',
  summary: 'A command of every kind of flag',
  effect: 'write',
  service: 'alerts',
  args: { first: { help: 'one' }, rest: { help: 'others', repeat: true } },
  flags: {
    state: { type: 'choice', repeat: true, choices: ['active', 'silenced'], help: '' },
    all: { type: 'boolean', short: 'a', help: '' },
    count: { type: 'integer', short: 'n', min: 0, max: 9, default: 3, help: '' },
    rate: { type: 'number', help: '' },
    'older-than': { type: 'duration', help: '' },
    for: { type: 'duration', default: '1h', help: '' },
    since: { type: 'time', bare: 'back', help: '' },
    annotation: { type: 'pairs', help: '' },
  },
  examples: [{ run: '', why: '' }],
  output: { kind: 'list', columns: [], id: () => '' },
  run: async () => ({ value: [] }),
});

const parse = async (...tokens: string[]) => parseInput(sample, tokens, NOW).input;
const refusal = async (...tokens: string[]): Promise<SvcError> =>
  parse(...tokens).then(
    () => {
      throw new Error('was accepted');
    },
    (error: SvcError) => error,
  );

describe('the name of a command', () => {
  it('skips options and their values', () => {
    const lines = {
      'alerts list x': ['alerts', 'list', 'x'],
      '-o json alerts --base-url http://x list': ['alerts', 'list'],
      '--output=json -v alerts': ['alerts'],
      '-qo json alerts -ojson list': ['alerts', 'list'],
      '-- alerts': [],
      '--help': [],
    };
    const paths = Object.keys(lines).map((line) => [line, commandPath(line.split(' '), 3).path]);
    expect(Object.fromEntries(paths)).toEqual(lines);
  });
});

describe('a command line', () => {
  it('has options and arguments of every type', async () => {
    const line =
      'one --state active --state=silenced -a -n 5 --rate -1.5 --older-than 1h30m two --since -2h --annotation a=b=c --annotation d= -- --three';
    const input = await parse(...line.split(' '));
    expect(input).toMatchObject({
      first: 'one',
      rest: ['two', '--three'],
      state: ['active', 'silenced'],
      all: true,
      count: 5,
      rate: -1.5,
      olderThan: 5_400_000,
      for: 3_600_000,
      since: { ms: NOW - 7_200_000, iso: '2026-11-20T10:00:00.000Z' },
      annotation: { a: 'b=c', d: '' },
      headers: true,
      dryRun: undefined,
    });
  });

  it('has defaults', async () => {
    const input = await parse();
    expect(input).toMatchObject({ rest: [], state: [], all: false, count: 3, annotation: {}, quiet: false });
    expect(input['first']).toBeUndefined();
    expect(input['olderThan']).toBeUndefined();
  });

  it('takes an optional value after =, and after a space where it can be nothing else', async () => {
    expect(await parse('--dry-run', 'wget')).toMatchObject({ dryRun: true, first: 'wget' });
    expect(await parse('--dry-run', 'curl')).toMatchObject({ dryRun: 'curl', first: undefined });
    expect(await parse('--dry-run=curl')).toMatchObject({ dryRun: 'curl' });
    expect((await refusal('--dry-run=wget')).message).toContain('--dry-run');
  });

  it('says that a switch takes no value', async () => {
    expect((await refusal('--no-color=false')).message).toBe('--no-color takes no value');
    expect((await refusal('--help=x')).message).toBe('--help takes no value');
  });

  it('takes the next word as the value of an option, whatever it is', async () => {
    expect(await parse('--base-url', '--dry-run', '--query', '--')).toMatchObject({
      baseUrl: '--dry-run',
      query: '--',
      dryRun: undefined,
    });
    expect(await parse('--base-url', '--dry-run=curl')).toMatchObject({ baseUrl: '--dry-run=curl' });
  });

  it('accepts combined short options, and a negative number as an argument', async () => {
    expect(await parse('-qvo', 'json', '-an5', '-7')).toMatchObject({
      quiet: true,
      verbose: true,
      output: 'json',
      all: true,
      count: 5,
      first: '-7',
    });
  });

  it('negates flags that are on by default', async () => {
    expect(await parse('--no-headers', '--no-input')).toMatchObject({ headers: false, input: false });
  });

  it('has a pair whose name is a JavaScript property such as __proto__', async () => {
    const { annotation } = await parse('--annotation', '__proto__=x', '--annotation', 'constructor=y');
    expect(Object.entries(annotation as object)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  it('accepts a repeated boolean, and both keys of --sort', async () => {
    expect(await parse('-a', '--all', '-qq', '--dry-run', '--dry-run', '--sort', 'x', '--sort=-y')).toMatchObject({
      all: true,
      quiet: true,
      dryRun: true,
      sort: ['x', '-y'],
    });
  });

  it('accepts an empty argument after --', () => {
    const runner = { ...sample, args: { command: { help: '', repeat: true as const, afterDashes: true as const } } };
    expect(parseInput(runner, ['--', 'echo', ''], NOW).input).toMatchObject({ command: ['echo', ''] });
  });

  it('is refused with a value of another type', async () => {
    for (const [line, code, message] of [
      ['--stat active', 'usage', /there is no option --stat$/],
      ['--state actve', 'invalid_value', /--state: unknown value "actve"/],
      ['--state', 'usage', /--state needs a value/],
      ['-n 10', 'invalid_value', /--count: 10 is more than 9/],
      ['-n -1', 'invalid_value', /less than 0/],
      ['-n 1e3', 'invalid_value', /not a whole number/],
      ['--rate NaN', 'invalid_value', /not a number/],
      ['--older-than 1.5h', 'invalid_value', /--older-than/],
      ['--timeout 0s', 'invalid_value', /--timeout/],
      ['--annotation =x', 'invalid_value', /name=value/],
      ['--annotation a=1 --annotation a=2', 'invalid_value', /given twice/],
    ] as const) {
      const error = await refusal(...line.split(' '));
      expect({ line, code: error.code, exit: error.exit, message: error.message }).toEqual({
        ...{ line, code, exit: 2 },
        message: expect.stringMatching(message),
      });
    }
  });

  it('shows help without requiring arguments', () => {
    const strict = { ...sample, args: { first: { help: '', required: true as const } } };
    expect(parseInput(strict, ['--help'], NOW)).toMatchObject({ help: true });
    expect(parseInput(strict, ['--rate', '1', '-qh', 'a', 'b'], NOW)).toMatchObject({ help: true });
    expect(() => parseInput(strict, [], NOW)).toThrow(expect.objectContaining({ code: 'missing_value' }));
    expect(() => parseInput(strict, ['a', 'b'], NOW)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
