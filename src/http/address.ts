/** Addresses: how they are written, and which may get a credential. */
import { SvcError } from '../errors.ts';
import { isSecretName, redactText } from './redact.ts';
import type { Target } from './target.ts';

/**
 * An http or https URL without userinfo, query or fragment. `strip` is the service's own base path,
 * such as `/api/v2`, which is removed if it was pasted, too.
 */
export function parseBaseUrl(text: string, { strip }: { readonly strip?: string } = {}): URL {
  const refuse = (why: string, hint?: string): SvcError =>
    new SvcError('invalid_value', `the address ${JSON.stringify(redactText(text))} ${why}`, { hint });

  // The URL parser would drop or change these, so the address used would differ from the one shown.
  if (/[\s\\\x00-\x1f\x7f]/.test(text)) throw refuse('contains a space, a backslash or a control character');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === undefined) throw refuse('has no scheme', 'write it with http:// or https:// in front');
  if (scheme !== 'http' && scheme !== 'https') throw refuse(`is ${scheme}, not http or https`);
  const [authority = ''] = text.slice(scheme.length + 3).split(/[/?#]/, 1);
  if (authority.includes('@')) {
    throw refuse(
      'contains a user name or a password',
      'set it in the environment, such as SVC_ALERTS_USER and SVC_ALERTS_PASSWORD, or pass --header-file',
    );
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

/** Origin and path, without a slash at the end. */
export function addressOf({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/$/, '');
}

/** By the name alone, whatever a name server says (RFC 6761 §6.3). */
export function isLoopback({ hostname }: URL): boolean {
  return /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:.*\.)?localhost)$/.test(hostname);
}

/** A host as an address names it: an IPv6 address in brackets. */
export function hostLiteral(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

type Rules = Pick<Target, 'baseUrl' | 'authorizer' | 'headers' | 'secretHeaders' | 'tls'>;

/**
 * Throws `credential_unusable` if the credential must not be sent to this address. Returns the
 * warning that is printed every time `--insecure` takes effect.
 */
export function checkConnection(target: Rules): string | undefined {
  const { baseUrl, authorizer, headers, secretHeaders, tls } = target;
  const { origin, host, protocol } = baseUrl;
  if (authorizer !== undefined && new URL(authorizer.origin).origin !== origin) {
    throw new SvcError('credential_unusable', `the credential is for ${authorizer.origin}, not for ${origin}`, {
      hint: 'nothing was sent; use the address that the credential belongs to, or sign in there',
    });
  }
  const isPlain = protocol === 'http:' && !isLoopback(baseUrl);
  const hasCredential = authorizer !== undefined || secretHeaders.size > 0 || Object.keys(headers).some(isSecretName);
  if (isPlain && hasCredential) {
    if (tls.insecure) return `the credential goes to ${origin} unencrypted`;
    throw new SvcError('credential_unusable', `a credential would go to ${origin} unencrypted`, {
      hint: 'nothing was sent; use https://, or pass --insecure if others on the network may read it',
    });
  }
  if (!tls.insecure) return undefined;
  // Requests and responses may contain secrets, as at a sign-in.
  if (isPlain)
    return `the connection to ${origin} is not encrypted: others on the network can read and change it, including secrets`;
  if (protocol === 'http:') return undefined;
  return `the certificate of ${host} is not checked: others on the network can read and change what is sent`;
}

/** An IPv6 host name of a URL without its brackets. */
export function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
