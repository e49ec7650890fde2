/** A command as data: flags, help, completion, reference and renderings come from it alone. */
import type { Context, Prompter } from '../context.ts';
import type { ErrorCode } from '../errors.ts';
import type { Confirmed, Effect, Plan } from '../http/endpoint.ts';
import type { KnownSecrets } from '../http/redact.ts';
import type { Outbound, ServiceName, Target } from '../http/target.ts';
import type {
  AnyOutput,
  ChartOutput,
  ChartPicture,
  ListOutput,
  RawBytes,
  RawJson,
  RecordOutput,
  Rendering,
  Rows,
  TextOutput,
} from '../output/types.ts';
import type { Settings } from '../store/settings.ts';
import type { Arguments, Candidates, Flags, Input, RemoteSource } from './flags.ts';
import type { Outage } from './poll.ts';

/** A function is called when the value is printed: some facts are known only after the last row. */
type Afterwards<T> = T | undefined | (() => T | undefined);

interface AnswerParts {
  /** One or more lines on stderr below a table: what was hidden, what the value means. */
  readonly footer?: Afterwards<string>;
  /** The value is printed, and the exit status is that of this code. */
  readonly code?: Afterwards<ErrorCode>;
  /** Command lines that undo it, after `svc`; printed with the options that name the server. */
  readonly undo?: readonly (readonly string[])[] | undefined;
  /** The exit status of another program, passed on. */
  readonly status?: number | undefined;
  /** Runs after the value is printed: a server that runs until it is stopped. */
  readonly hold?: (() => Promise<void>) | undefined;
  /** Runs last, even if printing failed. */
  readonly end?: (() => Promise<void>) | undefined;
}

/** The value of a command (`undefined` prints nothing) and messages for the terminal. */
export type Answer<Value> =
  /** A plan has the requests that a dry run would have sent. */
  | (AnswerParts & { readonly value: Value | Plan; readonly as?: undefined })
  /** Another rendering, if an option changes what is printed. */
  | (AnswerParts & { readonly value: unknown; readonly as: Rendering });

/** How a person has to confirm. */
export interface Typing {
  /** Must be typed instead of yes. */
  readonly word?: string;
  /** Ask even if `--yes` was given, as long as prompts are possible. */
  readonly always: boolean;
}

/** The second argument of a command's `run`. */
export interface RunContext extends Omit<Context, 'stdout' | 'stderr' | 'prompter' | 'isReadableByOthers'> {
  /** The address and the rules of the command's service. Throws if no address is configured. */
  readonly target: Target;
  /** The address and the rules of any service, for commands that use several. */
  targetOf(service: ServiceName): Target;
  /** Secrets added here are redacted on standard error, and in texts that pass through `hide`. */
  readonly secrets: Pick<KnownSecrets, 'add' | 'hide'>;
  readonly settings: Settings;
  /** The output format, for the few commands whose work depends on it. */
  readonly wants: {
    /** The service's JSON is printed unchanged: `RawJson` may be returned. */
    readonly rawJson: boolean;
    /** A person reads a table: counts and hints are worth a request. */
    readonly table: boolean;
    /** The table has all columns and rows. */
    readonly wide: boolean;
    /** Fields of the value are printed, not only ids or the default columns of a table. */
    readonly fields: boolean;
    /** `--sort` is given: it applies to the complete list, so all of it must be read. */
    readonly sorted: boolean;
    /** The output is one JSON or YAML value: a list of one item differs from the item alone. */
    readonly document: boolean;
    /** Each row is a line of JSON: events may come between the rows. */
    readonly events: boolean;
    /** Standard output is a terminal. */
    readonly terminal: boolean;
  };
  /** All groups, for commands that work on all declarations. */
  readonly groups: readonly Group[];
  readonly dryRun: boolean;
  readonly yes: boolean;
  /** Whether prompts are possible. */
  readonly interactive: boolean;
  /** The terminal of prompts, its width and whether only ASCII; undefined unless `interactive`. */
  readonly screen: { readonly canvas: number; readonly ascii: boolean } | undefined;
  /** Prompts for missing values; only if `interactive`. All text shown is escaped. */
  readonly prompter: Omit<Prompter, 'confirm'>;
  /** The command line without the program name. */
  readonly typed: readonly string[];
  /**
   * Asks a yes-or-no question, except with `--yes` or in a dry run. Exit 2 if nobody can be asked
   * or the answer is no. The result is the proof that `destroy` and `money` requests need.
   */
  confirm(question: string, typing?: Typing): Promise<Confirmed>;
  /** The options of this command line that lead another command to the same server. */
  readonly serverOptions: readonly string[];
  /** Runs another command line of svc in this process, and resolves with its status. */
  runLine(argv: readonly string[], over: Pick<Context, 'stdout' | 'stderr' | 'prompter' | 'env'>): Promise<number>;
  /** Prints an escaped line on stderr, except with `-q`. */
  notice(text: string): void;
  /** Prints an escaped line on stderr even with `-q`: it explains why the exit status is not 0. */
  warn(text: string): void;
  /** When the command line was read: with it, times such as `2h ago` share one clock reading. */
  readonly startedAt: number;
  /** Rows of responses left out so far as unreadable: a decision on the others may be wrong. */
  readonly omitted: { readonly rows: number };
  /** Prints an outage as an event if `wants.events`, for commands whose value comes at the end. */
  reportOutage(outage: Outage | undefined): Promise<void>;
  /** The bytes of a file, or of standard input for `-`. Exit 2 if unreadable or a terminal. */
  readInput(path: string): Promise<Uint8Array>;
  /** Warns once per file if other users can read a file with a secret or a key. */
  checkSecretFile(path: string): void;
  /** Input of any size. The next chunk overwrites the buffer: use a chunk at once, or copy it. */
  inputChunks(path: string): AsyncIterable<Uint8Array>;
  /** Draws a chart as a self-contained SVG file of this width, in CSS pixels. */
  drawSvg(picture: ChartPicture, width?: number): Promise<string>;
  /** How a command without a service reaches an address of its user: TLS, proxies, dry run. */
  outbound(options: { readonly insecure: boolean }): Outbound;
}

