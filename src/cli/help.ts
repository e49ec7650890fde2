/** Help, made only from the declarations: `svc --help`, `svc alerts --help` and so on. */
import type { Command, Sections } from './command.ts';
import { ownFlags, SOME_FLAGS } from './common-flags.ts';
import { type Flag, type Flags, operands, usageLine } from './flags.ts';
import { argumentText, optionNodes, optionNotes, optionUsage, withNotes } from './reference/options.ts';

export interface GroupSummary {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly single?: true;
}

/** Longer lines are hard to read. */
export const HELP_WIDTH = 80;

export type Row = readonly [left: string, right: string];

/** Two columns with the right one wrapped; a left side that is too long gets its own line. */
export function formatRows(rows: readonly Row[], width: number, widest = widestLeft(rows)): string {
  const indent = Math.min(widest, Math.floor(width * 0.4)) + 4;
  return rows
    .map(([left, right]) => {
      const lines = splitIntoLines(right, Math.max(16, width - indent));
      const first = `  ${left}`;
      const below = lines.map((line) => `${' '.repeat(indent)}${line}`);
      if (first.length + 2 > indent) return [first, ...below].join('\n');
      return [first.padEnd(indent) + (lines[0] ?? ''), ...below.slice(1)].join('\n').trimEnd();
    })
    .join('\n');
}

function widestLeft(rows: readonly Row[]): number {
  return Math.max(0, ...rows.map(([left]) => left.length));
}

export function splitIntoLines(text: string, width: number): string[] {
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

function formatText(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => splitIntoLines(line, width).join('\n'))
    .join('\n');
}

/** What a page of help explains. */
export type HelpSubject =
  | { readonly kind: 'svc'; readonly groups: readonly GroupSummary[] }
  | {
      readonly kind: 'commands';
      readonly group: GroupSummary;
      readonly commands: readonly Command[];
      readonly sections?: Sections | undefined;
    }
  | { readonly kind: 'command'; readonly command: Command };

type GroupSubject = Extract<HelpSubject, { kind: 'commands' }>;

/** Makes every help page: for `--help`, for `svc help` and for the build. `all`: also rare options. */
export function formatHelp(subject: HelpSubject, columns = HELP_WIDTH, all = false): string {
  return `${pageParts(subject, Math.min(columns, HELP_WIDTH), all).join('\n\n')}\n`;
}

function pageParts(subject: HelpSubject, width: number, all: boolean): string[] {
  switch (subject.kind) {
    case 'svc':
      return formatRootHelp(subject.groups, width);
    case 'commands':
      return formatGroupHelp(subject, width);
    case 'command':
      return formatCommandHelp(subject.command, width, all);
  }
}

function formatRootHelp(groups: readonly GroupSummary[], width: number): string[] {
  const listNames = (some: readonly GroupSummary[]): string =>
    formatRows(
      some.map(({ name, summary }): Row => [name, summary]),
      width,
    );
  return [
    formatText(
      'svc: alerts, recording webhooks, a product catalog and a trading gateway, from one command line.',
      width,
    ),
    'Usage: svc <group> <command> [options]',
    `Groups:\n${listNames(groups.filter(({ single }) => single === undefined))}`,
    `Commands without a group:\n${listNames(groups.filter(({ single }) => single))}`,
    `Options:\n${formatRows(
      [
        ['-h, --help', 'Help for svc, a group or a command'],
        ['-V, --version', 'Print the version (same as svc version)'],
      ],
      width,
    )}`,
    formatText(
      'Try it without a server: svc sandbox run -- svc alerts list\nHelp on a command: svc alerts list --help\nTopics: svc help output|times|matchers|exit-statuses|configuration|options',
      width,
    ),
  ];
}

function formatGroupHelp({ group, commands, sections }: GroupSubject, width: number): string[] {
  const nameOf = ({ id }: Command): string => id.slice(group.name.length + 1);
  const rowOf = (command: Command): Row => {
    const [first] = command.id.split(' ');
    const aliases = (command.aliases ?? []).flatMap((alias) => nameWithin(group, `${first} ${alias}`) ?? []);
    const also = aliases.length === 0 ? '' : ` (also: ${aliases.join(', ')})`;
    return [`${nameOf(command)}${operands(command)}`, `${command.summary}${also}`];
  };
  const widest = widestLeft(commands.map(rowOf));
  const titled =
    sections === undefined
      ? [['Commands', commands] as const]
      : Object.entries(sections).map(([title, own]) => {
          return [title, commands.filter((command) => Object.hasOwn(own, nameOf(command)))] as const;
        });
  const example = commands[0]?.examples[0];
  return [
    formatText(group.summary, width),
    ...(group.description === undefined ? [] : [formatText(group.description, width)]),
    formatText(`Usage: svc ${group.name} <command> [options]`, width),
    ...titled.map(([title, own]) => `${title}:\n${formatRows(own.map(rowOf), width, widest)}`),
    ...(example === undefined ? [] : [`Example:\n  ${example.run}`]),
    formatText(`Options of a command: svc ${group.name} <command> --help`, width),
  ];
}

/** The name without that of its group; undefined for a name of another group. */
function nameWithin(group: GroupSummary, name: string): string | undefined {
  return name.startsWith(`${group.name} `) ? name.slice(group.name.length + 1) : undefined;
}

function formatCommandHelp(command: Command, width: number, all: boolean): string[] {
  const isShort = !all && Object.values(ownFlags(command)).some((flag) => flag.rare);
  const usage = [`Usage: ${usageLine(command)}`];
  if (command.aliases !== undefined) usage.push(`Also: ${command.aliases.join(', ')}`);
  const examples = command.examples
    .flatMap(({ run, why }) => [...splitIntoLines(why, width - 4).map((line) => `  # ${line}`), `  ${run}`])
    .join('\n');
  const argumentRows = Object.entries(command.args ?? {}).map(([name, arg]): Row => [name, argumentText(arg)]);
  return [
    formatText(command.summary, width),
    formatText(usage.join('\n'), width),
    ...(command.description === undefined ? [] : [formatText(command.description, width)]),
    `Examples:\n${examples}`,
    ...(argumentRows.length === 0 ? [] : [`Arguments:\n${formatRows(argumentRows, width)}`]),
    ...optionSections(command, width, all),
    formatText(
      `Global options: svc help options${isShort ? `\nAll options: svc help ${command.id} --all` : ''}`,
      width,
    ),
  ];
}

/** One section per purpose, in declaration order; options without a group come first. */
function optionSections(command: Command, width: number, all: boolean): string[] {
  const sections = new Map<string, Record<string, Flag>>([['Options', {}]]);
  for (const [name, flag] of Object.entries(ownFlags(command))) {
    // svc help options lists these.
    if (SOME_FLAGS[name] === flag || (flag.rare && !all)) continue;
    const title = flag.group ?? 'Options';
    sections.set(title, { ...sections.get(title), [name]: flag });
  }
  return [...sections].flatMap(([title, flags]) => {
    const rows = optionRows(flags);
    return rows.length === 0 ? [] : [`${title}:\n${formatRows(rows, width)}`];
  });
}

export function optionRows(flags: Flags): Row[] {
  return optionNodes(flags).map((option): Row => {
    const usage = `${option.short === null ? '    ' : ''}${optionUsage(option)}`;
    return [usage, withNotes(option.help, optionNotes(option))];
  });
}
