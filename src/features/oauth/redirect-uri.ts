/** Where a service may send browsers back to (doc 2 §5). */
import { SvcError } from '../../errors.ts';
import { isLoopback } from '../../http/address.ts';

/** Throws `invalid_value` where no service would take it. */
export function checkRedirectUri(text: string): void {
  const refuse = (why: string): SvcError => new SvcError('invalid_value', `${JSON.stringify(text)} ${why}`);
  if (/[\s\\\x00-\x1f\x7f]/.test(text) || !URL.canParse(text)) throw refuse('is no address');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url))) {
    throw refuse('must be https: http is for addresses of this machine');
  }
  if (url.username !== '' || url.password !== '') throw refuse('holds a user or a password');
  if (text.includes('#')) throw refuse('holds a fragment');
}
