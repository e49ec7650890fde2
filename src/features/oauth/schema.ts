/** Responses of authorization servers (RFC 8414 §2, 6749 §5.1, 7591 §3.2.1). */
import * as z from 'zod/mini';
import { flag, optional, orAbsent, text as textOrNumber } from '../../http/fields.ts';

const text = z.string();
const address = text.check(z.refine((value) => URL.canParse(value)));
/** Optional metadata of the service: an unreadable field counts as missing. */
const texts = z.array(text);

export const serverMetadata = z.looseObject({
  issuer: z.catch(text, ''),
  authorization_endpoint: address,
  token_endpoint: address,
  registration_endpoint: optional(address),
  revocation_endpoint: optional(address),
  token_endpoint_auth_methods_supported: optional(texts),
  code_challenge_methods_supported: z.catch(texts, []),
  authorization_response_iss_parameter_supported: optional(flag),
});
export type ServerMetadata = Readonly<z.infer<typeof serverMetadata>>;

/** A longer lifetime counts as unlimited. */
const LONGEST_LIFETIME_S = 10 * 365 * 86_400;

/** Some services send the number as a text. */
const lifetime = z.pipe(
  z.union([z.number().check(z.nonnegative()), text.check(z.regex(/^\d+$/))], 'is not a number of seconds'),
  z.transform((seconds) => Math.min(Math.floor(Number(seconds)), LONGEST_LIFETIME_S)),
);

/** An unreadable optional field is absent: the old token is spent, so an error loses the login. */
export const tokenResponse = z.object({
  /** It goes into a header as it is. */
  access_token: text.check(z.regex(/^[\x21-\x7e]+$/, 'is not a token that can be sent')),
  /** Required by RFC 6749 §5.1, but some servers leave it out or empty. */
  token_type: orAbsent(text.check(z.regex(/^(?:bearer)?$/i, 'is not Bearer'))),
  expires_in: optional(lifetime),
  refresh_token: optional(text.check(z.minLength(1))),
  scope: optional(text),
  email: optional(text),
});
export type TokenGrant = Readonly<z.infer<typeof tokenResponse>>;

/** What is absent or unreadable is as it was requested (RFC 7591 §3.2.1). */
export const clientRegistration = z.looseObject({
  client_id: textOrNumber.check(z.refine((id) => id !== '', 'is empty')),
  client_secret: optional(text),
  client_secret_expires_at: optional(z.number().check(z.nonnegative())),
  token_endpoint_auth_method: optional(text.check(z.minLength(1))),
  redirect_uris: optional(texts),
});
