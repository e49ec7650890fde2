/** A real terminal, by tmux: what keys do there, and what is on its screen. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SLOWNESS } from './executable.ts';

export const hasTmux = ((): boolean => {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    if (process.env['CI'] === 'true') throw new Error('tmux is missing: install it.');
    return false;
  }
})();

/** For a busy machine: what is waited for comes within a tenth of a second. */
const PATIENCE_MS = 20_000 * SLOWNESS;

interface TerminalOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
}

export class Terminal implements AsyncDisposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-tmux-'));
  readonly #env: NodeJS.ProcessEnv;

  /** Runs a program in a terminal of its own. */
  constructor(
    command: readonly string[],
    { env = process.env, cwd = tmpdir(), columns = 120, rows = 50 }: TerminalOptions = {},
  ) {
    this.#env = env;
    this.#tmux('-f', '/dev/null', 'new-session', '-d', '-c', cwd, '-x', `${columns}`, '-y', `${rows}`, ...command);
  }

  type(text: string): void {
    this.#tmux('send-keys', '-l', '--', text);
  }

  /** Keys as tmux names them: `Enter`, `Space`, `C-c`, or text. */
  press(...keys: readonly string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', `${columns}`, '-y', `${rows}`);
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

  /** The screen, as soon as it matches. */
  shows(what: RegExp, ms?: number): Promise<string> {
    return this.until(() => {
      const screen = this.lines(true).join('\n');
      return what.test(screen) ? screen : undefined;
    }, ms);
  }

  /** The screen, as soon as it differs from `before`. */
  changes(before: string): Promise<string> {
    return this.until(() => {
      const screen = this.lines(true).join('\n');
      return screen === before ? undefined : screen;
    });
  }

  /** Waits for what `find` finds; fails with the screen where it finds nothing. */
  async until<T>(find: () => T | undefined, ms = PATIENCE_MS): Promise<T> {
    for (const began = performance.now(); ; await sleep(20)) {
      const found = find();
      if (found !== undefined) return found;
      if (performance.now() - began > ms) throw new Error(`the screen stays at:\n${this.lines().join('\n')}`);
    }
  }

  close(): void {
    try {
      this.#tmux('kill-server');
    } catch {
      // The program ended, and the terminal with it.
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
  }

  #tmux(...args: readonly string[]): string {
    const all = ['-u', '-S', join(this.#folder, 'tmux'), ...args];
    return execFileSync('tmux', all, { env: this.#env, encoding: 'utf8', stdio: 'pipe' });
  }
}

/** Runs a line of shell in a terminal, and shows its exit status as `[status N]` after it. */
export async function openTerminal(
  line: string,
  { env = {}, columns = 120 }: { readonly env?: Readonly<Record<string, string>>; readonly columns?: number } = {},
): Promise<Terminal> {
  // The shell must outlive a Ctrl-C that ends the command.
  const script = `trap : INT; ${line}; echo "[status $?]"; exec sleep 60`;
  return new Terminal(['bash', '--norc', '-c', script], { env: { ...process.env, ...env }, columns });
}
