/** A command as data: one declaration, from which flags, help, completion, reference and renderings are made. */
import type { Context, Prompter } from '../context.ts';
import type { ErrorCode } from '../errors.ts';
import type { Confirmed, Effect, Plan } from '../http/endpoint.ts';
import type { KnownSecrets } from '../http/known-secrets.ts';
import type { Outbound, ServiceName, Target } from '../http/target.ts';
import type { Progress } from '../output/progress.ts';
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
import type { Arguments, Candidates, Flags, Input } from './flags.ts';
import type { Outage } from './poll.ts';

/** What is known only once the last row is there is asked for when the value is printed. */
type Afterwards<T> = T | undefined | (() => T | undefined);

interface AnswerParts {
  /** One or more lines on stderr below a table: what was hidden, what the value means. */
  readonly footer?: Afterwards<string>;
  /** The value is printed all the same, and the exit status is this code's. */
  readonly code?: Afterwards<ErrorCode>;
  /** The exit status of a command that was run, passed on. */
  readonly status?: number | undefined;
  /** What goes on after the value is printed: a server that runs until it is stopped. */
  readonly hold?: (() => Promise<void>) | undefined;
  /** What is to be ended at last, also where printing failed. */
  readonly end?: (() => Promise<void>) | undefined;
}

/** What a command returns: the value (`undefined` prints nothing), and what only the person at the terminal is told about it. */
export type Answer<Value> =
  /** A plan is what a dry run would have sent. */
  | (AnswerParts & { readonly value: Value | Plan; readonly as?: undefined })
  /** Another rendering, where an option changes what is printed. */
  | (AnswerParts & { readonly value: unknown; readonly as: Rendering });

/** A word that a person has to type instead of a yes. */
export interface Typing {
  readonly word: string;
  /** Even where `--yes` was given, as long as somebody can be asked. */
  readonly always: boolean;
}

/** What a command's `run` is given beside its input. */
export interface RunContext extends Omit<Context, 'stdout' | 'stderr' | 'prompter' | 'isReadableByOthers'> {
  /** Where the command's service is and under which rules. Throws where no address is configured. */
  readonly target: Target;
  /** The same of any service, for a command that looks at several. */
  targetOf(service: ServiceName): Target;
  /** What is added is hidden in everything that is printed on standard error. */
  readonly secrets: Pick<KnownSecrets, 'add'>;
  readonly settings: Settings;
  /** The output format, for the few commands whose work depends on it. */
  readonly wants: {
    /** The service's JSON is wanted whole and unchanged: `RawJson` may be returned. */
    readonly rawJson: boolean;
    /** Somebody reads a table: counts and hints are worth a request. */
    readonly table: boolean;
    /** The fields of the value are printed, and not only ids or the usual lines of a table. */
    readonly fields: boolean;
    /** `--sort` is given: it is of the whole list, so all of it must be read. */
    readonly sorted: boolean;
    /** One JSON or YAML value: a list of one item and the item alone are not the same. */
    readonly document: boolean;
    /** Each row is a line of JSON: events may come among the rows. */
    readonly events: boolean;
    /** Standard output is a terminal, and what is printed stays on a screen. */
    readonly terminal: boolean;
  };
  /** Everything svc can do, for what is made from all declarations. */
  readonly groups: readonly Group[];
  readonly dryRun: boolean;
  readonly yes: boolean;
  /** Whether a person can be asked. */
  readonly interactive: boolean;
  /** Asks for what the command line leaves out; only where `interactive`. What it is given to show is escaped. */
  readonly prompter: Omit<Prompter, 'confirm'>;
  /** The command line, without the name of the program. */
  readonly typed: readonly string[];
  /**
   * Asks a yes-or-no question, unless `--yes` was given or it is a dry run. Exit 2 when nobody can be asked, or the answer is no.
   * What it returns is the proof without which no `destroy` or `money` request can be sent.
   */
  confirm(question: string, typing?: Typing): Promise<Confirmed>;
  /** A bar on stderr, on a terminal only; cleared at the command's end at the latest. */
  progress(total: number): Progress;
  /** A line on stderr, escaped. Not shown with `-q`. */
  notice(text: string): void;
  /** The same, but shown with `-q` too: why the exit status is not 0. */
  warn(text: string): void;
  /** Prints an outage as an event of its own where `wants.events`, for a command whose value comes only at the end. */
  reportOutage(outage: Outage | undefined): Promise<void>;
  /** The bytes of a file, or of standard input for `-`. Exit 2 when it cannot be read, or standard input is a terminal. */
  readInput(path: string): Promise<Uint8Array>;
  /** Warns, once for each file, where other users can read a file that holds a secret or a key. */
  checkSecretFile(path: string): void;
  /** The same piece by piece, for input of any size. A piece is overwritten by the next: use it up, or copy it. */
  inputChunks(path: string): AsyncIterable<Uint8Array>;
  /** A chart as the text of an SVG file, complete in itself. */
  drawSvg(picture: ChartPicture): Promise<string>;
  /** How a command without a service of its own reaches an address that its user named: TLS, proxies, dry run, interruption. */
  outbound(options: { readonly insecure: boolean }): Outbound;
}

