/** What may stand where on a command line, as tables that every shell's script is printed from. */
import type { Command, Group } from '../command.ts';
import type { CompletionSource, Flag, Flags } from '../flags.ts';
import { flagSections, GLOBAL_FLAGS, HELP_FLAGS, isRemote, SERVICE_FLAGS, WRITE_FLAGS } from '../global-flags.ts';
import { TOPICS } from '../topics.ts';

/** What completes a value: `any` is anything, of which nothing is known. */
export type Values =
  | { readonly kind: CompletionSource | 'any' }
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  /** Only after `=`: `--dry-run=curl`. */
  | { readonly kind: 'attached'; readonly choices: readonly string[] };

export interface Entry {
  readonly name: string;
  readonly help: string;
}

/** A word that leads from one place to another; an alias leads where its command's name does. */
export interface Step {
  readonly from: string;
  readonly word: string;
  readonly to: string;
}

/** What may be typed next at a place: the names, and the aliases, which are offered where no name begins as what was typed. */
export interface Words {
  readonly place: string;
  readonly names: readonly Entry[];
  readonly aliases: readonly Entry[];
}

/** Options that some places have in common, in every spelling; without places, all have them. */
export interface Options {
  readonly places: readonly string[] | undefined;
  readonly options: readonly Entry[];
}

/** What an option takes; without a place, wherever that option stands. */
export interface OptionValues {
  readonly place: string | undefined;
  readonly names: readonly string[];
  readonly values: Values;
}

export interface Operand {
  readonly place: string;
  /** Undefined: this one and all that follow. */
  readonly index: number | undefined;
  readonly values: Values;
}

/** A place is what was typed so far in canonical words: `` , `alerts`, `alerts list`. */
export interface Model {
  readonly steps: readonly Step[];
  readonly words: readonly Words[];
  readonly options: readonly Options[];
  /** The first that fits counts: an option of one command stands before one that all have. */
  readonly values: readonly OptionValues[];
  readonly operands: readonly Operand[];
  /** The places where a command line of its own stands after `--`. */
  readonly commandLines: readonly string[];
}

const HELP: Entry = { name: 'help', help: 'Help on a command or a topic' };

export async function completionModel(groups: readonly Group[]): Promise<Model> {
  const loaded = await Promise.all(
    groups.map(async (group) => ({ group, commands: (await group.load()).commands as readonly Command[] })),
  );
  const commands = loaded.flatMap((one) => one.commands);
  const tree = new Tree();
  for (const { name, summary } of groups) tree.add('', { name, help: summary });
  for (const { group, commands } of loaded) for (const command of commands) tree.addCommand(group, command);
  const topics = TOPICS.map(({ name, summary }): Entry => ({ name, help: summary }));
  const top = groups.map(({ name, summary }): Entry => ({ name, help: summary }));
  return {
    steps: [
      ...tree.steps,
      { from: '', word: 'help', to: 'help' },
      ...groups.map(({ name }): Step => ({ from: 'help', word: name, to: name })),
    ],
    words: [
      { place: '', names: [...top, HELP], aliases: [] },
      { place: 'help', names: [...top, ...topics], aliases: [] },
      ...tree.words.filter(({ place }) => place !== ''),
    ],
    options: options(loaded, commands),
    values: [
      ...commands.flatMap((command) => flagValues(command.id, command.flags ?? {})),
      ...flagValues('help', HELP_FLAGS),
      ...flagValues(undefined, { ...WRITE_FLAGS, ...SERVICE_FLAGS, ...GLOBAL_FLAGS }),
    ],
    operands: commands.flatMap(operandValues),
    commandLines: commands
      .filter(({ args = {} }) => Object.values(args).some(({ afterDashes }) => afterDashes))
      .map(({ id }) => id),
  };
}

/** The words of all commands, each a place of its own. */
class Tree {
  readonly steps: Step[] = [];
  readonly words: { place: string; names: Entry[]; aliases: Entry[] }[] = [];

