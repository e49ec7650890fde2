/** Shows a web address in the user's browser. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';

/** Resolves with why there is no browser, or undefined: see `Context.openBrowser`. */
export async function openBrowser(url: URL): Promise<string | undefined> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only web addresses can be opened';
  const [program, ...args] = chosenCommand(url.href);
  const isContainer = existsSync('/.dockerenv') || existsSync('/run/.containerenv');
  if (program === undefined && isContainer) return 'svc runs in a container';
  const name = program ?? 'the program that opens it';
  try {
    const child = program === undefined ? await (await import('open')).default(url.href) : start(program, args);
    // It starts, and may report only later that there is no browser.
    const code = child.exitCode ?? (await once(child, 'exit'))[0];
    return code === 0 ? undefined : `${name} ended with status ${code}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `${name} was not found` : message;
  }
}

/** The command in BROWSER, with the address for `%s` or as the last argument. */
function chosenCommand(address: string): readonly string[] {
  const { BROWSER, VSCODE_IPC_HOOK_CLI } = process.env;
  // A terminal of VS Code on a remote machine opens addresses on the machine with the window.
  const text = (BROWSER || (VSCODE_IPC_HOOK_CLI ? 'code --openExternal' : '')).trim();
  if (text === '') return [];
  const parts = existsSync(text) ? [text] : splitCommand(text);
  if (!text.includes('%s')) return [...parts, address];
  return parts.map((part) => part.replaceAll('%s', () => address));
}

/** The words of a command, with quotes as in a shell. */
function splitCommand(text: string): readonly string[] {
  const parts = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return parts.map((part) => part.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** Without a shell, as an address may have anything; without credentials, as it may outlive svc. */
function start(program: string, args: readonly string[]): ChildProcess {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')));
  const child = spawn(program, args, { stdio: 'ignore', detached: true, env });
  child.unref();
  return child;
}
