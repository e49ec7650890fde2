import { once } from 'node:events';
import { existsSync } from 'node:fs';

/** Resolves with why there is no browser, or undefined: see `Context.openBrowser`. */
export async function openBrowser(url: URL): Promise<string | undefined> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only web addresses are opened';
  // A container of an editor names the program that opens it outside.
  const contained = existsSync('/.dockerenv') || existsSync('/run/.containerenv');
  if (contained && !process.env['BROWSER']) return 'svc runs in a container';
  try {
    const { default: open } = await import('open');
    const child = await open(url.href);
    const code = child.exitCode ?? (await once(child, 'exit'))[0];
    // It has started, and only now says that there is no browser.
    return code === 0 ? undefined : `the program that opens it ended with status ${code}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'there is no program that opens it' : message;
  }
}
