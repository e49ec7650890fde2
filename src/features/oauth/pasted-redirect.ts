/** The address a browser ended at, brought back by hand: for a browser on another machine than this. */

/** The query of a pasted address that is the redirect address, or what is wrong with it. Its secrets are in neither problem. */
export type PastedRedirect =
  | { readonly query: string; readonly problem?: undefined }
  | { readonly query?: undefined; readonly problem: string };

/** Longer than any address a browser shows. */
const LONGEST = 64 * 1024;

export function readPastedRedirect(text: string, redirectUri: string): PastedRedirect {
  // Terminals and mail programs break long lines and put quotes or brackets around addresses.
  const address = text.trim().replace(/^[<"'](.*)[>"']$/s, '$1');
  if (address === '') return { problem: 'nothing was pasted' };
  if (address.length > LONGEST) return { problem: 'that is too long for an address' };
  const begin = /^([^?#]*)\??/.exec(address)?.[1] ?? '';
  if (!/^https?:\/\//i.test(begin)) {
    // A code alone says nothing of who asked for it: whoever talks a person into pasting one would be signed in here.
    return {
      problem: `paste the whole address, from ${new URL(redirectUri).origin} on: a part of it cannot be checked`,
    };
  }
  if (/\s/.test(address)) return { problem: 'the address holds a blank or a line break' };
  if (begin !== redirectUri) {
    return { problem: `the address must begin with ${redirectUri}? - is it the one the browser ended at?` };
  }
  const query = address.slice(begin.length).replace(/^\?/, '').replace(/#.*$/s, '');
  return query === '' ? { problem: 'the address has no answer in it: what follows the "?" is missing' } : { query };
}
