/** Everything svc can do as plain data: what `svc help --format json` prints, and what reference and manual are made from. */
import pkg from '../../../package.json' with { type: 'json' };
import { ERROR_KINDS, type ErrorCode, EXIT_STATUSES } from '../../errors.ts';
import type { AnyOutput, Column } from '../../output/types.ts';
import { SETTING_KEYS, type Setting, VARIABLES } from '../../store/setting-keys.ts';
import { type Command, type Example, type Group, loadCommands } from '../command.ts';
import { type Argument, GLOBAL_FLAGS, isRemote, SERVICE_FLAGS, usageLine, WRITE_FLAGS } from '../flags.ts';
import type { GroupSummary } from '../help.ts';
import { TOPICS } from '../topics.ts';
import { type OptionNode, optionNodes } from './options.ts';

/** Every key is always there: null where it does not apply, never missing. */
export interface CommandTree {
  readonly name: 'svc';
  readonly version: string;
  readonly groups: readonly GroupNode[];
  /** By the names that a command's `optionSets` has. */
  readonly optionSets: Readonly<Record<OptionSet, readonly OptionNode[]>>;
  readonly topics: readonly { readonly name: string; readonly summary: string }[];
  readonly exitStatuses: readonly ExitStatusNode[];
  readonly environment: readonly VariableNode[];
  readonly settings: readonly SettingNode[];
}

const OPTION_SETS = { write: WRITE_FLAGS, service: SERVICE_FLAGS, global: GLOBAL_FLAGS } as const;
export type OptionSet = keyof typeof OPTION_SETS;

export interface GroupNode {
  readonly name: string;
  readonly summary: string;
  readonly description: string | null;
  /** The group is one command, whose id is the group's name. */
  readonly single: boolean;
  readonly commands: readonly CommandNode[];
}

export interface CommandNode {
  /** The words typed after svc. */
  readonly id: string;
  /** Whole, as the id. */
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly description: string | null;
  readonly usage: string;
  readonly effect: Command['effect'];
  /** `any` where the arguments decide. */
  readonly service: string | null;
  readonly arguments: readonly ArgumentNode[];
  /** Its own; those of the sets come on top. */
  readonly options: readonly OptionNode[];
  readonly optionSets: readonly OptionSet[];
  readonly output: OutputNode;
  /** In ascending order, without those that any command may end in: 70, 130 and 143. */
  readonly exitStatuses: readonly number[];
  readonly examples: readonly Example[];
}

export interface ArgumentNode {
  readonly name: string;
  readonly help: string;
  readonly required: boolean;
  readonly repeat: boolean;
  /** Takes what stands after `--`. */
  readonly afterDashes: boolean;
  readonly choices: readonly string[] | null;
}

export interface OutputNode {
  readonly kind: AnyOutput['kind'];
  /** For `--columns`; none where plain text is printed. */
  readonly columns: readonly { readonly name: string; readonly wide: boolean }[];
  /** Prefixes of columns that the user completes: `label` of `label:instance`. */
  readonly families: readonly string[];
  /** The format where nobody asks for another; null where the settings say. */
  readonly defaultFormat: 'json' | null;
}

export interface ExitStatusNode {
  readonly status: number;
  readonly meaning: string;
  /** The codes of errors that end in it. */
  readonly codes: readonly { readonly code: ErrorCode; readonly meaning: string; readonly retryable: boolean }[];
}

export interface VariableNode {
  readonly name: string;
  readonly meaning: string;
  /** Its value is never shown. */
  readonly secret: boolean;
  /** The setting that it wins over. */
  readonly setting: string | null;
}

export interface SettingNode {
  readonly key: string;
  readonly type: Setting['type'];
  readonly meaning: string;
  readonly variable: string | null;
  readonly option: string | null;
  readonly default: string | null;
  readonly choices: readonly string[] | null;
}

