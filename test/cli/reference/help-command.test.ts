/** `svc help` as text and as data. */
import { describe, expect, it } from 'vitest';
import pkg from '../../../package.json' with { type: 'json' };
import { loadCommands } from '../../../src/cli/command.ts';
import { allFlags } from '../../../src/cli/common-flags.ts';
import type { CommandNode, CommandTree } from '../../../src/cli/reference/tree.ts';
import { TOPICS } from '../../../src/cli/topics.ts';
import { ERROR_KINDS, EXIT_STATUSES } from '../../../src/errors.ts';
import { GROUPS } from '../../../src/features/index.ts';
import { SETTING_KEYS, VARIABLES } from '../../../src/store/setting-keys.ts';
import { svc } from '../../support/svc.ts';

async function data<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await svc(['help', ...args]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

const declared = (await Promise.all(GROUPS.map(loadCommands))).flat();

describe('svc help --format json', async () => {
  const tree = await data<CommandTree>('--format', 'json');
  const commands = tree.groups.flatMap((group) => group.commands);

  it('has every declaration', () => {
    expect(tree.version).toBe(pkg.version);
    expect(tree.groups.map(({ name }) => name)).toEqual(GROUPS.map(({ name }) => name));
    expect(commands.map(({ id }) => id)).toEqual(declared.map(({ id }) => id));
    expect(tree.topics.map(({ name }) => name)).toEqual(TOPICS.map(({ name }) => name));
    expect(tree.exitStatuses.map(({ status, meaning }) => [status, meaning])).toEqual(EXIT_STATUSES);
    const codes = tree.exitStatuses.flatMap((one) => one.codes.map(({ code }) => code));
    expect(codes.sort()).toEqual(Object.keys(ERROR_KINDS).sort());
    expect(tree.settings.map(({ key }) => key)).toEqual(SETTING_KEYS.map(({ key }) => key));
    expect(tree.environment.map(({ name }) => name)).toEqual(expect.arrayContaining(VARIABLES.map(({ name }) => name)));
  });

  it('has for each command the options that it takes, and no hidden ones', () => {
    for (const command of declared) {
      const node = commands.find(({ id }) => id === command.id);
      const names = [...(node?.options ?? []), ...(node?.optionSets ?? []).flatMap((set) => tree.optionSets[set])];
      const taken = Object.entries(allFlags(command)).filter(([, flag]) => flag.hidden !== true);
      expect(names.map(({ name }) => name).sort(), command.id).toEqual(taken.map(([name]) => name).sort());
    }
  });

  it('prints only the part for a group, a command or a topic', async () => {
    const [alerts] = tree.groups;
    expect(await data('alerts', '--format=json')).toEqual(alerts);
    expect(await data('alerts', 'ls', '--format', 'json')).toEqual(alerts?.commands[0]);
    expect(await data('--format', 'json', 'api')).toEqual(commands.find(({ id }) => id === 'api'));
    expect(await data<CommandNode>('help', '--format', 'json')).toMatchObject({ id: 'help' });
    const topic = await data<{ name: string; text: string }>('times', '--format', 'json');
    expect(topic).toMatchObject({ name: 'times', text: (await svc(['help', 'times'])).stdout });
  });

  it('accepts the output options of data', async () => {
    expect(await data('-o', 'json')).toEqual(tree);
    expect(await data('--json')).toEqual(tree);
    expect(await data('--query', 'groups[0].name')).toBe('alerts');
    expect((await svc(['-o', 'yaml', 'help', 'alerts'])).stdout).toMatch(/^name: alerts\n/);
    expect(await data('alerts', 'list', '--format', 'json', '--fields', 'id')).toEqual({ id: 'alerts list' });
    expect((await svc(['help', 'alerts', 'list', '--format', 'json', '-q'])).stdout).toBe('alerts list\n');
  });
});

describe('svc help', () => {
  it.each([
    [['alerst'], 'alerts\n'],
    [['alerts', 'lst'], 'alerts list'],
    [['alerts', 'list', 'zzz'], 'svc help alerts list has no "zzz"'],
    [['--format', 'jsn'], '--format json'],
    [['--frmat', 'json'], '--format json'],
  ])('refuses %j', async (typed, said) => {
    for (const more of typed.includes('--format') ? [[]] : [[], ['--format', 'json']]) {
      const run = await svc(['help', ...more, ...typed]);
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain(said);
    }
  });
});
