/** What each key of `svc help --format json` means: the types say which keys there are, and a test holds both together. */
import type { OptionNode } from './options.ts';
import type {
  ArgumentNode,
  CommandNode,
  CommandTree,
  ExitStatusNode,
  GroupNode,
  OutputNode,
  SettingNode,
  VariableNode,
} from './tree.ts';

type Meanings<Node> = Readonly<Record<keyof Node, string>>;

const svc: Meanings<CommandTree> = {
  name: 'svc',
  version: 'The version of svc',
  groups: 'What is typed first, in the order of the help',
  optionSets: 'The options that many commands share: write, service, global',
  topics: 'What svc help explains beside commands: name, summary',
  exitStatuses: 'What each exit status means',
  environment: 'The variables that svc reads',
  settings: 'What svc config keeps in a profile',
};

const group: Meanings<GroupNode> = {
  name: 'The word that is typed',
  summary: 'One line',
  description: 'More, where there is more to say',
  single: 'Whether the group is itself the one command in it',
  commands: 'Its commands',
};

const command: Meanings<CommandNode> = {
  id: 'The words typed after svc',
  aliases: 'Other words for it, whole as the id',
  summary: 'One line',
  description: 'More, where there is more to say; each line is a paragraph',
  usage: 'The command line',
  effect: 'read, write, destroy or money: what it does to the service at most',
  service: 'alerts, webhooks, catalog or trade; any where the arguments decide; null where it asks none',
  arguments: 'In the order in which they are typed',
  options: 'Its own options',
  optionSets: 'Which shared options it takes on top of them',
  output: 'What it prints',
  exitStatuses: 'What it may end in, beside 70, 130 and 143, which any command may',
  examples: 'Command lines: run, why',
};

const argument: Meanings<ArgumentNode> = {
  name: 'Its name in the usage',
  help: 'One line',
  required: 'Whether it must be there',
  repeat: 'Whether it takes all the rest',
  afterDashes: 'Whether it is what stands after --',
  choices: 'The only values that it takes',
};

const option: Meanings<OptionNode> = {
  name: 'Without the dashes',
  short: 'The letter of its short form',
  type: 'boolean, string, integer, number, choice, time, duration, pairs (name=value), or optional-value (attached by = or left out)',
  help: 'One line',
  value: 'What stands for the value in help; null for a boolean',
  required: 'Whether it must be given',
  repeat: 'Whether it may be given several times',
  negated: 'Whether it is on, and typed --no-name to turn it off',
  choices: 'The only values that it takes',
  default: 'What counts where it is not given',
  min: 'The least value',
  max: 'The greatest value',
  bare: 'Of a time: whether 2h means forward from now, or back',
};

const output: Meanings<OutputNode> = {
  kind: 'list, record, text or chart',
  columns: 'For --columns: name, and whether only -o wide shows it',
  families: 'Prefixes of columns that are completed by a name, as label:instance',
  defaultFormat: 'The format unless an option names one; null where the settings do',
};

const exitStatus: Meanings<ExitStatusNode> = {
  status: 'The number',
  meaning: 'What it says',
  codes: 'The codes of failures that end in it: code, meaning, retryable',
};

const variable: Meanings<VariableNode> = {
  name: 'Of the variable',
  meaning: 'What it is for',
  secret: 'Whether its value is never shown',
  setting: 'The setting that it wins over',
};

const setting: Meanings<SettingNode> = {
  key: 'Its name for svc config',
  type: 'url, choice, text, path, duration or integer',
  meaning: 'What it is for',
  variable: 'The variable that wins over it',
  option: 'The option that wins over both',
  default: 'What counts where it is not set',
  choices: 'The only values that it takes',
};

export const TREE_SHAPE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  svc,
  group,
  command,
  argument,
  option,
  output,
  'exit status': exitStatus,
  variable,
  setting,
};
