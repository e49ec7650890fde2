/** Types of what `svc` takes from outside. `process/` implements them on the running process. */

export interface OutStream {
  /** The state of the terminal; false for a pipe or a file. */
  readonly isTTY: boolean;
  /** The width, if it is a terminal. */
  readonly columns: number | undefined;
  /** The height, if it is a terminal and known. */
  readonly rows?: number | undefined;
  /** Calls back when the terminal's size changes, until the returned function is called. */
  onResize?(handler: () => void): () => void;
  /**
   * Until the returned function is called: writes `text` when the process ends or is suspended, and
   * calls `again` when it continues.
   */
  restoring?(text: string, again: () => void): () => void;
  /** The colors of the terminal as chalk's level: 0 none, 1 sixteen, 2 256, 3 all. */
  readonly colorDepth: 0 | 1 | 2 | 3;
  /**
   * Waits for a slow reader, unless interrupted. Once the reader is gone, drops the rest without an
   * error. Rejects if it cannot write, as on a full disk.
   */
  write(chunk: string | Uint8Array): Promise<void>;
  /** True once the reader is gone: producers can stop. */
  readonly closed: boolean;
}

export interface InStream {
  readonly isTTY: boolean;
  /** All piped input. The next chunk overwrites the buffer. An interruption ends the wait. */
  chunks(): AsyncIterable<Uint8Array>;
  /** The same until the consumer stops: input that never ends does not keep the process alive. */
  chunksUntil(over: AbortSignal): AsyncIterable<Uint8Array>;
  /**
   * At a terminal: each key as it is pressed, without echo, until the returned function is called.
   * An arrow or function key is one escape sequence. Ctrl-C and Ctrl-Z keep their meaning.
   */
  onKey?(handler: (key: string) => void): () => void;
}

export interface Choice {
  readonly value: string;
  readonly name: string;
}

export interface TextQuestion {
  readonly question: string;
  /** The value for Enter alone; empty by default. */
  readonly default?: string;
  /** What is wrong with an answer, which is then asked for again; undefined if it is valid. */
  readonly check?: (answer: string) => string | undefined;
}

type Find = (typed: string, signal: AbortSignal) => Promise<readonly Choice[]>;

/** Asks a person at the terminal; only called if stdin and stderr are terminals. */
export interface Prompter {
  confirm(question: string): Promise<boolean>;
  text(question: TextQuestion): Promise<string>;
  /** Input is hidden. A withdrawn question rejects. */
  secret(question: string, withdrawn?: AbortSignal): Promise<string>;
  /** One of them. */
  select(question: string, choices: readonly Choice[]): Promise<string>;
  /** Calls `find` for each change of the text. The signal of the call before is then aborted. */
  search(question: string, find: Find): Promise<string>;
  /** At least one of them. */
  checkbox(question: string, choices: readonly Choice[]): Promise<readonly string[]>;
}

export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface Paths {
  /** settings.json, credentials.json, webhook-secrets.json */
  readonly config: string;
  /** locks and counters */
  readonly state: string;
}

/** How the locks and records of svc name a process. */
export interface ProcessName {
  readonly pid: number;
  readonly host: string;
  /** Boot and process-id namespace: a process id means something only if both are ours. */
  readonly place: string;
  /** The start of the process, because its id may be used again; empty if unknown. */
  readonly start: string;
}

export interface Context {
  readonly stdin: InStream;
  readonly stdout: OutStream;
  readonly stderr: OutStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: Paths;
  /** `user@host`, the default author of silences. */
  identity(): string;
  readonly pid: number;
  /** Of this process, where it is used often: to read it takes as long as to take a lock. */
  readonly processName?: ProcessName | undefined;
  /** The major version of Node.js: 20. */
  readonly nodeMajor: number;
  /** The command line that starts this `svc`, for commands that run commands. */
  readonly self: readonly [command: string, ...args: string[]];
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Rejects with the signal's reason if it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** SIGINT and SIGTERM abort it with a `SvcError`. A second signal ends the process. */
  readonly signal: AbortSignal;
  /**
   * For commands that run another program: until the returned function is called, only `handler`
   * gets these signals. `shared`: the terminal sent the signal to the other program, too.
   */
  takeSignals(handler: (name: EndSignal, shared: boolean) => void): () => void;
  /**
   * A small file that the user named. Throws the system's error, and EFBIG above 1 MiB. A signal
   * ends the process while it waits for the writer of a pipe, because nothing was sent yet.
   */
  readFile(file: string | number): Buffer;
  /** Whether the file belongs to the user and the group or others can read it. */
  isReadableByOthers(path: string): boolean;
  /** Undefined on a terminal that shows text and nothing else (TERM=dumb). */
  readonly prompter: Prompter | undefined;
  /** Never rejects. Resolves with the reason if no browser opened, which may take a while. */
  openBrowser(url: URL): Promise<string | undefined>;
}
