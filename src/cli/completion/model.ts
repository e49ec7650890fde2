/** What may follow each part of a command line: built ahead, so that <Tab> loads no declaration. */
import { type Command, type Group, loadCommands } from '../command.ts';
import { GLOBAL_FLAGS, isRemote, ownFlags, SERVICE_FLAGS, WRITE_FLAGS } from '../common-flags.ts';
import type { Argument, CompletionSource, Flag, Flags } from '../flags.ts';
import { HELP } from '../reference/help-command.ts';
import { TOPICS } from '../topics.ts';

/** What completes a value. `any`: no candidates; `attached`: only after `=`: `--dry-run=curl`. */
export type Values =
  | { readonly kind: 'profiles' | 'settings' | 'files' | 'any' }
  | { readonly kind: 'choices' | 'attached'; readonly choices: readonly string[] };

/** An option in every spelling: `--output`, `-o`. */
export interface Option {
  readonly names: readonly string[];
  readonly help: string;
  /** Its value, if it takes one. */
  readonly values?: Values;
}

export interface Word {
  readonly help: string;
  /** The next place, if it is not the current place followed by the word. */
  readonly to?: string;
  /** Offered only if no name begins with the typed text. */
  readonly alias?: true;
}

/** What may follow the words typed so far. */
export interface Place {
  readonly next: Readonly<Record<string, Word>>;
  readonly options: readonly Option[];
  /** Whether it takes the options of a service. */
  readonly remote: boolean;
  readonly operands: readonly Values[];
  /** Whether the last operand repeats. */
  readonly repeats: boolean;
  /** Whether another program's command line follows `--`. */
  readonly commandLine: boolean;
}

export interface Model {
  /** The key has the words typed so far, with aliases replaced: ``, `alerts`, `alerts list`. */
  readonly places: Readonly<Record<string, Place>>;
  readonly writeOptions: readonly Option[];
  readonly serviceOptions: readonly Option[];
  readonly globalOptions: readonly Option[];
}

export async function completionModel(groups: readonly Group[]): Promise<Model> {
  const top = groups.map(({ name, summary }): [string, Word] => [name, { help: summary }]);
  const topics = TOPICS.map(({ name, summary }): [string, Word] => [name, { help: summary }]);
  const places: Record<string, Place> = {
    '': {
      ...EMPTY,
      next: Object.fromEntries([
        ...top,
        ['help', { help: 'Help on a command or a topic' }],
        ['version', { help: 'The version' }],
      ]),
      options: [{ names: ['--version', '-V'], help: 'The version' }],
      remote: true,
    },
    help: {
      ...EMPTY,
      next: Object.fromEntries([...top.map(([name, word]) => [name, { ...word, to: name }] as const), ...topics]),
      options: optionsOf(HELP.flags ?? {}),
    },
  };
  for (const group of groups) {
    const commands = await loadCommands(group);
    // Options that all commands of a group share may precede the command's name.
    places[group.name] = { ...EMPTY, remote: commands.some(isRemote) };
    for (const command of commands) {
      if (!group.single) addPlaces(places, group.name, command);
      places[command.id] = { ...commandPlace(command), next: places[command.id]?.next ?? {} };
      // A noun alone lists: svc trade positions --account.
      const [, noun] = /^(\S+ \S+) list$/.exec(command.id) ?? [];
      if (noun !== undefined) places[noun] = { ...commandPlace(command), next: places[noun]?.next ?? {} };
    }
  }
  return {
    places,
    writeOptions: optionsOf(WRITE_FLAGS),
    serviceOptions: optionsOf(SERVICE_FLAGS),
    globalOptions: optionsOf(GLOBAL_FLAGS),
  };
}

const EMPTY: Place = { next: {}, options: [], remote: false, operands: [], repeats: false, commandLine: false };

/** Adds the words that lead to a command: its name and its aliases. */
function addPlaces(places: Record<string, Place>, group: string, { id, summary, aliases = [] }: Command): void {
  for (const name of [id.slice(group.length + 1), ...aliases]) {
    const parts = name.split(' ');
    let at = group;
    const last = parts.pop() as string;
    for (const word of parts) {
      // `trade journal` is both a command and the beginning of others.
      addWord(places, at, word, places[at]?.next[word] ?? { help: '' });
      at = `${at} ${word}`;
    }
    if (`${at} ${last}` === id) addWord(places, at, last, { help: summary });
    else addWord(places, at, last, places[at]?.next[last] ?? { help: summary, to: id, alias: true });
  }
}

function addWord(places: Record<string, Place>, at: string, word: string, entry: Word): void {
  const place = places[at] ?? EMPTY;
  places[at] = { ...place, next: { ...place.next, [word]: entry } };
}

function commandPlace(command: Command): Place {
  const args: readonly Argument[] = Object.values(command.args ?? {});
  const operands = args.filter(({ afterDashes }) => !afterDashes);
  return {
    ...EMPTY,
    options: optionsOf(ownFlags(command)),
    remote: isRemote(command),
    operands: operands.map(({ choices, complete }) =>
      choices === undefined ? localValues(complete) : { kind: 'choices', choices },
    ),
    repeats: operands.at(-1)?.repeat === true,
    commandLine: args.some(({ afterDashes }) => afterDashes),
  };
}

function optionsOf(flags: Flags): Option[] {
  return Object.entries(flags)
    .filter(([, flag]) => flag.hidden !== true)
    .map(([name, flag]) => {
      const long = flag.type === 'boolean' && flag.default === true ? `--no-${name}` : `--${name}`;
      const names = flag.short === undefined ? [long] : [long, `-${flag.short}`];
      return { names, help: flag.help, ...(flag.type === 'boolean' ? {} : { values: valuesOf(flag) }) };
    });
}

function valuesOf(flag: Exclude<Flag, { type: 'boolean' }>): Values {
  if (flag.type === 'optional-value') return { kind: 'attached', choices: flag.choices ?? [] };
  if (flag.type === 'choice') return { kind: 'choices', choices: flag.choices };
  return localValues(flag.complete);
}

/** What only a service knows is not completed: <Tab> makes no requests. */
function localValues(source: CompletionSource | undefined): Values {
  return { kind: source === 'profiles' || source === 'settings' || source === 'files' ? source : 'any' };
}
