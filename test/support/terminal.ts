/** A real terminal, by tmux, for prompts and for what Ctrl-C does. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export const hasTmux = ((): boolean => {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    if (process.env['CI'] === 'true') throw new Error('tmux is missing: install it.');
    return false;
  }
})();

export interface Terminal extends AsyncDisposable {
  /** Keys as tmux names them: `Enter`, `Space`, `C-c`, or text. */
  press(...keys: string[]): Promise<void>;
  /** What is shown, as soon as it matches: within 15 seconds, or `ms`. */
  shows(what: RegExp, ms?: number): Promise<string>;
  /** The screen, as soon as it differs from `before`. */
  changes(before: string): Promise<string>;
}

/** Runs a line of shell in a terminal of its own, and shows its exit status as `[status N]` after it. */
export async function openTerminal(
  line: string,
  { env = {}, columns = 120 }: { readonly env?: Readonly<Record<string, string>>; readonly columns?: number } = {},
): Promise<Terminal> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tmux-'));
  const socket = join(folder, 'tmux');
  const tmux = (...args: string[]) => run('tmux', ['-S', socket, '-f', '/dev/null', ...args]);
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  const size = ['-x', `${columns}`, '-y', '50'];
  const script = `${line}; echo "[status $?]"; exec sleep 60`;
  // The shell must outlive a Ctrl-C that ends the command.
  await tmux('new-session', '-d', ...size, ...variables, 'bash', '--norc', '-c', `trap : INT; ${script}`);
  const until = async (isSo: (screen: string) => boolean, what: string, ms = 15_000): Promise<string> => {
    for (const end = Date.now() + ms; ; ) {
      const { stdout } = await tmux('capture-pane', '-p', '-J');
      if (isSo(stdout)) return stdout;
      if (Date.now() > end) throw new Error(`the terminal never showed ${what}:\n${stdout}`);
      await new Promise((later) => setTimeout(later, 40));
    }
  };
  return {
    async press(...keys) {
      await tmux('send-keys', ...keys);
    },
    shows: (what, ms) => until((screen) => what.test(screen), String(what), ms),
    changes: (before) => until((screen) => screen !== before, 'anything else'),
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
