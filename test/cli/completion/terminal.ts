/** A shell in a tmux terminal: sends keys and returns the resulting command line. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';
import type { Workshop } from './workshop.ts';

export const tmux = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'tmux'))
  .find(existsSync);

export interface Terminal {
  /** The line after `typed` and the keys (<Tab> by default). Clears the line afterwards. */
  complete(typed: string, ...keys: string[]): Promise<string>;
  /** Completes the line, runs it, and waits for it to call svc. */
  run(typed: string, ...keys: string[]): Promise<readonly string[]>;
  /** Waits until the screen shows it, among the completions that are listed. */
  shows(text: string | RegExp): Promise<void>;
  close(): void;
}

/** Where the shell is to write its line when ^O is pressed; it moves `<path>.new` there and empties the line. */
export function linePath(home: string): string {
  return join(home, 'line');
}

/** For a busy machine: what is waited for comes within a tenth of a second. */
const WAIT = { interval: 10, timeout: 20_000 };

/** The command line starts a shell that writes its line, once, as soon as it is ready. */
export async function openTerminal(
  { home, folder, env, called }: Workshop,
  command: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Terminal> {
  const socket = join(home, 'tmux');
  const run = (...args: string[]): string =>
    execFileSync(tmux ?? 'tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      cwd: folder,
      env: { ...env, ...more },
    });
  const path = linePath(home);
  /** Waits for what `find` finds; where it never does, shows the screen and leaves an empty line to the next test. */
  const found = async <T>(find: () => T | undefined): Promise<T> => {
    try {
      return await vi.waitFor(() => {
        const value = find();
        if (value === undefined) throw new Error('not yet');
        return value;
      }, WAIT);
    } catch {
      const screen = run('capture-pane', '-p').trimEnd();
      run('send-keys', 'C-c');
      throw new Error(`nothing came of it:\n${screen}`);
    }
  };
  const line = async (): Promise<string> => {
    const text = await found(() => (existsSync(path) ? readFileSync(path, 'utf8') : undefined));
    rmSync(path);
    return text.replace(/\n$/, '');
  };
  const type = (typed: string, keys: readonly string[]): void => {
    if (typed !== '') run('send-keys', '-l', '--', typed);
    run('send-keys', ...keys);
  };
  const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
  writeFileSync(join(home, 'start'), `cd ${quoted(folder)} && exec ${command.map(quoted).join(' ')}\n`);
  run('new-session', '-d', '-x', '180', '-y', '50', `exec sh ${quoted(join(home, 'start'))}`);
  await line();
  return {
    async complete(typed, ...keys) {
      type(typed, [...(keys.length === 0 ? ['Tab'] : keys), 'C-o']);
      return line();
    },
    async run(typed, ...keys) {
      type(typed, [...(keys.length === 0 ? ['Tab'] : keys), 'Enter']);
      return found(called);
    },
    // The line is written before tmux has read what the shell has printed.
    async shows(text) {
      await found(() => {
        const screen = run('capture-pane', '-p');
        return (typeof text === 'string' ? screen.includes(text) : text.test(screen)) || undefined;
      });
    },
    close: () => {
      try {
        run('kill-server');
      } catch {
        // The shell ended, and its server with it.
      }
    },
  };
}
