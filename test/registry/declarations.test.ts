/** What every declaration has to keep to. */
import { describe, expect, it } from 'vitest';
import { allFlags, GLOBAL_FLAGS, isRemote, SERVICE_FLAGS, WRITE_FLAGS } from '../../src/cli/common-flags.ts';
import { negatable, takesValue } from '../../src/cli/flags.ts';
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

it('has a unique name and a summary for every group, and no name of a help topic', () => {
  const names = GROUPS.map(({ name }) => name);
  expect(duplicates([...names, 'help', 'version', ...TOPICS.map((topic) => topic.name), 'environment'])).toEqual([]);
  for (const { name, summary } of GROUPS) {
    expect(name).toMatch(KEBAB);
    expectSummary(summary);
  }
});

it('has no command or alias twice', () => {
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

it('has one name for one meaning: second names are aliases, or hidden', () => {
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

it('has samples of declared commands only', () => {
  expect(REGISTERED.map(({ command }) => command.id)).toEqual(expect.arrayContaining(Object.keys(SAMPLES)));
});

describe.each(REGISTERED.map(({ group, command }) => ({ id: command.id, group, command })))(
  '$id',
  ({ group, command }) => {
    const flags = Object.entries(command.flags ?? {});

    it('has the id under which its group lists it, and loads on its own', async () => {
      const name = group.single ? group.name : command.id.slice(group.name.length + 1);
      expect(command.id).toBe(group.single ? name : `${group.name} ${name}`);
      expect(await (await group.load()).commands[name]?.()).toBe(command);
    });

    it('has no alias that begins with the name of a command', async () => {
      const names = Object.keys((await group.load()).commands);
      for (const alias of command.aliases ?? []) {
        expect(names.filter((name) => alias.startsWith(`${name} `))).toEqual([]);
      }
    });

    it('names a list of a service only for values that it prompts for', () => {
      for (const declared of [...Object.values(command.args ?? {}), ...Object.values(command.flags ?? {})]) {
        const isListed = 'complete' in declared && Object.hasOwn(SOURCES, declared.complete ?? '');
        if (isListed) expect('required' in declared || 'promptUnless' in declared).toBe(true);
      }
    });

    it('has a summary of one line', () => {
      expectSummary(command.summary);
      for (const text of [command.description, ...Object.values(command.args ?? {}).map(({ help }) => help)]) {
        if (text !== undefined) expect(text).toMatch(/^\S.*\S$/s);
      }
    });

    it('has flags with good names and the same meaning everywhere', () => {
      // A command without a service has no network options, so that their names are free.
      const network = isRemote(command) ? SERVICE_FLAGS : {};
      const common = Object.keys({ ...GLOBAL_FLAGS, ...network, ...WRITE_FLAGS });
      for (const [name, flag] of flags) {
        expect(name).toMatch(KEBAB);
        expect(common).not.toContain(name);
        // --no-events stands beside --events <a,b>; of a switch it would be the negation.
        const negated = /^no-(.*)/.exec(name)?.[1];
        if (negated !== undefined) {
          const [, other = flag] =
            flags.find(([one, { aliases }]) => [one, ...(aliases ?? [])].includes(negated)) ?? [];
          expect(takesValue(other), name).toBe(true);
        }
        expect(flag.help, name).toMatch(/^[A-Z].*[^.\s]$/);
        if (flag.short !== undefined) expect(flag.short, name).toMatch(/^[a-zA-Z]$/);
        if ('choices' in flag && flag.choices !== undefined) expect(duplicates(flag.choices), name).toEqual([]);
      }
      const letters = Object.values(allFlags(command)).flatMap(({ short }) => (short === undefined ? [] : [short]));
      expect(duplicates(letters)).toEqual([]);
      const spellings = Object.entries(allFlags(command)).flatMap(([name, flag]) =>
        [name, ...(flag.aliases ?? [])].flatMap((one) => (negatable(flag) ? [one, `no-${one}`] : [one])),
      );
      expect(duplicates(spellings)).toEqual([]);
    });

    it('has no option with a secret as its value', () => {
      const taking = Object.entries(allFlags(command)).filter(
        ([, flag]) => flag.type !== 'boolean' && !(flag.type === 'string' && flag.hidden && refuses(flag.check)),
      );
      expect(taking.map(([name]) => name).filter((name) => SECRET.test(name) && !ELSEWHERE.test(name))).toEqual([]);
    });

    it('has distinguishable arguments', () => {
      const args = Object.entries(command.args ?? {});
      expect(duplicates([...args.map(([name]) => name), ...Object.keys(allFlags(command))])).toEqual([]);
      for (const [index, [name, argument]] of args.entries()) {
        expect(name).toMatch(KEBAB);
        const others = args.filter(([, { afterDashes }]) => !afterDashes);
        if (argument.repeat && !argument.afterDashes)
          expect(index, `${name} takes all the rest`).toBe(others.length - 1);
        if (argument.afterDashes) expect(index, `${name} takes what is after --`).toBe(args.length - 1);
        if (argument.required)
          expect(
            args.slice(0, index).every(([, { required }]) => required),
            name,
          ).toBe(true);
      }
    });

    it('has --yes and --dry-run if and only if it can change something', () => {
      const names = Object.keys(allFlags(command));
      expect(names.includes('yes')).toBe(command.effect !== 'read');
      expect(names.includes('dry-run')).toBe(command.effect !== 'read');
    });

    it('has columns of good names', () => {
      if (command.output.kind === 'text') return;
      const output = command.output.kind === 'chart' ? command.output.list : command.output;
      const names = output.columns.map(({ name }) => name);
      expect(duplicates(names)).toEqual([]);
      for (const name of names) expect(name).toMatch(KEBAB);
      const first = output.columns[0];
      expect(first?.wide, 'the first column is always shown').toBeUndefined();
      if (output.kind === 'list') {
        for (const family of Object.keys(output.families ?? {})) {
          expect(family).toMatch(KEBAB);
          expect(output.families?.[family]?.('x').name).toBe(`${family}:x`);
        }
      }
    });

    it.each(command.examples)('has an example that works: $run', ({ run, why }) => {
      expectSummary(why);
      const invocations = shellCommands(run).flatMap(svcInvocations);
      expect(invocations).not.toEqual([]);
      expect(invocations.map(({ id }) => id)).toContain(command.id);
      for (const { id, tokens } of invocations) {
        const named = REGISTERED.find((one) => one.command.id === id)?.command;
        expect(named, `${id} of ${run}`).toBeDefined();
        if (named !== undefined) parseInput(named, tokens, NOW);
      }
    });
  },
);

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