export async function commandTree(groups: readonly Group[]): Promise<CommandTree> {
  return {
    name: 'svc',
    version: pkg.version,
    groups: await Promise.all(groups.map(async (group) => groupNode(group, await loadCommands(group)))),
    optionSets: {
      write: optionNodes(OPTION_SETS.write),
      service: optionNodes(OPTION_SETS.service),
      global: optionNodes(OPTION_SETS.global),
    },
    topics: TOPICS.map(({ name, summary }) => ({ name, summary })),
    exitStatuses: EXIT_STATUSES.map(([status, meaning]) => ({ status, meaning, codes: codesOf(status) })),
    environment: variables(),
    settings: (SETTING_KEYS as readonly Setting[]).map((setting) => ({
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

export function groupNode(group: GroupSummary, commands: readonly Command[]): GroupNode {
  return {
    name: group.name,
    summary: group.summary,
    description: group.description ?? null,
    single: group.single === true,
    commands: commands.map(commandNode),
  };
}

export function commandNode(command: Command): CommandNode {
  const [group] = command.id.split(' ');
  const sets: readonly (OptionSet | false)[] = [
    command.effect !== 'read' && 'write',
    isRemote(command) && 'service',
    'global',
  ];
  return {
    id: command.id,
    aliases: (command.aliases ?? []).map((alias) => `${group} ${alias}`),
    summary: command.summary,
    description: command.description ?? null,
    usage: usageLine(command),
    effect: command.effect,
    service: command.service ?? (command.callOf === undefined ? null : 'any'),
    arguments: Object.entries(command.args ?? {}).map(([name, argument]) => argumentNode(name, argument)),
    options: optionNodes(command.flags ?? {}),
    optionSets: sets.filter((set) => set !== false),
    output: outputNode(command),
    exitStatuses: exitStatuses(command),
    examples: command.examples,
  };
}

function argumentNode(name: string, { help, required, repeat, afterDashes, choices }: Argument): ArgumentNode {
  return {
    name,
    help,
    required: required === true,
    repeat: repeat === true,
    afterDashes: afterDashes === true,
    choices: choices ?? null,
  };
}

function outputNode({ output, ...command }: Command): OutputNode {
  const defaultFormat = command.defaultFormat ?? null;
  const { kind } = output;
  if (kind === 'text') return { kind, columns: [], families: [], defaultFormat };
  const columned = kind === 'chart' ? output.list : output;
  return {
    kind,
    columns: columned.columns.map(({ name, wide }: Column<unknown>) => ({ name, wide: wide === true })),
    families: 'families' in columned ? Object.keys(columned.families ?? {}) : [],
    defaultFormat,
  };
}

/** A service that is asked may refuse, be out of reach or not know what is named; of a write the outcome may be unknown. */
function exitStatuses({ effect, exits = [], ...command }: Command): number[] {
  const remote = isRemote(command) ? [3, 4, 5, 6, 7] : [];
  const write = isRemote(command) && effect !== 'read' ? [8] : [];
  const own = exits.map((code) => ERROR_KINDS[code].exit);
  return [...new Set([0, 2, ...remote, ...write, ...own])].sort((a, b) => a - b);
}

function codesOf(status: number): ExitStatusNode['codes'] {
  return (Object.keys(ERROR_KINDS) as ErrorCode[])
    .filter((code) => ERROR_KINDS[code].exit === status)
    .map((code) => ({ code, meaning: ERROR_KINDS[code].meaning, retryable: ERROR_KINDS[code].retryable }));
}

function variables(): VariableNode[] {
  const ofSettings = (SETTING_KEYS as readonly Setting[]).flatMap(({ key, env, help }): VariableNode[] =>
    env === undefined ? [] : [{ name: env, meaning: help, secret: false, setting: key }],
  );
  const others = VARIABLES.map(({ name, help, secret }) => ({ name, meaning: help, secret, setting: null }));
  return [...ofSettings, ...others];
}