export interface Example {
  readonly run: string;
  readonly why: string;
}

/** A row of one cluster among several. */
export interface ClusterRow {
  readonly cluster: string;
}

/** What becomes of the rows of several clusters, otherwise listed one cluster after the other. */
export interface Clusters {
  merge?(rows: readonly object[], settings: Settings): readonly object[];
}

export interface Call {
  readonly service: ServiceName;
  readonly effect: Effect;
}

export interface Spec<A extends Arguments, F extends Flags> {
  /** `alerts list` */
  readonly id: string;
  readonly aliases?: readonly string[];
  /** Names in other tools that mean something similar: suggested, but not run. */
  readonly suggestFor?: readonly string[];
  /** One line without a full stop. */
  readonly summary: string;
  /** Help shows it, in at most five lines of 80 columns. */
  readonly description?: string;
  /** Only the manual and the reference show it. */
  readonly details?: string;
  readonly effect: Effect;
  /** The remote service: adds `--base-url`, `--timeout`, TLS and header options. */
  readonly service?: ServiceName;
  /** It can run on several profiles, each with a cluster of its own. */
  readonly clusters?: Clusters;
  /** If service and effect depend on the arguments; `effect` is then the strongest possible. */
  readonly callOf?: (input: Input<A, F>) => Call;
  /** Whether it runs until stopped, or waits: notices are then printed at once in any format. */
  readonly streams?: (input: Input<A, F>) => boolean;
  /** The format if no option sets one, whatever the settings say: data for another program. */
  readonly defaultFormat?: 'json';
  /** Runs even with invalid settings, in order to repair them. */
  readonly repairsSettings?: true;
  readonly args?: A;
  readonly flags?: F;
  /** The output that the output options are checked against, if options change what is printed. */
  readonly outputOf?: (input: Input<A, F>) => AnyOutput;
  /** Exits beyond those of its effect and service: a negative answer, a partial failure. */
  readonly exits?: readonly ErrorCode[];
  readonly examples: readonly [Example, ...Example[]];
}

/**
 * A command with its input type erased, for the registry, the parser, help and completion. These
 * are methods, because TypeScript lets the parameter of a method be narrower.
 */
export interface Command extends Spec<Arguments, Flags> {
  readonly output: AnyOutput;
  offers?(item: unknown): Candidates;
  outputOf?(input: unknown): AnyOutput;
  callOf?(input: unknown): Call;
  streams?(input: unknown): boolean;
  run(input: unknown, ctx: RunContext): Promise<Answer<unknown>>;
}

export interface Source {
  /** The command that lists the values. `<id>` is the argument `id` of the command line. */
  readonly list: readonly string[];
  /** The option with which the list finds what is typed, where it may be too long to be read. */
  readonly search?: string;
}
export type Sources = Readonly<Record<RemoteSource, Source>>;

/** Commands that share their first word, as `svc alerts …`, or a single one, as `svc doctor`. */
export interface Group {
  readonly name: string;
  /** The group has one command, with the group's name. */
  readonly single?: true;
  /** Its name alone lists, as in amtool: `svc alert`. */
  readonly lists?: true;
  readonly summary: string;
  readonly description?: string;
  readonly load: () => Promise<{ readonly commands: Commands; readonly sections?: Sections }>;
}

/** Keyed by the words after the group name, in the order of help; a single command by its name. */
export type Commands = Readonly<Record<string, () => Promise<Command>>>;

/** The commands of a group by purpose, in the order of help. */
export type Sections = Readonly<Record<string, Commands>>;

export function commandsOf(sections: Sections): Commands {
  return Object.assign({}, ...Object.values(sections));
}

export async function loadCommands(group: Group): Promise<readonly Command[]> {
  const { commands } = await group.load();
  return Promise.all(Object.values(commands).map((load) => load()));
}

type None = Record<never, never>;
type Run<A extends Arguments, F extends Flags, Value> = (input: Input<A, F>, ctx: RunContext) => Promise<Answer<Value>>;

/** A command that prints rows. `offers`: the values of a row for prompts of other commands. */
export function listCommand<Row, const A extends Arguments = None, const F extends Flags = None>(
  spec: Spec<A, F> & {
    readonly output: ListOutput<Row>;
    readonly offers?: (row: Row) => Candidates;
    readonly run: Run<A, F, Rows<Row> | RawJson>;
  },
): Command {
  return spec;
}
export function recordCommand<Value, const A extends Arguments = None, const F extends Flags = None>(
  spec: Spec<A, F> & {
    readonly output: RecordOutput<Value>;
    readonly offers?: (value: Value) => Candidates;
    readonly run: Run<A, F, Value | RawJson>;
  },
): Command {
  return spec;
}
export function chartCommand<Value, Row, const A extends Arguments = None, const F extends Flags = None>(
  spec: Spec<A, F> & { readonly output: ChartOutput<Value, Row>; readonly run: Run<A, F, Value> },
): Command {
  return spec;
}
export function textCommand<const A extends Arguments = None, const F extends Flags = None>(
  spec: Spec<A, F> & { readonly output: TextOutput; readonly run: Run<A, F, string | RawBytes | undefined> },
): Command {
  return spec;
}
