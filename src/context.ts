/** Everything `svc` takes from outside itself, as types. The room `process/` takes it from the process it runs in. */

export interface OutStream {
  /** The terminal's state, false for a pipe or a file. */
  readonly isTTY: boolean;
  /** The terminal's width, where it is a terminal. */
  readonly columns: number | undefined;
  /** The terminal's height, where it is a terminal and known. */
  readonly rows?: number | undefined;
  /** Calls back whenever the terminal's size has changed, until what it returns is called. */
  onResize?(handler: () => void): () => void;
  /** Writes `text` when the process ends, whatever ends it, unless what it returns is called before. */
  restoring?(text: string): () => void;
  /** The number of colours the terminal can show as chalk's level: 0 none, 1 sixteen, 2 256, 3 all. */
  readonly colorDepth: 0 | 1 | 2 | 3;
  /**
   * Writes everything, waiting where the reader is slow; an interruption ends the waiting. A reader that went away is no error:
   * later writes are dropped. Rejects where standard output cannot be written, as on a full disk.
   */
  write(chunk: string | Uint8Array): Promise<void>;
  /** True once the reader went away: what produces more can stop. */
  readonly closed: boolean;
}

export interface InStream {
  readonly isTTY: boolean;
  /** All that is piped in. A piece is overwritten by the next. An interruption ends the waiting. */
  chunks(): AsyncIterable<Uint8Array>;
  /** The same until nobody wants more of it: input that never ends does not keep the process alive then. */
  chunksUntil(over: AbortSignal): AsyncIterable<Uint8Array>;
  /** Where it is a terminal: each key as it is pressed, unseen, until what this returns is called. Ctrl-C stays what it is. */
  onKey?(handler: (key: string) => void): () => void;
}

export interface Choice {
  /** What is answered. */
  readonly value: string;
  /** What is shown for it. */
  readonly name: string;
}

export interface TextQuestion {
  readonly question: string;
  /** The answer to Enter alone; empty by default. */
  readonly default?: string;
  /** What is wrong with an answer, which is then asked for again; undefined where it is good. */
  readonly check?: (answer: string) => string | undefined;
}

/** Asks a person at the terminal; only ever called when stdin and stderr are terminals. */
export interface Prompter {
  confirm(question: string): Promise<boolean>;
  text(question: TextQuestion): Promise<string>;
  /** What is typed is not shown. Where the question is withdrawn nobody waits for the answer any more, and it rejects. */
  secret(question: string, withdrawn?: AbortSignal): Promise<string>;
  /** One of them. */
  select(question: string, choices: readonly Choice[]): Promise<string>;
  /** At least one of them. */
  checkbox(question: string, choices: readonly Choice[]): Promise<readonly string[]>;
}

export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface Paths {
  /** settings.json, credentials.json, webhook-secrets.json */
  readonly config: string;
  /** locks and counters */
  readonly state: string;
  /** completion values; may be deleted at any time */
  readonly cache: string;
}

export interface Context {
  readonly stdin: InStream;
  readonly stdout: OutStream;
  readonly stderr: OutStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly paths: Paths;
  /** `user@host`, the default author of silences. */
  readonly identity: string;
  readonly pid: number;
  /** Of Node.js: 20. */
  readonly nodeMajor: number;
  /** The command line that starts this very `svc`, for commands that run commands. */
  readonly self: readonly [command: string, ...args: string[]];
  /** Milliseconds since 1970. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborted with a `SvcError` (`interrupted`, `terminated`) by SIGINT and SIGTERM. The second of them ends the process. */
  readonly signal: AbortSignal;
  /**
   * Until what it returns is called, these signals go to `handler` alone: for a command that runs another one. `shared` tells
   * that they come from the terminal, which sends its own to every process there: the other command has it already.
   */
  takeSignals(handler: (name: EndSignal, shared: boolean) => void): () => void;
  /**
   * All of a small file that the user named, such as a secret or a certificate. A signal ends the process while it waits for a
   * pipe's writer: nothing was sent yet. Throws the error of the system, and EFBIG for more than 1 MiB.
   */
  readFile(file: string | number): Buffer;
  /** Whether the path names a file of the user that the group or everybody may read. */
  isReadableByOthers(path: string): boolean;
  readonly prompter: Prompter;
  /**
   * Hands an http or https address to the person's browser. Resolves with why there is none, which may become known only later,
   * or with undefined where the address was handed over; never rejects.
   */
  openBrowser(url: URL): Promise<string | undefined>;
}
