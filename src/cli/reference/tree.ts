/**
 * Everything svc can do, as plain data, for `svc help -o json`, the manual and the reference. Every
 * key is always present, `null` if it does not apply.
 */
import pkg from '../../../package.json' with { type: 'json' };
import { ERROR_KINDS, type ErrorCode, EXIT_STATUSES } from '../../errors.ts';
import type { Column } from '../../output/types.ts';
import { SETTING_KEYS, VARIABLES } from '../../store/setting-keys.ts';
import { type Command, type Group, loadCommands } from '../command.ts';
import { GLOBAL_FLAGS, isRemote, ownFlags, SERVICE_FLAGS, WRITE_FLAGS } from '../common-flags.ts';
import { type Argument, usageLine } from '../flags.ts';
import type { GroupSummary } from '../help.ts';
import { TOPICS } from '../topics.ts';
import { optionNodes } from './options.ts';

export type CommandTree = Awaited<ReturnType<typeof buildCommandTree>>;
export type GroupNode = ReturnType<typeof groupNode>;
export type CommandNode = ReturnType<typeof commandNode>;
export type OutputNode = ReturnType<typeof outputNode>;
export type OptionSet = 'write' | 'service' | 'global';

export async function buildCommandTree(groups: readonly Group[]) {
  return {
    name: 'svc',
    version: pkg.version,
    groups: await Promise.all(groups.map(async (group) => groupNode(group, await loadCommands(group)))),
    /** Keyed by the names in a command's `optionSets`. */
    optionSets: {
      write: optionNodes(WRITE_FLAGS),
      service: optionNodes(SERVICE_FLAGS),
      global: optionNodes(GLOBAL_FLAGS),
    },
    topics: TOPICS.map(({ name, summary }) => ({ name, summary })),
    exitStatuses: EXIT_STATUSES.map(([status, meaning]) => ({ status, meaning, codes: codesOf(status) })),
    environment: listVariables(),
    settings: SETTING_KEYS.map((setting) => ({
      key: setting.key,
      type: setting.type,
      meaning: setting.help,
      variable: setting.env ?? null,
      option: setting.flag ?? null,
      default: setting.default ?? null,
      choices: setting.choices ?? null,
    })),
  };
}

export function groupNode(group: GroupSummary, commands: readonly Command[]) {
  return {
    name: group.name,
    summary: group.summary,
    description: group.description ?? null,
    /** The group is one command, whose id is the group's name. */
    single: group.single === true,
    commands: commands.map(commandNode),
  };
}

export function commandNode(command: Command) {
  const [group] = command.id.split(' ');
  const optionSets: OptionSet[] = ['global'];
  if (isRemote(command)) optionSets.unshift('service');
  if (command.effect !== 'read') optionSets.unshift('write');
  return {
    id: command.id,
    aliases: (command.aliases ?? []).map((alias) => `${group} ${alias}`),
    summary: command.summary,
    description: command.description ?? null,
    details: command.details ?? null,
    usage: usageLine(command),
    effect: command.effect,
    /** `any` if it depends on the arguments. */
    service: command.service ?? (command.callOf === undefined ? null : 'any'),
    arguments: Object.entries(command.args ?? {}).map(([name, argument]) => argumentNode(name, argument)),
    /** Only its own options; `optionSets` names the others. */
    options: optionNodes(ownFlags(command, { write: false })),
    optionSets,
    output: outputNode(command),
    exitStatuses: listExitStatuses(command),
    examples: command.examples,
  };
}

function argumentNode(name: string, { help, required, repeat, afterDashes, choices }: Argument) {
  return {
    name,
    help,
    required: required === true,
    repeat: repeat === true,
    afterDashes: afterDashes === true,
    choices: choices ?? null,
  };
}

function outputNode({ output, defaultFormat }: Pick<Command, 'output' | 'defaultFormat'>) {
  const rows = output.kind === 'chart' ? output.list : output;
  const columned = rows.kind === 'text' ? { columns: [] as readonly Column<never>[] } : rows;
  return {
    kind: output.kind,
    /** For `--columns`; `-o wide` also shows the `wide` ones. */
    columns: columned.columns.map(({ name, wide }) => ({ name, wide: wide === true })),
    /** Prefixes of columns that the user completes: `label` of `label:instance`. */
    families: 'families' in columned ? Object.keys(columned.families ?? {}) : [],
    defaultFormat: defaultFormat ?? null,
  };
}

/** Ascending, without those that any command may return: 70, 130 and 143. */
function listExitStatuses({ effect, exits = [], ...command }: Command): readonly number[] {
  const remote = isRemote(command) ? [3, 4, 5, 6, 7] : [];
  const write = isRemote(command) && effect !== 'read' ? [8] : [];
  const own = exits.map((code) => ERROR_KINDS[code].exit);
  return [...new Set([0, 2, ...remote, ...write, ...own])].sort((a, b) => a - b);
}

function codesOf(status: number) {
  return (Object.keys(ERROR_KINDS) as ErrorCode[])
    .filter((code) => ERROR_KINDS[code].exit === status)
    .map((code) => ({ code, meaning: ERROR_KINDS[code].meaning, retryable: ERROR_KINDS[code].retryable }));
}

/** Every environment variable, and the setting that it overrides, if any. */
function listVariables() {
  const ofSettings = SETTING_KEYS.flatMap(({ key, env, help }) =>
    env === undefined ? [] : [{ name: env, meaning: help, secret: false, setting: key }],
  );
  const others = VARIABLES.map(({ name, help, secret }) => ({ name, meaning: help, secret, setting: null }));
  return [...ofSettings, ...others];
}
