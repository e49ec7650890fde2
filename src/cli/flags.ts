/** The kinds of flags and arguments a command may declare, and the input types inferred from them. */

import type { ServiceName } from '../http/target.ts';
import { FORMATS } from '../output/types.ts';
import type { Candidate } from '../store/completion-cache.ts';

/** Where completion finds values: a list, or a named source that is kept in a short-lived cache. */
export type CompletionSource = 'profiles' | 'settings' | 'files' | RemoteSource;

/** The sources whose values only a service knows, and that service. */
export const REMOTE_SOURCES = {
  receivers: 'alerts',
  silences: 'alerts',
  fingerprints: 'alerts',
  matchers: 'alerts',
  subscriptions: 'webhooks',
  products: 'catalog',
  stores: 'catalog',
  sources: 'catalog',
  symbols: 'trade',
  accounts: 'trade',
  orders: 'trade',
  trades: 'trade',
} as const satisfies Record<string, ServiceName>;
export type RemoteSource = keyof typeof REMOTE_SOURCES;

/** Values that a later <Tab> can offer. */
export type Candidates = Partial<Readonly<Record<RemoteSource, readonly Candidate[]>>>;

interface FlagBase {
  readonly help: string;
  /** The title of its section in help, `Filter options`; without one it is under `Options`. */
  readonly group?: string;
  /** Older names without dashes, which still work and say so. */
  readonly formerly?: readonly string[];
  /** One letter. */
  readonly short?: string;
  /** The placeholder of the value in help: `<url>`. */
  readonly value?: string;
  readonly repeat?: true;
  readonly required?: true;
  readonly hidden?: true;
  readonly complete?: CompletionSource;
  /** What to use instead of an empty value, which is always refused. */
  readonly emptyHint?: string;
}

/** A point in time as a person may write it, and the instant it means. */
export interface Instant {
  /** Milliseconds since 1970. */
  readonly ms: number;
  /** RFC 3339 in UTC with milliseconds, as it is sent. */
  readonly iso: string;
  /** It was written as a distance from now. */
  readonly relative?: true;
}

/** `--flag` and, where the default is true, `--no-flag`. */
interface BooleanFlag {
  readonly type: 'boolean';
  readonly help: string;
  readonly group?: string;
  readonly formerly?: readonly string[];
  readonly short?: string;
  readonly default?: boolean;
  readonly hidden?: true;
}

interface StringFlag extends FlagBase {
  readonly type: 'string';
  /** Items separated by commas, none of which may be empty. */
  readonly list?: true;
  readonly default?: string;
  /** Refuses what is not of the flag's form by throwing a SvcError; the value itself stays text. */
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
  /** What other tools call a choice. */
  readonly synonyms?: Readonly<Record<string, string>>;
  readonly default?: string;
}

interface TimeFlag extends FlagBase {
  readonly type: 'time';
  /** What a bare duration (`2h`) means: from now forward, or back. */
  readonly bare: 'forward' | 'back';
  /** Whether a bare number is Unix seconds. */
  readonly unix?: true;
  /** Whether a bare date is taken, as the start of that day in UTC. */
  readonly dates?: true;
}

/** Milliseconds. */
interface DurationFlag extends FlagBase {
  readonly type: 'duration';
  readonly default?: string;
  readonly positive?: true;
}

/** `key=value`, split at the first `=`; several make one record. */
interface PairsFlag extends FlagBase {
  readonly type: 'pairs';
}

/** `--flag` or `--flag=value`, never `--flag value`: an optional value must not swallow the next argument. */
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

/** Whether a value follows its name. */
export function takesValue(flag: Flag): boolean {
  return flag.type !== 'boolean' && flag.type !== 'optional-value';
}

/** Whether it may be given more than once. */
export function repeatable(flag: Flag): boolean {
  return flag.type === 'boolean' || flag.type === 'pairs' || flag.repeat === true;
}

/** The items of a value that is a comma-separated list. */
export function splitList(text: string): string[] {
  return text.split(',').map((item) => item.trim());
}

/** The name that `run` knows it by. */
export function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Whether there is a `--no-` form. */
export function negatable(flag: Flag): boolean {
  return flag.type === 'boolean' && flag.default === true;
}

/** What stands for the value in help: `<url>`. */
export function placeholder(name: string, flag: Flag): string {
  if ('value' in flag && flag.value !== undefined) return flag.value.startsWith("'") ? flag.value : `<${flag.value}>`;
  if (flag.type === 'duration' || flag.type === 'time') return `<${flag.type}>`;
  if (flag.type === 'integer' || flag.type === 'number') return '<n>';
  if (flag.type === 'pairs') return '<name=value>';
  return `<${name}>`;
}

export interface Argument {
  readonly help: string;
  /** Takes all the rest; only the last argument may, and the last before one that is `afterDashes`. */
  readonly repeat?: true;
  readonly required?: true;
  /** Takes what stands after `--` and nothing else, as it is: a command line. */
  readonly afterDashes?: true;
  /** The only values that it takes. */
  readonly choices?: readonly string[];
  readonly complete?: CompletionSource;
}
export type Arguments = Readonly<Record<string, Argument>>;

