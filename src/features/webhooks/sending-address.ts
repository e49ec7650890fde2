/** Where deliveries are sent to, as a person writes it. */

import type { Flags } from '../../cli/flags.ts';
import { SvcError } from '../../errors.ts';
import { isLoopback } from '../../http/address.ts';
import { redactText } from '../../http/redact.ts';

/** An http or https address, its query included. Throws `invalid_value`. */
export function receiverAddress(text: string): URL {
  const refuse = (why: string, hint?: string): SvcError =>
    new SvcError(
      'invalid_value',
      `the address ${JSON.stringify(redactText(text))} ${why}`,
      hint === undefined ? {} : { hint },
    );
  // The URL parser drops tabs and line breaks and reads a backslash as a slash: what is shown would not be what is used.
  if (/[\s\\\x00-\x1f\x7f]/.test(text)) throw refuse('holds a blank, a backslash or a control character');
  if (!/^https?:\/\//i.test(text))
    throw refuse('is not http:// or https://', 'write it like http://127.0.0.1:3000/hook');
  if (!URL.canParse(text)) throw refuse('is not a valid URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw refuse('holds a user or a password');
  if (url.hash !== '') throw refuse('holds a fragment, which is never sent', 'leave out what follows "#"');
  return url;
}

/** What the person should know about sending to it. */
export function addressWarnings(url: URL, { insecure }: { readonly insecure: boolean }): string[] {
  const warnings: string[] = [];
  if (url.protocol === 'http:' && !isLoopback(url)) {
    warnings.push(
      `${url.host} is reached by plain http: anybody on the way can read the event, and repeat it while its timestamp is fresh`,
    );
  }
  if (insecure && url.protocol === 'https:') {
    warnings.push(`the certificate of ${url.host} is not checked: anybody on the way can read and change what is sent`);
  }
  // A shell cuts an unquoted address at the first "&". Where that leaves a whole parameter, nothing tells.
  if (/[?&=]$/.test(url.href)) {
    warnings.push(`the address ends in "${url.href.at(-1)}": was it cut? Quote it, if it holds "&"`);
  }
  return warnings;
}

export const RECEIVER_FLAGS = {
  to: {
    type: 'string',
    value: 'url',
    required: true,
    help: 'Where the receiver is; quote an address that holds "&"',
  },
  concurrency: { type: 'integer', value: 'n', min: 1, max: 32, default: 1, help: 'How many at once' },
  deadline: { type: 'duration', positive: true, default: '5s', help: 'How long to wait for an answer' },
  insecure: { type: 'boolean', help: 'Do not check the certificate of the receiver' },
} as const satisfies Flags;
