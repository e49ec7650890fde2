/** The rules that keep a credential from the wrong host and off an open wire. */
import { SvcError } from '../errors.ts';
import { isLoopback } from './address.ts';
import { isSecretHeader } from './redact.ts';
import type { Target } from './target.ts';

type Rules = Pick<Target, 'baseUrl' | 'authorizer' | 'headers' | 'secretHeaders' | 'tls'>;

/** Throws `credential_unusable` where the target's credential must not be sent to its address. */
export function checkCredential(target: Rules): void {
  const { baseUrl, authorizer, tls } = target;
  if (authorizer !== undefined && new URL(authorizer.origin).origin !== baseUrl.origin) {
    throw new SvcError('credential_unusable', `the credential is for ${authorizer.origin}, not for ${baseUrl.origin}`, {
      hint: 'nothing was sent; use the address that the credential belongs to, or sign in there',
    });
  }
  if (isExposed(target) && !tls.insecure) {
    throw new SvcError('credential_unusable', `a credential would go to ${baseUrl.origin} unencrypted`, {
      hint: 'nothing was sent; use https://, or --insecure to accept that anybody on the way can read it',
    });
  }
}

/** What the person is told every time `--insecure` is made use of. */
export function insecurityWarning(target: Rules): string | undefined {
  const { baseUrl, tls } = target;
  if (isExposed(target)) return `the credential goes to ${baseUrl.origin} unencrypted`;
  if (!tls.insecure) return undefined;
  // Secrets may stand in what is sent and in what is answered, as they do when somebody signs in.
  if (baseUrl.protocol === 'http:') {
    if (isLoopback(baseUrl)) return undefined;
    return `nothing is encrypted on the way to ${baseUrl.origin}: anybody there can read and change it, secrets too`;
  }
  return `the certificate of ${baseUrl.host} is not checked: anybody on the way can read and change what is sent`;
}

function isExposed({ baseUrl, authorizer, headers, secretHeaders }: Rules): boolean {
  if (baseUrl.protocol !== 'http:' || isLoopback(baseUrl)) return false;
  return authorizer !== undefined || secretHeaders.size > 0 || Object.keys(headers).some(isSecretHeader);
}
