/** The man pages: svc(1), and one for each group. */

import type { Group } from '../command.ts';
import { TOPICS, type Topic } from '../topics.ts';
import { fullNotes, type OptionNode, optionUsage } from './options.ts';
import { bold, escapeRoff, item, paragraphs, section, subsection, title, verbatim } from './roff.ts';
import { type CommandNode, type CommandTree, commandTree, type GroupNode, type OutputNode } from './tree.ts';

/** File name → text. */
export async function manualPages(groups: readonly Group[]): Promise<Readonly<Record<string, string>>> {
  const tree = await commandTree(groups);
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
    section('OPTIONS', paragraphs('Of every command:'), ...tree.optionSets.global.map(optionItem)),
    ...TOPICS.map((topic) =>
      section(topic.name === 'exit-codes' ? 'EXIT STATUS' : topic.name.toUpperCase(), ...topicParts(topic)),
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
      ? section('OPTIONS OF COMMANDS THAT ASK A SERVICE', ...tree.optionSets.service.map(optionItem))
      : '',
    section(
      'SEE ALSO',
      `${reference('svc')}, for the options of every command, exit statuses, the environment and more`,
    ),
  ]);
}

function commandParts(command: CommandNode): string[] {
  const { summary, aliases, description, arguments: args, options, examples } = command;
  return [
    paragraphs(`${summary}.`),
    ...(aliases.length === 0 ? [] : [paragraphs(`Also: ${aliases.map((alias) => `svc ${alias}`).join(', ')}.`)]),
    ...(description === null ? [] : [paragraphs(description)]),
    ...args.map(({ name, help, choices }) =>
      item(bold(name), choices === null ? help : `${help} (${choices.join(', ')})`),
    ),
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
  const notes = fullNotes(option);
  return item(bold(optionUsage(option)), notes.length === 0 ? option.help : `${option.help} (${notes.join('; ')})`);
}

function topicParts({ blocks }: Topic): string[] {
  return blocks.flatMap((block) =>
    block.rows === undefined
      ? [paragraphs(block.text)]
      : [paragraphs(`${block.title}:`), ...block.rows.map(([left, right]) => item(bold(left), right))],
  );
}
