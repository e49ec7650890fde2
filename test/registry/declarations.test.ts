/** What every declaration has to keep to. */
import { describe, expect, it } from 'vitest';
import type { Command, Group } from '../../src/cli/command.ts';
import { allFlags, GLOBAL_FLAGS, isRemote, SERVICE_FLAGS, WRITE_FLAGS } from '../../src/cli/common-flags.ts';
import { type Argument, type Flag, negatable, takesValue } from '../../src/cli/flags.ts';
import { commandPath, parseInput } from '../../src/cli/parse.ts';
import { TOPICS } from '../../src/cli/topics.ts';
import { GROUPS, SOURCES } from '../../src/features/index.ts';
import { REGISTERED } from './commands.ts';
import { NOW } from './invoke.ts';
import { SAMPLES } from './samples.ts';
import { shellCommands } from './shell-commands.ts';

const KEBAB = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const SECRET = /(^|-)(token|password|passphrase|secret|credential|api-key)(-|$)/;
const ELSEWHERE = /-(file|stdin|fd|env)$/;

const duplicates = (names: readonly string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index);

it('every group has a summary and a name of its own, which no help topic has', () => {
  const names = GROUPS.map(({ name }) => name);
  expect(duplicates([...names, 'help', 'version', ...TOPICS.map((topic) => topic.name), 'environment'])).toEqual([]);
  for (const { name, summary } of GROUPS) {
    expect(name).toMatch(KEBAB);
    expectSummary(summary);
  }
});

it('no command or alias exists twice', () => {
  const typed = REGISTERED.flatMap(({ group, command, typed }) =>
    group.single ? [group.name] : [typed, ...(command.aliases ?? [])].map((name) => `${group.name} ${name}`),
  );
  expect(duplicates(typed)).toEqual([]);
  for (const name of typed) for (const word of name.split(' ')) expect(word).toMatch(KEBAB);
});

/** Names that other tools, or earlier versions of a thought, have for what one option here means. */
const SECOND_NAMES: Readonly<Record<string, readonly string[]>> = {
  for: ['duration', 'length', 'lasts'],
  until: ['end', 'ends-at', 'end-time', 'to-time'],
  since: ['after', 'from-time', 'newer'],
  author: ['created-by', 'creator', 'by-user'],
  region: ['place', 'city', 'oblast'],
  store: ['shop', 'parser-name', 'parser', 'market'],
  interval: ['every', 'poll', 'period', 'refresh'],
  wait: ['wait-for', 'max-wait', 'deadline', 'wait-timeout'],
  limit: ['max-results', 'tail', 'top', 'head'],
  event: ['events', 'event-type', 'types'],
  comment: ['reason', 'message'],
  yes: ['confirm', 'assume-yes', 'no-confirm'],
  'dry-run': ['simulate', 'plan'],
};

it('one meaning has one name: second names are aliases, or hidden', () => {
  const second = Object.values(SECOND_NAMES).flat();
  const found = REGISTERED.flatMap(({ command }) =>
    Object.entries(command.flags ?? {}).flatMap(([name, flag]) =>
      second.includes(name) && !('hidden' in flag && flag.hidden) ? [`${command.id} --${name}`] : [],
    ),
  );
  expect(found).toEqual([]);
  // Of the others, one is the start of a silence, and one an address.
  const ranges = REGISTERED.filter(({ command }) => command.flags?.['from']?.type === 'time');
  expect(ranges.map(({ command }) => command.id)).toEqual(['silences create']);
  const ends = REGISTERED.filter(({ command }) => command.flags?.['to']?.type === 'time');
  expect(ends).toEqual([]);
});

it('samples are of declared commands only', () => {
  expect(REGISTERED.map(({ command }) => command.id)).toEqual(expect.arrayContaining(Object.keys(SAMPLES)));
});

/** What the rule says of each command: `<id>: <fault>`. */
function faultsOf(find: (command: Command, group: Group) => readonly string[]): string[] {
  return REGISTERED.flatMap(({ group, command }) => find(command, group).map((fault) => `${command.id}: ${fault}`));
}

