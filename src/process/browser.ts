/** Shows a web address in the user's browser. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter } from 'node:path';

/** Resolves with why there is no browser, or undefined: see `Context.openBrowser`. */
export async function openBrowser(url: URL): Promise<string | undefined> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only web addresses can be opened';
  const commands = chosenCommands(url.href);
  if (commands.length > 0) return openWithOneOf(commands);
  if (existsSync('/.dockerenv') || existsSync('/run/.containerenv')) return 'svc runs in a container';
  return explainFailure(async () => {
    const { default: open } = await import('open');
    return open(url.href);
  }, 'the program that opens it');
}

type Command = readonly [program: string, ...args: string[]];

/** The commands in BROWSER: a list as in xdg-open, each with `%s` for the address, or the address is the last argument. */
function chosenCommands(address: string): readonly Command[] {
  const { BROWSER, VSCODE_IPC_HOOK_CLI } = process.env;
  // A terminal of VS Code on a remote machine opens addresses on the machine with the window.
  const list = BROWSER || (VSCODE_IPC_HOOK_CLI ? 'code --openExternal' : '');
  return list.split(delimiter).flatMap((text) => {
    const [program, ...args] = existsSync(text) ? [text] : splitCommand(text);
    if (program === undefined) return [];
    const given = args.map((argument) => argument.replaceAll('%s', () => address));
    return [[program, ...given, ...(text.includes('%s') ? [] : [address])]];
  });
}

/** The words of a command, with quotes as in a shell. */
function splitCommand(text: string): readonly string[] {
  const parts = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return parts.map((part) => part.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** Resolves with why the last one failed, if all do. */
async function openWithOneOf(commands: readonly Command[]): Promise<string | undefined> {
  let failure: string | undefined;
  for (const [program, ...args] of commands) {
    failure = await explainFailure(async () => {
      // Without a shell: an address may contain anything. It may outlive svc, so it gets none of the credentials.
      const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_')));
      const child = spawn(program, args, { stdio: 'ignore', detached: true, env });
      child.unref();
      return child;
    }, program);
    if (failure === undefined) return undefined;
  }
  return failure;
}

/** It starts, and may report only later that there is no browser. */
async function explainFailure(start: () => Promise<ChildProcess>, name: string): Promise<string | undefined> {
  try {
    const child = await start();
    const code = child.exitCode ?? (await once(child, 'exit'))[0];
    return code === 0 ? undefined : `${name} ended with status ${code}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? `${name} was not found` : message;
  }
}
