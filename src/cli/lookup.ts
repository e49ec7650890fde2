/** From the words of a command line to the group and the command that they name. */
import { SvcError } from '../errors.ts';
import type { Command, Group } from './command.ts';
import { didYouMean } from './suggest.ts';

/** `others` are further words that may stand in its place. Throws `usage`. */
export function findGroup(groups: readonly Group[], name: string, others: readonly string[] = ['help']): Group {
  const group = groups.find((candidate) => candidate.name === name);
  if (group !== undefined) return group;
  throw new SvcError('usage', `there is no command "${name}"`, {
    hint: didYouMean(name, [...groups.map((g) => g.name), ...others]),
  });
}

/** The longest id or alias that the words begin with. Undefined where there are no words. */
export function findCommand(
  group: Group,
  commands: readonly Command[],
  words: readonly string[],
): { readonly command: Command; readonly words: number } | undefined {
  const [only] = commands;
  if (group.single && only !== undefined) return { command: only, words: 0 };
  for (let length = words.length; length > 0; length--) {
    const typed = words.slice(0, length).join(' ');
    const command = commands.find(({ id, aliases = [] }) =>
      [id.slice(group.name.length + 1), ...aliases].includes(typed),
    );
    if (command !== undefined) return { command, words: length };
  }
  const [word] = words;
  if (word === undefined) return undefined;
  const names = commands.map(({ id }) => id.slice(group.name.length + 1));
  throw new SvcError('usage', `there is no command "${group.name} ${word}"`, { hint: didYouMean(word, names) });
}