export interface Example {
  readonly run: string;
  readonly why: string;
}

export interface Call {
  readonly service: ServiceName;
  readonly effect: Effect;
}

interface Spec<A extends Arguments, F extends Flags> {
  /** The words typed: `alerts list`. */
  readonly id: string;
  readonly aliases?: readonly string[];
  /** Older names, which still work and say so. */
  readonly formerly?: readonly string[];
  /** What other tools call it, where it is not quite the same: suggested for these words, and not run. */
  readonly suggestFor?: readonly string[];
  /** One line without a full stop. */
  readonly summary: string;
  /** What help says of it: at most five lines of 80 columns. */
  readonly description?: string;
  /** Long explanations, for the manual and the reference only. */
  readonly details?: string;
  readonly effect: Effect;
  /** The remote service it talks to: gives it `--base-url`, `--timeout`, TLS and header options. */
  readonly service?: ServiceName;
  /** Where the arguments decide: which service it talks to, and what it does to it. `effect` is the most that it can do. */
  readonly callOf?: (input: Input<A, F>) => Call;
  /** Whether it goes on until it is stopped, or waits for something: its notices are then printed at once in every format. */
  readonly streams?: (input: Input<A, F>) => boolean;
  /** What is printed where no option says otherwise, whatever the settings say: data for another program. */
  readonly defaultFormat?: 'json';
  /** It repairs settings, and so runs with settings that are broken. */
  readonly repairsSettings?: true;
  readonly args?: A;
  readonly flags?: F;
  /** Where an option changes what is printed: the output of this input, by which the output options are checked. */
  readonly outputOf?: (input: Input<A, F>) => AnyOutput;
  /** What it may end in besides what any command of its effect and service does: the answer no, a part that failed, time that is over. */
  readonly exits?: readonly ErrorCode[];
  readonly examples: readonly [Example, ...Example[]];
}

/** Any command, its input type forgotten: what the registry, the parser, help and completion work on. */
export interface Command extends Spec<Arguments, Flags> {
  readonly output: AnyOutput;
  // biome-ignore lint/suspicious/noExplicitAny: the item is what the same declaration's output renders
  readonly offers?: (item: any) => Candidates;
  // biome-ignore lint/suspicious/noExplicitAny: the parser makes the input from the same declaration
  readonly outputOf?: (input: any) => AnyOutput;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly callOf?: (input: any) => Call;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly streams?: (input: any) => boolean;
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly run: (input: any, ctx: RunContext) => Promise<Answer<unknown>>;
}

/** Commands that are named by one word first: `svc alerts …`; or one command, of which that word is the whole name: `svc doctor`. */
export interface Group {
  readonly name: string;
  /** It is the name of one command, and of no others. */
  readonly single?: true;
  readonly summary: string;
  readonly description?: string;
  /** Command lines of other tools that svc does not have, and a hint for each. */
  readonly foreign?: Readonly<Record<string, string>>;
  readonly load: () => Promise<{ readonly commands: Commands }>;
}

/** By what is typed after the group's name, in the order of its help; of a single command by that name. Each loads on its own. */
export type Commands = Readonly<Record<string, () => Promise<Command>>>;

export async function loadCommands(group: Group): Promise<readonly Command[]> {
  const { commands } = await group.load();
  return Promise.all(Object.values(commands).map((load) => load()));
}

type None = Record<never, never>;
type Run<A extends Arguments, F extends Flags, Value> = (input: Input<A, F>, ctx: RunContext) => Promise<Answer<Value>>;

/** A command that prints rows. `offers`: what of a row <Tab> offers in the next minute, after the command ran at a terminal. */
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
