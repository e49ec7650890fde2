/** From the words of a command line to the group and the command that they name. */
import { SvcError } from '../errors.ts';
import type { Command, Group } from './command.ts';
import type { GroupSummary } from './help.ts';
import { didYouMean } from './suggest.ts';

/** `others` are further words that may stand in its place. Throws `usage`. */
export function findGroup(groups: readonly Group[], name: string, others: readonly string[] = ['help']): Group {
  const group = groups.find((candidate) => candidate.name === name);
  if (group !== undefined) return group;
  throw new SvcError('usage', `there is no command "${name}"`, {
    hint: didYouMean(name, [...groups.map((g) => g.name), ...others]),
  });
}

/** What the words after a group name: one command, or all whose names begin so. */
export type Found =
  | { readonly kind: 'command'; readonly command: Command; readonly words: number }
  | { readonly kind: 'commands'; readonly group: GroupSummary; readonly commands: readonly Command[] };

/**
 * The longest id or alias that the words begin with. Where they are the beginning of several, those: `catalog products`. `at`: the index of
 * each word in argv, where options stand between them.
 */
export function findCommand(
  group: Group,
  commands: readonly Command[],
  words: readonly string[],
  at: readonly number[] = words.map((_, index) => index),
): Found {
  const [only] = commands;
  if (group.single && only !== undefined) return { kind: 'command', command: only, words: 0 };
  const nameOf = ({ id }: Command): string => id.slice(group.name.length + 1);
  for (let length = words.length; length > 0; length--) {
    const typed = words.slice(0, length).join(' ');
    const command = commands.find((candidate) => [nameOf(candidate), ...(candidate.aliases ?? [])].includes(typed));
    if (command === undefined) continue;
    // A command without arguments may be the beginning of others: `trade journal`, `trade journal settle`.
    const more = commands.flatMap((one) =>
      nameOf(one).startsWith(`${typed} `) ? nameOf(one).slice(typed.length + 1) : [],
    );
    // After an option it may be that option's value: `trade journal --limit 1`.
    const next = at[length] === (at[length - 1] ?? 0) + 1 ? words[length] : undefined;
    if (next !== undefined && more.length > 0 && command.args === undefined) {
      throw unknownCommand(`${group.name} ${typed} ${next}`, didYouMean(next, more));
    }
    return { kind: 'command', command, words: length };
  }
  const [word, next] = words;
  if (word === undefined) return { kind: 'commands', group, commands };
  const below = commands.filter((command) => nameOf(command).startsWith(`${word} `));
  if (below.length === 0) {
    const meant = commands.find(({ suggestFor }) => suggestFor?.includes(word));
    const first = commands.map((command) => nameOf(command).split(' ')[0] ?? '');
    const hint = meant === undefined ? didYouMean(word, [...new Set(first)]) : `did you mean ${nameOf(meant)}?`;
    throw unknownCommand(`${group.name} ${word}`, hint);
  }
  const name = `${group.name} ${word}`;
  if (next === undefined)
    return { kind: 'commands', group: { name, summary: `What svc ${name} can do` }, commands: below };
  const names = below.map(({ id }) => id.slice(name.length + 1));
  throw unknownCommand(`${name} ${next}`, didYouMean(next, names));
}

function unknownCommand(typed: string, hint: string): SvcError {
  return new SvcError('usage', `there is no command "${typed}"`, { hint });
}
