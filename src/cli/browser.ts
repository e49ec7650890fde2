/** Pages in the user's browser. */
import { platform as hostPlatform } from 'node:os';
import type { RunContext } from './command.ts';

/** The program that opens a browser fails within this time, if at all. */
const BROWSER_MS = 400;

/** Ends soon, and says why no browser was opened. */
export async function openInBrowser(url: URL, ctx: RunContext): Promise<void> {
  const opened = ctx.openBrowser(url).then((problem) => {
    if (problem !== undefined) ctx.notice(`no browser was opened: ${problem}; open the address yourself`);
  });
  await Promise.race([opened, ctx.sleep(BROWSER_MS)]);
}

type Place = Pick<RunContext, 'env' | 'interactive'>;

/** Undefined if a browser can be opened. */
export function noBrowserReason({ env, interactive }: Place, platform: string = hostPlatform()): string | undefined {
  if (env['BROWSER'] === 'none') return 'BROWSER is none';
  // What the user chose, or what an editor chose for its terminals on another machine.
  if (env['BROWSER'] || (env['VSCODE_IPC_HOOK_CLI'] && interactive)) return undefined;
  if (!interactive) return 'no terminal';
  // It would open on the remote machine.
  if (isRemote(env)) return 'an ssh session';
  const shown = ['DISPLAY', 'WAYLAND_DISPLAY', 'WSL_DISTRO_NAME'].some((name) => env[name]);
  // The opener would start a text browser that has no terminal.
  if (platform === 'linux' && !shown) return 'no display';
  return undefined;
}

/** Whether this is a session on another machine than the user's. */
export function isRemote(env: Place['env']): boolean {
  return Boolean(env['SSH_CONNECTION'] || env['SSH_TTY']);
}
