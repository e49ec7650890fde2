/** The tunnel program: started by the shell, read for its address, stopped with all it started. */
import { type ChildProcess, spawn } from 'node:child_process';
import { platform } from 'node:os';
import { kill } from 'node:process';
import { signalStatus } from '../../../cli/child.ts';
import type { Context } from '../../../context.ts';
import { SvcError } from '../../../errors.ts';
import { redactText } from '../../../http/redact.ts';
import { childEnvironment } from '../../../store/setting-keys.ts';

interface Preset {
  readonly name: string;
  readonly command: string;
  /** The address in a line of its output. The programs also print links to their documentation. */
  readonly address: RegExp;
}

/** `{port}` is the local port. */
const PRESETS: readonly Preset[] = [
  {
    name: 'cloudflared',
    command: 'cloudflared tunnel --no-autoupdate --url http://127.0.0.1:{port}',
    address: /(https:\/\/[\w-]+\.trycloudflare\.com)\b/,
  },
  {
    name: 'ngrok',
    command: 'ngrok http 127.0.0.1:{port} --log stdout',
    address: /\burl"?[=:]"?(https:\/\/[^\s"]+)/,
  },
];
const PRESET_NAMES = PRESETS.map(({ name }) => name);
const ANY_ADDRESS = /(https:\/\/[^\s"'<>|)\]]+)/;

/** How long a program may take to print its address. */
const ADDRESS_S = 30;
const STOP_MS = 3_000;
const SHOWN_LINES = 5;
const MOST_ADDRESSES = 20;
const LONGEST_LINE = 500;
/** Of a line that does not end. */
const MOST_TEXT = 64 * 1024;
const NOT_FOUND = 127;
/** Colors and cursor movements. */
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;

type Runner = Pick<Context, 'env' | 'sleep'>;

/** The command line for a name or a command, and the pattern for the address in its output. */
export function tunnelCommand(text: string, port: number): Pick<Preset, 'command' | 'address'> {
  // A command line that names one of the programs prints its address in the same way.
  const preset = PRESETS.find(({ name }) => new RegExp(`\\b${name}\\b`).test(text));
  const command = preset?.name === text ? preset.command : text;
  return { command: command.replaceAll('{port}', String(port)), address: preset?.address ?? ANY_ADDRESS };
}

export class TunnelProgram {
  readonly #child: ChildProcess;
  readonly #pattern: RegExp;
  readonly #sleep: Runner['sleep'];
  /** The last lines, for the error if it fails. */
  readonly #lines: string[] = [];
  readonly #closed: Promise<number>;
  readonly #found: Promise<void>;
  #find: () => void = () => {};
  /** The first that it printed, as some print one for each request; links to its pages, too. */
  readonly addresses = new Set<string>();
  #stopping: Promise<void> | undefined;

  constructor(text: string, port: number, { env, sleep }: Runner) {
    const { command, address } = tunnelCommand(text, port);
    this.#pattern = address;
    this.#sleep = sleep;
    this.#found = new Promise((done) => {
      this.#find = done;
    });
    // Ctrl-C must not end it before the subscription is deleted. Some end with their input.
    const child = spawn(command, {
      shell: true,
      detached: platform() !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...childEnvironment(env), PORT: String(port) },
    });
    this.#child = child;
    child.stdin.on('error', () => {});
    for (const stream of [child.stdout, child.stderr]) this.#read(stream);
    this.#closed = new Promise((ended) => {
      child.on('error', () => ended(NOT_FOUND));
      child.on('exit', (code, signal) => {
        // The rest of its output; what it started may still hold the pipes open.
        setImmediate(() => ended(code ?? signalStatus(signal)));
      });
    });
  }

  /** Resolves when it has printed an address. Rejects if it ends first, is too late, or on `signal`. */
  async printed(signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const late = this.#sleep(ADDRESS_S * 1000, AbortSignal.any([signal, over.signal])).then(() => {
      throw this.#failure(
        'timeout',
        `printed no https address within ${ADDRESS_S} s`,
        'pass the address with --tunnel-url',
      );
    });
    try {
      await Promise.race([this.#found, late, this.failed()]);
    } finally {
      over.abort();
      late.catch(() => {});
    }
  }

  /** Rejects when the program ends before it is stopped. */
  async failed(): Promise<never> {
    const status = await this.#closed;
    if (this.#stopping !== undefined) return await new Promise<never>(() => {});
    if (status === NOT_FOUND) {
      throw this.#failure('usage', 'could not be run', `install it, or name another: ${PRESET_NAMES.join(', ')}`);
    }
    throw this.#failure('connect_failed', `ended with exit status ${status}`);
  }

  /** Stops it and all that it started: politely, then by force, at once if `hurry` is aborted. */
  stop(hurry: AbortSignal): Promise<void> {
    this.#stopping ??= this.#stop(hurry);
    return this.#stopping;
  }

  async #stop(hurry: AbortSignal): Promise<void> {
    const { pid, stdin, stdout, stderr } = this.#child;
    if (pid !== undefined) {
      const over = new AbortController();
      endGroup(pid, 'SIGTERM');
      const grace = this.#sleep(STOP_MS, AbortSignal.any([hurry, over.signal])).catch(() => {});
      await Promise.race([this.#closed, grace]);
      over.abort();
      endGroup(pid, 'SIGKILL');
      await this.#closed;
    }
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
  }

  #read(stream: NodeJS.ReadableStream): void {
    let rest = '';
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split(/[\r\n]+/);
      rest = (lines.pop() ?? '').slice(-MOST_TEXT);
      for (const line of lines) this.#take(line);
    });
    stream.on('end', () => this.#take(rest));
  }

  #take(text: string): void {
    const line = text.replace(ESCAPES, '').trim();
    if (line === '') return;
    this.#lines.push(line.slice(0, LONGEST_LINE));
    if (this.#lines.length > SHOWN_LINES) this.#lines.shift();
    const address = this.#pattern.exec(line)?.[1];
    if (address === undefined || !URL.canParse(address)) return;
    if (this.addresses.size < MOST_ADDRESSES) this.addresses.add(address);
    this.#find();
  }

  /** Without the command, which may contain a token. */
  #failure(code: 'usage' | 'timeout' | 'connect_failed', what: string, hint?: string): SvcError {
    const said = redactText(this.#lines.join('; '));
    return new SvcError(code, `the tunnel program ${what}${said === '' ? '' : `: ${said}`}`, { hint });
  }
}

/** Without an error if there is none any more. */
function endGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (platform() === 'win32') {
    spawn('taskkill', ['/pid', String(pid), '/t', '/f'], { stdio: 'ignore' }).on('error', () => {});
    return;
  }
  try {
    kill(-pid, signal);
  } catch {
    // It ended.
  }
}
