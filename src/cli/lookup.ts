/** Finds the group and the command for the words of a command line. */
import { type ErrorDetails, SvcError } from '../errors.ts';
import { shellWord } from '../output/escape.ts';
import { type Command, type Commands, type Group, loadCommands } from './command.ts';
import { sameNoun, VERBS } from './grammar.ts';
import type { HelpSubject } from './help.ts';

/** `others` are further permitted words. Throws `usage`. */
export async function findGroup(
  groups: readonly Group[],
  name: string,
  others: readonly string[] = ['help', 'version'],
): Promise<Group> {
  const group = groups.find((candidate) => candidate.name === name) ?? groups.find((one) => sameNoun(one.name, name));
  if (group !== undefined) return group;
  const meant = await findMeant(groups, name);
  if (meant.length > 0) throw unknownCommand(name, meantBy(name, ...meant));
  throw unknownCommand(name, didYouMean(name, [...groups.map((one) => one.name), ...others]));
}

/** `ack` → `silences ack`, `orders` → `trade orders`: what the word may mean. */
async function findMeant(groups: readonly Group[], typed: string): Promise<readonly string[]> {
  const commands = (await Promise.all(groups.map(loadCommands))).flat();
  const [verb] = withOurVerb([typed]);
  const meant = commands.flatMap(({ id, aliases = [], suggestFor = [] }) => {
    const [group, noun = '', ...below] = id.split(' ');
    if (below.length > 0 && sameNoun(noun, typed)) return `${group} ${noun}`;
    return id.endsWith(` ${verb}`) || [...aliases, ...suggestFor].includes(typed) ? id : [];
  });
  return [...new Set(meant)];
}

/** `silences rm` → `silences expire`, as the commands declare it. */
export type Aliases = Readonly<Record<string, string>>;

export function aliasesOf(group: Group, commands: readonly Command[]): Aliases {
  return Object.fromEntries(
    commands.flatMap(({ id, aliases = [] }) => aliases.map((alias) => [`${group.name} ${alias}`, id])),
  );
}

/** The command, or all commands, whose names begin with the words after a group name. */
export type Found = FoundCommand | Extract<HelpSubject, { kind: 'commands' }>;
type FoundCommand = Extract<HelpSubject, { kind: 'command' }> & { readonly length: number };

interface Search {
  /** The index of each word in argv: options may come between the words. */
  readonly at?: readonly number[];
  /** The aliases that the build prepared; without them, all commands of the group are loaded. */
  readonly prepared?: (() => Aliases) | undefined;
  /** A noun alone lists: `svc catalog products`, `svc alerts`. */
  readonly nounLists?: boolean;
}

/** The command that the first one or two words name or begin. Throws `usage`. */
export async function findCommand(group: Group, args: readonly string[], search: Search = {}): Promise<Found> {
  const { commands } = await group.load();
  const [noun] = args;
  const { nounLists = false } = search;
  if (noun === undefined || group.single) return findDefault(group, commands, nounLists);
  const names = Object.keys(commands);
  const load = names.includes(noun) && !names.some((name) => name.startsWith(`${noun} `)) ? commands[noun] : undefined;
  if (load !== undefined) return { kind: 'command', command: await load(), length: 1 };
  return findSimilar(group, commands, args, search);
}

/** The command whose name the words spell in their own way, or begin. */
async function findSimilar(group: Group, commands: Commands, args: readonly string[], search: Search): Promise<Found> {
  const [noun = ''] = args;
  const { nounLists = false, at = [0, 1] } = search;
  const names = Object.keys(commands);
  const below = names.filter((name) => name.includes(' ') && sameNoun(name.split(' ')[0] ?? '', noun));
  const mayHaveTwo = args.length > 1 && (below.length > 0 || nameOf(names, [noun]) === undefined);
  const longer = mayHaveTwo ? await findNamed(group, commands, args.slice(0, 2), search) : undefined;
  if (longer !== undefined) return longer;
  // After an option, a word may be its value: `trade journal --limit 1`.
  const next = at[1] === (at[0] ?? 0) + 1 ? args[1] : undefined;
  const found = await findNamed(group, commands, [noun], search);
  // A command without arguments may be a prefix of others: `trade journal`, `trade journal settle`.
  if (next !== undefined && below.length > 0 && found?.command.args === undefined)
    throw unknownBelow(group, below, next);
  const [name] = below[0]?.split(' ') ?? [];
  if (found === undefined && name === undefined) throw await unknownIn(group, names, noun);
  return found ?? findNoun(group, name ?? noun, commands, nounLists);
}

/** Where only the group is named: its list, its only command, or the page of all. */
async function findDefault(group: Group, commands: Commands, nounLists: boolean): Promise<Found> {
  const load = group.lists && nounLists ? commands['list'] : Object.values(commands).find(() => group.single);
  if (load !== undefined) return { kind: 'command', command: await load(), length: 0 };
  return groupPage(group);
}

