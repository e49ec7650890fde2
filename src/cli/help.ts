/** Help, made from the declarations alone: `svc --help`, `svc alerts --help`, `svc alerts list --help`. */
import type { Command } from './command.ts';
import { type Flags, flagSections, operands, usageLine } from './flags.ts';
import { argumentText, optionNodes, optionNotes, optionUsage, withNotes } from './reference/options.ts';

export interface GroupSummary {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly single?: true;
}

/** Help is never wider: long lines are hard to read. */
export const HELP_WIDTH = 80;

export type Row = readonly [left: string, right: string];

/** Two columns, the right one wrapped; a left side that is too long stands on a line of its own. */
export function table(rows: readonly Row[], width: number): string {
  const widest = Math.max(0, ...rows.map(([left]) => left.length));
  const indent = Math.min(widest, Math.floor(width * 0.45)) + 4;
  return rows
    .map(([left, right]) => {
      const lines = wrap(right, Math.max(16, width - indent));
      const first = `  ${left}`;
      const below = lines.map((line) => `${' '.repeat(indent)}${line}`);
      if (first.length + 2 > indent) return [first, ...below].join('\n');
      return [first.padEnd(indent) + (lines[0] ?? ''), ...below.slice(1)].join('\n').trimEnd();
    })
    .join('\n');
}

export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  lines.push(line);
  return lines;
}

function paragraphs(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => wrap(line, width).join('\n'))
    .join('\n');
}

/** What a page of help explains. */
export type HelpSubject =
  | { readonly kind: 'svc'; readonly groups: readonly GroupSummary[] }
  | { readonly kind: 'commands'; readonly group: GroupSummary; readonly commands: readonly Command[] }
  | { readonly kind: 'command'; readonly command: Command };

/** The one maker of help pages, for `--help`, for `svc help` and for the pages that the build prepares. */
export function helpPage(subject: HelpSubject, columns = HELP_WIDTH): string {
  const width = Math.min(columns, HELP_WIDTH);
  switch (subject.kind) {
    case 'svc':
      return rootHelp(subject.groups, width);
    case 'commands':
      return groupHelp(subject.group, subject.commands, width);
    case 'command':
      return commandHelp(subject.command, width);
  }
}

function rootHelp(groups: readonly GroupSummary[], width: number): string {
  const named = (single: true | undefined): string =>
    table(
      groups.filter((group) => group.single === single).map(({ name, summary }): Row => [name, summary]),
      width,
    );
  return `${[
    paragraphs(
      'svc: alerts, recording webhooks, a product catalog and a trading gateway, from one command line.',
      width,
    ),
    'Usage: svc <group> <command> [options]',
    `Groups:\n${named(undefined)}`,
    `Commands without a group:\n${named(true)}`,
    `Options:\n${table(
      [
        ['-h, --help', 'Help for svc, a group or a command'],
        ['-V, --version', 'The version'],
      ],
      width,
    )}`,
    paragraphs(
      'Try it without a server: svc sandbox run -- svc alerts list\nHelp on a command: svc alerts list --help\nTopics: svc help exit-codes|environment|output|times|matchers',
      width,
    ),
  ].join('\n\n')}\n`;
}

function groupHelp(group: GroupSummary, commands: readonly Command[], width: number): string {
  const after = (name: string): string => name.slice(group.name.length + 1);
  const rows = commands.map((command): Row => {
    const [first] = command.id.split(' ');
    const others = (command.aliases ?? []).map((alias) => `${first} ${alias}`);
    const aliases = others.filter((alias) => alias.startsWith(`${group.name} `)).map(after);
    const also = aliases.length === 0 ? '' : ` (also: ${aliases.join(', ')})`;
    return [`${after(command.id)}${operands(command)}`, `${command.summary}${also}`];
  });
  const example = commands[0]?.examples[0];
  return `${[
    paragraphs(group.summary, width),
    ...(group.description === undefined ? [] : [paragraphs(group.description, width)]),
    paragraphs(`Usage: svc ${group.name} <command> [options]`, width),
    `Commands:\n${table(rows, width)}`,
    ...(example === undefined ? [] : [`Example:\n  ${example.run}`]),
    paragraphs(`Options of a command: svc ${group.name} <command> --help`, width),
  ].join('\n\n')}\n`;
}

function commandHelp(command: Command, width: number): string {
  const parts = [paragraphs(command.summary, width)];
  if (command.description !== undefined) parts.push(paragraphs(command.description, width));
  parts.push(paragraphs(`Usage: ${usageLine(command)}`, width));
  if (command.aliases !== undefined) parts.push(`Also: ${command.aliases.join(', ')}`);
  const argumentRows = Object.entries(command.args ?? {}).map(([name, arg]): Row => [name, argumentText(arg)]);
  if (argumentRows.length > 0) parts.push(`Arguments:\n${table(argumentRows, width)}`);
  for (const { title, flags } of flagSections(command)) {
    const rows = optionRows(flags);
    if (rows.length > 0) parts.push(`${title}:\n${table(rows, width)}`);
  }
  const examples = command.examples
    .flatMap(({ run, why }) => [...wrap(why, width - 4).map((line) => `  # ${line}`), `  ${run}`])
    .join('\n');
  parts.push(`Examples:\n${examples}`);
  return `${parts.join('\n\n')}\n`;
}

function optionRows(flags: Flags): Row[] {
  return optionNodes(flags).map((option): Row => {
    const usage = `${option.short === null ? '    ' : ''}${optionUsage(option)}`;
    return [usage, withNotes(option.help, optionNotes(option))];
  });
}
