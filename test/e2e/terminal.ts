/** Real pseudo-terminals: tmux, whose screen and title can be read, and script, whose raw bytes can. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SLOWNESS } from '../support/executable.ts';
import { environment, HOME, start, type Variables } from './binary.ts';

function works(command: string, mark: string): boolean {
  let version = '';
  try {
    version = execFileSync(command, [command === 'tmux' ? '-V' : '--version'], { encoding: 'utf8', stdio: 'pipe' });
  } catch {
    // told below
  }
  const found = version.includes(mark);
  if (!found && process.env['CI'] === 'true') throw new Error(`${command} (${mark}) is missing`);
  return found;
}

export const noTmux = !works('tmux', 'tmux');
/** That of util-linux: the others take other options. */
export const noScript = !works('script', 'util-linux');
export const named = (name: string, missing: boolean): string =>
  missing ? `${name} (not possible on this machine)` : name;

/** Where a shell leaves its process id: on the screen it can be covered by what svc draws before it is read. */
const PID_FILE = join(HOME, 'shell.pid');
/** Prints the process id of the shell, and leaves it for `shellPid`. */
export const TELL_PID = `echo "pid $BASHPID"; echo $BASHPID >"${PID_FILE}"`;
export const shellPid = (): number => Number(readFileSync(PID_FILE, 'utf8'));

/** What a program may change of a terminal, in tmux's formats: all of it is as before when it has ended. */
export const STATE = '#{pane_title} #{alternate_on} #{cursor_flag} #{wrap_flag} #{origin_flag} #{cursor_x}';

const PATIENCE_MS = 15_000 * SLOWNESS;

export class Terminal {
  static #opened = 0;
  #steps = 0;
  readonly #socket = `svc-${process.pid}-${Terminal.#opened++}`;
  readonly #env: Record<string, string>;

  /** A shell that asks nothing and prints no prompt but `$ `. */
  constructor(columns: number, rows: number, variables: Variables = {}) {
    this.#env = environment({ ...variables, HISTFILE: '', TMUX_TMPDIR: HOME });
    const size = ['-x', String(columns), '-y', String(rows)];
    this.#tmux('-f', '/dev/null', 'new-session', '-d', ...size, `env PS1='$ ' bash --norc --noprofile`);
  }

  close(): void {
    this.#tmux('kill-server');
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  type(text: string): void {
    this.#tmux('send-keys', '-l', text);
  }

  /** `Enter`, `C-c` */
  press(...keys: readonly string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  /** The lines on the screen, without the empty ones at its end. `joined` puts those together that the terminal broke. */
  lines(joined = false): string[] {
    const text = this.#tmux('capture-pane', '-p', ...(joined ? ['-J'] : []));
    return text
      .trimEnd()
      .split('\n')
      .map((line) => line.trimEnd());
  }

  /** Returns a value in tmux's formats, such as `#{pane_title}`. */
  tell(format: string): string {
    return this.#tmux('display-message', '-p', format).trimEnd();
  }

  /** Waits until the screen is so. */
  async shows(wanted: (lines: readonly string[]) => boolean): Promise<readonly string[]> {
    for (const began = performance.now(); ; await sleep(20)) {
      const lines = this.lines();
      if (wanted(lines)) return lines;
      if (performance.now() - began > PATIENCE_MS) throw new Error(`the screen stays at:\n${lines.join('\n')}`);
    }
  }

  /** Waits until Ctrl-C is a signal again, and no key that somebody reads. */
  async signalsAgain(): Promise<void> {
    for (const began = performance.now(); ; await sleep(20)) {
      if (/(?<!-)\bisig\b/.test(this.settings())) return;
      if (performance.now() - began > PATIENCE_MS) throw new Error('Ctrl-C stays a key');
    }
  }

  /** What `stty -a` says of it at this moment. */
  settings(): string {
    const tty = openSync(this.tell('#{pane_tty}'), constants.O_RDONLY | constants.O_NOCTTY);
    try {
      return execFileSync('stty', ['-a'], { stdio: [tty, 'pipe', 'pipe'], encoding: 'utf8' });
    } finally {
      closeSync(tty);
    }
  }

  /** Starts a line of the shell on an empty screen. Its number and its status follow what it printed. */
  begin(line: string): void {
    const step = join(HOME, `step-${this.#socket}.sh`);
    writeFileSync(step, line);
    this.type(`clear; . "${step}"; echo "[${++this.#steps}:$?]"`);
    this.press('Enter');
  }

  /** The same, until it has ended: what it printed, and its status. */
  async run(line: string): Promise<{ readonly lines: readonly string[]; readonly status: number }> {
    this.begin(line);
    return await this.finish();
  }

  async finish(): Promise<{ readonly lines: readonly string[]; readonly status: number }> {
    const mark = new RegExp(`^\\[${this.#steps}:(\\d+)\\]$`);
    const lines = await this.shows((all) => all.some((line) => mark.test(line)) && all.at(-1) === '$');
    const end = lines.findIndex((line) => mark.test(line));
    return { lines: lines.slice(0, end), status: Number(mark.exec(lines[end] ?? '')?.[1]) };
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-u', '-L', this.#socket, ...args], { env: this.#env, encoding: 'utf8' });
  }
}

/** What names a service that is slow, as it may be on a busy machine: it does not stay on the screen. */
export const SPINNER = /\r[^\r\n]*\u001b\[K/g;

/** Every byte that the commands of a shell script write to a terminal, but for the spinner, and the script's status. */
export async function typescript(
  script: string,
  env: Variables = {},
  columns = 100,
): Promise<{ readonly bytes: string; readonly status: number | null }> {
  const file = join(HOME, `typescript-${process.hrtime.bigint()}.sh`);
  writeFileSync(file, `stty cols ${columns} rows 50\n${script}`);
  const { ended } = start('script', ['-qefc', `bash "${file}"`, '/dev/null'], { env, input: 'open' });
  const { code, stdout } = await ended;
  return { bytes: stdout.replaceAll(SPINNER, ''), status: code };
}
