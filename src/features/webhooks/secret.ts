/** Signing secrets: which are valid, and how to name one without showing it. */
import { createHash } from 'node:crypto';
import { SvcError } from '../../errors.ts';
import { Secret } from '../../http/redact.ts';

/** A usable signing secret, and where it came from (`--secret-file key.txt`), which messages may show. */
export interface SigningSecret {
  /** The complete text is the key, including `whsec_`. */
  readonly key: Secret;
  readonly source: string;
  /** The key is these bytes, written in base64: not what the document says, but what Standard Webhooks does. */
  readonly encoding?: 'base64';
}

/** The prefix of every secret of the service (doc 2 §2). Alone it is not a secret. */
export const SECRET_PREFIX = 'whsec_';

/** HMAC pads a key with zeros, so that K and K‖NUL sign alike: no secret holds a control character. White space is for `trimmed` hints. */
const CONTROL = /[\x00-\x08\x0e-\x1f\x7f-\x9f]/;

/** Throws `empty_secret` and `bad_secret` (exit 2), whose messages never contain the secret. */
export function signingSecret(text: string, source: string): SigningSecret {
  const advice = { hint: 'nothing was checked or sent' };
  if (text === '') throw new SvcError('empty_secret', `${source}: the secret is empty`, advice);
  if (CONTROL.test(text))
    throw new SvcError('bad_secret', `${source}: the secret contains a control character`, advice);
  if (text === SECRET_PREFIX) {
    throw new SvcError('bad_secret', `${source}: the secret is only the prefix ${SECRET_PREFIX}`, advice);
  }
  return { key: new Secret(text), source };
}

/** What the HMAC takes. */
export function hmacKey({ key, encoding }: SigningSecret): string | Uint8Array {
  return encoding === undefined ? key.reveal() : Buffer.from(key.reveal(), encoding);
}

/** The same secret, used as Standard Webhooks does: what follows the prefix is the key in base64. */
export function standardWebhooksSecret({ key, source }: SigningSecret): SigningSecret {
  const text = withoutPrefix(key.reveal());
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 === 1) {
    throw new SvcError(
      'bad_secret',
      `${source}: the part after ${SECRET_PREFIX} is not base64, which --key-derivation std needs`,
    );
  }
  return { key: new Secret(text), source, encoding: 'base64' };
}

export function withoutPrefix(text: string): string {
  return text.startsWith(SECRET_PREFIX) ? text.slice(SECRET_PREFIX.length) : text;
}

/** The first 8 hexadecimal digits of the SHA-256 of the text: enough to tell secrets apart. */
export function fingerprint({ key }: SigningSecret): string {
  return createHash('sha256').update(key.reveal()).digest('hex').slice(0, 8);
}
