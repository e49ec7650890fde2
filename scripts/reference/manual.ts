/** The man pages: svc(1), and one per group. All text is escaped for roff. */
import type { Group } from '../../src/cli/command.ts';
import { argumentText, fullNotes, type OptionNode, optionUsage, withNotes } from '../../src/cli/reference/options.ts';
import {
  buildCommandTree,
  type CommandNode,
  type CommandTree,
  type GroupNode,
  type OutputNode,
} from '../../src/cli/reference/tree.ts';
import { TOPICS, type Topic } from '../../src/cli/topics.ts';

/** File name → text. */
export async function manualPages(groups: readonly Group[]): Promise<Readonly<Record<string, string>>> {
  const tree = await buildCommandTree(groups);
  return Object.fromEntries([
    ['svc.1', mainPage(tree)],
    ...tree.groups.map((group) => [`${pageOf(group)}.1`, groupPage(group, tree)]),
  ]);
}

const pageOf = ({ name }: GroupNode): string => `svc-${name}`;

const reference = (page: string): string => `${bold(page)}(1)`;

function page(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n')}\n`;
}

function mainPage(tree: CommandTree): string {
  return page([
    title('svc', tree.version),
    section('NAME', escapeRoff('svc - alerts, recording webhooks, a product catalog and a trading gateway')),
    section(
      'SYNOPSIS',
      `${bold('svc')} ${escapeRoff('<group> <command> [options]')}`,
      '.br',
      `${bold('svc help')} ${escapeRoff('[group [command] | topic]')}`,
    ),
    section('COMMANDS', ...tree.groups.map((group) => item(reference(pageOf(group)), group.summary))),
    ...TOPICS.map((topic) =>
      section(topic.name === 'exit-statuses' ? 'EXIT STATUS' : topic.name.toUpperCase(), ...topicParts(topic)),
    ),
    section('SEE ALSO', tree.groups.map((group) => reference(pageOf(group))).join(',\n')),
  ]);
}

function groupPage(group: GroupNode, tree: CommandTree): string {
  const { summary, description, single, commands } = group;
  const sets = new Set(commands.flatMap((command) => command.optionSets));
  return page([
    title(pageOf(group), tree.version),
    section('NAME', escapeRoff(`${pageOf(group)} - ${summary}`)),
    section('SYNOPSIS', commands.map(({ usage }) => escapeRoff(usage)).join('\n.br\n')),
    description === null ? '' : section('DESCRIPTION', paragraphs(description)),
    single
      ? section('DESCRIPTION', ...commands.flatMap(commandParts))
      : section(
          'COMMANDS',
          ...commands.map((command) =>
            subsection(`svc ${command.id}`, verbatim([command.usage]), ...commandParts(command)),
          ),
        ),
    sets.has('write')
      ? section('OPTIONS OF COMMANDS THAT CHANGE SOMETHING', ...tree.optionSets.write.map(optionItem))
      : '',
    sets.has('service')
      ? section('OPTIONS OF COMMANDS THAT CALL A SERVICE', ...tree.optionSets.service.map(optionItem))
      : '',
    section(
      'SEE ALSO',
      `${reference('svc')}, for the options of every command, exit statuses, the environment and more`,
    ),
  ]);
}

function commandParts(command: CommandNode): string[] {
  const { summary, aliases, arguments: args, options, examples } = command;
  return [
    paragraphs(`${summary}.`),
    ...(aliases.length === 0 ? [] : [paragraphs(`Also: ${aliases.map((alias) => `svc ${alias}`).join(', ')}.`)]),
    ...[command.description, command.details].flatMap((text) => (text === null ? [] : [paragraphs(text)])),
    ...args.map((argument) => item(bold(argument.name), argumentText(argument))),
    ...options.map(optionItem),
    ...columnParts(command.output),
    paragraphs(`Exit status: ${command.exitStatuses.join(', ')}.`),
    paragraphs('Examples:'),
    verbatim(examples.flatMap(({ run, why }) => [`# ${why}`, run])),
  ];
}

function columnParts({ columns }: OutputNode): string[] {
  if (columns.length === 0) return [];
  const names = columns.map(({ name, wide }) => (wide ? `${name} (-o wide)` : name));
  return [paragraphs(`Columns: ${names.join(', ')}.`)];
}

function optionItem(option: OptionNode): string {
  return item(bold(optionUsage(option)), withNotes(option.help, fullNotes(option)));
}

function topicParts({ blocks }: Topic): string[] {
  return blocks.flatMap((block) =>
    block.rows === undefined
      ? [paragraphs(block.text)]
      : [paragraphs(`${block.title}:`), ...block.rows.map(([left, right]) => item(bold(left), right))],
  );
}

const NAMED: Readonly<Record<string, string>> = {
  '\\': '\\e',
  // Options need a plain hyphen: a typographical one breaks copied command lines.
  '-': '\\-',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  "'": '\\(aq',
  '"': '\\(dq',
};

export function escapeRoff(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[\\`^~'"-]/g, (char) => NAMED[char] ?? char)
    // JSON has no spaces where a line could break.
    .replace(/\S{40,}/g, (word) => word.replace(/,/g, ',\\:'))
    .replace(
      /[^\x20-\x7e]/gu,
      (char) => `\\[u${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`,
    );
  // At the start of a line, a dot begins a roff request.
  return line.replace(/^\./, '\\&.');
}

export function bold(text: string): string {
  return `\\fB${escapeRoff(text)}\\fR`;
}

function quoted(text: string): string {
  return `"${escapeRoff(text).replace(/^\\&/, '')}"`;
}

/** Neither justified nor hyphenated, so that options and command lines stay intact. */
export function title(name: string, version: string): string {
  return `.TH ${quoted(name.toUpperCase())} 1 "" ${quoted(`svc ${version}`)} "svc"\n.ad l\n.nh`;
}

export function section(name: string, ...parts: readonly string[]): string {
  return [`.SH ${quoted(name)}`, ...parts].join('\n');
}

export function subsection(name: string, ...parts: readonly string[]): string {
  return [`.SS ${quoted(name)}`, ...parts].join('\n');
}

export function paragraphs(text: string): string {
  return text
    .split('\n')
    .map((line) => `.PP\n${escapeRoff(line)}`)
    .join('\n');
}

/** A term with its meaning indented below; `left` is already roff. */
export function item(left: string, right: string): string {
  return `.TP\n${left}\n${escapeRoff(right)}`;
}

export function verbatim(lines: readonly string[]): string {
  return ['.PP', '.RS 4', '.nf', ...lines.map(escapeRoff), '.fi', '.RE'].join('\n');
}