const ownFlags = (command: Command): [string, Flag][] => Object.entries(command.flags ?? {});
const argumentsOf = (command: Command): [string, Argument][] => Object.entries(command.args ?? {});

describe('every command', () => {
  it('has the id under which its group lists it, and loads on its own', async () => {
    for (const { group, command } of REGISTERED) {
      const name = group.single ? group.name : command.id.slice(group.name.length + 1);
      expect(command.id).toBe(group.single ? name : `${group.name} ${name}`);
      expect(await (await group.load()).commands[name]?.()).toBe(command);
    }
  });

  it('has no alias that begins with the name of a command', async () => {
    for (const { group, command } of REGISTERED) {
      const names = Object.keys((await group.load()).commands);
      const hidden = (command.aliases ?? []).filter((alias) => names.some((name) => alias.startsWith(`${name} `)));
      expect(hidden, command.id).toEqual([]);
    }
  });

  it('prompts for each value that it takes from a list of a service', () => {
    const faults = faultsOf((command) =>
      [...argumentsOf(command), ...ownFlags(command)]
        .filter(([, declared]) => 'complete' in declared && Object.hasOwn(SOURCES, declared.complete ?? ''))
        .filter(([, declared]) => !('required' in declared || 'promptUnless' in declared))
        .map(([name]) => name),
    );
    expect(faults).toEqual([]);
  });

  it('has a summary of one line, and texts without blanks around them', () => {
    for (const { command } of REGISTERED) expectSummary(command.summary);
    const faults = faultsOf((command) =>
      [command.description ?? 'none', ...argumentsOf(command).map(([, { help }]) => help)].filter(
        (text) => !/^\S.*\S$/s.test(text),
      ),
    );
    expect(faults).toEqual([]);
  });

  it('has options with good names and helpful texts, none with the name of a shared option', () => {
    const faults = faultsOf((command) => {
      // A command without a service has no network options, so that their names are free.
      const shared = { ...GLOBAL_FLAGS, ...(isRemote(command) ? SERVICE_FLAGS : {}), ...WRITE_FLAGS };
      return ownFlags(command)
        .filter(
          ([name, flag]) =>
            !KEBAB.test(name) ||
            Object.hasOwn(shared, name) ||
            !/^[A-Z].*[^.\s]$/.test(flag.help) ||
            !/^[a-zA-Z]$/.test(flag.short ?? 'a') ||
            duplicates('choices' in flag ? (flag.choices ?? []) : []).length > 0,
        )
        .map(([name]) => `--${name}`);
    });
    expect(faults).toEqual([]);
  });

  it('has --no-… only beside an option that takes a value', () => {
    // --no-events stands beside --events <a,b>; of a switch it would be the negation.
    const faults = faultsOf((command) =>
      ownFlags(command)
        .filter(([name, flag]) => {
          const negated = /^no-(.*)/.exec(name)?.[1];
          if (negated === undefined) return false;
          const named = ownFlags(command).find(([one, { aliases }]) => [one, ...(aliases ?? [])].includes(negated));
          return !takesValue(named?.[1] ?? flag);
        })
        .map(([name]) => `--${name}`),
    );
    expect(faults).toEqual([]);
  });

  it('has no letter and no spelling of an option twice', () => {
    const faults = faultsOf((command) => {
      const all = Object.entries(allFlags(command));
      const letters = all.flatMap(([, { short }]) => (short === undefined ? [] : [short]));
      const spellings = all.flatMap(([name, flag]) =>
        [name, ...(flag.aliases ?? [])].flatMap((one) => (negatable(flag) ? [one, `no-${one}`] : [one])),
      );
      return [...duplicates(letters), ...duplicates(spellings)];
    });
    expect(faults).toEqual([]);
  });

  it('has no option with a secret as its value', () => {
    const faults = faultsOf((command) =>
      Object.entries(allFlags(command))
        .filter(
          ([, flag]) => flag.type !== 'boolean' && !(flag.type === 'string' && flag.hidden && refuses(flag.check)),
        )
        .map(([name]) => name)
        .filter((name) => SECRET.test(name) && !ELSEWHERE.test(name)),
    );
    expect(faults).toEqual([]);
  });

  it('has arguments that can be told apart', () => {
    const faults = faultsOf((command) => {
      const args = argumentsOf(command);
      const lastPlain = args.filter(([, { afterDashes }]) => !afterDashes).length - 1;
      const wrong = args.filter(
        ([name, { repeat, afterDashes, required }], index) =>
          !KEBAB.test(name) ||
          (repeat && !afterDashes && index !== lastPlain) ||
          (afterDashes && index !== args.length - 1) ||
          (required && args.slice(0, index).some(([, before]) => !before.required)),
      );
      const names = [...args.map(([name]) => name), ...Object.keys(allFlags(command))];
      return [...wrong.map(([name]) => name), ...duplicates(names)];
    });
    expect(faults).toEqual([]);
  });

  it('has --yes and --dry-run if and only if it can change something', () => {
    const faults = faultsOf((command) =>
      ['yes', 'dry-run'].filter((name) => Object.hasOwn(allFlags(command), name) !== (command.effect !== 'read')),
    );
    expect(faults).toEqual([]);
  });

  it('has columns of good names, and shows the first one always', () => {
    const faults = faultsOf(({ output }) => {
      if (output.kind === 'text') return [];
      const { columns } = output.kind === 'chart' ? output.list : output;
      const names = columns.map(({ name }) => name);
      const first = columns[0]?.wide === undefined ? [] : ['the first column is in wide tables only'];
      return [...duplicates(names), ...names.filter((name) => !KEBAB.test(name)), ...first];
    });
    expect(faults).toEqual([]);
  });

  it('names the columns of a family after it', () => {
    const faults = faultsOf(({ output }) =>
      Object.entries(output.kind === 'list' ? (output.families ?? {}) : {})
        .filter(([family, column]) => !KEBAB.test(family) || column('x').name !== `${family}:x`)
        .map(([family]) => family),
    );
    expect(faults).toEqual([]);
  });

  it('has examples that name it and that svc accepts', () => {
    for (const { command } of REGISTERED)
      for (const example of command.examples) expectWorkingExample(command, example);
  });
});

