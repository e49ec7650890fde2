/** Base addresses, as people write and paste them. */
import { SvcError } from '../errors.ts';
import { redactText } from './redact.ts';

export interface BaseUrlRules {
  /** The service's own base path, taken off again when it was pasted along: `/api/v2`. */
  readonly strip?: string;
}

/** An http or https URL without userinfo, query, fragment, doubled or trailing slash. */
export function parseBaseUrl(text: string, rules: BaseUrlRules = {}): URL {
  const shown = JSON.stringify(redactText(text));
  const refuse = (why: string, hint?: string): SvcError =>
    new SvcError('invalid_value', `the address ${shown} ${why}`, hint === undefined ? {} : { hint });

  // The URL parser drops tabs and line breaks and reads a backslash as a slash: what is shown would not be what is used.
  if (/[\s\\\x00-\x1f\x7f]/.test(text)) throw refuse('holds a blank, a backslash or a control character');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) throw refuse('has no scheme', 'write it with http:// or https:// in front');
  if (scheme !== 'http' && scheme !== 'https') throw refuse(`is ${scheme}, not http or https`);
  const [authority = ''] = text.slice(scheme.length + 3).split(/[/?#]/, 1);
  if (authority.includes('@')) {
    throw refuse(
      'holds a user or a password',
      'give the address alone, and the credential by the environment or by --header-file',
    );
  }
  if (text.includes('?')) throw refuse('holds a query', 'give the address without what follows "?"');
  if (text.includes('#')) throw refuse('holds a fragment', 'give the address without what follows "#"');
  if (authority === '') throw refuse('names no host');
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refuse('is not a valid URL'); // its cause repeats the text unredacted
  }
  let path = url.pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  if (rules.strip && path.endsWith(rules.strip)) path = path.slice(0, -rules.strip.length);
  url.pathname = path;
  return url;
}

/** Whether the host can only be this machine: 127.0.0.0/8, `::1` or `localhost`. */
export function isLoopback(url: URL): boolean {
  const { hostname } = url;
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
