/** The pages of docs/reference/: one per group and topic, and an index. */

import { argumentText, fullNotes, type OptionNode, optionUsage, withNotes } from '../../src/cli/reference/options.ts';
import type { CommandNode, CommandTree, GroupNode, OptionSet, OutputNode } from '../../src/cli/reference/tree.ts';
import { TOPICS, type Topic } from '../../src/cli/topics.ts';

const NOTE = '<!-- Made from the declarations in src/: npm run build -->';

const SET_TITLES: Readonly<Record<OptionSet, string>> = {
  write: 'Options of a command that changes something',
  service: 'Options of a command that calls a service',
  global: 'Options of every command',
};

const HELP_DATA =
  '`--format json` prints objects in which every key is always present: `null` where it does not apply. Keys may be added; removing one or changing its meaning takes a new major version. `optionSets` names the options that many commands share. `exitStatuses` of a command omits 70, 130 and 143, in which any command may end.';

/** File name → text. `help` is the command `svc help`. */
export function referencePages(tree: CommandTree, help: CommandNode): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ['index.md', index(tree)],
    ...tree.groups.map((group) => [`${group.name}.md`, groupPage(group)] as const),
    ['help.md', page('svc help', [...commandParts(help), HELP_DATA])],
    ...TOPICS.map((topic) => [`${topic.name}.md`, topicPage(topic, tree)] as const),
  ]);
}

function page(title: string, parts: readonly string[]): string {
  return `${[`# ${title}`, NOTE, ...parts.filter((part) => part !== '')].join('\n\n')}\n`;
}

function index(tree: CommandTree): string {
  const groups = tree.groups.map(({ name, summary }) => [
    `[${code(`svc ${name}`)}](${name}.md)`,
    escapeMarkdown(summary),
  ]);
  const topics = tree.topics.map(({ name, summary }) => [`[${name}](${name}.md)`, escapeMarkdown(summary)]);
  return page('Reference', [
    markdownTable(
      ['', ''],
      [...groups, [`[${code('svc help')}](help.md)`, 'All of this at the terminal, and as data']],
    ),
    markdownTable(['topic', ''], topics),
    '## All commands',
    tree.groups
      .map(({ name, commands }) => commands.map((command) => commandLine(command, `${name}.md`)).join('\n'))
      .join('\n'),
    ...(Object.keys(SET_TITLES) as OptionSet[]).flatMap((set) => [
      `## ${SET_TITLES[set]}`,
      optionTable(tree.optionSets[set]),
    ]),
  ]);
}

function commandLine({ id, summary }: CommandNode, file = ''): string {
  return `- [${code(`svc ${id}`)}](${file}#${anchor(`svc ${id}`)}) ${escapeMarkdown(summary)}`;
}