  add(place: string, entry: Entry, to = join(place, entry.name)): void {
    if (this.steps.some(({ from, word }) => from === place && word === entry.name)) return;
    this.steps.push({ from: place, word: entry.name, to });
    const here = this.words.find((words) => words.place === place) ?? { place, names: [], aliases: [] };
    if (!this.words.includes(here)) this.words.push(here);
    (to === join(place, entry.name) ? here.names : here.aliases).push(entry);
  }

  addCommand(group: Group, { id, summary, aliases = [] }: Command): void {
    if (group.single) return; // its place is the group's
    const words = id.slice(group.name.length + 1).split(' ');
    let place = group.name;
    for (const [index, word] of words.entries()) {
      this.add(place, { name: word, help: index === words.length - 1 ? summary : '' });
      place = join(place, word);
    }
    for (const alias of aliases) {
      const path = alias.split(' ');
      const last = path.pop() ?? alias;
      let from = group.name;
      for (const word of path) {
        this.add(from, { name: word, help: '' });
        from = join(from, word);
      }
      this.add(from, { name: last, help: summary }, id);
    }
  }
}

function join(place: string, word: string): string {
  return place === '' ? word : `${place} ${word}`;
}

interface Loaded {
  readonly group: Group;
  readonly commands: readonly Command[];
}

function options(loaded: readonly Loaded[], commands: readonly Command[]): Options[] {
  const remote = commands.filter(isRemote).map(({ id }) => id);
  // Options that every command of a group takes may stand before its name.
  const remoteGroups = loaded.filter(({ group, commands }) => !group.single && commands.some(isRemote));
  return [
    {
      places: [''],
      options: [
        { name: '--version', help: 'The version' },
        { name: '-V', help: 'The version' },
      ],
    },
    { places: ['help'], options: spellings(HELP_FLAGS) },
    ...commands.map((command) => ({
      places: [command.id],
      options: flagSections(command)
        .filter(({ title }) => title === 'Options')
        .flatMap(({ flags }) => spellings(flags)),
    })),
    { places: ['', ...remoteGroups.map(({ group }) => group.name), ...remote], options: spellings(SERVICE_FLAGS) },
    { places: undefined, options: spellings(GLOBAL_FLAGS) },
  ].filter(({ options }) => options.length > 0);
}

/** What is typed for a flag: `--output` and `-o`; `--no-headers`, where it is on already. */
function spellings(flags: Flags): Entry[] {
  return offered(flags).flatMap(([name, flag]): Entry[] =>
    names(name, flag).map((spelling) => ({ name: spelling, help: flag.help })),
  );
}

function offered(flags: Flags): [string, Flag][] {
  return Object.entries(flags).filter(([, flag]) => flag.hidden !== true);
}

function names(name: string, flag: Flag): string[] {
  const long = flag.type === 'boolean' && flag.default === true ? `--no-${name}` : `--${name}`;
  return flag.short === undefined ? [long] : [long, `-${flag.short}`];
}

function flagValues(place: string | undefined, flags: Flags): OptionValues[] {
  return offered(flags).flatMap(([name, flag]): OptionValues[] =>
    flag.type === 'boolean' ? [] : [{ place, names: names(name, flag), values: valuesOf(flag) }],
  );
}

function valuesOf(flag: Exclude<Flag, { type: 'boolean' }>): Values {
  if (flag.type === 'optional-value') return { kind: 'attached', choices: flag.choices ?? [] };
  if (flag.type === 'choice') return { kind: 'choices', choices: flag.choices };
  return { kind: flag.complete ?? 'any' };
}

function operandValues({ id, args = {} }: Command): Operand[] {
  return Object.values(args).flatMap(({ complete, choices, repeat }, index): Operand[] => {
    const place = { place: id, index: repeat ? undefined : index };
    if (choices !== undefined) return [{ ...place, values: { kind: 'choices', choices } }];
    return complete === undefined ? [] : [{ ...place, values: { kind: complete } }];
  });
}
