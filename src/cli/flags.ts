/** The kinds of flags and arguments that a command may declare, and their input types. */
import { SvcError } from '../errors.ts';
import { shellWord } from '../output/escape.ts';

/** Where values come from. A prompt offers all of them, completion those of this machine. */
export type CompletionSource = 'profiles' | 'settings' | 'files' | RemoteSource;

/** Sources whose values only a service knows. */
export type RemoteSource =
  | 'silences'
  | 'fingerprints'
  | 'matchers'
  | 'subscriptions'
  | 'products'
  | 'stores'
  | 'sources'
  | 'symbols'
  | 'orders'
  | 'trades';

export interface Candidate {
  readonly value: string;
  /** A description beside the value. */
  readonly note?: string | undefined;
}

/** The values that a row has for each source. */
export type Candidates = Partial<Readonly<Record<RemoteSource, readonly Candidate[]>>>;

interface FlagBase {
  readonly help: string;
  /** Its section in help, `Filter options`; default `Options`. */
  readonly group?: string;
  /** Further names without dashes, which help does not show. */
  readonly aliases?: readonly string[];
  /** One letter. */
  readonly short?: string;
  /** The placeholder of the value in help: `<url>`. */
  readonly value?: string;
  readonly repeat?: true;
  readonly required?: true;
  /** Prompted for at a terminal, unless one of these options or arguments is given. */
  readonly promptUnless?: readonly string[];
  readonly hidden?: true;
  /** Help shows it with --all only. */
  readonly rare?: true;
  readonly complete?: CompletionSource;
  /** What to use instead of an empty value, which is always refused. */
  readonly emptyHint?: string;
}

/** A point in time as typed, and the instant it means. */
export interface Instant {
  readonly ms: number;
  /** RFC 3339 in UTC with milliseconds, as it is sent. */
  readonly iso: string;
  /** As typed. */
  readonly text?: string;
  /** Typed as a distance from now. */
  readonly relative?: true;
  /** It was written as a day alone: the instant is where the day begins in UTC. */
  readonly date?: true;
  /** Typed as a clock time of this zone. */
  readonly zone?: string;
}

/** `--flag` and, if the default is true, `--no-flag`. */
interface BooleanFlag extends Pick<FlagBase, 'help' | 'group' | 'aliases' | 'short' | 'hidden' | 'rare'> {
  readonly type: 'boolean';
  readonly default?: boolean;
}

interface StringFlag extends FlagBase {
  readonly type: 'string';
  /** Comma-separated items, none of them empty. */
  readonly list?: true;
  readonly default?: string;
  /** Validates the value by throwing a SvcError; the value itself stays a string. */
  readonly check?: (text: string) => void;
}

interface IntegerFlag extends FlagBase {
  readonly type: 'integer' | 'number';
  readonly default?: number;
  readonly min?: number;
  readonly max?: number;
}

interface ChoiceFlag extends FlagBase {
  readonly type: 'choice';
  readonly choices: readonly string[];
  /** Names of a choice in other tools. */
  readonly synonyms?: Readonly<Record<string, string>>;
  readonly default?: string;
}

interface TimeFlag extends FlagBase {
  readonly type: 'time';
  /** What a bare duration (`2h`) means: from now forward, or back. */
  readonly bare: 'forward' | 'back';
  /** Whether a bare number is Unix seconds. */
  readonly unix?: true;
  /** Whether a bare date means the start of that day in UTC. */
  readonly dates?: true;
}

interface DurationFlag extends FlagBase {
  readonly type: 'duration';
  readonly default?: string;
  readonly positive?: true;
}

/** `key=value`, split at the first `=`; several make one record. */
interface PairsFlag extends FlagBase {
  readonly type: 'pairs';
}

/** `--flag` or `--flag=value`: an optional value must not swallow the next argument. */
interface OptionalValueFlag extends FlagBase {
  readonly type: 'optional-value';
  readonly choices?: readonly string[];
}

export type Flag =
  | BooleanFlag
  | OptionalValueFlag
  | StringFlag
  | IntegerFlag
  | ChoiceFlag
  | TimeFlag
  | DurationFlag
  | PairsFlag;
export type Flags = Readonly<Record<string, Flag>>;

/** Options that help shows in a section of their own. */
export function section<const Title extends string, const F extends Flags>(title: Title, flags: F) {
  const grouped: Record<string, Flag> = {};
  for (const [name, flag] of Object.entries(flags)) grouped[name] = { ...flag, group: title };
  return grouped as { readonly [K in keyof F]: F[K] & { readonly group: Title } };
}

/** An option that names a file. */
export const FILE = { type: 'string', value: 'file', complete: 'files' } as const;

/** Whether a separate value follows its name. */
export function takesValue(flag: Flag): boolean {
  return flag.type !== 'boolean' && flag.type !== 'optional-value';
}

export function repeatable(flag: Flag): boolean {
  return flag.type === 'boolean' || flag.type === 'pairs' || flag.repeat === true;
}