function expectWorkingExample(command: Command, { run, why }: Command['examples'][number]): void {
  expectSummary(why);
  const invocations = shellCommands(run).flatMap(svcInvocations);
  expect(invocations.map(({ id }) => id)).toContain(command.id);
  for (const { id, tokens } of invocations) {
    const named = REGISTERED.find((one) => one.command.id === id)?.command;
    if (named === undefined) throw new Error(`${run} names the unknown command ${id}`);
    parseInput(named, tokens, NOW);
  }
}

/** An option that is there only to say why it is not. */
function refuses(check: ((text: string) => void) | undefined): boolean {
  try {
    check?.('any');
    return false;
  } catch {
    return true;
  }
}

function expectSummary(text: string): void {
  expect(text).toMatch(/^[A-Z].*[^.\s]$/);
  expect(text.length).toBeLessThanOrEqual(80);
}

interface Invocation {
  readonly id: string;
  readonly tokens: readonly string[];
}

/** `A=1 svc …`, `xargs svc …` (which adds an argument), and the command that `svc … -- svc …` runs. */
function svcInvocations(typed: readonly string[]): Invocation[] {
  const start = typed.indexOf('svc');
  if (start < 0) return [];
  for (const word of typed.slice(0, start)) expect(word).toMatch(/^([A-Z_]+=.*|xargs)$/);
  const argv = [...typed.slice(start + 1), ...(typed[start - 1] === 'xargs' ? ['ARGUMENT'] : [])];
  const { path: named, at } = commandPath(argv, 3);
  const found = [3, 2, 1]
    .map((length) => named.slice(0, length).join(' '))
    .find((id) => REGISTERED.some(({ command }) => command.id === id));
  const id = found ?? named.join(' ');
  const used = at.slice(0, id.split(' ').length);
  const inner = argv.indexOf('--');
  return [
    { id, tokens: argv.filter((_, index) => !used.includes(index)) },
    ...(inner < 0 ? [] : svcInvocations(argv.slice(inner + 1))),
  ];
}