/** What `svc alerts --help` explains. */
export async function groupPage(group: Group): Promise<Extract<HelpSubject, { kind: 'commands' }>> {
  const { sections } = await group.load();
  return { kind: 'commands', group, commands: await loadCommands(group), sections };
}

/** The command with exactly this name, as declared, or with an alias or another tool's verb. */
async function findNamed(
  group: Group,
  commands: Commands,
  typed: readonly string[],
  { prepared }: Search,
): Promise<FoundCommand | undefined> {
  const names = Object.keys(commands);
  const findAlias = async () => {
    const aliases = prepared?.() ?? aliasesOf(group, await loadCommands(group));
    return aliases[`${group.name} ${typed.join(' ')}`]?.slice(group.name.length + 1);
  };
  const name = nameOf(names, typed) ?? (await findAlias()) ?? nameOf(names, withOurVerb(typed));
  const command = name === undefined ? undefined : await commands[name]?.();
  return command && { kind: 'command', command, length: typed.length };
}

/** The list of a noun, or all of its commands. */
async function findNoun(group: Group, noun: string, commands: Commands, nounLists: boolean): Promise<Found> {
  const list = nounLists ? await commands[`${noun} list`]?.() : undefined;
  if (list !== undefined) return { kind: 'command', command: list, length: 1 };
  const name = `${group.name} ${noun}`;
  const below = Object.entries(commands).filter(([one]) => one.startsWith(`${noun} `));
  return {
    kind: 'commands',
    group: { name, summary: `Commands of svc ${name}` },
    commands: await Promise.all(below.map(([, load]) => load())),
  };
}

function unknownBelow(group: Group, below: readonly string[], typed: string): SvcError {
  const [noun = ''] = below[0]?.split(' ') ?? [];
  const verbs = below.map((name) => name.slice(noun.length + 1));
  return unknownCommand(`${group.name} ${noun} ${typed}`, didYouMean(typed, verbs));
}

async function unknownIn(group: Group, names: readonly string[], typed: string): Promise<SvcError> {
  if (typed === 'help') return unknownCommand(`${group.name} help`, meantBy(typed, '--help'));
  // A matcher, where amtool lists: no command has such a name.
  if (/[=~]/.test(typed) && names.includes('list')) {
    return unknownCommand(`${group.name} ${typed}`, meantBy(typed, `list ${shellWord(typed)}`));
  }
  const other = (await loadCommands(group)).find(({ suggestFor }) => suggestFor?.includes(typed));
  const first = new Set(names.map((name) => name.split(' ')[0] ?? ''));
  const meant = other?.id.slice(group.name.length + 1);
  return unknownCommand(
    `${group.name} ${typed}`,
    meant === undefined ? didYouMean(typed, [...first]) : meantBy(typed, meant),
  );
}

function unknownCommand(typed: string, details: Suggestion): SvcError {
  return new SvcError('usage', `there is no command "${typed}"`, details);
}

/** Optimal string alignment: insert, delete, replace, and swap of neighbors each cost one. */
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

/** The closest candidate that is close enough to be a typo. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  // Longer than any name: not a typo, and the table would be large.
  if (word.length > 60) return undefined;
  const lower = word.toLowerCase();
  let best: string | undefined;
  // If more than a third differs, it is another word.
  let bestCost = Math.floor(word.length / 3) + 1;
  for (const candidate of candidates) {
    // `for` begins `for-alert`, but does not mean it.
    const isBeginning = word.length > 2 && candidate.startsWith(word) && candidate[word.length] !== '-';
    const cost = isBeginning ? 1 : distance(lower, candidate.toLowerCase());
    if (cost < bestCost) {
      best = candidate;
      bestCost = cost;
    }
  }
  return best;
}

/** The hint, and the correction that the error report turns into a line to paste. */
export type Suggestion = Pick<ErrorDetails, 'hint' | 'meant'>;

/** The likely candidate, or the list of all. */
export function didYouMean(typed: string, candidates: readonly string[]): Suggestion {
  const meant = suggest(typed, candidates);
  return meant === undefined ? { hint: `one of: ${candidates.join(', ')}` } : meantBy(typed, meant);
}

export function meantBy(typed: string, ...meant: readonly string[]): Suggestion {
  const names = meant.map((one) => (meant.length > 1 ? `svc ${one}` : one));
  const hint = meant.length > 1 ? `one of: ${names.join(', ')}` : `did you mean ${names[0]}?`;
  return { hint, meant: { typed, meant } };
}

/** The name that the words spell, ignoring singular and plural. */
export function nameOf(names: readonly string[], typed: readonly string[]): string | undefined {
  const exact = typed.join(' ');
  if (names.includes(exact)) return exact;
  return names.find((name) => {
    const parts = name.split(' ');
    return parts.length === typed.length && parts.every((word, index) => sameNoun(word, typed[index] ?? ''));
  });
}

/** The words with the last one replaced, if it is another tool's verb. */
function withOurVerb(typed: readonly string[]): readonly string[] {
  const last = typed.at(-1) ?? '';
  return [...typed.slice(0, -1), Object.hasOwn(VERBS, last) ? (VERBS[last] ?? last) : last];
}
