/** Everything `svc` takes from outside itself. Types only, but for the one function that reads the process. */

export interface OutStream {
  /** The terminal's state, false for a pipe or a file. */
  readonly isTTY: boolean;
  /** The terminal's width, where it is a terminal. */
  readonly columns: number | undefined;
  /** The number of colours the terminal can show as chalk's level: 0 none, 1 sixteen, 2 256, 3 all. */
  readonly colorDepth: 0 | 1 | 2 | 3;
  /** Writes everything, waiting where the reader is slow. A reader that went away is no error: later writes are dropped. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** True once the reader went away: what produces more can stop. */
  readonly closed: boolean;
}

export interface InStream {
  readonly isTTY: boolean;
  /** The raw stream: read to its end by commands that take `-`, handed to the prompter. */
  readonly stream: NodeJS.ReadableStream;
}

/** Asks a person at the terminal; only ever called when stdin and stderr are terminals. */
export interface Prompter {
  confirm(question: string): Promise<boolean>;
  /** The answer typed, for a confirmation that wants the thing's own name. */
  text(question: string): Promise<string>;
}

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
  /** Milliseconds since 1970. */
  now(): number;
  /** Uniform in [0, 1). */
  random(): number;
  /** Rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborted with a `SvcError` (`interrupted`, `terminated`) by SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
  readonly prompter: Prompter;
}
