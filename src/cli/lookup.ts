/** From the words of a command line to the group and the command that they name. */
import { SvcError } from '../errors.ts';
import { type Command, type Group, loadCommands } from './command.ts';
import type { HelpSubject } from './help.ts';

/** `others` are further words that may stand in its place. Throws `usage`. */
export function findGroup(groups: readonly Group[], name: string, others: readonly string[] = ['help']): Group {
  const group = groups.find((candidate) => candidate.name === name);
  if (group !== undefined) return group;
  throw new SvcError('usage', `there is no command "${name}"`, {
    hint: didYouMean(name, [...groups.map((g) => g.name), ...others]),
  });
}

/** `alerts ls` → `alerts list`. */
export type Aliases = Readonly<Record<string, string>>;

export function aliasesOf(group: Group, commands: readonly Command[]): Aliases {
  return Object.fromEntries(
    commands.flatMap(({ id, aliases = [] }) =>
      aliases.map((alias): [string, string] => [`${group.name} ${alias}`, id]),
    ),
  );
}

/** What the words after a group name: one command, or all whose names begin so. */
export type Found =
  | (Extract<HelpSubject, { kind: 'command' }> & { readonly words: number })
  | Extract<HelpSubject, { kind: 'commands' }>;

/**
 * The longest id that the words begin with, or the longest alias. If they begin several names, those: `catalog products`. `at`: the
 * index of each word in argv, where options come between them. Only the named command is loaded, as long as `prepared` has the aliases.
 */
export async function findCommand(
  group: Group,
  words: readonly string[],
  at: readonly number[] = words.map((_, index) => index),
  prepared?: () => Aliases,
): Promise<Found> {
  const { commands } = await group.load();
  const { name: groupName } = group;
  const [only] = Object.values(commands);
  if (group.single && only !== undefined) return { kind: 'command', command: await only(), words: 0 };
  const beginnings = words.map((_, index) => words.slice(0, words.length - index).join(' '));
  let typed = beginnings.find((beginning) => Object.hasOwn(commands, beginning));
  let name = typed;
  if (typed === undefined && words.length > 0) {
    const aliases = prepared?.() ?? aliasesOf(group, await loadCommands(group));
    typed = beginnings.find((beginning) => Object.hasOwn(aliases, `${groupName} ${beginning}`));
    name = aliases[`${groupName} ${typed}`]?.slice(groupName.length + 1);
  }
  const load = name === undefined ? undefined : commands[name];
  if (typed === undefined || load === undefined) return beginningOf(group, words);
  const command = await load();
  const length = typed.split(' ').length;
  // A command without arguments may be the beginning of others: `trade journal`, `trade journal settle`.
  const more = namesAfter(Object.keys(commands), typed);
  // After an option it may be that option's value: `trade journal --limit 1`.
  const next = at[length] === (at[length - 1] ?? 0) + 1 ? words[length] : undefined;
  if (next !== undefined && more.length > 0 && command.args === undefined) {
    throw unknownCommand(`${groupName} ${typed} ${next}`, didYouMean(next, more));
  }
  return { kind: 'command', command, words: length };
}

/** The commands whose names begin with the words. */
async function beginningOf(group: Group, [word, next]: readonly string[]): Promise<Found> {
  const commands = await loadCommands(group);
  const names = Object.keys((await group.load()).commands);
  if (word === undefined) return { kind: 'commands', group, commands };
  const name = `${group.name} ${word}`;
  const below = namesAfter(names, word);
  if (below.length === 0) {
    const meant = commands.find(({ suggestFor }) => suggestFor?.includes(word));
    const first = new Set(names.map((one) => one.split(' ')[0] ?? ''));
    const hint =
      meant === undefined ? didYouMean(word, [...first]) : `did you mean ${meant.id.slice(group.name.length + 1)}?`;
    throw unknownCommand(name, hint);
  }
  if (next !== undefined) throw unknownCommand(`${name} ${next}`, didYouMean(next, below));
  return {
    kind: 'commands',
    group: { name, summary: `What svc ${name} can do` },
    commands: commands.filter(({ id }) => id.startsWith(`${name} `)),
  };
}

/** `settle` of `journal settle`, after `journal`. */
function namesAfter(names: readonly string[], typed: string): string[] {
  return names.flatMap((name) => (name.startsWith(`${typed} `) ? name.slice(typed.length + 1) : []));
}

function unknownCommand(typed: string, hint: string): SvcError {
  return new SvcError('usage', `there is no command "${typed}"`, { hint });
}

/** Optimal string alignment distance: insert, delete, replace, and swap of neighbours each cost one. */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      current.push(cost);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** The candidate closest to `word`, when it is close enough to be what was meant. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  // Longer than any name we have: no typo, and the table would be large.
  if (word.length > 60) return undefined;
  const lower = word.toLowerCase();
  let best: string | undefined;
  let bestCost = Math.max(1, Math.floor(word.length * 0.5)) + 1;
  for (const candidate of candidates) {
    const cost = candidate.startsWith(word) && word.length > 1 ? 1 : distance(lower, candidate.toLowerCase());
    if (cost < bestCost) {
      best = candidate;
      bestCost = cost;
    }
  }
  return best;
}

/** `did you mean X?`, or the list of what there is. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const close = suggest(word, candidates);
  return close === undefined ? `one of: ${candidates.join(', ')}` : `did you mean ${close}?`;
}
