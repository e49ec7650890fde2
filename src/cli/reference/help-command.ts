/** `svc help`: explains what the words name, as text or as data. */
import { SvcError } from '../../errors.ts';
import type { RecordOutput } from '../../output/types.ts';
import { type Command, type Group, textCommand } from '../command.ts';
import { formatHelp, type HelpSubject } from '../help.ts';
import { findCommand, findGroup } from '../lookup.ts';
import type { ParsedInput } from '../parse.ts';
import { TOPICS, type Topic, topicText } from '../topics.ts';

type Subject = HelpSubject | { readonly kind: 'topic'; readonly topic: Topic };

interface Node {
  readonly id?: string;
  readonly name?: string;
  readonly summary?: string;
}

const NODE: RecordOutput<Node> = {
  kind: 'record',
  columns: [
    { name: 'name', cell: ({ id, name }) => id ?? name },
    { name: 'summary', cell: ({ summary }) => summary },
  ],
  id: ({ id, name }) => id ?? name,
};

export const HELP: Command = textCommand({
  id: 'help',
  summary: 'Explain svc, a group, a command or a topic',
  description: `Topics: ${TOPICS.map(({ name }) => name).join(', ')}.\n--format json prints everything svc can do: groups with their commands, arguments, options, columns and examples, the exit statuses and the variables. For a group or a command it prints that part. --query, --fields and -o json, ndjson and yaml select from the same data.`,
  effect: 'read',
  args: { topic: { help: 'A group, a command or a topic', repeat: true } },
  flags: {
    all: { type: 'boolean', help: 'All options of a command, also those that few need' },
    format: { type: 'choice', choices: ['text', 'json'], default: 'text', help: 'Format: text, or data' },
  },
  examples: [
    { run: 'svc help alerts list', why: 'Same as svc alerts list --help' },
    { run: 'svc help matchers', why: 'How alerts are chosen' },
    { run: "svc help --format json --query 'groups[].commands[].id'", why: 'The name of every command' },
  ],
  repairsSettings: true,
  output: { kind: 'text' },
  outputOf: () => NODE,
  async run({ topic }, ctx) {
    const subject = await subjectOf(topic, ctx.groups);
    return { value: await dataOf(subject, ctx.groups), as: NODE };
  },
});

/** Whether data was requested: by name, or with an option that only applies to data. */
export function wantsData({ input, given }: ParsedInput): boolean {
  const data = input['output'] !== 'table' && input['output'] !== 'wide';
  return (
    input['format'] === 'json' ||
    ['json', 'query', 'fields', ...(data ? ['output'] : [])].some((name) => given.has(name))
  );
}

/** Throws `usage` if the words name nothing. */
export async function helpText(
  names: readonly string[],
  groups: readonly Group[],
  columns: number | undefined,
  all: boolean,
): Promise<string> {
  const subject = await subjectOf(names, groups);
  return subject.kind === 'topic' ? topicText(subject.topic, columns) : formatHelp(subject, columns, all);
}

async function subjectOf(names: readonly string[], groups: readonly Group[]): Promise<Subject> {
  const [first, ...rest] = names;
  if (first === undefined) return { kind: 'svc', groups };
  const topic = TOPICS.find(({ name }) => name === first);
  if (topic !== undefined || first === 'help') {
    refuseMore(first, rest);
    return topic === undefined ? { kind: 'command', command: HELP } : { kind: 'topic', topic };
  }
  const group = await findGroup(groups, first, ['help', 'version', ...TOPICS.map(({ name }) => name)]);
  const found = await findCommand(group, rest);
  if (found.kind === 'commands') return found;
  refuseMore(found.command.id, rest.slice(found.length));
  return { kind: 'command', command: found.command };
}

function refuseMore(name: string, [word]: readonly string[]): void {
  if (word !== undefined) {
    throw new SvcError('usage', `svc help ${name} has no "${word}"`, { hint: `see svc help ${name}` });
  }
}

async function dataOf(subject: Subject, groups: readonly Group[]): Promise<unknown> {
  const { buildCommandTree, commandNode, groupNode } = await import('./tree.ts');
  switch (subject.kind) {
    case 'svc':
      return buildCommandTree(groups);
    case 'topic':
      return { name: subject.topic.name, summary: subject.topic.summary, text: topicText(subject.topic, undefined) };
    case 'commands':
      return groupNode(subject.group, subject.commands);
    case 'command':
      return commandNode(subject.command);
  }
}
