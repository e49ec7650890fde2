/** Pages in the user's browser. */
import { platform as hostPlatform } from 'node:os';
import { SvcError } from '../errors.ts';
import { escapeText } from '../output/escape.ts';
import type { TextOutput } from '../output/types.ts';
import type { RunContext } from './command.ts';

/** The program that opens a browser fails within this time, if at all. */
const BROWSER_MS = 400;

/** Ends soon, and says why no browser was opened. */
export async function openInBrowser(url: URL, ctx: RunContext): Promise<void> {
  const opened = ctx.openBrowser(url).then((problem) => {
    if (problem !== undefined) ctx.notice(`no browser was opened: ${problem}; open the address yourself`);
  });
  await Promise.race([opened, ctx.sleep(BROWSER_MS, ctx.signal)]);
}

/** Opens the page that a service names, and prints its address. `of` has it: `alert 1a58c20e`. */
export async function openPage(
  text: string | null | undefined,
  { page, of }: { readonly page: string; readonly of: string },
  ctx: RunContext,
): Promise<{ readonly value: string; readonly as: TextOutput }> {
  const address = webAddress(text);
  if (address === undefined) {
    const why = text ? `"${text}", which is not a web address, as its ${page}` : `no ${page}`;
    throw new SvcError('not_found', `${of} has ${why}`);
  }
  const reason = noBrowserReason(ctx);
  if (reason !== undefined) ctx.notice(`no browser was opened: ${reason}; open the address yourself`);
  else await openInBrowser(new URL(address), ctx);
  return { value: address, as: { kind: 'text' } };
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

/** Longer ones are no page's. */
const LONGEST_ADDRESS = 2000;

/** An http or https address in ASCII; undefined for others, or with what a terminal obeys. */
export function webAddress(text: string | null | undefined): string | undefined {
  if (!text || escapeText(text) !== text || !/^https?:\/\/\S+$/i.test(text)) return undefined;
  const href = hrefOf(text);
  return href !== undefined && href.length <= LONGEST_ADDRESS && /^[\x21-\x7e]+$/.test(href) ? href : undefined;
}

/** Not by `URL.canParse`: Node 20 misreads text that is not ASCII once it is optimized. */
function hrefOf(text: string): string | undefined {
  try {
    return new URL(text).href;
  } catch {
    return undefined;
  }
}