/** As GitHub makes anchors from headings. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

function groupPage({ name, summary, description, single, commands }: GroupNode): string {
  const about = description === null ? '' : paragraphs(description);
  if (single) return page(`svc ${name}`, commands.flatMap(commandParts));
  return page(`svc ${name}`, [
    `${escapeMarkdown(summary)}.`,
    about,
    commands.map((command) => commandLine(command)).join('\n'),
    ...commands.flatMap((command) => [`## svc ${command.id}`, ...commandParts(command)]),
  ]);
}

function commandParts(command: CommandNode): string[] {
  const { aliases, summary, description, details, usage, arguments: args, options, optionSets, examples } = command;
  return [
    `${escapeMarkdown(summary)}.`,
    fenced(usage, ''),
    aliases.length === 0 ? '' : `Also: ${aliases.map((alias) => code(`svc ${alias}`)).join(', ')}.`,
    description === null ? '' : paragraphs(description),
    details === null ? '' : paragraphs(details),
    args.length === 0
      ? ''
      : markdownTable(
          ['argument', ''],
          args.map((argument) => [code(argument.name), escapeMarkdown(argumentText(argument))]),
        ),
    options.length === 0 ? '' : optionTable(options),
    `Further options: ${optionSets.map((set) => `[${set}](index.md#${anchor(SET_TITLES[set])})`).join(', ')}.`,
    outputText(command.output),
    `Exit status: ${command.exitStatuses.join(', ')} ([all of them](exit-statuses.md)).`,
    fenced(examples.map(({ run, why }) => `# ${why}\n${run}`).join('\n')),
  ].filter((part) => part !== '');
}

function outputText({ kind, columns, families, defaultFormat }: OutputNode): string {
  const names = (wide: boolean): string =>
    columns
      .filter((column) => column.wide === wide)
      .map(({ name }) => code(name))
      .join(', ');
  const what = { list: 'a list', record: 'a record', text: 'text', chart: 'a chart' }[kind];
  const parts = [
    `Prints ${what}${defaultFormat === null ? '' : `, as ${defaultFormat} by default`}`,
    ...(names(false) === '' ? [] : [`[columns](output.md) ${names(false)}`]),
    ...(names(true) === '' ? [] : [`with \`-o wide\` also ${names(true)}`]),
    ...families.map((family) => `and any ${code(`${family}:<name>`)}`),
  ];
  return `${parts.join('; ')}.`;
}

function optionTable(options: readonly OptionNode[]): string {
  return markdownTable(
    ['option', ''],
    options.map((option) => [code(optionUsage(option)), escapeMarkdown(withNotes(option.help, fullNotes(option)))]),
  );
}

function topicPage(topic: Topic, tree: CommandTree): string {
  const blocks = topic.blocks.map((block) =>
    block.rows === undefined
      ? escapeMarkdown(block.text)
      : `**${escapeMarkdown(block.title)}**\n\n${markdownTable(
          ['', ''],
          block.rows.map(([left, right]) => [code(left), escapeMarkdown(right)]),
        )}`,
  );
  return page(topic.summary, [
    `${code(`svc help ${topic.name}`)} prints it at the terminal.`,
    ...blocks,
    ...(topic.name === 'exit-statuses' ? [errorCodes(tree)] : []),
    ...(topic.name === 'configuration' ? [settings(tree)] : []),
  ]);
}

function errorCodes({ exitStatuses }: CommandTree): string {
  const rows = exitStatuses.flatMap(({ status, codes }) =>
    codes.map(({ code: name, meaning, retryable }) => [
      String(status),
      code(name),
      escapeMarkdown(meaning),
      retryable ? 'yes' : '',
    ]),
  );
  return [
    'With `-o json` and `-o ndjson` a failure is one line on standard error, `{"error":{"code","message","hint","http_status","exit","retryable"}}`, with one of these codes. Retryable means that the same command may succeed if you repeat it unchanged, and that repeating it is safe.',
    markdownTable(['status', 'code', 'meaning', 'retryable'], rows),
  ].join('\n\n');
}

function settings({ settings }: CommandTree): string {
  const rows = settings.map(({ key, meaning, variable, option, default: preset, choices }) => [
    code(key),
    escapeMarkdown(choices === null ? meaning : `${meaning} (${choices.join(', ')})`),
    variable === null ? '' : code(variable),
    option === null ? '' : code(option),
    preset === null ? '' : code(preset),
  ]);
  return [
    '**Settings** (`svc config set`, for each profile)',
    markdownTable(['setting', 'meaning', 'variable', 'option', 'default'], rows),
  ].join('\n\n');
}

/** Inline text, without line breaks. */
export function escapeMarkdown(text: string): string {
  return (
    text
      .replace(/\s+/g, ' ')
      .trim()
      // An underscore within a word has no meaning in Markdown, and names are full of them.
      .replace(/[\\`*[\]<>|$~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|&(?=#?\w+;)/g, '\\$&')
      .replace(/^([#+=-])/, '\\$1')
      .replace(/^(\d+)([.)])/, '$1\\$2')
  );
}

/** Preformatted, in a fence that the text does not contain. */
export function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const blank = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return `${fence}${blank}${text}${blank}${fence}`;
}

/** The cells are Markdown already. Only tables need bars escaped, even in code. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replace(/(?<!\\)((?:\\\\)*)\|/g, '$1\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

/** Each line becomes a paragraph; consecutive lines of the form `name: text` become a list. */
export function paragraphs(text: string): string {
  const lines = text.split('\n');
  const named = lines.map((line) => /^([a-z0-9]+(?:-[a-z0-9]+)*): (.*)$/.exec(line));
  return lines
    .map((line, index) => {
      const [, name = '', rest = ''] = named[index] ?? [];
      const item = named[index] && (named[index - 1] || named[index + 1]);
      const plain = isCommand(line) ? fenced(line) : escapeMarkdown(line);
      const shown = item ? `- ${code(name)}: ${escapeMarkdown(rest)}` : plain;
      return index === 0 ? shown : `${item && named[index - 1] ? '\n' : '\n\n'}${shown}`;
    })
    .join('');
}

export function fenced(text: string, language = 'sh'): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

/** Lines to copy. */
function isCommand(line: string): boolean {
  return /^eval "/.test(line) || /^svc [a-z ]+[|>]/.test(line);
}