/** The items of a comma-separated value. */
export function splitList(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

const SEVERAL_PAIRS = /^[^\s,;&=]+=[^\s,;&="]*(?:[\s,;&]+[^\s,;&="]+=[^\s,;&="]*)+$/;

/** Whether the pair reads as several, or as a value in quotes that are not part of it. */
function needsQuotes(name: string, value: string): boolean {
  const quoted = /^"(.*)"$/s.exec(value)?.[1];
  return quoted === undefined ? SEVERAL_PAIRS.test(`${name}=${value}`) : needsQuotes(name, quoted);
}

/** `a=b c=d` is refused; in double quotes, as in `a="b c=d"`, it is one value. */
export function splitPair(option: string, text: string): readonly [name: string, value: string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new SvcError('invalid_value', `${option}: "${text}" is not name=value`);
  const [name, value] = [text.slice(0, equals), text.slice(equals + 1)];
  if (!needsQuotes(name, value)) return [name, value];
  if (value.startsWith('"')) return [name, value.slice(1, -1)];
  const pairs = text.split(/[\s,;&]+/).map((pair) => `${option} ${shellWord(pair)}`);
  throw new SvcError('invalid_value', `${option}: "${text}" is several pairs in one argument`, {
    hint: `write ${pairs.join(' ')}; for one value, write ${option} ${shellWord(spellPair(name, value))}`,
  });
}

/** What `splitPair` reads as this name and value. */
export function spellPair(name: string, value: string): string {
  return needsQuotes(name, value) ? `${name}="${value}"` : `${name}=${value}`;
}

/** Its key in the input of `run`. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Whether it has a `--no-` form. */
export function negatable(flag: Flag): boolean {
  return flag.type === 'boolean' && flag.default === true;
}

/** The placeholder of the value in help: `<url>`. */
export function placeholder(name: string, flag: Flag): string {
  if ('value' in flag && flag.value !== undefined) return flag.value.startsWith("'") ? flag.value : `<${flag.value}>`;
  if (flag.type === 'duration' || flag.type === 'time') return `<${flag.type}>`;
  if (flag.type === 'integer' || flag.type === 'number') return '<n>';
  if (flag.type === 'pairs') return '<name=value>';
  return `<${name}>`;
}

export interface Argument {
  readonly help: string;
  /** Takes all remaining words; for the last argument, or the last before an `afterDashes`. */
  readonly repeat?: true;
  readonly required?: true;
  /** Prompted for at a terminal, unless one of these options is given. */
  readonly promptUnless?: readonly string[];
  /** Takes everything after `--` unchanged: a command line. */
  readonly afterDashes?: true;
  /** The only permitted values. */
  readonly choices?: readonly string[];
  readonly complete?: CompletionSource;
}
export type Arguments = Readonly<Record<string, Argument>>;

export function usageLine(command: { readonly id: string; readonly args?: Arguments }): string {
  // Behind the dashes they would be those of another program.
  const hasDashes = Object.values(command.args ?? {}).some(({ afterDashes }) => afterDashes);
  return `svc ${command.id}${hasDashes ? ' [options]' : ''}${operands(command)}${hasDashes ? '' : ' [options]'}`;
}

/** ` <matcher...> -- <command...>` */
export function operands({ args }: { readonly args?: Arguments }): string {
  return Object.entries(args ?? {})
    .map(([name, { repeat, required, afterDashes }]) => {
      const dots = repeat ? '...' : '';
      return `${afterDashes ? ' --' : ''} ${required ? `<${name}${dots}>` : `[${name}${dots}]`}`;
    })
    .join('');
}

type Single<F extends Flag> = F extends { type: 'boolean' }
  ? boolean
  : F extends { type: 'integer' | 'number' | 'duration' }
    ? number
    : F extends { type: 'choice'; choices: readonly (infer C)[] }
      ? C
      : F extends { type: 'time' }
        ? Instant
        : string;

type FlagValue<F extends Flag> = F extends { type: 'boolean' }
  ? boolean
  : F extends { type: 'optional-value' }
    ? string | true | undefined
    : F extends { type: 'pairs' }
      ? Readonly<Record<string, string>>
      : F extends { repeat: true }
        ? readonly Single<F>[]
        : F extends { required: true } | { default: string | number }
          ? Single<F>
          : Single<F> | undefined;

type Operand<A extends Argument> = A extends { choices: readonly (infer C)[] } ? C : string;

type ArgumentValue<A extends Argument> = A extends { repeat: true }
  ? readonly Operand<A>[]
  : A extends { required: true }
    ? Operand<A>
    : Operand<A> | undefined;

/** What the user gave of these options. */
export type Options<F extends Flags> = Input<Record<never, never>, F>;

/** `older-than` → `olderThan`. */
export type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

export type Input<A extends Arguments, F extends Flags> = {
  readonly [K in keyof A & string as CamelCase<K>]: ArgumentValue<A[K]>;
} & { readonly [K in keyof F & string as CamelCase<K>]: FlagValue<F[K]> };