export function usageLine(command: { readonly id: string; readonly args?: Arguments }): string {
  return `svc ${command.id}${operands(command)} [options]`;
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

/** `older-than` → `olderThan`. */
export type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

export type Input<A extends Arguments, F extends Flags> = {
  readonly [K in keyof A & string as CamelCase<K>]: ArgumentValue<A[K]>;
} & { readonly [K in keyof F & string as CamelCase<K>]: FlagValue<F[K]> };

/** The options that every command takes. */
export const GLOBAL_FLAGS = {
  output: {
    type: 'choice',
    short: 'o',
    value: 'format',
    choices: FORMATS,
    synonyms: { simple: 'table', extended: 'wide' },
    help: 'Output format',
  },
  json: { type: 'boolean', help: 'Same as -o json' },
  fields: { type: 'string', list: true, value: 'a,b.c', help: 'Only these fields of each item' },
  query: { type: 'string', value: 'expression', help: 'Select with a JMESPath expression' },
  columns: { type: 'string', list: true, value: 'a,b', help: 'Columns to show, in order (table, wide, csv, tsv)' },
  headers: { type: 'boolean', default: true, help: 'No header line (table, wide, csv, tsv)' },
  sort: {
    type: 'string',
    repeat: true,
    value: '[-]key',
    help: 'Sort by a column or field; - for descending',
  },
  time: {
    type: 'choice',
    value: 'how',
    choices: ['relative', 'utc', 'local', 'iso'],
    help: 'Format of times in tables',
  },
  quiet: { type: 'boolean', short: 'q', help: 'Print only ids, and no notices' },
  verbose: { type: 'boolean', short: 'v', help: 'Print one line per request on stderr' },
  debug: { type: 'boolean', help: 'Print headers and bodies on stderr, redacted' },
  color: { type: 'choice', value: 'when', choices: ['auto', 'always', 'never'], help: 'When to use colour' },
  'no-color': { type: 'boolean', help: 'Same as --color never' },
  input: { type: 'boolean', default: true, help: 'Never prompt; a missing value is an error' },
  profile: { type: 'string', value: 'name', complete: 'profiles', help: 'Profile to use' },
  help: { type: 'boolean', short: 'h', help: 'Show this help' },
} as const satisfies Flags;

/** Those of a command that talks to a service. */
export const SERVICE_FLAGS = {
  'base-url': { type: 'string', formerly: ['alertmanager.url'], value: 'url', help: 'Address of the service' },
  timeout: { type: 'duration', positive: true, help: 'Request timeout (default 30s)' },
  header: { type: 'string', repeat: true, value: "'Name: value'", help: 'Add a request header (not for secrets)' },
  'header-file': {
    type: 'string',
    repeat: true,
    value: 'file',
    complete: 'files',
    help: 'Add headers from a file, one per line; never shown',
  },
  cacert: { type: 'string', value: 'file', complete: 'files', help: 'Additional CA certificates to trust (PEM)' },
  cert: { type: 'string', value: 'file', complete: 'files', help: 'Client certificate (PEM)' },
  key: { type: 'string', value: 'file', complete: 'files', help: 'Key of the client certificate (PEM)' },
  insecure: { type: 'boolean', help: 'Skip certificate checks; allow credentials over http' },
} as const satisfies Flags;

/** Those of a command that changes something. */
export const WRITE_FLAGS = {
  'dry-run': {
    type: 'optional-value',
    choices: ['curl'],
    help: 'Print the request instead of sending it',
  },
  yes: { type: 'boolean', short: 'y', help: 'Do not ask for confirmation' },
} as const satisfies Flags;

/** The values of the shared options. Those of services and writes are there where the command takes them. */
export type GlobalInput = Input<Record<never, never>, typeof GLOBAL_FLAGS> &
  Partial<Input<Record<never, never>, typeof SERVICE_FLAGS & typeof WRITE_FLAGS>> & {
    /** A command's own. Of an order it is a price. */
    readonly limit?: unknown;
  };

/** The parts of a command that decide which options it takes. */
interface Optioned {
  readonly effect: string;
  readonly service?: unknown;
  readonly callOf?: unknown;
  readonly flags?: Flags;
}

/** Whether it talks to one remote service, and so takes the options that go with one. */
export function isRemote({ service, callOf }: { readonly service?: unknown; readonly callOf?: unknown }): boolean {
  return service !== undefined || callOf !== undefined;
}

/** The options that the command's help shows. */
export function ownFlags({ flags, effect }: Optioned): Flags {
  return { ...flags, ...(effect === 'read' ? {} : WRITE_FLAGS) };
}

export function allFlags(command: Optioned): Flags {
  return { ...ownFlags(command), ...(isRemote(command) ? SERVICE_FLAGS : {}), ...GLOBAL_FLAGS };
}

/** Whether they are one noun: `category` and `categories`. */
export function sameNoun(a: string, b: string): boolean {
  return a === b || plural(a) === b || a === plural(b);
}

function plural(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** The verbs of other tools, and ours of the same meaning. A declared name or alias takes precedence. */
export const VERBS: Readonly<Record<string, string>> = {
  ls: 'list',
  query: 'list',
  search: 'list',
  show: 'get',
  view: 'get',
  describe: 'get',
  add: 'create',
  new: 'create',
  rm: 'delete',
  remove: 'delete',
};
