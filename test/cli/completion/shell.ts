/** A shell in a terminal: takes keys, and gives the command line that becomes of them. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Terminal } from '../../support/terminal.ts';
import type { Workshop } from './workshop.ts';

export interface Shell {
  /** The line after `typed` and the keys (<Tab> by default). Clears the line afterwards. */
  complete(typed: string, ...keys: string[]): Promise<string>;
  /** Completes the line, runs it, and waits for it to call svc. */
  run(typed: string, ...keys: string[]): Promise<readonly string[]>;
  close(): void;
}

/** Where the shell is to write its line when ^O is pressed; it moves `<path>.new` there and empties the line. */
export function linePath(home: string): string {
  return join(home, 'line');
}

/** The command line starts a shell that writes its line, once, as soon as it is ready. */
export async function openShell(
  { home, folder, env, called }: Workshop,
  command: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Shell> {
  const terminal = new Terminal(command, { env: { ...env, ...more }, cwd: folder, columns: 180 });
  const path = linePath(home);
  const line = async (): Promise<string> => {
    const text = await terminal.until(() => (existsSync(path) ? readFileSync(path, 'utf8') : undefined));
    rmSync(path);
    return text.replace(/\n$/, '');
  };
  const press = (typed: string, keys: readonly string[], end: string): void => {
    terminal.type(typed);
    terminal.press(...(keys.length === 0 ? ['Tab'] : keys), end);
  };
  await line();
  return {
    async complete(typed, ...keys) {
      press(typed, keys, 'C-o');
      return await line();
    },
    async run(typed, ...keys) {
      press(typed, keys, 'Enter');
      return await terminal.until(called);
    },
    close: () => terminal.close(),
  };
}
