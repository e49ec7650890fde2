/** Real pseudo-terminals: tmux, whose screen and title can be read, and script, whose raw bytes can. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasTmux, Terminal } from '../support/terminal.ts';
import { environment, HOME, start, type Variables } from './binary.ts';

/** That of util-linux: the others take other options. */
export const noScript = !isFromUtilLinux();
export const noTmux = !hasTmux;
export const named = (name: string, missing: boolean): string =>
  missing ? `${name} (not possible on this machine)` : name;

/** Where a shell leaves its process id: on the screen it can be covered by what svc draws before it is read. */
const PID_FILE = join(HOME, 'shell.pid');
/** Prints the process id of the shell, and leaves it for `shellPid`. */
export const TELL_PID = `echo "pid $BASHPID"; echo $BASHPID >"${PID_FILE}"`;
export const shellPid = (): number => Number(readFileSync(PID_FILE, 'utf8'));

/** What a program may change of a terminal, in tmux's formats: all of it is as before when it has ended. */
export const STATE = '#{pane_title} #{alternate_on} #{cursor_flag} #{wrap_flag} #{origin_flag} #{cursor_x}';

interface Finished {
  readonly lines: readonly string[];
  readonly status: number;
}

/** A shell that asks nothing and prints no prompt but `$ `. */
export class ShellTerminal extends Terminal {
  static #opened = 0;
  #steps = 0;
  readonly #script = join(HOME, `step-${process.pid}-${ShellTerminal.#opened++}.sh`);

  constructor(columns: number, rows: number, variables: Variables = {}) {
    const env = environment({ ...variables, HISTFILE: '' });
    super(['env', 'PS1=$ ', 'bash', '--norc', '--noprofile'], { env, cwd: HOME, columns, rows });
  }

  /** Waits until the lines of the screen are so. */
  showsLines(wanted: (lines: readonly string[]) => boolean): Promise<readonly string[]> {
    return this.until(() => {
      const lines = this.lines();
      return wanted(lines) ? lines : undefined;
    });
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
    writeFileSync(this.#script, line);
    this.type(`clear; . "${this.#script}"; echo "[${++this.#steps}:$?]"`);
    this.press('Enter');
  }

  /** The same, until it has ended: what it printed, and its status. */
  async run(line: string): Promise<Finished> {
    this.begin(line);
    return await this.finish();
  }

  async finish(): Promise<Finished> {
    const mark = new RegExp(`^\\[${this.#steps}:(\\d+)\\]$`);
    const lines = await this.showsLines((all) => all.some((line) => mark.test(line)) && all.at(-1) === '$');
    const end = lines.findIndex((line) => mark.test(line));
    return { lines: lines.slice(0, end), status: Number(mark.exec(lines[end] ?? '')?.[1]) };
  }
}

function isFromUtilLinux(): boolean {
  const [command, ...args] = ['script', '--version'] as const;
  const { stdout } = spawnSync(command, args, { encoding: 'utf8' });
  const found = stdout?.includes('util-linux') ?? false;
  if (!found && process.env['CI'] === 'true') throw new Error('script (util-linux) is missing');
  return found;
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
