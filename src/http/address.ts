/** Base addresses as people write and paste them, and the rules that keep a credential from the wrong host and from unencrypted connections. */
import { SvcError } from '../errors.ts';
import { isSecretName, redactText } from './redact.ts';
import type { Target } from './target.ts';

/**
 * An http or https URL without userinfo, query, fragment, doubled or trailing slash. `strip` is the service's own base path, which is removed if it was pasted,
 * too: `/api/v2`.
 */
export function parseBaseUrl(text: string, { strip }: { readonly strip?: string } = {}): URL {
  const refuse = (why: string, hint?: string): SvcError =>
    new SvcError('invalid_value', `the address ${JSON.stringify(redactText(text))} ${why}`, { hint });

  // The URL parser drops tabs and line breaks and reads a backslash as a slash: the address used would differ from the one shown.
  if (/[\s\\\x00-\x1f\x7f]/.test(text)) throw refuse('contains a space, a backslash or a control character');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) throw refuse('has no scheme', 'write it with http:// or https:// in front');
  if (scheme !== 'http' && scheme !== 'https') throw refuse(`is ${scheme}, not http or https`);
  const [authority = ''] = text.slice(scheme.length + 3).split(/[/?#]/, 1);
  if (authority.includes('@')) {
    throw refuse('contains a user name or a password', 'set the credential in the environment or with --header-file');
  }
  if (text.includes('?')) throw refuse('contains a query', 'remove the part that starts with "?"');
  if (text.includes('#')) throw refuse('contains a fragment', 'remove the part that starts with "#"');
  if (authority === '') throw refuse('names no host');
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw refuse('is not a valid URL'); // its cause repeats the text unredacted
  }
  let path = url.pathname.replace(/\/{2,}/g, '/').replace(/\/$/, '');
  if (strip && path.endsWith(strip)) path = path.slice(0, -strip.length);
  url.pathname = path;
  return url;
}

/** Whether the host is this machine: 127.0.0.0/8, `::1`, `localhost` or a name below it. */
export function isLoopback(url: URL): boolean {
  const { hostname } = url;
  return (
    hostname === 'localhost' ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname) ||
    isBelowLocalhost(hostname)
  );
}

/** RFC 6761 §6.3: `app.localhost` is loopback, whatever a name server says. */
export function isBelowLocalhost(hostname: string): boolean {
  return hostname.endsWith('.localhost');
}

/** A host as an address names it: an IPv6 address in brackets. */
export function hostLiteral(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

type Rules = Pick<Target, 'baseUrl' | 'authorizer' | 'headers' | 'secretHeaders' | 'tls'>;

/** Throws `credential_unusable` if the target's credential must not be sent to its address. */
export function checkCredential(target: Rules): void {
  const { baseUrl, authorizer, tls } = target;
  if (authorizer !== undefined && new URL(authorizer.origin).origin !== baseUrl.origin) {
    throw new SvcError('credential_unusable', `the credential is for ${authorizer.origin}, not for ${baseUrl.origin}`, {
      hint: 'nothing was sent; use the address that the credential belongs to, or sign in there',
    });
  }
  if (isExposed(target) && !tls.insecure) {
    throw new SvcError('credential_unusable', `a credential would go to ${baseUrl.origin} unencrypted`, {
      hint: 'nothing was sent; use https://, or pass --insecure if others on the network may read it',
    });
  }
}

/** The warning printed every time `--insecure` takes effect. */
export function insecurityWarning(target: Rules): string | undefined {
  const { baseUrl, tls } = target;
  if (isExposed(target)) return `the credential goes to ${baseUrl.origin} unencrypted`;
  if (!tls.insecure) return undefined;
  // Requests and responses may contain secrets, as at a sign-in.
  if (baseUrl.protocol === 'http:') {
    if (isLoopback(baseUrl)) return undefined;
    return `the connection to ${baseUrl.origin} is not encrypted: others on the network can read and change it, including secrets`;
  }
  return `the certificate of ${baseUrl.host} is not checked: others on the network can read and change what is sent`;
}

function isExposed({ baseUrl, authorizer, headers, secretHeaders }: Rules): boolean {
  if (baseUrl.protocol !== 'http:' || isLoopback(baseUrl)) return false;
  return authorizer !== undefined || secretHeaders.size > 0 || Object.keys(headers).some(isSecretName);
}
