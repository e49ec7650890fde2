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

describe('commandPath', () => {
  it.each([
    [
      ['alerts', 'list', 'x'],
      ['alerts', 'list', 'x'],
    ],
    [
      ['-o', 'json', 'alerts', '--base-url', 'http://x', 'list'],
      ['alerts', 'list'],
    ],
    [['--output=json', '-v', 'alerts'], ['alerts']],
    [
      ['-qo', 'json', 'alerts', '-ojson', 'list'],
      ['alerts', 'list'],
    ],
    [['--', 'alerts'], []],
    [['--help'], []],
  ])('%j names %j', (argv, path) => {
    expect(commandPath(argv, 3).path).toEqual(path);
  });
});

describe('parseInput', () => {
  it('types every flag and argument', async () => {
    const input = await parse(
      'one',
      '--state',
      'active',
      '--state=silenced',
      '-a',
      '-n',
      '5',
      '--rate',
      '-1.5',
      '--older-than',
      '1h30m',
      'two',
      '--since',
      '-2h',
      '--annotation',
      'a=b=c',
      '--annotation',
      'd=',
      '--',
      '--three',
    );
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

  it('sets defaults', async () => {
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

  it('keeps a pair whose name is a JavaScript property such as __proto__', async () => {
    const { annotation } = await parse('--annotation', '__proto__=x', '--annotation', 'constructor=y');
    expect(Object.entries(annotation as object)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  it.each([
    [['-n', '1', '-n', '2'], '--count'],
    [['-n', '1', '--count=1'], '--count'],
    [['--base-url', 'http://a', '--base-url', 'http://b'], '--base-url'],
    [['-ojson', '--output', 'json'], '--output'],
    [['--dry-run', '--dry-run=curl'], '--dry-run'],
    [['--dry-run=curl', '--dry-run=curl'], '--dry-run'],
    [['--since', '-1h', '--since', '-2h'], '--since'],
  ])('refuses %j, because one value would be ignored', async (tokens, name) => {
    const error = await refusal(...tokens);
    expect(error).toMatchObject({ code: 'usage', exit: 2 });
    expect(error.message).toContain(`${name} is given more than once`);
  });

  it('accepts a repeated boolean, and both keys of --sort', async () => {
    expect(await parse('-a', '--all', '-qq', '--dry-run', '--dry-run', '--sort', 'x', '--sort=-y')).toMatchObject({
      all: true,
      quiet: true,
      dryRun: true,
      sort: ['x', '-y'],
    });
  });

  it.each([
    [['--count', ''], '--count is empty'],
    [['--count='], '--count is empty'],
    [['-o', ''], '--output is empty'],
    [['--annotation', ''], '--annotation is empty'],
    [['--dry-run='], '--dry-run is empty'],
    [['--state', 'active', '--state', ''], '--state is empty'],
    [['--fields', 'a,,b'], '--fields: an item of "a,,b" is empty'],
    [['--columns', ' '], '--columns: an item of " " is empty'],
    [['one', ''], '<rest> is empty'],
    [[''], '<first> is empty'],
  ])('refuses %j, which is usually an unset variable', async (tokens, message) => {
    expect(await refusal(...tokens)).toMatchObject({ code: 'invalid_value', exit: 2, message });
  });

  it('accepts an empty argument after --', () => {
    const runner = { ...sample, args: { command: { help: '', repeat: true as const, afterDashes: true as const } } };
    expect(parseInput(runner, ['--', 'echo', ''], NOW).input).toMatchObject({ command: ['echo', ''] });
  });

  it.each([
    [['--stat', 'active'], 'usage', /there is no option --stat$/],
    [['--state', 'actve'], 'invalid_value', /--state: unknown value "actve"/],
    [['--state'], 'usage', /--state needs a value/],
    [['-n', '10'], 'invalid_value', /--count: 10 is more than 9/],
    [['-n', '-1'], 'invalid_value', /less than 0/],
    [['-n', '1e3'], 'invalid_value', /not a whole number/],
    [['-n', '0x10'], 'invalid_value', /not a whole number/],
    [['--rate', 'NaN'], 'invalid_value', /not a number/],
    [['--older-than', '1.5h'], 'invalid_value', /--older-than/],
    [['--timeout', '0s'], 'invalid_value', /--timeout/],
    [['--annotation', '=x'], 'invalid_value', /name=value/],
    [['--annotation', 'a=1', '--annotation', 'a=2'], 'invalid_value', /given twice/],
  ])('refuses %j', async (tokens, code, message) => {
    const error = await refusal(...tokens);
    expect(error.code).toBe(code);
    expect(error.exit).toBe(2);
    expect(error.message).toMatch(message);
  });

  it('shows help without requiring arguments', () => {
    const strict = { ...sample, args: { first: { help: '', required: true as const } } };
    expect(parseInput(strict, ['--help'], NOW)).toMatchObject({ help: true });
    expect(parseInput(strict, ['--rate', '1', '-qh', 'a', 'b'], NOW)).toMatchObject({ help: true });
    expect(() => parseInput(strict, [], NOW)).toThrow(expect.objectContaining({ code: 'missing_value' }));
    expect(() => parseInput(strict, ['a', 'b'], NOW)).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});
